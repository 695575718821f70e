import { Schema } from "effect"
import { EventType } from "./Event.ts"
import { field } from "./Field.ts"
import { AttemptId, DeliveryId, EventId, WebhookEndpointId } from "./Id.ts"
import { Instant, Timestamp } from "./Money.ts"
import { Page } from "./Page.ts"

/**
 * The reason for an attempt: the retry schedule (`auto`), or a client's request for a redelivery (`manual`), a recovery
 * (`recover`) or a test (`test`).
 */
export const AttemptTrigger = Schema.Literals(["auto", "manual", "recover", "test"])
export type AttemptTrigger = typeof AttemptTrigger.Type

export const DeliveryStatus = Schema.Literals(["pending", "succeeded", "failed", "canceled"]).annotate({
  identifier: "DeliveryStatus",
  description:
    "Status of the delivery. `pending`: not delivered yet. `succeeded`: the endpoint accepted the event. `failed`: Folio makes no more automatic attempts. `canceled`: the endpoint was deleted.",
  message: "must be one of pending, succeeded, failed, canceled"
})
export type DeliveryStatus = typeof DeliveryStatus.Type

/**
 * The number of latest attempts in a delivery: `alone` when a client retrieves it, `listed` in a list of deliveries. A
 * separate list has all attempts.
 */
export const attemptsShown = { alone: 10, listed: 3 }

/** The number of characters of a response body that a list of deliveries shows. */
export const bodyShownInLists = 256

export class Attempt extends Schema.Opaque<Attempt>()(
  Schema.Struct({
    id: AttemptId,
    object: Schema.Literal("webhook_attempt"),
    number: field(Schema.Int, "Number of the attempt within its delivery, starting with 1.", 1),
    trigger: field(
      AttemptTrigger,
      "Trigger of the attempt: `auto` for the retry schedule, `manual` for a redelivery, `recover` for a recovery, `test` for a test event."
    ),
    started_at: Timestamp,
    duration_ms: field(Schema.Int, "Duration of the attempt, in milliseconds.", 83),
    remote_ip: field(
      Schema.NullOr(Schema.String),
      "IP address of the endpoint's server. Null if no connection was made.",
      "93.184.215.14"
    ),
    response_status: field(
      Schema.NullOr(Schema.Int),
      "HTTP status code of the response. Null without a response.",
      200
    ),
    response_headers: field(
      Schema.Record(Schema.String, Schema.String),
      "Headers of the response, up to 4 KiB in total. Empty in a list of deliveries.",
      { "content-type": "text/plain" }
    ),
    response_body: field(
      Schema.String,
      `The first 4 KiB of the response body. A list of deliveries shows its first ${bodyShownInLists} characters.`,
      "ok"
    ),
    error: field(
      Schema.NullOr(Schema.Struct({ code: Schema.String, message: Schema.String })),
      "Reason for the failure. Null if the endpoint returned a 2xx status code in time.",
      null
    )
  }).annotate({ identifier: "Attempt", description: "An attempt to deliver an event to a webhook endpoint." })
) {}

export class Delivery extends Schema.Opaque<Delivery>()(
  Schema.Struct({
    id: DeliveryId,
    object: Schema.Literal("webhook_delivery"),
    livemode: field(Schema.Boolean, "Mode of the event: `true` for live, `false` for test."),
    webhook_endpoint_id: WebhookEndpointId,
    event_id: EventId,
    event_type: EventType,
    status: field(
      DeliveryStatus,
      "Status of the delivery. `pending`: not delivered yet. `succeeded`: the endpoint accepted the event. `failed`: Folio makes no more automatic attempts. `canceled`: the endpoint was deleted.",
      "succeeded"
    ),
    next_attempt_at: field(
      Schema.NullOr(Timestamp),
      "Time of the next scheduled attempt. Null during an attempt, and if no attempt is scheduled.",
      null
    ),
    attempts: field(
      Schema.Array(Attempt),
      `The latest attempts, oldest first: up to ${attemptsShown.alone}, or up to ${attemptsShown.listed} in a list of deliveries. GET /v1/webhook-deliveries/{id}/attempts lists all attempts.`
    ),
    attempts_count: field(Schema.Int, "Number of attempts so far.", 1),
    created_at: Timestamp,
    updated_at: Timestamp
  }).annotate({
    identifier: "Delivery",
    description: "The delivery of an event to a webhook endpoint, with the latest attempts."
  })
) {}

export const DeliveryPage = Page(Delivery, "DeliveryPage")

export const AttemptPage = Page(Attempt, "AttemptPage")

export class RecoverRequest extends Schema.Opaque<RecoverRequest>()(
  Schema.Struct({
    since: field(
      Instant,
      "Start time of the recovery: Folio delivers the events that the endpoint missed since this time.",
      "2026-11-21T00:00:00-05:00"
    )
  }).annotate({ identifier: "RecoverRequest", description: "The start time of a recovery." })
) {}

export class Recovery extends Schema.Opaque<Recovery>()(
  Schema.Struct({
    object: Schema.Literal("webhook_recovery"),
    webhook_endpoint_id: WebhookEndpointId,
    since: Timestamp,
    deliveries: field(Schema.Int, "Number of deliveries that this request has started.", 12),
    has_more: field(
      Schema.Boolean,
      "`true` if one request cannot start all deliveries. Repeat the request with another Idempotency-Key."
    )
  }).annotate({ identifier: "Recovery", description: "The result of a recovery request." })
) {}

export class WebhookTestRequest extends Schema.Opaque<WebhookTestRequest>()(
  Schema.Struct({ type: Schema.optionalKey(EventType) }).annotate({
    identifier: "WebhookTestRequest",
    description: "The event type of the test event.",
    examples: [{ type: "invoice.accepted_by_authority" }]
  })
) {}
