import { Effect, Random } from "effect"

/** Choices determined by a seed. */
export interface Chance {
  /** A whole number from 0 to below `end`. */
  readonly below: (end: number) => number
  readonly oneOf: <A>(list: ReadonlyArray<A>) => A
  /** True once in `times` calls, on average. */
  readonly once: (times: number) => boolean
}

export const chanceOf = (seed: string): Chance => {
  const random = Effect.runSync(Effect.service(Random.Random).pipe(Random.withSeed(seed)))
  const below = (end: number) => Math.floor(random.nextDoubleUnsafe() * end)
  return { below, oneOf: (list) => list[below(list.length)]!, once: (times) => below(times) === 0 }
}
