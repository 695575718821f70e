import { Context, Effect, Layer, Option, Redacted } from "effect"
import { ApiError } from "../../schemas/ApiError.ts"
import { Authorization, CurrentPrincipal, KeyStillWorks, type Principal } from "../api/Authorization.ts"
import { ApiKeys, invalidKey } from "../store/ApiKeys.ts"
import { AuditLog } from "../store/AuditLog.ts"
import { Concurrency } from "./Concurrency.ts"
import { Exchange, originOf } from "./Exchange.ts"
import { inTime } from "./Patience.ts"
import { RateLimit } from "./RateLimit.ts"

export const layer = Layer.effect(
  Authorization,
  Effect.gen(function* () {
    const audit = yield* AuditLog
    const concurrency = yield* Concurrency
    const keys = yield* ApiKeys
    const limit = yield* RateLimit
    return Authorization.of({
      apiKey: (handler, { credential }) =>
        Effect.flatMap(
          inTime(
            Effect.flatMap(Effect.all([Exchange, limit.isAddressSpent]), ([exchange, isSuspect]) =>
              keys.authenticate(Redacted.value(credential), { ...originOf(exchange), isSuspect })
            )
          ) as Effect.Effect<Option.Option<Principal>>,
          Option.match({
            onNone: () => Effect.andThen(limit.ofAddress, Effect.fail(invalidKey)) as Effect.Effect<never>,
            onSome: (principal) =>
              Effect.flatMap(Exchange, (exchange) => {
                exchange.account_id = principal.account_id
                const stillWorks = inTime(keys.authenticate(Redacted.value(credential), originOf(exchange))).pipe(
                  Effect.flatMap(Option.match({ onNone: () => Effect.fail(invalidKey), onSome: () => Effect.void }))
                )
                const asked = Context.add(Context.make(CurrentPrincipal, principal), KeyStillWorks, stillWorks)
                const inNumber = concurrency.request(principal) as <A, E, R>(of: Effect.Effect<A, E, R>) => typeof of
                return (limit.ofKey(principal) as Effect.Effect<void>).pipe(
                  Effect.andThen(inNumber(Effect.provideContext(handler, asked))),
                  Effect.tapError((error: unknown) =>
                    error instanceof ApiError && error.status === 403
                      ? audit.refused(principal, { ...principal, ...originOf(exchange) }, error.code)
                      : Effect.void
                  ),
                  Effect.annotateLogs({ account_id: principal.account_id, api_key_id: principal.api_key_id })
                )
              })
          })
        )
    })
  })
)
