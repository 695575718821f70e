import { Cause, Context, Effect, Exit } from "effect"
import { HttpRouter, type HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { RequestId } from "../../schemas/Id.ts"
import * as Metrics from "../protocol/Metrics.ts"

interface Facts {
  readonly request_id: RequestId | undefined
  /** Where it came from, as far as that is known. */
  readonly ip: string | undefined
  /** The pattern of the route it matched. */
  route: string
  account_id: string | undefined
  /** How large the document is that it worked on, if that is not what it is answered. */
  document_bytes: number | undefined
  /** Of the answer, whatever it will be. */
  headers: Readonly<Record<string, string>>
}

export const begun = (request_id: RequestId | undefined, ip?: string): Facts => ({
  request_id,
  ip,
  route: "none",
  account_id: undefined,
  document_bytes: undefined,
  headers: {}
})

/** Who asked for what is recorded: the request's id and the address it came from. */
export const originOf = ({ ip, request_id }: Facts) => ({
  ...(request_id === undefined ? {} : { request_id }),
  ...(ip === undefined ? {} : { ip })
})

/** What becomes known of a request while it is being answered, noted for its log line and its metrics. */
export class Exchange extends Context.Reference<Facts>("folio/http/Exchange", {
  defaultValue: () => begun(undefined)
}) {}

/** Around every route: only in there it is known which one it is. */
export const noteRoute = HttpRouter.middleware((handler) =>
  Effect.flatMap(Effect.all([Exchange, HttpRouter.RouteContext]), ([exchange, { route }]) => {
    exchange.route = route.path
    return handler
  })
).layer

const methods = new Set(["GET", "HEAD", "POST", "PATCH", "DELETE"])

/** The series that a request belongs to once it has been answered. */
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
