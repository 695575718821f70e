import { Cause, Effect, Option, Predicate, Result } from "effect"
import { HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { ApiError } from "../../../schemas/ApiError.ts"
import { errorCodes } from "../../../schemas/ErrorCode.ts"
import { currentVersion, versions } from "../../../schemas/Version.ts"
import { ServiceInfo } from "../../api/ServiceInfo.ts"
import * as Metrics from "../../protocol/Metrics.ts"
import { Onlooker } from "../../protocol/Onlooker.ts"
import { Ids } from "../../store/sql/Ids.ts"
import * as Logging from "../log/Logging.ts"
import * as Errors from "./Errors.ts"
import { begun, Exchange, RequestId, seriesOf } from "./Exchange.ts"
import { isCutShort, pathOf } from "./Path.ts"

const urlMax = 8 * 1024
const headersMax = 16 * 1024

// The link to the portal lets in whoever has it.
const ofLink = /^(\/portal\/enter\/).+$/

/** The methods with which a path is known, in alphabetical order. */
type MethodsOf = (path: string) => ReadonlyArray<string>

const unmatched = (request: HttpServerRequest.HttpServerRequest, methodsOf: MethodsOf): ApiError => {
  const path = pathOf(request.url)
  const allow = isCutShort(request.url) ? "" : methodsOf(path).join(", ")
  return allow === ""
    ? new ApiError({
        code: "route_not_found",
        message: `There is nothing at ${path.slice(0, 200)}. The paths are listed at /docs.`
      })
    : new ApiError({
        code: "method_not_allowed",
        message: `${request.method} is not known at ${path.slice(0, 200)}; use ${allow}.`,
        headers: { Allow: allow }
      })
}

const isUnmatched = (cause: Cause.Cause<unknown>) => {
  const error = Result.getOrUndefined(Cause.findError(cause))
  return error instanceof HttpServerError.HttpServerError && error.reason._tag === "RouteNotFound"
}

/**
 * The refusal of a request that may not be routed, or null: its URL or headers are too long, it is HTTP/1.1 without `Host` (RFC
 * 9112, 3.2), or the router would cut its path short.
 */
const refusalOf = (request: HttpServerRequest.HttpServerRequest, methodsOf: MethodsOf): ApiError | null => {
  if (request.url.length > urlMax) return new ApiError({ code: "uri_too_long", message: errorCodes.uri_too_long.help })
  if (request.headers["host"] === undefined && Predicate.hasProperty(request.source, "httpVersion")) {
    if (request.source.httpVersion === "1.1") {
      return new ApiError({ code: "malformed_json", message: "An HTTP/1.1 request needs the header Host." })
    }
  }
  if (isCutShort(request.url)) return unmatched(request, methodsOf)
  let size = 0
  for (const [name, value] of Object.entries<string>(request.headers)) size += name.length + value.length + 4
  return size > headersMax
    ? new ApiError({ code: "headers_too_large", message: errorCodes.headers_too_large.help })
    : null
}

/** Makes the middleware around every request, which gives it an id, sets the headers of every answer and answers every failure. */
export const make = Effect.fnUntraced(function* (methodsOf: MethodsOf) {
  const ids = yield* Ids
  const info = yield* ServiceInfo
  const onlooker = yield* Onlooker
  const logged = yield* Logging.make

  return <E, R>(handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const request_id = yield* ids.request
      const refusal = refusalOf(request, methodsOf)
      const guarded: Effect.Effect<HttpServerResponse.HttpServerResponse, E | ApiError, R> =
        refusal === null ? handler : Effect.fail(refusal)
      const exchange = begun(request_id, Option.getOrUndefined(request.remoteAddress))
      const respond = guarded.pipe(
        Effect.catchCause((cause) => {
          if (Errors.isHungUp(cause)) return Effect.failCause(cause as Cause.Cause<never>)
          return isUnmatched(cause) ? Errors.respond(unmatched(request, methodsOf)) : Errors.respondToCause(cause)
        }),
        Effect.provideService(Exchange, exchange),
        Effect.provideService(RequestId, request_id),
        Effect.provideService(ServiceInfo, info),
        Effect.annotateLogs({ request_id })
      )
      const began = performance.now()
      const answer = yield* Metrics.measure(logged(request, request_id, exchange)(respond), seriesOf(request, exchange))
      const { account_id, route } = exchange
      const { method } = request
      if (!Logging.isLook(request, exchange)) {
        onlooker?.answered({
          method,
          path: pathOf(request.url).replace(ofLink, "$1…"),
          status: answer.status,
          milliseconds: performance.now() - began,
          code: exchange.error_code
        })
      }
      const facts = account_id === undefined ? { request_id } : { request_id, account_id }
      yield* Effect.annotateCurrentSpan(facts)
      // Logged at debug level, because at full load one log line for each request costs more than the request's own rows.
      yield* Effect.logDebug("A request was answered").pipe(
        Effect.annotateLogs({ ...facts, method, route, status: answer.status })
      )
      // An unsupported version is not echoed, because the error is written in the current version.
      const asked = versions.find((known) => known === request.headers["svc-version"])
      return HttpServerResponse.setHeaders(answer, {
        ...exchange.headers,
        "Cache-Control": answer.headers["cache-control"] ?? "no-store",
        "Request-Id": request_id,
        "Svc-Version": asked ?? currentVersion,
        "X-Content-Type-Options": "nosniff"
      })
    })
})
