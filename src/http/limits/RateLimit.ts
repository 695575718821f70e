import { type Clock, Context, Effect, Layer, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import type { AccountMode } from "../../../schemas/Account.ts"
import { ApiError } from "../../../schemas/ApiError.ts"
import type { Principal } from "../../api/Authorization.ts"
import { type BucketSize, makeTokenBuckets } from "../../runtime/json/TokenBuckets.ts"
import { Limits } from "../../runtime/Limits.ts"
import { networkOf } from "../../runtime/Networks.ts"
import { Exchange } from "../request/Exchange.ts"

/**
 * Factor of an account's rate limit in one mode, relative to the rate limit of one API key.
 *
 * @internal
 */
export const accountShare = 4

// The same for a platform in all of its accounts.
const platformShare = 40

// Largest number of buckets of each limiter (key, account, address, link) in each of its two time spans. All buckets
// take about 20 MB.
const bucketsMax = 50_000

const seconds = (millis: number) => Math.ceil(millis / 1_000)

/**
 * Network of the current request's client, in the form of `networkOf`.
 *
 * @internal
 */
export const network = Effect.map(HttpServerRequest.HttpServerRequest, ({ remoteAddress }) =>
  networkOf(Option.getOrElse(remoteAddress, () => "unknown"))
)

// The monotonic clock, because the limiter could reject requests after someone sets the system clock back.
const monotonicMs = (clock: Clock.Clock) => Number(clock.monotonicTimeNanosUnsafe()) / 1e6

const limit = (name: string, size: BucketSize, whose: string, isShown = true) => {
  const buckets = makeTokenBuckets(size, bucketsMax)
  const policy = `"${name}";q=${size.burst};w=${seconds((size.burst / size.perSecond) * 1_000)}`
  const wait = Math.ceil(1 / size.perSecond)
  // The requests share one error, because making an error costs more than the rest of a rejection.
  const refused = Effect.fail(
    new ApiError({
      code: "rate_limited",
      message: `${whose} has sent more than ${size.perSecond} requests a second, with bursts of ${size.burst}. Wait ${wait} s, then send requests more slowly.`,
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
 * Makes the effect that takes a token of the client's network for one of the service's probes. Probes have separate
 * tokens, because a flood from the address of an orchestrator must not fail its probes. A team's rate limit doesn't
 * apply to probes.
 *
 * @internal
 */
export const makeProbeLimit = () =>
  Effect.flatMap(network, limit("probe", Limits.defaults.rate, "This address, at this path,").take)

/**
 * Whether the token bucket of an API key is empty, so that `RateLimit.layer` rejects the next request. By default
 * always false, because a team's limiter may reject requests for other reasons.
 *
 * @internal
 */
export class KeyTokens extends Context.Reference<{
  readonly isSpent: (principal: Principal) => Effect.Effect<boolean>
}>("folio/http/KeyTokens", { defaultValue: () => ({ isSpent: () => Effect.succeed(false) }) }) {}

/**
 * Counts requests and rejects requests above the rate limit. All functions but `isAddressSpent` fail with `ApiError`
 * `rate_limited`.
 *
 * `RateLimit.layer` has token buckets in the memory of this process. It doesn't use the limiter of
 * `effect/persistence`, whose memory keeps every key forever. A rejection of that limiter costs 16 µs, an allowed
 * request 1.7 µs (measured), and a flood consists of rejections from any number of addresses.
 */
export class RateLimit extends Context.Service<
  RateLimit,
  {
    /**
     * Takes a token of the API key, one of its account and, if it has one, one of its platform. The `RateLimit` headers
     * of the response show the remaining tokens of the key.
     */
    readonly ofKey: (principal: Principal) => Effect.Effect<void, ApiError>
    /** Takes a token of the client's network. Only for requests without a valid API key. */
    readonly ofAddress: Effect.Effect<void, ApiError, HttpServerRequest.HttpServerRequest>
    /** Whether the client's network has no token left. */
    readonly isAddressSpent: Effect.Effect<boolean, never, HttpServerRequest.HttpServerRequest>
    /** Takes a token of a valid signed link's account and the client's network. */
    readonly ofLink: (account: AccountMode) => Effect.Effect<void, ApiError, HttpServerRequest.HttpServerRequest>
  }
>()("@folio-einvoicing/service/RateLimit") {
  /** Token buckets in the memory of this process. Requires `Limits`. */
  static readonly layer = Layer.effectContext(
    Effect.map(Limits, ({ rate: key }) => {
      const times = (share: number) => ({ perSecond: key.perSecond * share, burst: key.burst * share })
      const ofKey = limit("default", key, "This API key")
      const ofAccount = limit("account", times(accountShare), "This account, with all of its keys,", false)
      const ofPlatform = limit("platform", times(platformShare), "This platform, in all of its accounts,", false)
      const ofNetwork = limit("address", key, "This address, without a valid key,")
      const ofLink = limit("link", key, "This address, with links of this account,")
      const service = RateLimit.of({
        ofKey: ({ account_id, api_key_id, livemode, platform }) => {
          const own = Effect.andThen(ofKey.take(api_key_id), ofAccount.take(`${account_id} ${livemode}`))
          return platform === undefined ? own : Effect.andThen(own, ofPlatform.take(`${platform} ${livemode}`))
        },
        ofAddress: Effect.flatMap(network, ofNetwork.take),
        isAddressSpent: Effect.flatMap(network, ofNetwork.isSpent),
        ofLink: ({ account_id, livemode }) =>
          Effect.flatMap(network, (address) => ofLink.take(`${account_id} ${livemode} ${address}`))
      })
      const isSpent = ({ api_key_id }: Principal) => ofKey.isSpent(api_key_id)
      return Context.make(RateLimit, service).pipe(Context.add(KeyTokens, { isSpent }))
    })
  )
}
