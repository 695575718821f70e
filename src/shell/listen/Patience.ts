import * as Effect from "effect/Effect"
import { type Failure, Refused, Unreachable } from "../Failures.ts"
import { Output } from "../Output.ts"

/** Whether a failure passes by itself: the service does not answer, has too much to do, or asks for fewer requests. */
export const isPassing = (failure: Failure): boolean =>
  failure instanceof Unreachable ||
  (failure instanceof Refused && ["rate_limit_error", "api_error"].includes(failure.body.error.type))

/** The pauses between attempts, in seconds; the last one is that before all further attempts. */
export const pauses = [1, 2, 5, 10] as const

/** The pause after so many attempts, in seconds. */
export const pauseAfter = (attempts: number): number => pauses[Math.min(attempts, pauses.length) - 1] ?? 1

/** Whether the service itself was at fault, which another attempt may not mend. */
const isInternal = (failure: Failure) => failure instanceof Refused && failure.body.error.code === "internal_error"

/**
 * Calls the service until it answers, however long that takes. `waits` is said once when it begins to wait, and `answers` when it has
 * waited. Fails with what does not pass by itself, and with the `attemptsMax`-th fault of the service's own.
 */
export const persistently = <A, E extends Failure, R>(
  call: Effect.Effect<A, E, R>,
  say: {
    readonly waits: (failure: Failure) => Effect.Effect<void>
    readonly answers: Effect.Effect<void>
    readonly attemptsMax?: number
  }
): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    for (let attempts = 1; ; attempts++) {
      const result = yield* Effect.result(call)
      if (result._tag === "Success") {
        if (attempts > 1) yield* say.answers
        return result.success
      }
      const isLast = isInternal(result.failure) && attempts >= (say.attemptsMax ?? Infinity)
      if (isLast || !isPassing(result.failure)) return yield* Effect.fromResult(result)
      if (attempts === 1) yield* say.waits(result.failure)
      yield* Effect.sleep(pauseAfter(attempts) * 1_000)
    }
  })

/** As `persistently`, for a command that follows something: the person at the terminal is told once, and once more in the end. */
export const patiently = <A, E extends Failure, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | Output> =>
  Effect.flatMap(Output, ({ say }) =>
    persistently(call, {
      waits: (failure) => say(({ dim }) => dim(`${failure.message} Waiting …`)),
      answers: say(({ dim }) => dim("The service answers again."))
    })
  )
