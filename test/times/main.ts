import { spawn } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { follow, sum } from "./ProcessTree.ts"
import type { FileTimes } from "./Reporter.ts"

/*
 * Prints the times of the tests as tables: seconds and CPU seconds by command, by kind of process and by file. One
 * worker runs the files one by one, so that they can be distinguished; `npm test` runs several in parallel.
 *
 *   npm run times [-- project ...]
 */
const root = Path.resolve(import.meta.dirname, "../..")
const projects = process.argv.length > 2 ? process.argv.slice(2) : ["quick", "full"]
const longest = 40

const cpuOf = ({ cpu }: FileTimes) => Object.values(cpu).reduce((total, ms) => total + ms, 0)
const seconds = (ms: number) => (ms / 1000).toFixed(1)
const print = (line = "") => process.stdout.write(`${line}\n`)
const row = (...cells: ReadonlyArray<string | number>) => print(`| ${cells.join(" | ")} |`)
const heading = (...cells: ReadonlyArray<string>) => {
  print()
  row(...cells)
  row(...cells.map(() => "---"))
}

const run = (command: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  new Promise<{ wall: number; cpu: number; code: number | null }>((resolve) => {
    const began = performance.now()
    const child = spawn(command, args, { cwd: root, stdio: ["ignore", "ignore", 2], env: { ...process.env, ...env } })
    const tree = follow(child.pid ?? 0)
    const timer = setInterval(() => tree.look(), 50)
    child.once("close", (code) => {
      clearInterval(timer)
      resolve({ wall: performance.now() - began, cpu: sum(tree.look()), code })
    })
  })

heading("Command", "s", "CPU s")
for (const script of ["check", "lint"]) {
  const { code, cpu, wall } = await run("npm", ["run", "-s", script])
  row(`\`npm run ${script}\`${code === 0 ? "" : ` (ended with ${code})`}`, seconds(wall), seconds(cpu))
}

const place = Fs.mkdtempSync(Path.join(Os.tmpdir(), "folio-times-"))
try {
  for (const project of projects) {
    const file = Path.join(place, `${project}.json`)
    const reporters = ["--reporter=dot", `--reporter=${Path.join(import.meta.dirname, "Reporter.ts")}`]
    const { wall } = await run(
      "npx",
      ["vitest", "run", "--project", project, "--maxWorkers=1", "--no-file-parallelism", ...reporters],
      { TIMES_FILE: file }
    )
    const times: ReadonlyArray<FileTimes> = JSON.parse(Fs.readFileSync(file, "utf8"))
    const files = times.filter((one) => one.tests > 0)

    const total = times.reduce((all, one) => all + cpuOf(one), 0)
    const tests = files.reduce((all, one) => all + one.tests, 0)
    print(`\n${project}: ${files.length} files, ${tests} tests, ${seconds(wall)} s one by one, ${seconds(total)} CPU s`)
    heading("Kind", "CPU s")
    const kinds = [...new Set(times.flatMap(({ cpu }) => Object.keys(cpu)))]
    const ofKind = (kind: string) => times.reduce((all, { cpu }) => all + (cpu[kind] ?? 0), 0)
    for (const kind of kinds.toSorted((one, other) => ofKind(other) - ofKind(one))) row(kind, seconds(ofKind(kind)))
    heading("File", "Tests", "s", "CPU s", "of it processes")
    for (const one of times.toSorted((a, b) => cpuOf(b) - cpuOf(a)).slice(0, longest)) {
      const own = (one.cpu["test workers"] ?? 0) + (one.cpu["vitest itself"] ?? 0)
      row(
        `${one.file}${one.failed > 0 ? ` (${one.failed} failed)` : ""}`,
        one.tests,
        seconds(one.wall),
        seconds(cpuOf(one)),
        seconds(cpuOf(one) - own)
      )
    }
  }
} finally {
  Fs.rmSync(place, { recursive: true, force: true })
}
