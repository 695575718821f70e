import { Effect, type Exit, type Option } from "effect"

/**
 * Runs an effect in a fiber of its own and gives its exit; none if the effect has not ended after `ms` milliseconds. The effect is then
 * interrupted, also when its caller is, and its end is not awaited: what cannot be interrupted would never let its caller proceed.
 */
export const within = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  ms: number
): Effect.Effect<Option.Option<Exit.Exit<A, E>>, never, R> =>
  Effect.contextWith((context) =>
    Effect.callback((resume) => {
      const fiber = Effect.runForkWith(context)(effect)
      const done = fiber.pollUnsafe()
      if (done !== undefined) return void resume(Effect.succeedSome(done))
      const passed = Effect.sync(() => {
        resume(Effect.succeedNone)
        fiber.interruptUnsafe()
      })
      const timer = ms === Infinity ? undefined : Effect.runForkWith(context)(Effect.andThen(Effect.sleep(ms), passed))
      fiber.addObserver((exit) => {
        timer?.interruptUnsafe()
        resume(Effect.succeedSome(exit))
      })
      return Effect.sync(() => {
        timer?.interruptUnsafe()
        fiber.interruptUnsafe()
      })
    })
  )
