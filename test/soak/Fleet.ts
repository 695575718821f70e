import { Effect, Schedule } from "effect"
import { serviceProcess } from "../support/processes/ServiceProcess.ts"

const logTail = 3_000

/**
 * Keeps a process running until the scope closes: it restarts the process after each end, as a supervisor of the
 * operating system does.
 */
export const supervised = Effect.fnUntraced(function* (name: string, options: Parameters<typeof serviceProcess>[0]) {
  const service = yield* serviceProcess(options)
  const faults = {
    /** Ends of the logs of processes that ended without a signal, or that did not exit with 0 after SIGTERM. */
    exits: new Array<string>(),
    /** Starts that failed because the database was down or another fault hit the process. */
    failedStarts: 0
  }
  let isUp = false
  let struck: string | undefined
  let restartAfterMs = 0

  const start = Effect.suspend(() => {
    struck = undefined
    return service.start()
  }).pipe(
    Effect.tapError(() => {
      faults.failedStarts += 1
      // The process may be slow, or frozen.
      return Effect.andThen(service.signal("SIGKILL"), service.ended)
    }),
    Effect.retry(Schedule.spaced("500 millis"))
  )

  const watch = Effect.gen(function* () {
    const { code, signal } = yield* Effect.retry(service.ended, Schedule.forever)
    isUp = false
    if (struck === undefined || (struck === "SIGTERM" && code !== 0 && signal !== "SIGKILL")) {
      const tail = (yield* service.log).slice(-logTail)
      faults.exits.push(`${name} ended with ${code ?? signal}${struck === undefined ? "" : ` on ${struck}`}:\n${tail}`)
    }
    yield* Effect.sleep(restartAfterMs)
    yield* start
    isUp = true
  })

  yield* start
  isUp = true
  yield* Effect.forkScoped(Effect.forever(watch))
  return {
    service,
    isUp: () => isUp,
    /** Ends the process with a signal. It restarts this many milliseconds after its end. */
    strike: (signal: "SIGKILL" | "SIGTERM", afterMs: number) =>
      Effect.suspend(() => {
        struck = struck === "SIGKILL" ? struck : signal
        restartAfterMs = afterMs
        return service.signal(signal)
      }),
    /** Freezes the process for a time. */
    freeze: (forMs: number) =>
      service.signal("SIGSTOP").pipe(Effect.andThen(Effect.sleep(forMs)), Effect.ensuring(service.signal("SIGCONT"))),
    faults
  }
})
export type Supervised = Effect.Success<ReturnType<typeof supervised>>
