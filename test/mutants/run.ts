import { spawn } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { type Mutant, mutants as others } from "./mutants.ts"
import { mailMutants } from "./mailMutants.ts"
import { paperMutants } from "./paperMutants.ts"
import { readMutants } from "./readMutants.ts"
import { wireMutants } from "./wireMutants.ts"

/*
 * Breaks one guard at a time in a copy of the tree, and runs the tests that must notice.
 *
 *   npm run mutants [-- part of a name]
 */
const root = Path.resolve(import.meta.dirname, "../..")
const wanted = process.argv[2] ?? ""
const copied = [
  "migrations",
  "package.json",
  "schemas",
  "src",
  "test",
  "tsconfig.json",
  "vitest.config.ts",
  "openapi.json"
]
const mutants = [...others, ...mailMutants, ...paperMutants, ...readMutants, ...wireMutants]
const minutesMax = 5

interface Result {
  readonly killed: boolean
  readonly by: string
}

const copy = () => {
  const place = Fs.mkdtempSync(Path.join(Os.tmpdir(), "folio-mutants-"))
  for (const name of copied) Fs.cpSync(Path.join(root, name), Path.join(place, name), { recursive: true })
  Fs.symlinkSync(Path.join(root, "node_modules"), Path.join(place, "node_modules"))
  return place
}

const test = (place: string, files: ReadonlyArray<string>) =>
  new Promise<{ readonly passed: boolean; readonly failed: ReadonlyArray<string> }>((resolve) => {
    const report = Path.join(place, "report.json")
    Fs.rmSync(report, { force: true })
    const vitest = Path.join(root, "node_modules/vitest/vitest.mjs")
    const child = spawn(process.execPath, [vitest, "run", "--reporter=json", `--outputFile=${report}`, ...files], {
      cwd: place,
      stdio: "ignore",
      timeout: minutesMax * 60_000
    })
    child.once("close", (code) => {
      const results: { testResults: Array<{ assertionResults: Array<{ status: string; fullName: string }> }> } =
        Fs.existsSync(report) ? JSON.parse(Fs.readFileSync(report, "utf8")) : { testResults: [] }
      const all = results.testResults.flatMap((file) => file.assertionResults)
      const failed = all.filter((one) => one.status === "failed").map((one) => one.fullName)
      resolve({ passed: code === 0 && all.some((one) => one.status === "passed"), failed })
    })
  })

const attempt = async (place: string, mutant: Mutant): Promise<Result> => {
  const edits = [mutant, ...(mutant.and === undefined ? [] : [mutant.and])]
  for (const { file, find, replace } of edits) {
    const parts = Fs.readFileSync(Path.join(root, file), "utf8").split(find)
    if (parts.length !== 2) return { killed: false, by: `its text occurs ${parts.length - 1} times in ${file}` }
    Fs.writeFileSync(Path.join(place, file), parts.join(replace))
  }
  const { failed, passed } = await test(place, mutant.tests)
  for (const { file } of edits) Fs.copyFileSync(Path.join(root, file), Path.join(place, file))
  const [first] = failed
  // A file that cannot even be loaded fails without a failed test: that would be a bad mutant, not a good test.
  if (first === undefined) return { killed: false, by: passed ? "every test passed" : "no test ran to its end" }
  return { killed: true, by: failed.length === 1 ? first : `${first} (and ${failed.length - 1} more)` }
}

const print = (line: string) => process.stdout.write(`${line}\n`)

const place = copy()
try {
  const chosen = mutants.filter((mutant) => mutant.name.includes(wanted))
  if (chosen.length === 0) throw new Error(`No mutant's name holds ${JSON.stringify(wanted)}`)
  const whole = await test(place, [...new Set(chosen.flatMap((mutant) => mutant.tests))])
  if (!whole.passed) throw new Error(`The unbroken service fails its tests: ${whole.failed.join("; ")}`)
  let killed = 0
  for (const mutant of chosen) {
    const result = await attempt(place, mutant)
    if (result.killed) killed += 1
    print(`${result.killed ? "killed  " : "SURVIVED"} ${mutant.name}\n           ${result.by}`)
  }
  print(`mutants killed ${killed}/${chosen.length}`)
  process.exitCode = killed === chosen.length ? 0 : 1
} finally {
  Fs.rmSync(place, { recursive: true, force: true })
}
