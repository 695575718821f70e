import { type Clock, Context, Effect, Layer, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import type { AccountMode } from "../../schemas/Account.ts"
import { ApiError } from "../../schemas/ApiError.ts"
import type { Principal } from "../api/Authorization.ts"
import { type BucketSize, makeTokenBuckets } from "../domain/TokenBuckets.ts"
import { Exchange } from "./Exchange.ts"

/** How many requests of one API key, and how many without a good one from one address, this process takes. */
export class RateLimits extends Context.Reference<BucketSize>("folio/http/RateLimits", {
  defaultValue: () => ({ perSecond: 100, burst: 500 })
}) {}

/** An account, in one mode, may do so many times what one of its keys may, however many keys it has. */
export const accountShare = 4

// Of each kind, in either of two spans: some 20 MB if all of them are taken.
const bucketsMax = 50_000

const seconds = (millis: number) => Math.ceil(millis / 1_000)

/** The network that an address speaks for: whoever has one address of IPv6 has all that share its first 64 bits. */
export const networkOf = (address: string): string => {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined || !address.includes(":")) return mapped ?? address
  const [head = [], tail] = address.split("::").map((part) => (part === "" ? [] : part.split(":")))
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - head.length - tail.length)
  const groups = [...head, ...Array.from({ length: zeros }, () => "0"), ...(tail ?? [])]
  return `${groups.slice(0, 4).join(":")}::/64`
}

const network = Effect.map(HttpServerRequest.HttpServerRequest, ({ remoteAddress }) =>
  networkOf(Option.getOrElse(remoteAddress, () => "unknown"))
)

// A clock that is set back refuses nobody.
const monotonicMs = (clock: Clock.Clock) => Number(clock.monotonicTimeNanosUnsafe()) / 1e6

const limit = (name: string, size: BucketSize, whose: string, isShown = true) => {
  const buckets = makeTokenBuckets(size, bucketsMax)
  const policy = `"${name}";q=${size.burst};w=${seconds((size.burst / size.perSecond) * 1_000)}`
  const wait = Math.ceil(1 / size.perSecond)
  // One for all: to make an error costs more than all the rest.
  const refused = Effect.fail(
    new ApiError({
      code: "rate_limited",
      message: `${whose} has sent more than ${size.perSecond} requests a second, with bursts of ${size.burst}. Wait ${wait} s, then go on more slowly.`,
      headers: { "Retry-After": String(wait) }
    })
  )
  const take = (who: string) =>
    Effect.flatMap(Exchange, (exchange) =>
      Effect.clockWith((clock) => {
        const { allowed, fullInMs, remaining } = buckets.take(who, monotonicMs(clock))
        if (isShown) {
          exchange.headers = {
            "RateLimit-Policy": policy,
            RateLimit: `"${name}";r=${remaining};t=${seconds(fullInMs)}`
          }
        }
        return allowed ? Effect.void : refused
      })
    )
  const isSpent = (who: string) => Effect.clockWith((clock) => Effect.succeed(buckets.isEmpty(who, monotonicMs(clock))))
  return { take, isSpent }
}

/**
 * Token buckets of this process: `effect/persistence` has such a limiter, whose memory keeps every key for ever and whose
 * refusals cost ten times what an allowed request does (measured: 16 µs and 1.7 µs). A flood is made of refusals, from any
 * number of addresses.
 */
export class RateLimit extends Context.Service<
  RateLimit,
  {
    /** Takes a token of the API key and of its account; the answer tells what is left of the key's. Fails with `rate_limited`. */
    readonly ofKey: (of: Principal) => Effect.Effect<void, ApiError>
    /** The same for who asks without a good key, by address. A good key is never refused for its address. */
    readonly ofAddress: Effect.Effect<void, ApiError, HttpServerRequest.HttpServerRequest>
    /** Whether the address has none left. */
    readonly isAddressSpent: Effect.Effect<boolean, never, HttpServerRequest.HttpServerRequest>
    /** The same for who follows a good link, by the link's account and the address. */
    readonly ofLink: (of: AccountMode) => Effect.Effect<void, ApiError, HttpServerRequest.HttpServerRequest>
  }
>()("folio/http/RateLimit") {
  static readonly layer = Layer.effect(
    RateLimit,
    Effect.map(RateLimits, (key) => {
      const all = { perSecond: key.perSecond * accountShare, burst: key.burst * accountShare }
      const ofKey = limit("default", key, "This API key")
      const ofAccount = limit("account", all, "This account, with all of its keys,", false)
      const ofNetwork = limit("address", key, "This address, without a valid key,")
      const ofLink = limit("link", key, "This address, with links of this account,")
      return RateLimit.of({
        ofKey: ({ account_id, api_key_id, livemode }) =>
          Effect.andThen(ofKey.take(api_key_id), ofAccount.take(`${account_id} ${livemode}`)),
        ofAddress: Effect.flatMap(network, ofNetwork.take),
        isAddressSpent: Effect.flatMap(network, ofNetwork.isSpent),
        ofLink: ({ account_id, livemode }) =>
          Effect.flatMap(network, (address) => ofLink.take(`${account_id} ${livemode} ${address}`))
      })
    })
  )
}
