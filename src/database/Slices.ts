import { Effect } from "effect"

const sliceMs = 5

/** Applies `step` to each item of a list in order, and yields to the event loop after every 5 ms of work. */
export const inSlices = <A, B, E, R>(
  items: ReadonlyArray<A>,
  step: (item: A) => Effect.Effect<B, E, R>
): Effect.Effect<ReadonlyArray<B>, E, R> =>
  Effect.suspend(() => {
    let began = performance.now()
    return Effect.forEach(items, (item) => {
      if (performance.now() - began < sliceMs) return step(item)
      return Effect.flatMap(Effect.yieldNow, () => {
        began = performance.now()
        return step(item)
      })
    })
  })
