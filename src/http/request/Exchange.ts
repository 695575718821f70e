import { Cause, Context, Effect, Exit } from "effect"
import { HttpRouter, type HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { AccountMode } from "../../../schemas/Account.ts"
import type { ErrorCode } from "../../../schemas/ErrorCode.ts"
import type { ApiKeyId, PortalSessionId, RequestId as Id } from "../../../schemas/Id.ts"
import * as Metrics from "../../runtime/Metrics.ts"

/**
 * Facts about a request: some are known on arrival, others once the request is handled.
 *
 * @internal
 */
export interface Facts {
  readonly request_id: Id | undefined
  /** The client's IP address, if known. */
  readonly ip: string | undefined
  /** The pattern of the route that the request matched; `none` before a match. */
  route: string
  account_id: string | undefined
  /** For the request log: the account, mode and API key of the request; undefined until the key is known. */
  principal: (AccountMode & { readonly api_key_id: ApiKeyId | null }) | undefined
  /** The session of the portal in whose name the request is made inside this process. */
  portal_session_id: PortalSessionId | undefined
  /**
   * For the request log: the size of the body that was sent, and the bytes of the body once they are known to be JSON.
   */
  sent: { readonly bytes: number; readonly json: Uint8Array | null }
  version: string | undefined
  idempotency_key: string | undefined
  /**
   * `replayed`: the response is the stored response of the first request with the key. `in_progress`: the first request
   * is still running.
   */
  repeat: "replayed" | "in_progress" | undefined
  /** Code of an error response. */
  error_code: ErrorCode | undefined
  /** Size of the document that the request worked on, if the response is not the document itself. */
  document_bytes: number | undefined
  /** Headers of the response, for a success or an error. */
  headers: Readonly<Record<string, string>>
}

/**
 * The facts about a request that has just arrived.
 *
 * @internal
 */
export const begun = (request_id: Id | undefined, ip?: string): Facts => ({
  request_id,
  ip,
  route: "none",
  account_id: undefined,
  principal: undefined,
  portal_session_id: undefined,
  sent: { bytes: 0, json: null },
  version: undefined,
  idempotency_key: undefined,
  repeat: undefined,
  error_code: undefined,
  document_bytes: undefined,
  headers: {}
})

/**
 * The origin that is recorded with a change: the request's id, the client's IP address, and the session of the portal.
 *
 * @internal
 */
export const originOf = ({ ip, portal_session_id, request_id }: Facts) => ({
  ...(portal_session_id === undefined ? {} : { portal_session_id }),
  ...(request_id === undefined ? {} : { request_id }),
  ...(ip === undefined ? {} : { ip })
})

/** The path of a request's URL: all before its query. */
export const pathOf = (url: string): string => url.split("?", 1)[0] ?? ""

/** The query of a request's URL, without its question mark. */
export const queryOf = (url: string): string => {
  const start = url.indexOf("?")
  return start === -1 ? "" : url.slice(start + 1)
}

/**
 * Facts about the current request for its log line, metrics and response, complete when the response is ready. A port
 * or a route of a team may set `headers` for the response, a success or an error.
 *
 * @example
 * ```ts
 * import { Exchange } from "@folio-einvoicing/service/ports"
 * import { Effect } from "effect"
 *
 * // Lets a client know which server has answered.
 * export const nameServer = (name: string) =>
 *   Effect.map(Exchange, (exchange) => {
 *     exchange.headers = { ...exchange.headers, "X-Served-By": name }
 *   })
 * ```
 */
export class Exchange extends Context.Reference<Facts>("@folio-einvoicing/service/Exchange", {
  defaultValue: () => begun(undefined)
}) {}

/**
 * Records the matched route. A middleware around every route, because only the router has the route.
 *
 * @internal
 */
export const noteRoute = HttpRouter.middleware((handler) =>
  Effect.flatMap(Effect.all([Exchange, HttpRouter.RouteContext]), ([exchange, { route }]) => {
    exchange.route = route.path
    return handler
  })
).layer

const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])

/**
 * The metric series of a completed request.
 *
 * @internal
 */
export const seriesOf =
  (request: HttpServerRequest.HttpServerRequest, exchange: Facts) =>
  (exit: Exit.Exit<HttpServerResponse.HttpServerResponse, unknown>) =>
    Metrics.httpRequests(
      methods.has(request.method) ? request.method : "other",
      exchange.route,
      Exit.isSuccess(exit)
        ? `${Math.floor(exit.value.status / 100)}xx`
        : Cause.hasInterruptsOnly(exit.cause)
          ? "aborted"
          : "5xx"
    )

/**
 * Id of the current request, which appears in the header `Request-Id`, in errors and in all log lines of the request.
 */
export class RequestId extends Context.Service<RequestId, Id>()("@folio-einvoicing/service/RequestId") {}
