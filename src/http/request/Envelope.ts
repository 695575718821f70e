import { Cause, Effect, Exit, Option, Predicate, Result } from "effect"
import { HttpBody, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { IncomingMessage } from "node:http"
import { ApiError } from "../../../schemas/ApiError.ts"
import { type ErrorCode, errorCodes } from "../../../schemas/ErrorCode.ts"
import { currentVersion, versions } from "../../../schemas/Version.ts"
import { ServiceInfo } from "../../runtime/ServiceInfo.ts"
import { violation } from "../../documents/rules/AuthorityRules.ts"
import * as Metrics from "../../runtime/Metrics.ts"
import { Onlooker } from "../../runtime/Onlooker.ts"
import { Ids } from "../../database/Ids.ts"
import { RateLimit } from "../limits/RateLimit.ts"
import type { MethodsOf, SpentKeys } from "../limits/SpentKeys.ts"
import { type Proxies, proxiesIn } from "../../runtime/TrustedProxies.ts"
import { forBrowsers } from "../pages/MissingPage.ts"
import { Limits } from "../../runtime/Limits.ts"
import * as Errors from "./ErrorResponses.ts"
import { begun, Exchange, type Facts, pathOf, queryOf, RequestId, seriesOf } from "./Exchange.ts"
import { portInTime } from "../../runtime/PortCall.ts"
import type { RequestId as Id } from "../../../schemas/Id.ts"
import { type OfferedRequest, RequestLog } from "../../operations/store/RequestLog.ts"

const urlMax = 8 * 1024
const headersMax = 16 * 1024

// A portal link opens a session for any browser that has the link, so no log line shows the token.
const ofLink = /^(\/portal\/enter\/).+$/

/** Whether a path has an empty part, or a slash at its end. */
const hasEmptyPart = (path: string): boolean => /\/\/|.\/$/.test(path)

/** Whether the path has `;` or `#`, which the router treats as `?`. No path of the API has either. */
const isCutShort = (url: string): boolean => /[;#]/.test(pathOf(url))

/**
 * The advice for an unknown path: the path without the slash at its end, if that path exists; otherwise the list of
 * paths.
 */
const advice = (path: string, methodsOf: MethodsOf): string =>
  path.endsWith("/") && methodsOf(path.slice(0, -1)).length > 0
    ? `Remove the slash at its end: ${path.slice(0, -1)}.`
    : "The paths are listed at /docs."

const unmatched = (request: HttpServerRequest.HttpServerRequest, methodsOf: MethodsOf): ApiError => {
  const path = pathOf(request.url)
  const allow = isCutShort(request.url) ? "" : methodsOf(path).join(", ")
  return allow === ""
    ? new ApiError({
        code: "route_not_found",
        message: `There is nothing at ${path.slice(0, 200)}. ${advice(path, methodsOf).slice(0, 300)}`
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

/** The headers that a request may have only once, each with the code of the error for a repeated header. */
const singleHeaders: ReadonlyMap<string, ErrorCode> = new Map([
  ["Authorization", "parameter_invalid"],
  ["Content-Type", "parameter_invalid"],
  ["Host", "malformed_json"],
  ["Idempotency-Key", "idempotency_key_invalid"],
  ["Origin", "parameter_invalid"],
  ["Sec-Fetch-Dest", "parameter_invalid"],
  ["Sec-Fetch-Site", "parameter_invalid"],
  ["Svc-Signature", "parameter_invalid"],
  ["Svc-Version", "unsupported_version"]
])

/**
 * The error of a request that repeats one of `singleHeaders`; null without a repeated header. Node joins the values of
 * an unknown header and keeps the first value of a known header. Two keys of a client and its gateway would become a
 * third key, and a retry without the gateway would make a second invoice.
 */
const repeatedHeader = ({ source }: HttpServerRequest.HttpServerRequest): ApiError | null => {
  if (!(source instanceof IncomingMessage)) return null
  const sent = source.headersDistinct
  for (const [param, code] of singleHeaders) {
    const times = sent[param.toLowerCase()]?.length ?? 0
    if (times < 2) continue
    const message = `The request has the header ${param} ${times} times; send it once. A proxy or a library may add the other.`
    return ApiError.fromViolations([violation(param, code, message, "single_header")])
  }
  return null
}

/**
 * The error of a request that Folio doesn't route; null if Folio routes it. Folio rejects URLs and headers that are too
 * long, HTTP/1.1 without `Host` (RFC 9112, 3.2), repeated headers of `singleHeaders`, and paths with `;`, `#` or an
 * empty id.
 */
const refusalOf = (request: HttpServerRequest.HttpServerRequest, methodsOf: MethodsOf): ApiError | null => {
  if (request.url.length > urlMax) return new ApiError({ code: "uri_too_long", message: errorCodes.uri_too_long.help })
  if (request.headers["host"] === undefined && Predicate.hasProperty(request.source, "httpVersion")) {
    if (request.source.httpVersion === "1.1") {
      return new ApiError({ code: "malformed_json", message: "An HTTP/1.1 request needs the header Host." })
    }
  }
  const path = pathOf(request.url)
  if (isCutShort(request.url) || (hasEmptyPart(path) && methodsOf(path).length === 0))
    return unmatched(request, methodsOf)
  let size = 0
  for (const [name, value] of Object.entries<string>(request.headers)) size += name.length + value.length + 4
  return size > headersMax
    ? new ApiError({ code: "headers_too_large", message: errorCodes.headers_too_large.help })
    : repeatedHeader(request)
}

const isJson = /^application\/(?:problem\+)?json\b/
const newline = 0x0a

// The bytes of an event are signed in its webhooks, so the response has the same bytes.
const ofEvent = "/v1/events/:id"

/** Ends a JSON response with a newline, so that the prompt of a terminal starts on its own line. */
const withNewline = (answer: HttpServerResponse.HttpServerResponse, route: string) => {
  const { body, headers } = answer
  if (body._tag !== "Uint8Array" || !isJson.test(body.contentType)) return answer
  if (route === ofEvent && answer.status === 200) return answer
  const { contentLength, contentType, text } = body
  const isEnded = text === undefined ? body.body.at(-1) === newline : text.endsWith("\n")
  const isFile = headers["content-disposition"] !== undefined
  if (isEnded || isFile || headers["content-encoding"] !== undefined) return answer
  if (text !== undefined) {
    const ended = new HttpBody.Uint8Array(undefined, contentType, contentLength + 1, `${text}\n`)
    return HttpServerResponse.setBody(answer, ended)
  }
  const bytes = new Uint8Array(contentLength + 1)
  bytes.set(body.body)
  bytes[contentLength] = newline
  return HttpServerResponse.setBody(answer, HttpBody.uint8Array(bytes, contentType))
}

/** Returns the request with the client's address instead of the trusted proxy's address. */
const ofClient = (
  request: HttpServerRequest.HttpServerRequest,
  proxies: Proxies
): HttpServerRequest.HttpServerRequest => {
  const { remoteAddress } = request
  if (Option.isNone(remoteAddress)) return request
  const client = proxies.clientOf(remoteAddress.value, request.headers)
  if (client === remoteAddress.value) return request
  return request.modify({ remoteAddress: Option.some(client), peerAddress: remoteAddress })
}

// The status of a request whose client hung up before the response, as in nginx.
const hungUp = 499

const ofLog = /^\/v1\/requests(?:\/|$)/

/** Body of a response. If the response was made from text, the text, because bytes would have to be decoded again. */
const bodyOf = ({ body }: HttpServerResponse.HttpServerResponse): OfferedRequest["response"] => {
  if (body._tag !== "Uint8Array") return { bytes: 0, json: null }
  const json = isJson.test(body.contentType) ? (body.text ?? body.body) : null
  return { bytes: body.contentLength, json }
}

const verdictOf = ({ error_code, repeat }: Facts) =>
  error_code === "idempotency_conflict" ? "conflict" : (repeat ?? "executed")

/** Whether a request comes from a portal page in this process that reads its own content. */
const isLook = ({ method }: HttpServerRequest.HttpServerRequest, { portal_session_id }: Facts): boolean =>
  portal_session_id !== undefined && method === "GET"

/**
 * Makes the function that offers a request to the request log after the response, if its account is known (`exchange`).
 *
 * Folio doesn't log requests for the request log, because a client that follows the log would fill it. Folio doesn't
 * log requests of portal pages for their own content either.
 */
const makeLog = Effect.map(
  RequestLog,
  (log) =>
    (request: HttpServerRequest.HttpServerRequest, id: Id, exchange: Facts) =>
    <E, R>(respond: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
      Effect.clockWith((clock) => {
        const created_ms = clock.currentTimeMillisUnsafe()
        const began = clock.monotonicTimeNanosUnsafe()
        return Effect.onExit(respond, (exit) => {
          const { idempotency_key, ip, portal_session_id, principal, route, sent, version } = exchange
          if (principal === undefined || ofLog.test(route) || isLook(request, exchange)) return Effect.void
          const { account_id, api_key_id, livemode } = principal
          return log.offer({
            account: { account_id, livemode },
            id,
            created_ms,
            duration_ms: Number(clock.monotonicTimeNanosUnsafe() - began) / 1e6,
            method: request.method,
            route,
            path: pathOf(request.url),
            query: queryOf(request.url),
            status: Exit.isSuccess(exit) ? exit.value.status : hungUp,
            api_key_id,
            portal_session_id: portal_session_id ?? null,
            ip: ip ?? null,
            version: version ?? null,
            idempotency: idempotency_key === undefined ? null : { key: idempotency_key, verdict: verdictOf(exchange) },
            error_code: exchange.error_code ?? null,
            request: sent,
            response: Exit.isSuccess(exit) ? bodyOf(exit.value) : { bytes: 0, json: null }
          })
        })
      })
)

/**
 * Makes the middleware around all requests. It gives each request an id, sets the headers of each response and turns
 * failures into error responses.
 */
export const make = Effect.fnUntraced(function* (methodsOf: MethodsOf, spentKeys: SpentKeys["Service"]) {
  const ids = yield* Ids
  const info = yield* ServiceInfo
  const onlooker = yield* Onlooker
  const logged = yield* makeLog
  const proxies = proxiesIn((yield* Limits).trustedProxies)
  const limit = yield* RateLimit

  /** Rejects a request without a route, and counts it against the client's address. */
  const unrouted = (error: ApiError) => Effect.andThen(portInTime(limit.ofAddress), Effect.fail(error))

  return <E, R>(handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    Effect.gen(function* () {
      const request = ofClient(yield* HttpServerRequest.HttpServerRequest, proxies)
      const request_id = yield* ids.request
      const refusal = refusalOf(request, methodsOf)
      const exchange = begun(request_id, Option.getOrUndefined(request.remoteAddress))
      const unlessSpent = Effect.flatMap(
        spentKeys.refusalOf(request, exchange, methodsOf),
        (spent): Effect.Effect<HttpServerResponse.HttpServerResponse, E | ApiError, R> =>
          spent === null ? handler : Effect.fail(spent)
      )
      const guarded: Effect.Effect<
        HttpServerResponse.HttpServerResponse,
        E | ApiError,
        R | HttpServerRequest.HttpServerRequest
      > = refusal === null ? unlessSpent : unrouted(refusal)
      const respond = guarded.pipe(
        Effect.catchCause((cause) => {
          if (Errors.isHungUp(cause)) return Effect.failCause(cause as Cause.Cause<never>)
          if (!isUnmatched(cause)) return Errors.respondToCause(cause)
          return Effect.catchCause(unrouted(unmatched(request, methodsOf)), Errors.respondToCause)
        }),
        Effect.map((answer) => withNewline(answer, exchange.route)),
        Effect.flatMap((answer) => (answer.status === 404 ? forBrowsers(answer) : Effect.succeed(answer))),
        Effect.provideService(HttpServerRequest.HttpServerRequest, request),
        Effect.provideService(Exchange, exchange),
        Effect.provideService(RequestId, request_id),
        Effect.provideService(ServiceInfo, info),
        Effect.annotateLogs({ request_id })
      )
      const began = performance.now()
      const answer = yield* Metrics.measure(logged(request, request_id, exchange)(respond), seriesOf(request, exchange))
      const { account_id, route } = exchange
      const { method } = request
      const milliseconds = performance.now() - began
      if (!isLook(request, exchange)) {
        onlooker?.answered({
          method,
          path: pathOf(request.url).replace(ofLink, "$1…"),
          status: answer.status,
          milliseconds,
          code: exchange.error_code
        })
      }
      const facts = account_id === undefined ? { request_id } : { request_id, account_id }
      yield* Effect.annotateCurrentSpan(facts)
      // At debug level, because at full load a log line for each request costs more than the request's own rows.
      yield* Effect.logDebug("Request completed").pipe(
        Effect.annotateLogs({
          ...facts,
          method,
          route,
          status: answer.status,
          duration_ms: Math.round(milliseconds * 10) / 10,
          ...(exchange.error_code === undefined ? {} : { code: exchange.error_code })
        })
      )
      // The response doesn't repeat an unsupported version, because Folio writes the error in the current version.
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
