import { Context, Effect, Function, Layer } from "effect"
import { ApiError } from "../../../schemas/ApiError.ts"
import type { Principal } from "../../api/Authorization.ts"
import { Counts } from "../../runtime/turns/Counts.ts"
import { Limits } from "../../runtime/Limits.ts"
import { accountShare } from "./RateLimit.ts"

type Limited = (principal: Principal) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | ApiError, R>

const tooMany = (whose: string, max: number, what: string) =>
  new ApiError({
    code: "rate_limited",
    message: `${whose} has ${max} ${what} at this moment, which is the limit. Wait for one to end, then send fewer in parallel.`,
    headers: { "Retry-After": "1" }
  })

const limit = (max: number, what: string): Limited => {
  const held = new Counts()
  return ({ account_id, api_key_id, livemode }) => {
    const holders = [
      { who: api_key_id, max, whose: "This API key" },
      { who: `${account_id} ${livemode}`, max: max * accountShare, whose: "This account" }
    ]
    const take = Effect.suspend(() => {
      const full = holders.find((holder) => held.of(holder.who) >= holder.max)
      if (full !== undefined) return Effect.fail(tooMany(full.whose, full.max, what))
      for (const { who } of holders) held.add(who, 1)
      return Effect.void
    })
    const giveBack = Effect.sync(() => {
      for (const { who } of holders) held.add(who, -1)
    })
    return (effect) => Effect.acquireUseRelease(take, Function.constant(effect), Function.constant(giveBack))
  }
}

/**
 * Limits the concurrent requests of one API key, and of one account in one mode, in this process. Without this limit,
 * requests that wait could take every connection within the rate limit. Above the limit, a request fails with
 * `rate_limited`.
 */
export class Concurrency extends Context.Service<Concurrency>()("folio/http/Concurrency", {
  make: Effect.map(Limits, ({ concurrency: { large, requests, waiting } }) => ({
    request: limit(requests, "requests in progress"),
    /** Limit for a request that waits for events. The request also counts for `request`. */
    waiting: limit(waiting, "requests that wait for events"),
    /** Limit for a request with a large body, before Folio reads the body. The request also counts for `request`. */
    large: limit(large, "requests with large bodies in progress")
  }))
}) {
  static readonly layer = Layer.effect(Concurrency, Concurrency.make)
}
