import { Context, Effect, Layer } from "effect"
import { ApiError } from "../../schemas/ApiError.ts"
import type { Principal } from "../api/Authorization.ts"
import { accountShare } from "./RateLimit.ts"

/** How many requests of one API key this process has under way at most, and how many of them may wait for events. */
export class ConcurrencyLimits extends Context.Reference<{ readonly requests: number; readonly waiting: number }>(
  "folio/http/ConcurrencyLimits",
  { defaultValue: () => ({ requests: 256, waiting: 64 }) }
) {}

type Limited = (of: Principal) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | ApiError, R>

const tooMany = (whose: string, max: number, what: string) =>
  new ApiError({
    code: "rate_limited",
    message: `${whose} has ${max} ${what} at this moment, and no more are taken. Wait for one to end, then go on with fewer at once.`,
    headers: { "Retry-After": "1" }
  })

const limit = (max: number, what: string): Limited => {
  const held = new Map<string, number>()
  const add = (who: string, change: number) => {
    const count = (held.get(who) ?? 0) + change
    if (count === 0) held.delete(who)
    else held.set(who, count)
  }
  return ({ account_id, api_key_id, livemode }) => {
    const holders = [
      { who: api_key_id, max, whose: "This API key" },
      { who: `${account_id} ${livemode}`, max: max * accountShare, whose: "This account" }
    ]
    const take = Effect.suspend(() => {
      const full = holders.find((holder) => (held.get(holder.who) ?? 0) >= holder.max)
      if (full !== undefined) return Effect.fail(tooMany(full.whose, full.max, what))
      for (const { who } of holders) add(who, 1)
      return Effect.void
    })
    const giveBack = Effect.sync(() => {
      for (const { who } of holders) add(who, -1)
    })
    return (effect) =>
      Effect.acquireUseRelease(
        take,
        () => effect,
        () => giveBack
      )
  }
}

/**
 * What one key, or one account in one mode, holds up at a time: a rate alone would let requests that wait take every
 * connection there is. Beyond it a request fails with `rate_limited`.
 */
export class Concurrency extends Context.Service<
  Concurrency,
  {
    readonly request: Limited
    /** Within the above: a request that waits for something to happen. */
    readonly waiting: Limited
  }
>()("folio/http/Concurrency") {
  static readonly layer = Layer.effect(
    Concurrency,
    Effect.map(ConcurrencyLimits, ({ requests, waiting }) => {
      return Concurrency.of({
        request: limit(requests, "requests under way"),
        waiting: limit(waiting, "requests that wait for events")
      })
    })
  )
}
