import { type Clock, Context, Effect, Layer, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import type { AccountMode } from "../../../schemas/Account.ts"
import { ApiError } from "../../../schemas/ApiError.ts"
import type { Principal } from "../../api/Authorization.ts"
import { type BucketSize, makeTokenBuckets } from "../../domain/requests/TokenBuckets.ts"
import { Exchange } from "../request/Exchange.ts"

/** The rate and burst of requests that this process takes for one API key, and for one client address without a valid key. */
export class RateLimits extends Context.Reference<BucketSize>("folio/http/RateLimits", {
  defaultValue: () => ({ perSecond: 100, burst: 500 })
}) {}

/** An account in one mode may make this many times the requests of one of its API keys, however many keys it has. */
export const accountShare = 4

// The most buckets of each limiter (key, account, address, link) in each of its two time spans: about 20 MB when all are in use.
const bucketsMax = 50_000

const seconds = (millis: number) => Math.ceil(millis / 1_000)

/** The network of a client address: an IPv4 address (also mapped to IPv6), or the /64 that a client with an IPv6 address has whole. */
export const networkOf = (address: string): string => {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined || !address.includes(":")) return mapped ?? address
  const [head = [], tail] = address.split("::").map((part) => (part === "" ? [] : part.split(":")))
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - head.length - tail.length)
  const groups = [...head, ...Array.from({ length: zeros }, () => "0"), ...(tail ?? [])]
  return `${groups.slice(0, 4).join(":")}::/64`
}

export const network = Effect.map(HttpServerRequest.HttpServerRequest, ({ remoteAddress }) =>
  networkOf(Option.getOrElse(remoteAddress, () => "unknown"))
)

// The monotonic clock, because a system clock that is set back could refuse requests.
const monotonicMs = (clock: Clock.Clock) => Number(clock.monotonicTimeNanosUnsafe()) / 1e6

const limit = (name: string, size: BucketSize, whose: string, isShown = true) => {
  const buckets = makeTokenBuckets(size, bucketsMax)
  const policy = `"${name}";q=${size.burst};w=${seconds((size.burst / size.perSecond) * 1_000)}`
  const wait = Math.ceil(1 / size.perSecond)
  // One shared error, because making an error costs more than the rest of a refusal.
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
 * Token buckets of this process. The limiter of `effect/persistence` is not used: its memory keeps every key forever, and a refusal
 * costs about ten times as much as an allowed request (measured: 16 µs and 1.7 µs), while a flood consists of refusals from any
 * number of addresses.
 */
export class RateLimit extends Context.Service<RateLimit>()("folio/http/RateLimit", {
  make: Effect.map(RateLimits, (key) => {
    const all = { perSecond: key.perSecond * accountShare, burst: key.burst * accountShare }
    const ofKey = limit("default", key, "This API key")
    const ofAccount = limit("account", all, "This account, with all of its keys,", false)
    const ofNetwork = limit("address", key, "This address, without a valid key,")
    const ofLink = limit("link", key, "This address, with links of this account,")
    // All but `isAddressSpent` fail with `rate_limited`.
    return {
      /** Takes a token of the API key and one of its account; the answer's `RateLimit` headers say what the key has left. */
      ofKey: ({ account_id, api_key_id, livemode }: Principal) =>
        Effect.andThen(ofKey.take(api_key_id), ofAccount.take(`${account_id} ${livemode}`)),
      /** Takes a token of the client's network. For requests without a valid API key: one with a key is never refused here. */
      ofAddress: Effect.flatMap(network, ofNetwork.take),
      /** Whether the client's network has no token left. */
      isAddressSpent: Effect.flatMap(network, ofNetwork.isSpent),
      /** Takes a token of a valid signed link's account and the client's network. */
      ofLink: ({ account_id, livemode }: AccountMode) =>
        Effect.flatMap(network, (address) => ofLink.take(`${account_id} ${livemode} ${address}`))
    }
  })
}) {
  static readonly layer = Layer.effect(RateLimit, RateLimit.make)
}
