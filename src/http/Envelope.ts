import { Cause, Effect, Option, Predicate, Result } from "effect"
import { HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { ApiError } from "../../schemas/ApiError.ts"
import { errorCodes } from "../../schemas/ErrorCode.ts"
import { currentVersion, versions } from "../../schemas/Version.ts"
import { Api } from "../api/Api.ts"
import { ServiceInfo } from "../api/ServiceInfo.ts"
import * as Metrics from "../protocol/Metrics.ts"
import { Ids } from "../store/Ids.ts"
import * as Errors from "./Errors.ts"
import { begun, Exchange, seriesOf } from "./Exchange.ts"
import { isCutShort, pathOf } from "./Path.ts"
import { RequestId } from "./RequestId.ts"

const urlMax = 8 * 1024
const headersMax = 16 * 1024

/** The methods of every path, to tell a wrong method from a wrong path. */
const methods = (() => {
  const byPath = new Map<string, Set<string>>()
  const paths = Object.values(Api.groups).flatMap((group) => Object.values(group.endpoints))
  for (const { method, path } of [
    ...paths,
    ...["/v1/openapi.json", "/docs", "/docs/reference.js", "/docs/errors", "/docs/errors/:code", "/metrics"].map(
      (page) => ({
        method: "GET",
        path: page
      })
    )
  ]) {
    byPath.set(path, (byPath.get(path) ?? new Set()).add(method))
  }
  return [...byPath].map(([path, allowed]) => ({
    pattern: new RegExp(`^${path.replaceAll(/:[a-z]+/g, "[^/]+")}$`),
    allow: [...allowed, ...(allowed.has("GET") ? ["HEAD"] : [])]
  }))
})()

const unmatched = (request: HttpServerRequest.HttpServerRequest): ApiError => {
  const path = pathOf(request.url)
  // More than one where a word stands in the place of an id: each has methods of its own.
  const known = methods.filter(({ pattern }) => pattern.test(path)).flatMap(({ allow }) => allow)
  const allow = [...new Set(known)].toSorted().join(", ")
  // A known method means that the path cannot be decoded.
  return known.length === 0 || known.includes(request.method)
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

/** What no route need look at: a request that is too long, or names no host though it is of HTTP/1.1 (RFC 9112, 3.2). */
const refusalOf = (request: HttpServerRequest.HttpServerRequest): ApiError | null => {
  if (request.url.length > urlMax) return new ApiError({ code: "uri_too_long", message: errorCodes.uri_too_long.help })
  if (request.headers["host"] === undefined && Predicate.hasProperty(request.source, "httpVersion")) {
    if (request.source.httpVersion === "1.1") {
      return new ApiError({ code: "malformed_json", message: "An HTTP/1.1 request needs the header Host." })
    }
  }
  if (isCutShort(request.url)) return unmatched(request)
  let size = 0
  for (const [name, value] of Object.entries<string>(request.headers)) size += name.length + value.length + 4
  return size > headersMax
    ? new ApiError({ code: "headers_too_large", message: errorCodes.headers_too_large.help })
    : null
}

/** Around every request, matched or not: its id, the headers that every answer carries, and an answer to every failure. */
export const make = Effect.gen(function* () {
  const ids = yield* Ids
  const info = yield* ServiceInfo

  return <E, R>(handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const request_id = yield* ids.request
      const refusal = refusalOf(request)
      const guarded: Effect.Effect<HttpServerResponse.HttpServerResponse, E | ApiError, R> =
        refusal === null ? handler : Effect.fail(refusal)
      const exchange = begun(request_id, Option.getOrUndefined(request.remoteAddress))
      const respond = guarded.pipe(
        Effect.catchCause((cause) => {
          if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause as Cause.Cause<never>)
          return isUnmatched(cause) ? Errors.respond(unmatched(request)) : Errors.respondToCause(cause)
        }),
        Effect.provideService(Exchange, exchange),
        Effect.provideService(RequestId, request_id),
        Effect.provideService(ServiceInfo, info),
        Effect.annotateLogs({ request_id })
      )
      const answer = yield* Metrics.measure(respond, seriesOf(request, exchange))
      const { account_id, route } = exchange
      const { method } = request
      const facts = account_id === undefined ? { request_id } : { request_id, account_id }
      yield* Effect.annotateCurrentSpan(facts)
      // Not at Info: at full load a line a request costs more than the request's own rows.
      yield* Effect.logDebug("A request was answered").pipe(
        Effect.annotateLogs({ ...facts, method, route, status: answer.status })
      )
      // A refused version is not echoed: the answer was written in the standard one.
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
