import { Context, Effect, Layer, Option, Redacted } from "effect"
import { ApiError } from "../../../schemas/ApiError.ts"
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import {
  Authorization,
  CurrentPrincipal,
  KeyStillWorks,
  PortalCaller,
  type PortalSession,
  type Principal
} from "../../api/Authorization.ts"
import type { Capability } from "../../../schemas/PortalSession.ts"
import { capabilityOf } from "../../api/Capabilities.ts"
import { ApiKeys, invalidKey } from "../../store/accounts/ApiKeys.ts"
import { AuditLog } from "../../store/accounts/AuditLog.ts"
import { PortalSessions } from "../../store/accounts/PortalSessions.ts"
import { Concurrency } from "../limits/Concurrency.ts"
import { Exchange, type Facts, originOf } from "./Exchange.ts"
import { admitted, inTime } from "./Timeouts.ts"
import { RateLimit } from "../limits/RateLimit.ts"

/** The refusal of what a session of the portal lacks the capability for; null: of what no session may do. */
export const lacking = (capability: Capability | null) =>
  new ApiError({
    code: "capability_missing",
    message:
      capability === null
        ? "No session of the portal may do this. Use an API key."
        : `This session of the portal lacks the capability ${capability}. Ask for a link that has it.`
  })

const sessionEnded = new ApiError({
  code: "invalid_api_key",
  message: "This session of the portal has ended. Ask for a new link."
})

/** Fails with `capability_missing` unless the session may carry out the operation. */
const permitted = (
  { capabilities }: PortalSession,
  { endpoint, group }: { readonly endpoint: HttpApiEndpoint.Top; readonly group: HttpApiGroup.Top }
) => {
  const capability = capabilityOf(group, endpoint)
  const isPermitted = capability !== null && capabilities.includes(capability)
  return isPermitted ? Effect.void : Effect.fail(lacking(capability))
}

export const layer = Layer.effect(
  Authorization,
  Effect.gen(function* () {
    const audit = yield* AuditLog
    const concurrency = yield* Concurrency
    const keys = yield* ApiKeys
    const limit = yield* RateLimit
    const sessions = yield* PortalSessions
    /** Fails with `invalid_api_key` when a session has ended while its request waited. */
    const stillIn = (session: PortalSession) =>
      Effect.flatMap(inTime(sessions.stillWorks(session)), (still) => (still ? Effect.void : Effect.fail(sessionEnded)))
    /** Answers in the name of a principal that is known: its limits, its log lines, and an audit entry when it is refused. */
    const answeredAs = <A, E, R>(
      principal: Principal,
      exchange: Facts,
      stillWorks: Effect.Effect<void, ApiError>,
      handler: Effect.Effect<A, E, R>
    ) => {
      const { account_id, api_key_id } = principal
      const asked = Context.add(Context.make(CurrentPrincipal, principal), KeyStillWorks, stillWorks)
      return concurrency
        .request(principal)(Effect.provideContext(handler, asked))
        .pipe(
          Effect.tapError((error) =>
            error instanceof ApiError && error.status === 403
              ? audit.refused(principal, { ...principal, ...originOf(exchange) }, error.code)
              : Effect.void
          ),
          Effect.annotateLogs({ account_id, api_key_id })
        )
    }
    return Authorization.of({
      apiKey: (handler, { credential, ...operation }) =>
        Effect.gen(function* () {
          const key = Redacted.value(credential)
          const exchange = yield* Exchange
          const caller = yield* PortalCaller
          if (caller !== null) {
            const { principal } = caller
            exchange.account_id = principal.account_id
            exchange.principal = principal
            exchange.portal_session_id = caller.id
            yield* admitted(Effect.suspend(() => limit.ofKey(principal)))
            const allowed = Effect.andThen(permitted(caller, operation), handler)
            return yield* answeredAs(principal, exchange, stillIn(caller), allowed)
          }
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
          const stillWorks = Effect.flatMap(inTime(keys.authenticate(key, origin)), (still) =>
            Option.isSome(still) ? Effect.void : Effect.fail(invalidKey)
          )
          yield* Effect.fromResult(limited)
          return yield* answeredAs(principal, exchange, stillWorks, handler)
        }) as Effect.Effect<never>
    })
  })
)
