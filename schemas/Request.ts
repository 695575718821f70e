import { Schema } from "effect"
import { field } from "./Field.ts"
import { ApiKeyId, PortalSessionId, RequestId } from "./Id.ts"
import { Timestamp } from "./Money.ts"
import { createdQuery, Page, pageQuery } from "./Page.ts"

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const

export const IdempotencyVerdict = Schema.Literals(["executed", "replayed", "conflict", "in_progress"])

/** A request of the log, as lists show it. */
export class LoggedRequest extends Schema.Opaque<LoggedRequest>()(
  Schema.Struct({
    id: field(RequestId, "The id of the request: the header `Request-Id` of its answer."),
    object: Schema.Literal("request"),
    created: field(Timestamp, "The time at which the request arrived."),
    livemode: field(Schema.Boolean, "`true` for a request with a live key, `false` for one with a test key."),
    method: field(Schema.String, "The HTTP method.", "POST"),
    path: field(
      Schema.String,
      "The path without its query. Where an id belongs, anything that does not have the form of an id is masked.",
      "/v1/invoices"
    ),
    query: field(
      Schema.NullOr(Schema.String),
      "The query, masked by the same rules as a body; null when there is none.",
      null
    ),
    status: field(
      Schema.Int,
      "The HTTP status of the answer; 499 when the client hung up before the answer, in which case the request may have been carried out.",
      202
    ),
    duration_ms: field(Schema.Int, "The time from the arrival of the request to its answer, in milliseconds.", 12),
    api_key: field(
      Schema.NullOr(
        Schema.Struct({
          id: ApiKeyId,
          last_four: field(
            Schema.NullOr(Schema.String),
            "The last four characters of the key; null when the key is no longer kept.",
            "x7Qa"
          )
        })
      ),
      "The API key of the request; null for a file that was fetched by a signed link."
    ),
    portal_session_id: field(
      Schema.NullOr(PortalSessionId),
      "The session of the portal in which a person made the request; null for a request with the API key itself.",
      null
    ),
    ip: field(Schema.NullOr(Schema.String), "The client's IP address; null when it is not known.", "203.0.113.7"),
    version: field(
      Schema.NullOr(Schema.String),
      "The version of the interface in which the request was answered; null when the request was refused before its version was read.",
      "2026-01-01"
    ),
    idempotency: field(
      Schema.NullOr(
        Schema.Struct({
          key: field(Schema.String, "The idempotency key of the request.", "order-4711"),
          verdict: field(
            IdempotencyVerdict,
            "`executed`: this request was executed, and was perhaps refused. `replayed`: the answer is the stored answer of the first request with this key. `conflict`: the key belongs to a different request. `in_progress`: the first request with this key was still being executed."
          ),
          of: field(
            Schema.NullOr(RequestId),
            "The id of the request that was executed with this key; null for that request itself, and when that request is not in the log."
          )
        })
      ),
      "What became of the idempotency key; null when there was none, and when the request was refused before its idempotency key was read."
    ),
    error_code: field(
      Schema.NullOr(Schema.String),
      "The code of the error that was answered; null when the answer is no error.",
      null
    ),
    objects: field(
      Schema.Array(Schema.String.annotate({ examples: ["inv_01k9z3v8c2m4n6p8q0r2s4t6v8"] })),
      "The ids of the objects that the request worked on or created; at most two."
    ),
    events: field(
      Schema.Array(Schema.String.annotate({ examples: ["evt_01k9z3v8c2m4n6p8q0r2s4t6v9"] })),
      "The ids of the first 20 events about these objects since the request. Events that happen later are added."
    ),
    request_bytes: field(Schema.Int, "The size of the body that was sent, in bytes.", 512),
    response_bytes: field(Schema.Int, "The size of the body of the answer, in bytes.", 2048)
  }).annotate({
    identifier: "LoggedRequest",
    description: "A request that was made with a key of this account and mode, and its answer."
  })
) {}

const body = (whose: string) =>
  field(
    Schema.NullOr(Schema.String),
    `${whose}: the first 16 KiB of its JSON, so that a longer body ends in the middle. Secrets are always masked, and personal data unless the account's \`request_log\` is \`full\`. Null when there is no body, when it is not JSON, and when the account sends more bodies than the log takes.`,
    null
  )

/** A request of the log with its bodies. */
export class LoggedRequestWithBodies extends Schema.Opaque<LoggedRequestWithBodies>()(
  Schema.Struct({
    ...LoggedRequest.fields,
    request_body: body("The body that was sent"),
    response_body: body("The body of the answer")
  }).annotate({ identifier: "LoggedRequestWithBodies", description: "A request of the log with its bodies." })
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
    "Only requests that were answered with this status, such as `404`, or with a status of this class, such as `4xx`.",
    "4xx"
  ),
  method: field(
    Schema.optionalKey(Schema.Literals(methods).annotate({ message: `must be one of ${methods.join(", ")}` })),
    "Only requests with this HTTP method."
  ),
  path: field(Schema.optionalKey(Schema.String), "Only requests whose path begins with this.", "/v1/invoices"),
  api_key_id: field(Schema.optionalKey(Schema.String), "Only requests with this API key."),
  idempotency_key: field(Schema.optionalKey(Schema.String), "Only requests with this idempotency key."),
  object_id: field(
    Schema.optionalKey(Schema.String),
    "Only requests that worked on or created the object with this id."
  ),
  ...createdQuery
}
