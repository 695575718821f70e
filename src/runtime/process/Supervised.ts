import { Context, Effect } from "effect"

/**
 * Messages between a supervisor and its processes. The environment tells a process that it has a supervisor, and
 * whether it is the first process. Over the channel, the process reports that it is ready, and notices the supervisor's
 * end.
 */
const variable = "FOLIO_SUPERVISED"

/** The environment variable that a supervisor sets for a process. `isFirst`: the process prints the welcome. */
export const supervisedBy = (isFirst: boolean) => ({ [variable]: isFirst ? "first" : "more" })

/**
 * Whether a supervisor started this process. The supervisor has then already checked the port, the lock of the database
 * and the tables.
 */
export class Supervised extends Context.Reference<"first" | "more" | undefined>("folio/runtime/process/Supervised", {
  defaultValue: () => {
    const value = process.env[variable]
    return value === "first" || value === "more" ? value : undefined
  }
}) {}

const ready = "ready"

/** Whether a process's message reports that it is ready. */
export const isReady = (message: unknown): boolean => message === ready

/** Reports to the supervisor that this process is ready; does nothing without a supervisor. */
export const tellReady = Effect.gen(function* () {
  if ((yield* Supervised) !== undefined) process.send?.(ready)
})

/**
 * Calls `stop` when this process's supervisor has ended. If the variable is set without a supervisor, prints a line and
 * calls `stop` immediately.
 */
export const onSupervisorEnd = (stop: () => void): void => {
  if (process.env[variable] === undefined) return
  if (process.connected) return void process.once("disconnect", stop)
  process.stderr.write(`folio: ${variable} is set, but no supervisor of Folio runs this process. Unset it.\n`)
  stop()
}
