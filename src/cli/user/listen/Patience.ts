import * as Effect from "effect/Effect"
import { type Failure, Refused, Unreachable } from "../Failures.ts"
import { Output } from "../Output.ts"

/** Whether a failure is temporary: the service does not respond, is overloaded, or limits the rate. */
export const isPassing = (failure: Failure): boolean =>
  failure instanceof Unreachable ||
  (failure instanceof Refused && ["rate_limit_error", "api_error"].includes(failure.body.error.type))

/** The pauses between attempts, in seconds. The last one repeats. */
export const pauses = [1, 2, 5, 10] as const

/** The pause after this many attempts, in seconds. */
export const pauseAfter = (attempts: number): number => pauses[Math.min(attempts, pauses.length) - 1] ?? 1

/** Whether the service had an internal error, which a retry may not fix. */
const isInternal = (failure: Failure) => failure instanceof Refused && failure.body.error.code === "internal_error"

/**
 * Calls the service until it responds, without a time limit. Runs `waits` once when the wait begins, and `answers` when
 * it ends. Fails with a permanent failure, and with the `attemptsMax`-th internal error.
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

/** As `persistently`, for a command that follows something: prints when the wait begins and when it ends. */
export const patiently = <A, E extends Failure, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | Output> =>
  Effect.flatMap(Output, ({ say }) =>
    persistently(call, {
      waits: (failure) => say(({ dim }) => dim(`${failure.message} Waiting …`)),
      answers: say(({ dim }) => dim("The service responds again."))
    })
  )
