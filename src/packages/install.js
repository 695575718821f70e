/*
 * Installs the packages that package-lock.json names and node_modules lacks, before `npm start` and `npm test`:
 *
 *   node src/packages/install.js start|test
 *
 * `start` omits the packages of the tests. This is plain JavaScript without packages, because a fresh clone has no
 * packages, and because the Node on the PATH can be too old for TypeScript.
 */
import { spawn } from "node:child_process"
import * as Fs from "node:fs"
import { constants } from "node:os"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"

const root = Path.resolve(Path.dirname(fileURLToPath(import.meta.url)), "../..")
const lockFile = Path.join(root, "package-lock.json")
const folder = Path.join(root, "node_modules")
const installedFile = Path.join(folder, ".package-lock.json")
/** The earlier packages while npm installs new ones, to restore them if npm fails. */
const before = Path.join(root, "node_modules.before")
const [, script, purpose, turn] = process.argv

const packagesOf = (file) => (Fs.existsSync(file) ? JSON.parse(Fs.readFileSync(file, "utf8")).packages : {})

/** Whether a package names this system and processor, and requires no particular C library. */
const isForHere = ({ cpu = [], libc, os = [] }) =>
  libc === undefined && [].concat(os).includes(process.platform) && [].concat(cpu).includes(process.arch)

/** Compares the lock with the lock of the installed packages in node_modules. `chosen`: the kinds that npm omitted. */
const compare = (chosen) => {
  // An image of the service has no lock, because its build has installed the packages.
  if (!Fs.existsSync(lockFile)) return { missing: [], omitted: [] }
  const locked = packagesOf(lockFile)
  const all = Object.entries(locked)
    .filter(([path]) => path.startsWith("node_modules/"))
    // A link to a folder of the repository: another entry of the lock has its kind.
    .map(([path, entry]) => [path, entry.link === true ? { ...locked[entry.resolved], ...entry } : entry])
  const installed = packagesOf(installedFile)
  const isFirst = Object.keys(installed).length === 0
  const has = (kind) => all.some(([path, entry]) => entry[kind] === true && installed[path] !== undefined)
  // `npm start` keeps installed packages of the tests, and does without optional ones that were omitted.
  const omitted = chosen || [
    ...(purpose === "test" || has("dev") ? [] : ["dev"]),
    ...(purpose === "test" || isFirst || has("optional") ? [] : ["optional"])
  ]
  const isThere = (path, entry) => {
    const { integrity, link, version } = installed[path] || {}
    // Many optional packages are for other machines.
    if (installed[path] === undefined) return entry.optional === true && !isForHere(entry)
    const isSame = link === entry.link && (link === true || version === entry.version)
    const isSameContent = [integrity, entry.integrity].includes(undefined) || integrity === entry.integrity
    return isSame && isSameContent && Fs.existsSync(Path.join(root, path, "package.json"))
  }
  const needed = all.filter(
    ([, entry]) =>
      (purpose === "test" || entry.dev !== true) && !(entry.optional === true && omitted.includes("optional"))
  )
  const missing = needed.filter((one) => !isThere(...one)).map(([path]) => path.slice("node_modules/".length))
  return { missing, omitted }
}

const say = (text) => process.stderr.write(`folio: ${text}\n`)

const remove = (path) => Fs.rmSync(path, { recursive: true, force: true })

/** The signal that has stopped this process. */
let stoppedBy

/** Runs a program to its end; returns its exit code, and its errors if they go to a pipe. */
const run = (command, args, stdio) =>
  new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio })
    let errors = ""
    if (child.stderr !== null) child.stderr.on("data", (data) => (errors += data))
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
      process.on(signal, () => {
        stoppedBy = signal
        child.kill(signal)
      })
    }
    child.on("error", ({ message }) => resolve({ code: 1, errors: message }))
    child.on("close", (code) =>
      resolve({
        code: stoppedBy === undefined ? (code === null ? 1 : code) : 128 + constants.signals[stoppedBy],
        errors
      })
    )
  })

/** The reason in the errors of npm, without its codes and advice. */
const reasonIn = (errors) => {
  const lines = errors.split("\n").map((line) => line.replace(/^npm (error|ERR!) ?/, ""))
  return lines.find((line) => line !== "" && !/^(code|errno|syscall|path|dest) |^npm warn/.test(line))
}

/** Installs exactly the packages of the lock with npm; returns the exit code. */
const install = async (omitted) => {
  try {
    // After a killed installation, node_modules is incomplete.
    if (Fs.existsSync(before)) remove(folder)
    else if (Fs.existsSync(folder)) Fs.renameSync(folder, before)
  } catch {
    // If the folder cannot be moved, npm empties it or reports why it cannot.
  }
  const kinds = ["dev", "optional"].map((kind) => `--${omitted.includes(kind) ? "omit" : "include"}=${kind}`)
  const args = ["ci", ...kinds, "--ignore-scripts", "--no-audit", "--no-fund"]
  // npm inherits the lock (9): if it outlives this process, the next process waits for it.
  const { code, errors } = await run("npm", args, ["ignore", "ignore", "pipe", 9])
  // npm skips an optional package if its download fails.
  const { missing } = code === 0 ? compare(omitted) : { missing: [] }
  if (code === 0 && missing.length === 0) {
    remove(before)
    return 0
  }
  // Otherwise the next run takes the missing packages for omitted ones.
  remove(installedFile)
  if (Fs.existsSync(before)) {
    remove(folder)
    Fs.renameSync(before, folder)
  }
  if (stoppedBy === undefined) {
    const reason = missing.length > 0 ? `${missing.join(", ")} could not be downloaded` : reasonIn(errors)
    say(`npm ci failed: ${reason || `it ended with ${code}`}.`)
    say("Check that npm reaches its registry and may write to the folder of the repository, then repeat the command.")
  }
  return code || 1
}

const { missing, omitted } = compare()
if (missing.length === 0) {
  if (Fs.existsSync(before)) remove(before)
} else if (turn === undefined) {
  const what = omitted.includes("dev") ? "Folio" : "Folio and its tests"
  say(`installing the packages of ${what}: ${missing.length} are missing or have changed.`)
  // Only one process at a time installs; the next finds all packages. The system frees the lock when its holders end.
  const inTurn = 'exec 9<package-lock.json; flock 9 2>/dev/null; exec "$0" "$@"'
  const { code } = await run("sh", ["-c", inTurn, process.execPath, script, purpose, "in-turn"], "inherit")
  process.exitCode = code
} else process.exitCode = await install(omitted)
