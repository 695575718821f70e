/*
 * The service with plans: a small account has 60 requests a minute, a large one 6000, over all its API keys:
 *
 *   LARGE_ACCOUNTS=ten_…,ten_… node OwnRateLimit.ts
 */
import { main } from "@folio-einvoicing/service"
import { ApiError, RateLimit } from "@folio-einvoicing/service/ports"
import { Clock, Config, Effect, Layer } from "effect"

const perMinute = { small: 60, large: 6_000 }

const tooMany = (plan: "small" | "large", wait: number) =>
  new ApiError({
    code: "rate_limited",
    message: `Your ${plan} plan has ${perMinute[plan]} requests a minute. Wait ${wait} s, or ask us for a larger plan.`,
    headers: { "Retry-After": String(wait), "RateLimit-Policy": `"${plan}";q=${perMinute[plan]};w=60` }
  })

const rateLimit = Layer.effect(
  RateLimit,
  Effect.gen(function* () {
    const large = new Set((yield* Config.withDefault(Config.String("LARGE_ACCOUNTS"), "")).split(","))
    const ours = yield* RateLimit
    // The requests of each account in the current minute. Each process counts its own.
    let counted = { minute: 0, requests: new Map<string, number>() }

    const ofPlan = Effect.fnUntraced(function* (account: string) {
      const now = yield* Clock.currentTimeMillis
      const minute = Math.floor(now / 60_000)
      if (minute !== counted.minute) counted = { minute, requests: new Map() }
      const requests = (counted.requests.get(account) ?? 0) + 1
      counted.requests.set(account, requests)
      const plan = large.has(account) ? "large" : "small"
      if (requests <= perMinute[plan]) return
      const wait = Math.ceil(((minute + 1) * 60_000 - now) / 1_000)
      return yield* tooMany(plan, wait)
    })

    // The default still limits each key, and each address and link without a key.
    return RateLimit.of({
      ...ours,
      ofKey: (principal) => Effect.andThen(ofPlan(principal.account_id), ours.ofKey(principal))
    })
  })
).pipe(Layer.provide(RateLimit.layer))

// The limits of the default `RateLimit`, in place of RATE_LIMIT and RATE_LIMIT_BURST.
main({ rateLimit, limits: { rate: { perSecond: 200, burst: 1_000 } } })
