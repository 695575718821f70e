import { Effect, Schedule } from "effect"
import { serviceProcess } from "../support/processes/ServiceProcess.ts"

const logTail = 3_000

/**
 * Starts a process and keeps it running until the scope closes: as a supervisor of the operating system would, it starts the process
 * again whenever it has ended.
 */
export const supervised = Effect.fnUntraced(function* (name: string, options: Parameters<typeof serviceProcess>[0]) {
  const service = yield* serviceProcess(options)
  const faults = {
    /** It ended though nobody had asked for it, or not with 0 though it had been asked politely: the end of its log. */
    exits: new Array<string>(),
    /** Starts that came to nothing, because the database was away or somebody struck again. */
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
      // It may be alive and merely late, or frozen.
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
    /** Ends it by a signal; it is started again so many milliseconds after its end. */
    strike: (signal: "SIGKILL" | "SIGTERM", afterMs: number) =>
      Effect.suspend(() => {
        struck = struck === "SIGKILL" ? struck : signal
        restartAfterMs = afterMs
        return service.signal(signal)
      }),
    /** Stops the process in its tracks for a time. */
    freeze: (forMs: number) =>
      service.signal("SIGSTOP").pipe(Effect.andThen(Effect.sleep(forMs)), Effect.ensuring(service.signal("SIGCONT"))),
    faults
  }
})
export type Supervised = Effect.Success<ReturnType<typeof supervised>>
