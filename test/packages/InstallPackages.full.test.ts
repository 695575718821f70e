import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"

/* Tests `src/packages/install.js` in a small repository, with a program of this test as npm. */

const script = Path.join(import.meta.dirname, "../../src/packages/install.js")
const here = { optional: true, os: [process.platform], cpu: [process.arch] }
const lock: Record<string, Record<string, unknown>> = {
  "": {},
  "node_modules/web": { version: "1.0.0", integrity: "sha512-1" },
  "node_modules/web/node_modules/deep": { version: "2.0.0", integrity: "sha512-2" },
  "node_modules/client": { resolved: "src/client", link: true },
  "node_modules/database": { version: "1.0.0", ...here },
  "node_modules/database-elsewhere": { version: "1.0.0", optional: true, os: "win32", cpu: "x64" },
  "node_modules/tester": { version: "3.0.0", dev: true },
  "node_modules/tester-here": { version: "3.0.0", dev: true, ...here },
  "node_modules/tester-musl": { version: "3.0.0", dev: true, ...here, libc: ["musl"] },
  "node_modules/nodes": { resolved: "test/nodes", link: true },
  "src/client": {},
  "test/nodes": { version: "1.0.0", dev: true }
}

/**
 * Imitates `npm ci`: empties node_modules, installs by the lock, and finally records the installed packages.
 * `npm.mode` names the failure.
 */
const npm = `
import * as Fs from "node:fs"
const args = process.argv.slice(2)
Fs.appendFileSync("npm.calls", args.join(" ") + "\\n")
const mode = Fs.existsSync("npm.mode") ? Fs.readFileSync("npm.mode", "utf8") : ""
Fs.writeFileSync("npm.parent", String(process.ppid))
Fs.rmSync("node_modules", { recursive: true, force: true })
Fs.mkdirSync("node_modules")
if (mode === "hang") await new Promise(() => setInterval(() => {}, 1000))
while (mode === "slow" && !Fs.existsSync("npm.go")) await new Promise((resolve) => setTimeout(resolve, 10))
if (mode === "fail") {
  console.error("npm warn old lockfile\\nnpm error code ENOTFOUND\\nnpm error request to https://registry failed")
  process.exit(7)
}
const { packages } = JSON.parse(Fs.readFileSync("package-lock.json", "utf8"))
const installed = Object.entries(packages).filter(([path, entry]) => {
  const { cpu, dev, libc, optional, os } = { ...packages[entry.resolved], ...entry }
  const isElsewhere = libc !== undefined || (os !== undefined && !(os.includes(process.platform) && cpu.includes(process.arch)))
  const isOmitted = (dev && args.includes("--omit=dev")) || (optional && args.includes("--omit=optional"))
  return path.startsWith("node_modules/") && !isElsewhere && !isOmitted && !(optional && mode === "no downloads")
})
for (const [path] of installed) {
  Fs.mkdirSync(path, { recursive: true })
  Fs.writeFileSync(path + "/package.json", "{}")
}
Fs.writeFileSync("node_modules/.package-lock.json", JSON.stringify({ packages: Object.fromEntries(installed) }))
`

let root = ""
const file = (name: string) => Path.join(root, name)
const write = (name: string, text: string) => Fs.writeFileSync(file(name), text)
const writeLock = (changes: typeof lock = {}) =>
  write("package-lock.json", JSON.stringify({ packages: { ...lock, ...changes } }))
const isThere = (name: string) => Fs.existsSync(file(`node_modules/${name}/package.json`))

const calls = () =>
  Fs.existsSync(file("npm.calls")) ? Fs.readFileSync(file("npm.calls"), "utf8").trim().split("\n") : []
/** The `--omit` options of the npm calls. */
const omitted = () => calls().map((call) => call.split(" ").filter((word) => word.startsWith("--omit")))

const begun: Array<ChildProcess> = []

/** Starts the script as npm does, in its own process group. */
const begin = (purpose: string) => {
  const env = { PATH: `${file("bin")}:${process.env["PATH"]}`, NODE_ENV: "production" }
  const child = spawn(process.execPath, [file("src/packages/install.js"), purpose], { cwd: root, detached: true, env })
  begun.push(child)
  let said = ""
  child.stderr.on("data", (data: Buffer) => (said += data.toString()))
  const ended = once(child, "close").then(([code]) => ({ code: Number(code), said }))
  return { pid: child.pid ?? 0, said: () => said, ended }
}

const run = (purpose: string) => begin(purpose).ended

const until = async (holds: () => boolean) => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5))
}

const childOf = (pid: number) => Number(Fs.readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ")[0])
/** Whether a script waits for its turn: the program that its shell has started waits for a lock. */
const isWaiting = (pid: number) => {
  const waiting = childOf(pid) > 0 ? childOf(childOf(pid)) : 0
  return waiting > 0 && new RegExp(`-> FLOCK .* ${waiting} `).test(Fs.readFileSync("/proc/locks", "utf8"))
}

describe("the installation before npm start and npm test", () => {
  beforeEach(() => {
    root = Fs.mkdtempSync(Path.join(Os.tmpdir(), "folio-install-"))
    for (const folder of ["src/packages", "bin"]) Fs.mkdirSync(file(folder), { recursive: true })
    Fs.copyFileSync(script, file("src/packages/install.js"))
    write("package.json", '{"type":"module"}')
    write("bin/npm.mjs", npm)
    write("bin/npm", `#!/bin/sh\nexec ${process.execPath} ${file("bin/npm.mjs")} "$@"\n`)
    Fs.chmodSync(file("bin/npm"), 0o755)
    writeLock()
  })
  afterEach(() => {
    for (const { pid } of begun.splice(0)) {
      try {
        process.kill(-(pid ?? 0), "SIGKILL")
      } catch {
        // The process has ended already.
      }
    }
    Fs.rmSync(root, { recursive: true, force: true })
  })

  it("installs the packages of the service, then the packages of the tests, each once and with one line of output", async () => {
    const first = await run("start")
    assert.deepStrictEqual(first, {
      code: 0,
      said: "folio: installing the packages of Folio: 4 are missing or have changed.\n"
    })
    assert.deepStrictEqual([isThere("web"), isThere("database"), isThere("tester")], [true, true, false])
    assert.deepStrictEqual(await run("start"), { code: 0, said: "" })
    const ofTests = await run("test")
    assert.match(ofTests.said, /^folio: installing the packages of Folio and its tests: 3 are .*\n$/)
    for (const purpose of ["test", "start"]) assert.deepStrictEqual(await run(purpose), { code: 0, said: "" })
    assert.isTrue(isThere("tester"))
    assert.deepStrictEqual(calls(), [
      "ci --omit=dev --include=optional --ignore-scripts --no-audit --no-fund",
      "ci --include=dev --include=optional --ignore-scripts --no-audit --no-fund"
    ])
  })

  it("compares the content of the lock, not its time, and keeps test packages when the service needs others", async () => {
    await run("test")
    writeLock()
    Fs.utimesSync(file("package-lock.json"), new Date(), new Date(Date.now() + 60_000))
    writeLock({ "node_modules/tester": { version: "3.0.1", dev: true } })
    await run("start")
    assert.lengthOf(calls(), 1)
    const changes: ReadonlyArray<typeof lock> = [
      { "node_modules/web": { version: "1.0.1", integrity: "sha512-3" } },
      { "node_modules/web/node_modules/deep": { version: "2.0.0", integrity: "sha512-changed" } },
      { "node_modules/database": { version: "1.0.1", ...here } },
      { "node_modules/new": { version: "1.0.0" } },
      { "node_modules/new-here": { version: "1.0.0", ...here } }
    ]
    for (const [index, change] of changes.entries()) {
      writeLock(change)
      assert.strictEqual((await run("start")).code, 0)
      assert.lengthOf(calls(), index + 2, JSON.stringify(change))
      assert.isTrue(isThere("tester"))
    }
    Fs.rmSync(file("node_modules/web"), { recursive: true })
    await run("start")
    assert.lengthOf(calls(), changes.length + 2)
    Fs.rmSync(file("package-lock.json"))
    Fs.rmSync(file("node_modules"), { recursive: true })
    assert.deepStrictEqual(await run("start"), { code: 0, said: "" }, "an image of the service has no lock")
  })

  it("omits optional packages that were omitted before, and installs them for the tests", async () => {
    await run("start")
    const path = file("node_modules/.package-lock.json")
    const { packages } = JSON.parse(Fs.readFileSync(path, "utf8"))
    delete packages["node_modules/database"]
    Fs.writeFileSync(path, JSON.stringify({ packages }))
    await run("start")
    assert.lengthOf(calls(), 1)
    writeLock({ "node_modules/new": { version: "1.0.0" } })
    await run("start")
    await run("test")
    assert.deepStrictEqual(omitted(), [["--omit=dev"], ["--omit=dev", "--omit=optional"], []])
  })

  it("reports the failure of npm in two lines, and keeps the installed packages", async () => {
    await run("start")
    write("npm.mode", "fail")
    const failed = await run("test")
    assert.strictEqual(failed.code, 7)
    assert.deepStrictEqual(failed.said.trim().split("\n").slice(1), [
      "folio: npm ci failed: request to https://registry failed.",
      "folio: Check that npm reaches its registry and may write to the folder of the repository, then repeat the command."
    ])
    assert.deepStrictEqual(await run("start"), { code: 0, said: "" })
    assert.isFalse(Fs.existsSync(file("node_modules.before")))
  })

  it("fails if npm skipped an optional package of this machine, and retries at the next run", async () => {
    write("npm.mode", "no downloads")
    for (const attempts of [1, 2]) {
      const failed = await run("start")
      assert.strictEqual(failed.code, 1)
      assert.include(failed.said, "npm ci failed: database could not be downloaded.")
      assert.lengthOf(calls(), attempts)
    }
    Fs.rmSync(file("npm.mode"))
    assert.strictEqual((await run("start")).code, 0)
    assert.isTrue(isThere("database"))
  })

  it("starts over after a killed installation, and keeps the packages that were installed before it", async () => {
    await run("start")
    write("npm.mode", "hang")
    const killed = begin("test")
    await until(() => calls().length === 2 && Fs.existsSync(file("node_modules")))
    process.kill(-killed.pid, "SIGKILL")
    await killed.ended
    write("npm.mode", "fail")
    assert.strictEqual((await run("test")).code, 7)
    assert.isTrue(isThere("web"))
    Fs.rmSync(file("npm.mode"))
    assert.strictEqual((await run("test")).code, 0)
    assert.isTrue(isThere("tester"))
    assert.isFalse(Fs.existsSync(file("node_modules.before")))
  })

  it("ends npm with the signal that it receives, and keeps the installed packages", async () => {
    await run("start")
    write("npm.mode", "hang")
    const stopped = begin("test")
    await until(() => calls().length === 2 && Fs.existsSync(file("node_modules")))
    process.kill(stopped.pid, "SIGTERM")
    const { code, said } = await stopped.ended
    assert.deepStrictEqual([code, said.trim().split("\n").length], [143, 1])
    assert.isTrue(isThere("web"))
  })

  it.skipIf(process.platform !== "linux")("waits for the npm of a script that was killed alone", async () => {
    write("npm.mode", "slow")
    const killed = begin("start")
    await until(() => Fs.existsSync(file("node_modules")))
    process.kill(Number(Fs.readFileSync(file("npm.parent"), "utf8")), "SIGKILL")
    await killed.ended
    const next = begin("start")
    await until(() => isWaiting(next.pid) || calls().length > 1)
    write("npm.go", "")
    assert.strictEqual((await next.ended).code, 0)
    assert.lengthOf(calls(), 1)
  })

  it.skipIf(process.platform !== "linux")("installs once when two runs start concurrently", async () => {
    write("npm.mode", "slow")
    const both = [begin("start"), begin("start")]
    await until(() => calls().length > 1 || both.some(({ pid }) => isWaiting(pid)))
    write("npm.go", "")
    const ended = await Promise.all(both.map((one) => one.ended))
    assert.deepStrictEqual(
      ended.map(({ code }) => code),
      [0, 0]
    )
    assert.lengthOf(calls(), 1)
  })
})
