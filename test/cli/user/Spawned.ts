import { Effect } from "effect"
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { packCommand } from "../../../src/packages/PackCommand.ts"
import { inherited } from "../../support/processes/ServiceProcess.ts"

const root = Path.resolve(import.meta.dirname, "../../..")
// The published form: packed into one file, the command starts in a third of the time.
const cache = Path.join(root, "node_modules/.cache")
Fs.mkdirSync(cache, { recursive: true })
const packed = Fs.mkdtempSync(Path.join(cache, "folio-"))
const file = Path.join(cache, "folio.mjs")
// In one step, because other test files may start the command at the same time.
Fs.renameSync(await packCommand(packed, undefined), file)
Fs.rmSync(packed, { recursive: true })
const command = [process.execPath, file]

export interface Ended {
  readonly code: number | null
  readonly out: string
  readonly error: string
}

export interface Surroundings {
  readonly env?: Readonly<Record<string, string>>
  /** The content of standard input. Empty if omitted. */
  readonly input?: string | Uint8Array
  readonly cwd?: string
  /** The command gets Ctrl-C when this ends. */
  readonly interrupt?: Effect.Effect<unknown>
}

const ended = (child: ChildProcess, input: string | Uint8Array = "") =>
  Effect.callback<Ended>((resume) => {
    let [out, error] = ["", ""]
    child.stdout?.on("data", (chunk: Buffer) => (out += chunk.toString()))
    child.stderr?.on("data", (chunk: Buffer) => (error += chunk.toString()))
    child.once("close", (code) => resume(Effect.succeed({ code, out, error })))
    child.stdin?.on("error", () => {})
    child.stdin?.end(input)
    return Effect.sync(() => void child.kill("SIGKILL"))
  })

const environment = (env: Surroundings["env"]) => ({ ...inherited(), HOME: "/nonexistent", TERM: "xterm", ...env })

/** Runs the folio command in pipes until it exits. */
export const folio = Effect.fnUntraced(function* (
  words: ReadonlyArray<string>,
  { cwd = root, env, input, interrupt = Effect.never }: Surroundings = {}
) {
  const child = spawn(command[0]!, [...command.slice(1), ...words], { cwd, env: environment(env), stdio: "pipe" })
  yield* Effect.forkChild(
    Effect.andThen(
      interrupt,
      Effect.sync(() => child.kill("SIGINT"))
    )
  )
  return yield* ended(child, input)
})

/** Runs a bash script that calls the folio command by its name. */
export const bash = (script: string, { cwd = root, env }: Surroundings = {}) =>
  Effect.suspend(() => {
    const text = `folio() { "${command.join('" "')}" "$@"; }\n${script}`
    return ended(spawn("bash", ["--norc", "-c", text], { cwd, env: environment(env), stdio: "pipe" }))
  })

export const hasTerminals = spawnSync("python3", ["-c", "import pty"]).status === 0

/** Plays a person at a terminal of 80 columns: waits for a text, then types one. Exits as the command does. */
const person = `import fcntl, json, os, pty, select, struct, sys, termios
words, steps, cwd = json.loads(sys.argv[1])
pid, fd = pty.fork()
if pid == 0:
    os.chdir(cwd)
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    os.execv(words[0], words)
seen, unread = b"", b""
while True:
    if steps and steps[0][0].encode() in unread:
        unread = b""
        os.write(fd, steps.pop(0)[1].encode())
    ready, _, _ = select.select([fd], [], [], 60)
    try:
        chunk = os.read(fd, 65536) if ready else b""
    except OSError:
        chunk = b""
    if not chunk:
        break
    seen += chunk
    unread += chunk
status = os.waitpid(pid, 0)[1]
sys.stdout.buffer.write(seen)
sys.exit(os.waitstatus_to_exitcode(status) % 256)
`

/** Runs the folio command in a terminal. Each of `steps` has a text to wait for, and a text to type then. */
export const folioInTerminal = (
  words: ReadonlyArray<string>,
  steps: ReadonlyArray<readonly [waitedFor: string, typed: string]>,
  { cwd = root, env }: Surroundings = {}
) =>
  Effect.suspend(() => {
    const play = JSON.stringify([[...command, ...words], steps, cwd])
    return ended(spawn("python3", ["-c", person, play], { env: environment(env), stdio: "pipe" }))
  })
