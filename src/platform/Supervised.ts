import { Context, Effect } from "effect"

/*
 * What a supervisor and the processes that it started say to each other. The environment tells a process that it has a supervisor, and
 * which process it is; by the channel between them the process says that it is ready, and sees that its supervisor has ended.
 */
const variable = "FOLIO_SUPERVISED"

/** What a supervisor adds to the environment of a process. `isFirst`: the process greets whoever started the service. */
export const supervisedBy = (isFirst: boolean) => ({ [variable]: isFirst ? "first" : "more" })

/** Whether a supervisor started this process: it then has the port, the lock of the database and the tables checked already. */
export class Supervised extends Context.Reference<"first" | "more" | undefined>("folio/platform/Supervised", {
  defaultValue: () => {
    const value = process.env[variable]
    return value === "first" || value === "more" ? value : undefined
  }
}) {}

const ready = "ready"

/** Whether this message of a process says that it is ready. */
export const isReady = (message: unknown): boolean => message === ready

/** Tells the supervisor that this process is ready; does nothing without one. */
export const tellReady = Effect.gen(function* () {
  if ((yield* Supervised) !== undefined) process.send?.(ready)
})

/** Calls `stop` once the supervisor of this process has ended, however it ended; at once, and with a line that says so, where there is none. */
export const onSupervisorEnd = (stop: () => void): void => {
  if (process.env[variable] === undefined) return
  if (process.connected) return void process.once("disconnect", stop)
  process.stderr.write(`folio: ${variable} is set, and no supervisor of Folio runs this process. Unset it.\n`)
  stop()
}
