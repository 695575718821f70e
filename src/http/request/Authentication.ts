import { Context, Effect, Layer, Option, Redacted } from "effect"
import { ApiError } from "../../../schemas/ApiError.ts"
import { Authorization, CurrentPrincipal, KeyStillWorks } from "../../api/Authorization.ts"
import { ApiKeys, invalidKey } from "../../store/accounts/ApiKeys.ts"
import { AuditLog } from "../../store/accounts/AuditLog.ts"
import { Concurrency } from "../limits/Concurrency.ts"
import { Exchange, originOf } from "./Exchange.ts"
import { admitted, inTime } from "./Timeouts.ts"
import { RateLimit } from "../limits/RateLimit.ts"

export const layer = Layer.effect(
  Authorization,
  Effect.gen(function* () {
    const audit = yield* AuditLog
    const concurrency = yield* Concurrency
    const keys = yield* ApiKeys
    const limit = yield* RateLimit
    return Authorization.of({
      apiKey: (handler, { credential }) =>
        Effect.gen(function* () {
          const key = Redacted.value(credential)
          const exchange = yield* Exchange
          const origin = originOf(exchange)
          // One guarded call for limiter and look-up, because a guard costs about as much as the limiter itself.
          const [principal, limited] = yield* admitted(
            Effect.gen(function* () {
              const isSuspect = (yield* limit.isAddressSpent) === true
              const found = yield* keys.authenticate(key, {
                ...origin,
                isSuspect,
                onEnded: (ended) => (exchange.principal = ended)
              })
              if (Option.isNone(found)) return yield* Effect.andThen(limit.ofAddress, Effect.fail(invalidKey))
              exchange.account_id = found.value.account_id
              exchange.principal = found.value
              return [found.value, yield* Effect.result(limit.ofKey(found.value))] as const
            })
          )
          const { account_id, api_key_id } = principal
          const stillWorks = Effect.flatMap(inTime(keys.authenticate(key, origin)), (still) =>
            Option.isSome(still) ? Effect.void : Effect.fail(invalidKey)
          )
          const asked = Context.add(Context.make(CurrentPrincipal, principal), KeyStillWorks, stillWorks)
          return yield* Effect.fromResult(limited).pipe(
            Effect.andThen(concurrency.request(principal)(Effect.provideContext(handler, asked))),
            Effect.tapError((error) =>
              error instanceof ApiError && error.status === 403
                ? audit.refused(principal, { ...principal, ...origin }, error.code)
                : Effect.void
            ),
            Effect.annotateLogs({ account_id, api_key_id })
          )
        }) as Effect.Effect<never>
    })
  })
)
