import { Effect, Schedule, Schema } from "effect"

class NeverHeld extends Schema.TaggedError<NeverHeld>()("NeverHeld", { message: Schema.String }) {}

/**
 * Polls until `holds`, and returns the last value. Fails with the last value after the time-out, which only ends a test
 * that hangs: on a busy machine, a start of a process can take a minute.
 */
export const until = <A, E, R>(
  look: Effect.Effect<A, E, R>,
  holds: (seen: A) => boolean,
  within: `${number} seconds` = "180 seconds",
  every: `${number} millis` = "20 millis"
): Effect.Effect<A, E | NeverHeld, R> => {
  let last: A | undefined
  return look.pipe(
    Effect.tap((seen) => Effect.sync(() => (last = seen))),
    Effect.repeat({ until: holds, schedule: Schedule.spaced(every) }),
    Effect.timeoutOrElse({
      duration: within,
      orElse: () => Effect.fail(new NeverHeld({ message: `was not true within ${within}; last seen: ${show(last)}` }))
    })
  )
}

const show = (value: unknown) =>
  JSON.stringify(value, (_, member) => (typeof member === "bigint" ? `${member}` : member))?.slice(0, 2_000)

const patienceMs = 30_000

/**
 * Waits for an effect that must end, in real time, even where the test's clock does not advance. Dies after the
 * time-out.
 */
export const patiently = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.raceFirst(
    effect,
    Effect.callback<never>((resume) => {
      const message = `did not end within ${patienceMs / 1_000} seconds`
      const timer = setTimeout(() => resume(Effect.die(new NeverHeld({ message }))), patienceMs)
      return Effect.sync(() => clearTimeout(timer))
    })
  )
