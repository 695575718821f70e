import { spawn } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { everyMutant as mutants } from "./everyMutant.ts"
import type { Mutant } from "./Mutant.ts"

/*
 * Breaks one guard at a time in a copy of the tree, and runs the tests that must detect it: one of their assertions
 * must fail. Several copies run in parallel.
 *
 *   npm run mutants [-- part of a name]
 */
const root = Path.resolve(import.meta.dirname, "../..")
const wanted = process.argv[2] ?? ""
const copied = [
  "migrations",
  "package-lock.json",
  "package.json",
  "README.md",
  "schemas",
  "src",
  "test",
  "tsconfig.json",
  "vitest.config.ts"
]
const minutesMax = { mutant: 5, unbroken: 20 }
const copiesAtWork = 4

interface Result {
  readonly killed: boolean
  readonly by: string
  /** The command whose tests detected the mutant, or the last command tried. */
  readonly command: Command
}

const commands = ["npm test", "npm run test:full"] as const
type Command = (typeof commands)[number]

const commandOf = (test: string): Command => (test.includes(".full.test.") ? "npm run test:full" : "npm test")

interface Failure {
  readonly test: string
  readonly message: string
}

// `NeverHeld`: a state that a test waits for (test/support/apps/Until.ts). Any other failure proves nothing about the
// guard, such as a program that does not load, a statement that does not parse or a test that times out.
const isAssertion = ({ message }: Failure) => /^(AssertionError|NeverHeld)\b/.test(message)

const copy = () => {
  const place = Fs.mkdtempSync(Path.join(Os.tmpdir(), "folio-mutants-"))
  for (const name of copied) Fs.cpSync(Path.join(root, name), Path.join(place, name), { recursive: true })
  // Each copy has its own cache: the tests pack the programs that they start into it, and each copy has other programs.
  const packages = Path.join(root, "node_modules")
  const own = Path.join(place, "node_modules")
  Fs.mkdirSync(own)
  // The link to the client is relative, so that the tests of a copy load the client of the copy.
  const client = "@folio-einvoicing"
  Fs.cpSync(Path.join(packages, client), Path.join(own, client), { recursive: true, verbatimSymlinks: true })
  for (const name of Fs.readdirSync(packages))
    if (name !== ".cache" && name !== client) Fs.symlinkSync(Path.join(packages, name), Path.join(own, name))
  return place
}

interface Report {
  readonly testResults: ReadonlyArray<{
    readonly assertionResults: ReadonlyArray<{
      readonly status: string
      readonly fullName: string
      readonly failureMessages: ReadonlyArray<string>
    }>
  }>
}

const test = (
  place: string,
  files: ReadonlyArray<string>,
  options: ReadonlyArray<string>,
  minutes: number = minutesMax.mutant
) =>
  new Promise<{ readonly passed: boolean; readonly failures: ReadonlyArray<Failure> }>((resolve) => {
    const report = Path.join(place, "report.json")
    Fs.rmSync(report, { force: true })
    const vitest = Path.join(root, "node_modules/vitest/vitest.mjs")
    const args = [vitest, "run", "--reporter=json", `--outputFile=${report}`, ...options, ...files]
    const child = spawn(process.execPath, args, { cwd: place, stdio: "ignore", timeout: minutes * 60_000 })
    child.once("close", (code) => {
      const results: Report = Fs.existsSync(report) ? JSON.parse(Fs.readFileSync(report, "utf8")) : { testResults: [] }
      const all = results.testResults.flatMap((file) => file.assertionResults)
      const failures = all.flatMap(({ failureMessages, fullName, status }) =>
        status === "failed" ? [{ test: fullName, message: failureMessages.join("\n") }] : []
      )
      resolve({ passed: code === 0 && all.some((one) => one.status === "passed"), failures })
    })
  })

/** Result of one command's tests in a copy with a broken guard. */
const judge = async (place: string, tests: ReadonlyArray<string>): Promise<Omit<Result, "command">> => {
  // The first failure is enough if it is an assertion: later failures only take time.
  let { failures, passed } = await test(place, tests, ["--maxWorkers=1", "--bail=1"])
  if (!passed && !failures.some(isAssertion)) ({ failures, passed } = await test(place, tests, ["--maxWorkers=1"]))
  if (passed) return { killed: false, by: "every test passed" }
  const [killer] = failures.filter(isAssertion)
  if (killer !== undefined) {
    return {
      killed: true,
      by: failures.length === 1 ? killer.test : `${killer.test} (and ${failures.length - 1} more)`
    }
  }
  const [first] = failures
  return {
    killed: false,
    by: first === undefined ? "no test ran to its end" : `no assertion: ${first.message.slice(0, 200)}`
  }
}

const attempt = async (place: string, mutant: Mutant): Promise<Result> => {
  const restore = () => {
    for (const { file } of mutant.edits) Fs.copyFileSync(Path.join(root, file), Path.join(place, file))
  }
  for (const { file, find, replace } of mutant.edits) {
    const parts = Fs.readFileSync(Path.join(place, file), "utf8").split(find)
    if (parts.length !== 2) {
      restore()
      return { killed: false, by: `its text occurs ${parts.length - 1} times in ${file}`, command: "npm test" }
    }
    Fs.writeFileSync(Path.join(place, file), parts.join(replace))
  }
  let result: Result = { killed: false, by: "it names no test", command: "npm test" }
  for (const command of commands) {
    const tests = mutant.tests.filter((file) => commandOf(file) === command)
    if (tests.length > 0 && !result.killed) result = { ...(await judge(place, tests)), command }
  }
  restore()
  return result
}

const print = (line: string) => process.stdout.write(`${line}\n`)

const chosen = mutants.filter((mutant) => mutant.name.includes(wanted))
if (chosen.length === 0) throw new Error(`No mutant's name holds ${JSON.stringify(wanted)}`)
const places = Array.from({ length: Math.min(copiesAtWork, chosen.length) }, copy)
try {
  const whole = await test(places[0]!, [...new Set(chosen.flatMap((mutant) => mutant.tests))], [], minutesMax.unbroken)
  if (!whole.passed)
    throw new Error(`The unbroken service fails its tests: ${whole.failures.map((one) => one.test).join("; ")}`)
  const waiting = chosen.values()
  const killed: Record<Command, number> = { "npm test": 0, "npm run test:full": 0 }
  const work = async (place: string) => {
    for (const mutant of waiting) {
      const result = await attempt(place, mutant)
      if (result.killed) killed[result.command] += 1
      print(`${result.killed ? "killed  " : "SURVIVED"} ${mutant.name}\n           ${result.command}: ${result.by}`)
    }
  }
  await Promise.all(places.map(work))
  const all = killed["npm test"] + killed["npm run test:full"]
  print(
    `mutants killed ${all}/${chosen.length}: by npm test ${killed["npm test"]}, by npm run test:full ${killed["npm run test:full"]}`
  )
  process.exitCode = all === chosen.length ? 0 : 1
} finally {
  for (const place of places) Fs.rmSync(place, { recursive: true, force: true })
}
