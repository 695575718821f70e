import { Data, Effect } from "effect"
import { execFile, execFileSync } from "node:child_process"
import * as Path from "node:path"

const root = Path.resolve(import.meta.dirname, "../../..")

/** A language, other than TypeScript, that Folio has a client for. */
export interface Language {
  /** The name with the required version, for the names of tests that are skipped without it. */
  readonly name: string
  readonly isThere: boolean
  readonly command: ReadonlyArray<string>
  /** The path of a program in test/client. */
  readonly file: (program: string) => string
}

const runs = (command: string, args: ReadonlyArray<string>) => {
  try {
    execFileSync(command, args, { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

const hasPython = runs("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"])
const hasPhp = runs("php", ["-r", "exit(PHP_VERSION_ID < 80100 ? 1 : 0);"])
const inPhp = (program: string) => Path.join(root, `test/clients/php/${program}.php`)

export const python: Language = {
  name: "Python (3.9 or later)",
  isThere: hasPython,
  command: ["python3", "-W", "error"],
  file: (program) => Path.join(root, `test/clients/python/${program}.py`)
}

export const php: Language = {
  name: "PHP (8.1 or later)",
  isThere: hasPhp,
  command: ["php", "-d", "error_reporting=-1", "-d", "display_errors=stderr"],
  file: inPhp
}

/** PHP without its settings files, which load the curl extension on most systems. */
const phpStreams: Language = {
  name: "PHP without extensions (8.1 or later)",
  isThere: hasPhp,
  command: ["php", "-n", "-d", "error_reporting=-1", "-d", "display_errors=stderr"],
  file: inPhp
}

export const languages = [python, php, phpStreams]

/** The environment of every program. */
export const environment = () => ({
  PATH: process.env["PATH"],
  PYTHONPATH: Path.join(root, "src/clients/python"),
  PYTHONDONTWRITEBYTECODE: "1",
  PYTHONUTF8: "1"
})

interface Given {
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly stdin: string
}

class ProgramFailed extends Data.TaggedError("ProgramFailed")<{ readonly message: string }> {}

/** Runs a file of the language until it exits, and returns its output. A warning of the language is an error. */
export const run = (
  { command: [command = "", ...options] }: Language,
  file: string,
  { args = [], cwd = root, env = {}, stdin = "" }: Partial<Given> = {}
) =>
  Effect.callback<string, ProgramFailed>((resume) => {
    const child = execFile(
      command,
      [...options, file, ...args],
      { cwd, env: { ...environment(), ...env }, maxBuffer: 1 << 26 },
      (error, stdout, stderr) =>
        resume(
          error === null && stderr === ""
            ? Effect.succeed(stdout)
            : Effect.fail(new ProgramFailed({ message: `${file}: ${error?.message}\n${stderr}\n${stdout}` }))
        )
    )
    child.stdin?.on("error", () => {})
    child.stdin?.end(stdin)
    return Effect.sync(() => child.kill("SIGKILL"))
  })

/** The output of a program, one line of JSON for each result. */
export const linesOf = <A>(stdout: string): ReadonlyArray<A> =>
  stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as A)
