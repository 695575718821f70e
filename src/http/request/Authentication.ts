import { Context, Effect, Layer, Option, Redacted } from "effect"
import { ApiError } from "../../../schemas/ApiError.ts"
import { Authorization, CurrentPrincipal, KeyStillWorks } from "../../api/Authorization.ts"
import { ApiKeys, invalidKey } from "../../store/accounts/ApiKeys.ts"
import { AuditLog } from "../../store/accounts/AuditLog.ts"
import { Concurrency } from "../limits/Concurrency.ts"
import { Exchange, originOf } from "./Exchange.ts"
import { inTime } from "./Timeouts.ts"
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
          const isSuspect = yield* limit.isAddressSpent
          const found = yield* inTime(keys.authenticate(key, { ...origin, isSuspect }))
          if (Option.isNone(found)) return yield* Effect.andThen(limit.ofAddress, Effect.fail(invalidKey))
          const principal = found.value
          const { account_id, api_key_id } = principal
          exchange.account_id = account_id
          const stillWorks = Effect.flatMap(inTime(keys.authenticate(key, origin)), (still) =>
            Option.isSome(still) ? Effect.void : Effect.fail(invalidKey)
          )
          const asked = Context.add(Context.make(CurrentPrincipal, principal), KeyStillWorks, stillWorks)
          return yield* limit.ofKey(principal).pipe(
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
