import { Effect, Layer, Record } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { ApiError } from "../../../schemas/ApiError.ts"
import { ApiKeyId } from "../../../schemas/Id.ts"
import { currentVersion } from "../../../schemas/Version.ts"
import { Authorization, CurrentPrincipal } from "../../api/Authorization.ts"
import { FileAccess } from "../../api/Files.ts"
import { isTracking, type LinkFault } from "../../domain/requests/FileLink.ts"
import { FileLinks } from "../../store/documents/FileLinks.ts"
import { Exchange } from "./Exchange.ts"
import { pathOf, queryOf } from "./Path.ts"
import { portInTime } from "./Timeouts.ts"
import { RateLimit } from "../limits/RateLimit.ts"

const linkParameters = ["account", "mode", "expires", "signature"]

const refusals: Readonly<Record<LinkFault, ApiError>> = {
  forged: new ApiError({
    code: "link_invalid",
    message: "The link is not whole, or was changed. Take it again from the object, as it stands there."
  }),
  expired: new ApiError({
    code: "link_expired",
    message: "The link has expired. Retrieve the object again for a new one."
  })
}

/** Stands for the key of a request with a signed link, which has none: a link only reads, and no read uses the key's id. */
const api_key_id = ApiKeyId.make(`key_${"0".repeat(26)}`)

// An `Authorization` header goes before a signed link. A request with neither is refused like one without a valid API key.
export const layer = Layer.effect(
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
          // The link is checked before the rate limit, so that a valid link is not refused for failed attempts from its address.
          const account = yield* Effect.catch(links.check(pathOf(request.url), query), (fault) =>
            Effect.andThen(portInTime(limit.ofAddress), Effect.fail(refusals[fault]))
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
            Effect.provideService(CurrentPrincipal, { ...account, api_key_id, default_version: currentVersion }),
            Effect.annotateLogs({ account_id: account.account_id })
          )
        }) as Effect.Effect<never>
    )
  })
)
