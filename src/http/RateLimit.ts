import { Context, Effect, Layer, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import { ApiError } from "../../schemas/ApiError.ts"
import { type BucketSize, makeTokenBuckets, type TokenBuckets } from "../domain/TokenBuckets.ts"
import { Exchange } from "./Exchange.ts"

/** How many requests of one API key, and how many without a good one from one address, this process takes. */
export class RateLimits extends Context.Reference<BucketSize>("folio/http/RateLimits", {
  defaultValue: () => ({ perSecond: 100, burst: 500 })
}) {}

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

/**
 * Token buckets of this process: `effect/persistence` has such a limiter, whose memory keeps every key for ever and whose
 * refusals cost ten times what an allowed request does (measured: 16 µs and 1.7 µs). A flood is made of refusals, from any
 * number of addresses.
 */
export class RateLimit extends Context.Service<
  RateLimit,
  {
    /** Takes a token of the API key; the answer tells what is left. Fails with `rate_limited`. */
    readonly ofKey: (api_key_id: string) => Effect.Effect<void, ApiError>
    /** The same for who asks without a good key, by address. A good key is never refused for its address. */
    readonly ofAddress: Effect.Effect<void, ApiError, HttpServerRequest.HttpServerRequest>
  }
>()("folio/http/RateLimit") {
  static readonly layer = Layer.effect(
    RateLimit,
    Effect.map(RateLimits, (size) => {
      const window = seconds((size.burst / size.perSecond) * 1_000)
      const limit = (name: string, buckets: TokenBuckets, whose: string) => {
        const policy = `"${name}";q=${size.burst};w=${window}`
        const wait = Math.ceil(1 / size.perSecond)
        // One for all: to make an error costs more than all the rest.
        const refused = Effect.fail(
          new ApiError({
            code: "rate_limited",
            message: `${whose} has sent more than ${size.perSecond} requests a second, with bursts of ${size.burst}. Wait ${wait} s, then go on more slowly.`,
            headers: { "Retry-After": String(wait) }
          })
        )
        return (key: string) =>
          Effect.flatMap(Exchange, (exchange) =>
            Effect.clockWith((clock) => {
              // Monotonic: a clock that is set back refuses nobody.
              const nowMs = Number(clock.monotonicTimeNanosUnsafe()) / 1e6
              const { allowed, fullInMs, remaining } = buckets.take(key, nowMs)
              exchange.headers = {
                "RateLimit-Policy": policy,
                RateLimit: `"${name}";r=${remaining};t=${seconds(fullInMs)}`
              }
              return allowed ? Effect.void : refused
            })
          )
      }
      const ofKey = limit("default", makeTokenBuckets(size, bucketsMax), "This API key")
      const ofNetwork = limit("address", makeTokenBuckets(size, bucketsMax), "This address, without a valid key,")
      const ofAddress = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ remoteAddress }) =>
        ofNetwork(networkOf(Option.getOrElse(remoteAddress, () => "unknown")))
      )
      return RateLimit.of({ ofKey, ofAddress })
    })
  )
}
