import { type Clock, Context, Effect, Layer, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import type { AccountMode } from "../../../schemas/Account.ts"
import { ApiError } from "../../../schemas/ApiError.ts"
import type { Principal } from "../../api/Authorization.ts"
import { type BucketSize, makeTokenBuckets } from "../../domain/requests/TokenBuckets.ts"
import { Limits } from "../../settings/Limits.ts"
import { Exchange } from "../request/Exchange.ts"

/**
 * An account in one mode may make this many times the requests of one of its API keys, however many keys it has.
 *
 * @internal
 */
export const accountShare = 4

// The most buckets of each limiter (key, account, address, link) in each of its two time spans: about 20 MB when all
// are in use.
const bucketsMax = 50_000

const seconds = (millis: number) => Math.ceil(millis / 1_000)

/**
 * The network of a client address: an IPv4 address (also mapped to IPv6), or the /64 that a client with an IPv6 address
 * has whole.
 *
 * @internal
 */
export const networkOf = (address: string): string => {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined || !address.includes(":")) return mapped ?? address
  const [head = [], tail] = address.split("::").map((part) => (part === "" ? [] : part.split(":")))
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - head.length - tail.length)
  const groups = [...head, ...Array.from({ length: zeros }, () => "0"), ...(tail ?? [])]
  return `${groups.slice(0, 4).join(":")}::/64`
}

/**
 * The network of the current request's client, as `networkOf` names it.
 *
 * @internal
 */
export const network = Effect.map(HttpServerRequest.HttpServerRequest, ({ remoteAddress }) =>
  networkOf(Option.getOrElse(remoteAddress, () => "unknown"))
)

// The monotonic clock, because a system clock that is set back could refuse requests.
const monotonicMs = (clock: Clock.Clock) => Number(clock.monotonicTimeNanosUnsafe()) / 1e6

const limit = (name: string, size: BucketSize, whose: string, isShown = true) => {
  const buckets = makeTokenBuckets(size, bucketsMax)
  const policy = `"${name}";q=${size.burst};w=${seconds((size.burst / size.perSecond) * 1_000)}`
  const wait = Math.ceil(1 / size.perSecond)
  // The error is shared, because making an error costs more than the rest of a refusal.
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
 * Makes the effect that takes a token of the client's network for one of the service's probes. Its tokens are apart
 * from those of other requests, so that a flood from the address of an orchestrator does not fail the orchestrator's
 * probes; and no port of a team decides.
 *
 * @internal
 */
export const makeProbeLimit = () =>
  Effect.flatMap(network, limit("probe", Limits.defaults.rate, "This address, at this path,").take)

/**
 * Whether the token bucket of an API key is empty, in which case `RateLimit.layer` refuses its next request. Never by
 * default: the limiter of a team may refuse for other reasons.
 *
 * @internal
 */
export class KeyTokens extends Context.Reference<{
  readonly isSpent: (principal: Principal) => Effect.Effect<boolean>
}>("folio/http/KeyTokens", { defaultValue: () => ({ isSpent: () => Effect.succeed(false) }) }) {}

/**
 * Counts requests, and refuses those that come too fast: all functions but `isAddressSpent` fail with `ApiError`
 * `rate_limited`.
 *
 * `RateLimit.layer` has token buckets in the memory of this process. The limiter of `effect/persistence` is not used:
 * its memory keeps every key forever, and a refusal costs about ten times as much as an allowed request (measured: 16
 * µs and 1.7 µs), while a flood consists of refusals from any number of addresses.
 */
export class RateLimit extends Context.Service<
  RateLimit,
  {
    /**
     * Takes a token of the API key and one of its account; the answer's `RateLimit` headers say what the key has left.
     */
    readonly ofKey: (principal: Principal) => Effect.Effect<void, ApiError>
    /**
     * Takes a token of the client's network. For requests without a valid API key: one with a key is never refused
     * here.
     */
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
      const all = { perSecond: key.perSecond * accountShare, burst: key.burst * accountShare }
      const ofKey = limit("default", key, "This API key")
      const ofAccount = limit("account", all, "This account, with all of its keys,", false)
      const ofNetwork = limit("address", key, "This address, without a valid key,")
      const ofLink = limit("link", key, "This address, with links of this account,")
      const service = RateLimit.of({
        ofKey: ({ account_id, api_key_id, livemode }) =>
          Effect.andThen(ofKey.take(api_key_id), ofAccount.take(`${account_id} ${livemode}`)),
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
