import { Effect, Schedule } from "effect"
import { type ServiceProcess, serviceProcess } from "../support/ServiceProcess.ts"

/** A service process that is started again whenever it has ended, as a supervisor of the operating system would. */
export interface Supervised {
  readonly name: string
  readonly service: ServiceProcess
  readonly isUp: () => boolean
  /** Ends it by a signal; it is started again so many milliseconds after its end. */
  readonly strike: (signal: "SIGKILL" | "SIGTERM", restartAfterMs: number) => Effect.Effect<void>
  /** Stops the process in its tracks for a time. */
  readonly freeze: (forMs: number) => Effect.Effect<void>
  readonly faults: {
    /** It ended though nobody had asked for it, or not with 0 though it had been asked politely: the end of its log. */
    readonly exits: Array<string>
    /** Starts that came to nothing, because the database was away or somebody struck again. */
    failedStarts: number
  }
}

const logTail = 3_000

/** Starts a process and keeps it running until the scope closes. */
export const supervised = Effect.fnUntraced(function* (name: string, options: Parameters<typeof serviceProcess>[0]) {
  const service = yield* serviceProcess(options)
  const faults: Supervised["faults"] = { exits: [], failedStarts: 0 }
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
  const result: Supervised = {
    name,
    service,
    isUp: () => isUp,
    strike: (signal, afterMs) =>
      Effect.suspend(() => {
        struck = struck === "SIGKILL" ? struck : signal
        restartAfterMs = afterMs
        return service.signal(signal)
      }),
    freeze: (forMs) =>
      service.signal("SIGSTOP").pipe(Effect.andThen(Effect.sleep(forMs)), Effect.ensuring(service.signal("SIGCONT"))),
    faults
  }
  return result
})
