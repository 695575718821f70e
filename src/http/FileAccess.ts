import { Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { ApiError } from "../../schemas/ApiError.ts"
import { ApiKeyId } from "../../schemas/Id.ts"
import { currentVersion } from "../../schemas/Version.ts"
import { Authorization, CurrentPrincipal } from "../api/Authorization.ts"
import { FileAccess } from "../api/Files.ts"
import type { LinkFault } from "../domain/FileLink.ts"
import { FileLinks } from "../store/FileLinks.ts"
import { Exchange } from "./Exchange.ts"
import { pathOf, queryOf } from "./Path.ts"
import { RateLimit } from "./RateLimit.ts"

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

/** No key asked: what a link opens is only read, and nothing that reads asks which key it was. */
const api_key_id = ApiKeyId.make(`key_${"0".repeat(26)}`)

// Where there is a key, the key decides; else the link does, if there is one.
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
          // Before the address has to answer for what others tried from it: a good link is not a guess.
          const of = yield* Effect.catch(links.check(pathOf(request.url), query), (fault) =>
            Effect.andThen(limit.ofAddress, Effect.fail(refusals[fault]))
          )
          yield* limit.ofLink(of)
          const exchange = yield* Exchange
          exchange.account_id = of.account_id
          return yield* handler.pipe(
            Effect.provideService(CurrentPrincipal, { ...of, api_key_id, default_version: currentVersion }),
            Effect.annotateLogs({ account_id: of.account_id })
          )
        }) as Effect.Effect<never>
    )
  })
)
