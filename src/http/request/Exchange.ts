import { Cause, Context, Effect, Exit } from "effect"
import { HttpRouter, type HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { RequestId as Id } from "../../../schemas/Id.ts"
import * as Metrics from "../../protocol/Metrics.ts"

interface Facts {
  readonly request_id: Id | undefined
  /** The client's IP address, if known. */
  readonly ip: string | undefined
  /** The pattern of the route that the request matched; `none` before a match. */
  route: string
  account_id: string | undefined
  /** The size of the document that the request worked on, when the answer is not the document itself. */
  document_bytes: number | undefined
  /** Headers to set on the answer, whether the request succeeds or fails. */
  headers: Readonly<Record<string, string>>
}

export const begun = (request_id: Id | undefined, ip?: string): Facts => ({
  request_id,
  ip,
  route: "none",
  account_id: undefined,
  document_bytes: undefined,
  headers: {}
})

/** The origin that is recorded with a change: the request's id and the client's IP address. */
export const originOf = ({ ip, request_id }: Facts) => ({
  ...(request_id === undefined ? {} : { request_id }),
  ...(ip === undefined ? {} : { ip })
})

/** Facts about a request that become known while the request is answered, kept for its log line and its metrics. */
export class Exchange extends Context.Reference<Facts>("folio/http/Exchange", {
  defaultValue: () => begun(undefined)
}) {}

/** Notes the matched route. A middleware around every route, because the route is known only inside the router. */
export const noteRoute = HttpRouter.middleware((handler) =>
  Effect.flatMap(Effect.all([Exchange, HttpRouter.RouteContext]), ([exchange, { route }]) => {
    exchange.route = route.path
    return handler
  })
).layer

const methods = new Set(["GET", "HEAD", "POST", "PATCH", "DELETE"])

/** The metric series that an answered request is counted in. */
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

/** The id of the current request, which appears in the `Request-Id` header, in errors and in every log line of the request. */
export class RequestId extends Context.Service<RequestId, Id>()("folio/http/RequestId") {}
