import { Context, Effect, Layer, Option, Predicate, Record, Result } from "effect"
import { HttpServerRequest, HttpRouter } from "effect/http"
import { ApiError } from "../../../schemas/ApiError.ts"
import type { ErrorCode } from "../../../schemas/ErrorCode.ts"
import { HttpApiBuilder, type HttpApiEndpoint, type HttpApiGroup } from "effect/http-api"
import { Authorization, CurrentPrincipal, type Principal } from "../../api/Authorization.ts"
import { includes, type KeyCapability } from "../../../schemas/ApiKey.ts"
import { barredBy, capabilityOf, keyCapabilityOf } from "../../api/Capabilities.ts"
import { Handling } from "../../api/Conventions.ts"
import { apiKeyMode, type KeyFault, sentApiKey } from "../../accounts/rules/ApiKeyFormat.ts"
import { inLane } from "../../runtime/turns/AccountLanes.ts"
import type { KeyEnd } from "../../accounts/store/ApiKeyLookup.ts"
import { ApiKeys, endedKey } from "../../accounts/store/ApiKeys.ts"
import { AuditLog } from "../../accounts/store/AuditLog.ts"
import { type PortalSession, PortalSessions } from "../../accounts/store/PortalSessions.ts"
import { Concurrency } from "../limits/Concurrency.ts"
import { KeyStillWorks, PortalCaller } from "./Caller.ts"
import { Exchange, type Facts, originOf, pathOf, queryOf } from "./Exchange.ts"
import { inTime, portInTime } from "../../runtime/PortCall.ts"
import { RateLimit } from "../limits/RateLimit.ts"
import { SpentKeys } from "../limits/SpentKeys.ts"
import { isWithin } from "../../runtime/TrustedProxies.ts"
import { ApiKeyId } from "../../../schemas/Id.ts"
import { currentVersion } from "../../../schemas/Version.ts"
import { FileAccess } from "../../api/FileApi.ts"
import { isTracking, type LinkFault } from "../../invoices/rules/FileLink.ts"
import { FileLinks } from "../../invoices/store/FileLinks.ts"
import { Platforms } from "../../accounts/store/Platforms.ts"
import { violation } from "../../documents/rules/AuthorityRules.ts"

/** The error for a portal session without the capability; null: for an operation that no portal session may use. */
export const lacking = (capability: KeyCapability | null) =>
  new ApiError({
    code: "capability_missing",
    message:
      capability === null
        ? "No session of the portal may do this. Use an API key."
        : `This session of the portal lacks the capability ${capability}. Ask for a link that has it.`
  })

const sessionEnded = new ApiError({
  code: "invalid_api_key",
  message: "This portal session has ended. Request a new link."
})

const asBearer = "Send it as: Authorization: Bearer sk_test_…, or with curl: -u sk_test_…:"

/**
 * The error for each fault of a key. Only a request with a whole key learns whether the key is unknown, revoked or
 * expired: a key has 256 random bits, so no client can guess another client's key.
 */
const refusals: Record<KeyFault | "mistyped" | "unknown" | KeyEnd, ApiError> = Record.map(
  {
    absent: `This request has no API key, and needs one. ${asBearer}`,
    bare: `The header Authorization has a key without a scheme before it. ${asBearer}`,
    scheme: `The header Authorization must begin with Bearer or Basic and have an API key after it. ${asBearer}`,
    encoding:
      "After Basic, the header Authorization must have the base64 of the API key and a colon, as curl -u sk_test_…: sends it.",
    swapped: "The API key is the user name of Basic, not the password, which is empty: curl -u sk_test_…:",
    password: "With the API key as the user name of Basic the password must be empty: curl -u sk_test_…:",
    secret: `This is the signing secret of a webhook endpoint, not an API key. ${asBearer}`,
    form: `This is not an API key: one begins with sk_test_ or sk_live_. ${asBearer}`,
    mistyped: "This API key is mistyped or not whole: its checksum is wrong. Copy all of its characters again.",
    unknown:
      "This service has no such API key. Check whether the key belongs to another installation, or to this one before its data was removed. The command folio keys list shows the last four characters of each key.",
    revoked: "This API key was revoked. Send another key of the account. The operator of the service can create one.",
    expired: "This API key has expired: the expires_at of its creation has passed. Send another key of the account.",
    rolled: "This API key has expired: a client rolled it, and its transition period is over. Send the new key."
  },
  (message) => new ApiError({ code: "invalid_api_key", message })
)

/** The error for a restricted API key without the capability; null: for an operation that no restricted key may use. */
const lackingOfKey = (capability: KeyCapability | null) =>
  new ApiError({
    code: "capability_missing",
    message:
      capability === null
        ? "No restricted API key may do this. Use an API key without capabilities, which has all rights."
        : `This API key lacks the capability ${capability}, which this request needs. Use another key, or create one with this capability.`
  })

/** The error for a request from an address outside the key's networks. */
const notAllowed = (ip = "an unknown address") =>
  new ApiError({
    code: "ip_not_allowed",
    message: `This API key does not accept requests from ${ip}, because its allowed_ips do not contain the address. Send the request from an allowed address, or use another key.`
  })

interface Operation {
  readonly endpoint: HttpApiEndpoint.Top
  readonly group: HttpApiGroup.Top
}

/**
 * Fails with `capability_missing` unless a session or a key with these capabilities may carry out the operation. Fails
 * with `account_suspended` or `account_closed` if the status of the account does not allow the operation.
 */
const permitted = (
  { account_status, capabilities }: Principal,
  { endpoint, group }: Operation,
  request: HttpServerRequest.HttpServerRequest,
  needed: (group: HttpApiGroup.Top, endpoint: HttpApiEndpoint.Top) => KeyCapability | null,
  refusal: (capability: KeyCapability | null) => ApiError
) => {
  const barred = barredBy(account_status, group, endpoint)
  // A retry may have a stored response, which `Pipeline` finds by the key and the body.
  const isRepeatable =
    request.headers["idempotency-key"] !== undefined &&
    Context.get(endpoint.annotations, Handling).idempotencyKey !== "ignored"
  if (barred !== null && !isRepeatable) return Effect.fail(barred)
  if (capabilities === undefined) return Effect.void
  const capability = needed(group, endpoint)
  const isPermitted = capability !== null && capabilities.some((held) => includes(held, capability))
  return isPermitted ? Effect.void : Effect.fail(refusal(capability))
}

const ofRights: ReadonlySet<unknown> = new Set<ErrorCode>(["capability_missing", "ip_not_allowed"])

/** Records an error in the audit log if it is a rejection by the rights of the key or session. */
const refusalNoted = (audit: AuditLog["Service"], principal: Principal, exchange: Facts) => (failure: unknown) => {
  // The handler's errors arrive wrapped, so that `effect/http-api` can tell them from those of this file.
  const error = Predicate.hasProperty(failure, "error") ? failure.error : failure
  return error instanceof ApiError && ofRights.has(error.code)
    ? audit.refused(principal, { ...principal, ...originOf(exchange) }, error.code)
    : Effect.void
}

export const layer = Layer.effect(
  Authorization,
  Effect.gen(function* () {
    const actingCaller = yield* makeActingCaller
    const audit = yield* AuditLog
    const concurrency = yield* Concurrency
    const keys = yield* ApiKeys
    const limit = yield* RateLimit
    const sessions = yield* PortalSessions
    const spentKeys = yield* SpentKeys
    /** Counts a request without a valid key against the client's address, and rejects the request. */
    const refused = (error: ApiError) => Effect.suspend(() => Effect.andThen(limit.ofAddress, Effect.fail(error)))
    /** As `KeyStillWorks`, for a portal session. */
    const stillIn = (session: PortalSession, { endpoint, group }: Operation) =>
      Effect.flatMap(
        inTime(sessions.statusOf(session)),
        Option.match({
          onNone: () => Effect.fail(sessionEnded),
          onSome: ({ account_status }) => Effect.succeed(barredBy(account_status, group, endpoint))
        })
      )
    /**
     * Runs a request in the name of a known principal, within the principal's limits, with log annotations and an audit
     * entry for a rejection.
     */
    const answeredAs = <A, E, R>(
      principal: Principal,
      exchange: Facts,
      stillWorks: Effect.Effect<ApiError | null, ApiError>,
      handler: Effect.Effect<A, E, R>
    ) => {
      const { account_id, api_key_id } = principal
      const asked = Context.add(Context.make(CurrentPrincipal, principal), KeyStillWorks, stillWorks)
      return concurrency
        .request(principal)(inLane(principal)(Effect.provideContext(handler, asked)))
        .pipe(
          Effect.tapError(refusalNoted(audit, principal, exchange)),
          Effect.annotateLogs({ account_id, api_key_id })
        )
    }
    return Authorization.of({
      // The header is parsed here, because it has the key in one of two forms. `complete` describes both in OpenAPI.
      apiKey: (handler, operation) =>
        Effect.gen(function* () {
          const exchange = yield* Exchange
          const request = yield* HttpServerRequest.HttpServerRequest
          const caller = yield* PortalCaller
          if (caller !== null) {
            const own = { ...caller.principal, capabilities: caller.capabilities }
            const acting = yield* portInTime(Effect.result(actingCaller(own, operation)))
            const principal = Result.getOrElse(acting, () => own)
            exchange.account_id = principal.account_id
            exchange.principal = principal
            // An account doesn't know the sessions of its platform. Its logs show the platform's key instead.
            if (principal.account_id === own.account_id) exchange.portal_session_id = caller.id
            yield* portInTime(Effect.suspend(() => limit.ofKey(principal)))
            const allowed = permitted(principal, operation, request, capabilityOf, lacking).pipe(
              Effect.andThen(Effect.fromResult(acting)),
              Effect.andThen(handler)
            )
            return yield* answeredAs(principal, exchange, stillIn(caller, operation), allowed)
          }
          const origin = originOf(exchange)
          const sent = sentApiKey(request.headers["authorization"])
          if (Result.isFailure(sent)) return yield* portInTime(refused(refusals[sent.failure]))
          const key = sent.success
          // Limiter and look-up share a guarded call, because a guard costs about as much as the limiter itself.
          const [principal, acting, limited] = yield* portInTime(
            Effect.gen(function* () {
              const isSuspect = (yield* limit.isAddressSpent) === true
              let ended: KeyEnd | undefined
              const found = yield* keys.authenticate(key, {
                ...origin,
                isSuspect,
                onEnded: (owner, how) => {
                  exchange.principal = owner
                  ended = how
                }
              })
              if (Option.isNone(found))
                return yield* refused(refusals[ended ?? (apiKeyMode(key) === null ? "mistyped" : "unknown")])
              exchange.account_id = found.value.account_id
              exchange.principal = found.value
              const { api_key_id, networks } = found.value
              // Counts against the address: a stolen key must not use up the rate limit of the key's own clients.
              if (networks !== undefined && !isWithin(networks, exchange.ip ?? "")) {
                yield* audit.refused(found.value, { ...origin, api_key_id }, "ip_not_allowed")
                return yield* refused(notAllowed(exchange.ip))
              }
              const named = yield* Effect.result(actingCaller(found.value, operation))
              const acted = Result.getOrElse(named, () => found.value)
              exchange.account_id = acted.account_id
              exchange.principal = acted
              return [acted, named, yield* Effect.result(limit.ofKey(acted))] as const
            })
          )
          const routed = yield* Effect.context<HttpServerRequest.HttpServerRequest | HttpRouter.RouteContext>()
          const stillActing = Effect.flatMap(keys.authenticate(key, origin), (still) =>
            Option.isSome(still) ? actingCaller(still.value, operation) : Effect.fail(endedKey)
          )
          const stillWorks = inTime(Effect.provideContext(stillActing, routed)).pipe(
            Effect.map(({ account_status }) => barredBy(account_status, operation.group, operation.endpoint))
          )
          if (Result.isFailure(limited)) {
            spentKeys.noteRate(request, principal, limited.failure, exchange.headers)
            return yield* limited.failure
          }
          const allowed = permitted(principal, operation, request, keyCapabilityOf, lackingOfKey).pipe(
            Effect.andThen(Effect.fromResult(acting)),
            Effect.andThen(handler)
          )
          return yield* answeredAs(principal, exchange, stillWorks, allowed)
        }) as Effect.Effect<never>
    })
  })
)

const linkParameters = ["account", "mode", "expires", "signature"]

const linkRefusals: Readonly<Record<LinkFault, ApiError>> = {
  forged: new ApiError({
    code: "link_invalid",
    message: "The link is truncated or was changed. Copy the link from the object again, unchanged."
  }),
  expired: new ApiError({
    code: "link_expired",
    message: "The link has expired. Retrieve the object again for a new one."
  })
}

/**
 * Placeholder for the key of a request with a signed link, which has no key. A link only reads, and no read uses the
 * key's id.
 */
const api_key_id = ApiKeyId.make(`key_${"0".repeat(26)}`)

// An `Authorization` header has priority over a signed link. A request with neither gets the error for a missing API
// key.
export const layerFileAccess = Layer.effect(
  FileAccess,
  Effect.gen(function* () {
    const authorization = yield* Authorization
    const limit = yield* RateLimit
    const links = yield* FileLinks
    return FileAccess.of(
      (handler, options) =>
        Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest
          const query = new URLSearchParams(queryOf(request.url))
          if (request.headers["authorization"] !== undefined || !linkParameters.some((name) => query.has(name))) {
            const credential = yield* HttpApiBuilder.securityDecode(Authorization.security.apiKey)
            return yield* authorization.apiKey(handler, { credential, ...options })
          }
          // The link check comes before the rate limit, so that failed attempts from an address don't block a valid
          // link.
          const account = yield* Effect.catch(links.check(pathOf(request.url), query), (fault) =>
            Effect.andThen(portInTime(limit.ofAddress), Effect.fail(linkRefusals[fault]))
          )
          yield* portInTime(Effect.suspend(() => limit.ofLink(account)))
          const sent = yield* HttpServerRequest.ParsedSearchParams
          const exchange = yield* Exchange
          exchange.account_id = account.account_id
          exchange.principal = { ...account, api_key_id: null }
          return yield* handler.pipe(
            Effect.provideService(
              HttpServerRequest.ParsedSearchParams,
              Record.filter(sent, (_, name) => !isTracking(name))
            ),
            Effect.provideService(CurrentPrincipal, {
              ...account,
              api_key_id,
              default_version: currentVersion,
              account_status: "active"
            }),
            Effect.annotateLogs({ account_id: account.account_id })
          )
        }) as Effect.Effect<never>
    )
  })
)

/** The header with which a platform's key names the account that it acts for. */
const header = "Svc-Account"

const accountRequired = new ApiError({
  code: "account_required",
  message: `This operation needs one of the platform's accounts: send its id in the header ${header}: ten_…`,
  param: header
})
const platformKeyRequired = new ApiError({
  code: "platform_key_required",
  message: `Only a platform's key may do this, and this key belongs to an account. Use a key of the platform. For the account itself, use /v1/account and omit the header ${header}.`
})
const accountMissing = (account: string) =>
  `This platform has no account ${JSON.stringify(account.slice(0, 64))}. Send the id of one of its accounts: GET /v1/accounts lists them.`
const accountNotTaken = ApiError.fromViolations([
  violation(
    header,
    "parameter_unknown",
    `An operation at /v1/accounts takes no header ${header}. Omit the header.`,
    "own_accounts"
  )
])

/** The groups whose operations a platform's key, or its own portal session, may use for the platform itself. */
const ofPlatform: ReadonlySet<string> = new Set(["apiKeys", "auditLog", "catalogs", "portalSessions", "requests"])

/**
 * Makes the function that returns the principal of a request with an API key or a portal session: of the account that a
 * platform's key acts for, of the platform itself, or of the account of the key. Fails with `account_required`,
 * `platform_key_required`, `parameter_unknown`, or with `resource_missing` for an account that is not the platform's.
 */
const makeActingCaller = Effect.map(
  Platforms,
  ({ actFor }) =>
    (key: Principal, { group }: { readonly group: HttpApiGroup.Top }) =>
      Effect.gen(function* () {
        const sent = (yield* HttpServerRequest.HttpServerRequest).headers["svc-account"]
        const managesAccounts = group.identifier === "accounts"
        if (key.platform === undefined) {
          return managesAccounts || sent !== undefined ? yield* platformKeyRequired : key
        }
        if (managesAccounts && sent !== undefined) return yield* accountNotTaken
        const named = managesAccounts ? (yield* HttpRouter.RouteContext).params["id"] : sent
        if (named === undefined) {
          return managesAccounts || ofPlatform.has(group.identifier) ? key : yield* accountRequired
        }
        const found = yield* actFor(key, named)
        if (Option.isSome(found)) return found.value
        return yield* new ApiError({
          code: "resource_missing",
          message: accountMissing(named),
          ...(managesAccounts ? {} : { param: header })
        })
      })
)
