import { Effect } from "effect"

const turnMs = 5

/** Goes through a list one by one, and lets others have the event loop whenever it has been at it for 5 ms. */
export const inTurns = <A, B, E, R>(
  items: ReadonlyArray<A>,
  step: (item: A) => Effect.Effect<B, E, R>
): Effect.Effect<ReadonlyArray<B>, E, R> =>
  Effect.suspend(() => {
    let began = performance.now()
    return Effect.forEach(items, (item) => {
      if (performance.now() - began < turnMs) return step(item)
      return Effect.flatMap(Effect.yieldNow, () => {
        began = performance.now()
        return step(item)
      })
    })
  })
