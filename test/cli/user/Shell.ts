import { Effect } from "effect"
import { spawn } from "node:child_process"
import * as Path from "node:path"
import { until } from "../../support/apps/Until.ts"
import { inherited, programAt } from "../../support/processes/ServiceProcess.ts"

const root = Path.resolve(import.meta.dirname, "../../..")

/** A folio command as a process that may be killed or stopped. */
export const folioProcess = Effect.fnUntraced(function* (
  words: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>
) {
  // The two dashes, as in the first line of folio.js: otherwise Node would take `--env-file` for its own option.
  const child = spawn(process.execPath, ["--", programAt("src/cli/operator/folio.js"), ...words], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...inherited(), ...env }
  })
  let [out, error] = ["", ""]
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()))
  child.stderr.on("data", (chunk: Buffer) => (error += chunk.toString()))
  yield* Effect.addFinalizer(() => Effect.sync(() => void child.kill("SIGKILL")))
  const exit = () => ({ code: child.exitCode, signal: child.signalCode })
  const lines = (): ReadonlyArray<{ readonly [name: string]: unknown }> =>
    out
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line))
  return {
    pid: child.pid ?? 0,
    lines,
    said: () => out + error,
    error: () => error,
    signal: (name: "SIGKILL" | "SIGTERM" | "SIGSTOP" | "SIGCONT") => Effect.sync(() => void child.kill(name)),
    ended: Effect.map(
      until(Effect.sync(exit), ({ code, signal }) => code !== null || signal !== null),
      ({ code }) => code
    )
  }
})
