import { Effect } from "effect"

/**
 * Runs an effect in a fiber of its own. If the effect has not ended after `ms` milliseconds, or its caller is interrupted, the effect is
 * interrupted and `late` takes its place. The end of the interrupted effect is not awaited, as `Effect.timeoutOrElse` does: an effect that
 * cannot be interrupted would never let its caller proceed.
 */
export const within = <A, E, R, E2>(
  effect: Effect.Effect<A, E, R>,
  ms: number,
  late: () => Effect.Effect<never, E2>
): Effect.Effect<A, E | E2, R> =>
  Effect.contextWith((context) =>
    Effect.callback((resume) => {
      const run = Effect.runForkWith(context)
      const fiber = run(effect)
      const done = fiber.pollUnsafe()
      if (done !== undefined) return void resume(done)
      const passed = Effect.sync(() => {
        resume(Effect.suspend(late))
        fiber.interruptUnsafe()
      })
      const timer = ms === Infinity ? undefined : run(Effect.andThen(Effect.sleep(ms), passed))
      fiber.addObserver((exit) => {
        timer?.interruptUnsafe()
        resume(exit)
      })
      return Effect.sync(() => {
        timer?.interruptUnsafe()
        fiber.interruptUnsafe()
      })
    })
  )
