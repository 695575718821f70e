import { Schema } from "effect"
import { field } from "./Field.ts"
import { ApiKeyId, PortalSessionId, RequestId } from "./Id.ts"
import { Timestamp } from "./Money.ts"
import { createdQuery, Page, pageQuery } from "./Page.ts"

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const

export const IdempotencyVerdict = Schema.Literals(["executed", "replayed", "conflict", "in_progress"])

/** A logged request, as lists show it. */
export class LoggedRequest extends Schema.Opaque<LoggedRequest>()(
  Schema.Struct({
    id: field(RequestId, "Id of the request. The response has it in the header `Request-Id`."),
    object: Schema.Literal("request"),
    created: field(Timestamp, "Time at which the request arrived."),
    livemode: field(Schema.Boolean, "Mode of the API key: `true` for live, `false` for test."),
    method: field(Schema.String, "HTTP method.", "POST"),
    path: field(
      Schema.String,
      "Path of the request, without the query. Folio masks path segments that should be an id but are malformed.",
      "/v1/invoices"
    ),
    query: field(
      Schema.NullOr(Schema.String),
      "Query of the request, masked by the same rules as a body. Null if there is none.",
      null
    ),
    status: field(
      Schema.Int,
      "HTTP status code of the response. 499 if the client disconnected before the response: Folio may have executed the request.",
      202
    ),
    duration_ms: field(Schema.Int, "Time from the arrival of the request to the response, in milliseconds.", 12),
    api_key: field(
      Schema.NullOr(
        Schema.Struct({
          id: ApiKeyId,
          last_four: field(
            Schema.NullOr(Schema.String),
            "Last four characters of the key. Null if Folio no longer keeps the key.",
            "x7Qa"
          )
        })
      ),
      "API key of the request. Null for a download with a signed link."
    ),
    portal_session_id: field(
      Schema.NullOr(PortalSessionId),
      "Portal session of the request. Null for a request with the API key itself.",
      null
    ),
    ip: field(Schema.NullOr(Schema.String), "IP address of the client. Null if unknown.", "203.0.113.7"),
    version: field(
      Schema.NullOr(Schema.String),
      "API version of the response. Null if Folio rejected the request before reading its version.",
      "2026-01-01"
    ),
    idempotency: field(
      Schema.NullOr(
        Schema.Struct({
          key: field(Schema.String, "Idempotency key of the request.", "order-4711"),
          verdict: field(
            IdempotencyVerdict,
            "Effect of the key. `executed`: Folio executed the request, possibly with an error. `replayed`: Folio returned the stored response of the first request with this key. `conflict`: the key belongs to a different request. `in_progress`: the first request with this key was still in progress."
          ),
          of: field(
            Schema.NullOr(RequestId),
            "Id of the request that Folio executed with this key. Null for the executed request itself, and if it is not in the log."
          )
        })
      ),
      "Idempotency key and its effect. Null without a key, and if Folio rejected the request before reading the key."
    ),
    error_code: field(
      Schema.NullOr(Schema.String),
      "Error code of the response. Null if the response is no error.",
      null
    ),
    objects: field(
      Schema.Array(Schema.String.annotate({ examples: ["inv_01k9z3v8c2m4n6p8q0r2s4t6v8"] })),
      "Ids of the objects that the request used or created, at most two."
    ),
    events: field(
      Schema.Array(Schema.String.annotate({ examples: ["evt_01k9z3v8c2m4n6p8q0r2s4t6v9"] })),
      "Ids of the first 20 events about these objects since the request. Later events are added."
    ),
    request_bytes: field(Schema.Int, "Size of the request body, in bytes.", 512),
    response_bytes: field(Schema.Int, "Size of the response body, in bytes.", 2048)
  }).annotate({
    identifier: "LoggedRequest",
    description: "A logged request with a key of this account and mode, and its response."
  })
) {}

const body = (whose: string) =>
  field(
    Schema.NullOr(Schema.String),
    `${whose}: the first 16 KiB of its JSON. A longer body is truncated. Folio always masks secrets, and masks personal data unless the account's \`request_log\` is \`full\`. Null if there is no body, if the body is not JSON, or if the account sends more bodies than the log accepts.`,
    null
  )

/** A logged request with its bodies. */
export class LoggedRequestWithBodies extends Schema.Opaque<LoggedRequestWithBodies>()(
  Schema.Struct({
    ...LoggedRequest.fields,
    request_body: body("Request body"),
    response_body: body("Response body")
  }).annotate({ identifier: "LoggedRequestWithBodies", description: "A logged request with its bodies." })
) {}

export const LoggedRequestPage = Page(LoggedRequest, "LoggedRequestPage")

/** The query of the request log. */
export const LoggedRequestQuery = {
  ...pageQuery("req"),
  status: field(
    Schema.optionalKey(
      Schema.String.check(
        Schema.isPattern(/^[1-5](xx|\d\d)$/u, { message: "must be a status such as 404, or a class such as 4xx" })
      )
    ),
    "Filter by status code of the response, such as `404`, or by class, such as `4xx`.",
    "4xx"
  ),
  method: field(
    Schema.optionalKey(Schema.Literals(methods).annotate({ message: `must be one of ${methods.join(", ")}` })),
    "Filter by HTTP method."
  ),
  path: field(Schema.optionalKey(Schema.String), "Filter by the start of the path.", "/v1/invoices"),
  api_key_id: field(Schema.optionalKey(Schema.String), "Filter by the id of the API key."),
  idempotency_key: field(Schema.optionalKey(Schema.String), "Filter by idempotency key."),
  object_id: field(
    Schema.optionalKey(Schema.String),
    "Filter by the id of an object that the request used or created."
  ),
  ...createdQuery
}
