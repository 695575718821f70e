import { Effect, Schedule, Schema } from "effect"

class NeverHeld extends Schema.TaggedError<NeverHeld>()("NeverHeld", { message: Schema.String }) {}

/** Looks again and again until `holds`, and gives what it saw then. Fails, saying what it saw last, when that takes too long. */
export const until = <A, E, R>(
  look: Effect.Effect<A, E, R>,
  holds: (seen: A) => boolean,
  within: `${number} seconds` = "60 seconds",
  every: `${number} millis` = "20 millis"
): Effect.Effect<A, E | NeverHeld, R> => {
  let last: A | undefined
  return look.pipe(
    Effect.tap((seen) => Effect.sync(() => (last = seen))),
    Effect.repeat({ until: holds, schedule: Schedule.spaced(every) }),
    Effect.timeoutOrElse({
      duration: within,
      orElse: () =>
        Effect.fail(new NeverHeld({ message: `did not come to hold within ${within}; last seen: ${show(last)}` }))
    })
  )
}

const show = (value: unknown) =>
  JSON.stringify(value, (_, member) => (typeof member === "bigint" ? `${member}` : member))?.slice(0, 2_000)

const patienceMs = 30_000

/** Waits for an effect that must come to its end, in real time, where the clock of the test stands still as well; or dies. */
export const patiently = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.raceFirst(
    effect,
    Effect.callback<never>((resume) => {
      const message = `did not come to hold within ${patienceMs / 1_000} seconds`
      const timer = setTimeout(() => resume(Effect.die(new NeverHeld({ message }))), patienceMs)
      return Effect.sync(() => clearTimeout(timer))
    })
  )
