import { Effect, Exit } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { RequestId } from "../../../schemas/Id.ts"
import { type OfferedRequest, RequestLog } from "../../store/requests/RequestLog.ts"
import type { Facts } from "../request/Exchange.ts"
import { pathOf, queryOf } from "../request/Path.ts"

// The status that other servers, such as nginx, use for a client that hung up before there was an answer.
const hungUp = 499

const ofLog = /^\/v1\/requests(?:\/|$)/

const isJson = /^application\/(?:problem\+)?json/

/** The body of the answer: as the text from which it was made, if there is one, because bytes would have to be decoded again. */
const bodyOf = ({ body }: HttpServerResponse.HttpServerResponse): OfferedRequest["response"] => {
  if (body._tag !== "Uint8Array") return { bytes: 0, json: null }
  const json = isJson.test(body.contentType) ? (body.text ?? body.body) : null
  return { bytes: body.contentLength, json }
}

const verdictOf = ({ error_code, repeat }: Facts) =>
  error_code === "idempotency_conflict" ? "conflict" : (repeat ?? "executed")

/** Whether a page of the portal reads what it shows, by requests that nobody outside of this process has made. */
export const isLook = ({ method }: HttpServerRequest.HttpServerRequest, { portal_session_id }: Facts): boolean =>
  portal_session_id !== undefined && method === "GET"

/**
 * Makes the function that offers a request to the request log once the request is answered, if its account is known by then
 * (`exchange`). Requests for the log itself are left out: otherwise whoever follows the log would fill it. So are those with which pages
 * of the portal read what they show.
 */
export const make = Effect.map(
  RequestLog,
  (log) =>
    (request: HttpServerRequest.HttpServerRequest, id: RequestId, exchange: Facts) =>
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
