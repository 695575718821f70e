import { Effect } from "effect"
import { spawn } from "node:child_process"
import { until } from "../apps/Until.ts"
import { inherited, programAt } from "./ServiceProcess.ts"

/** Runs a command in a separate process and kills it when `isTime`; false if it ended before. */
export const killed = Effect.fnUntraced(function* (
  words: ReadonlyArray<string>,
  env: Record<string, string>,
  isTime: Effect.Effect<boolean, Error>
) {
  const child = spawn(process.execPath, [programAt("src/cli/operator/folio.js"), ...words], {
    env: { ...inherited(), ...env },
    stdio: "ignore"
  })
  yield* until(
    Effect.map(isTime, (yes) => yes || child.exitCode !== null),
    (yes) => yes
  )
  child.kill("SIGKILL")
  yield* until(
    Effect.sync(() => child.exitCode !== null || child.signalCode !== null),
    (yes) => yes
  )
  return child.signalCode === "SIGKILL"
})
