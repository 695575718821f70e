import { Schema } from "effect"
import { EventType } from "./Event.ts"
import { field } from "./Field.ts"
import { AttemptId, DeliveryId, EventId, WebhookEndpointId } from "./Id.ts"
import { Instant, Timestamp } from "./Money.ts"
import { Page } from "./Page.ts"

/**
 * The reason for an attempt: the retry schedule (`auto`), or a request of the client for a redelivery (`manual`), a recovery
 * (`recover`) or a test (`test`).
 */
export const AttemptTrigger = Schema.Literals(["auto", "manual", "recover", "test"])
export type AttemptTrigger = typeof AttemptTrigger.Type

export const DeliveryStatus = Schema.Literals(["pending", "succeeded", "failed", "canceled"]).annotate({
  identifier: "DeliveryStatus",
  description:
    "The state of the delivery: `pending` until it succeeds or is given up, `succeeded`, `failed` when it is given up, `canceled` when its endpoint was deleted.",
  message: "must be one of pending, succeeded, failed, canceled"
})
export type DeliveryStatus = typeof DeliveryStatus.Type

/**
 * The number of latest attempts that a delivery shows: `alone` when retrieved by itself, `listed` in a list of deliveries. All
 * attempts of a delivery have a list of their own.
 */
export const attemptsShown = { alone: 10, listed: 3 }

/** The number of characters, from the start of an answer's body, that a list of deliveries shows. */
export const bodyShownInLists = 256

export class Attempt extends Schema.Opaque<Attempt>()(
  Schema.Struct({
    id: AttemptId,
    object: Schema.Literal("webhook_attempt"),
    number: field(Schema.Int, "The place of the attempt among those of its delivery: 1 for the first.", 1),
    trigger: field(
      AttemptTrigger,
      "Why the attempt was made: `auto` by the retry schedule, `manual` by a redelivery, `recover` by a recovery, `test` by a sample event."
    ),
    started_at: Timestamp,
    duration_ms: field(Schema.Int, "How long the attempt took, in milliseconds.", 83),
    remote_ip: field(
      Schema.NullOr(Schema.String),
      "The IP address that the attempt connected to; null when it connected to none.",
      "93.184.215.14"
    ),
    response_status: field(Schema.NullOr(Schema.Int), "The HTTP status of the answer; null when no answer came.", 200),
    response_headers: field(
      Schema.Record(Schema.String, Schema.String),
      "The headers of the answer, up to 4 KiB together. Empty in a list of deliveries.",
      { "content-type": "text/plain" }
    ),
    response_body: field(
      Schema.String,
      `The first 4 KiB of the answer's body; its first ${bodyShownInLists} characters in a list of deliveries.`,
      "ok"
    ),
    error: field(
      Schema.NullOr(Schema.Struct({ code: Schema.String, message: Schema.String })),
      "Why the attempt failed; null when the endpoint answered 2xx in time.",
      null
    )
  }).annotate({ identifier: "Attempt", description: "One attempt to deliver an event to a webhook endpoint." })
) {}

export class Delivery extends Schema.Opaque<Delivery>()(
  Schema.Struct({
    id: DeliveryId,
    object: Schema.Literal("webhook_delivery"),
    livemode: field(Schema.Boolean, "`true` for an event of the live mode."),
    webhook_endpoint_id: WebhookEndpointId,
    event_id: EventId,
    event_type: EventType,
    status: field(DeliveryStatus, "The state of the delivery.", "succeeded"),
    next_attempt_at: field(
      Schema.NullOr(Timestamp),
      "The time of the next planned attempt. Null while an attempt is under way, and when none is planned.",
      null
    ),
    attempts: field(
      Schema.Array(Attempt),
      `The latest attempts, oldest first: up to ${attemptsShown.alone}, and up to ${attemptsShown.listed} in a list of deliveries. GET /v1/webhook-deliveries/{id}/attempts lists all of them.`
    ),
    attempts_count: field(Schema.Int, "The number of attempts that were made.", 1),
    created_at: Timestamp,
    updated_at: Timestamp
  }).annotate({
    identifier: "Delivery",
    description: "The delivery of one event to one webhook endpoint, with its latest attempts."
  })
) {}

export const DeliveryPage = Page(Delivery, "DeliveryPage")

export const AttemptPage = Page(Attempt, "AttemptPage")

export class RecoverRequest extends Schema.Opaque<RecoverRequest>()(
  Schema.Struct({
    since: field(Instant, "The time from which on events are delivered again.", "2026-11-21T00:00:00-05:00")
  }).annotate({ identifier: "RecoverRequest", description: "The time from which on events are delivered again." })
) {}

export class Recovery extends Schema.Opaque<Recovery>()(
  Schema.Struct({
    object: Schema.Literal("webhook_recovery"),
    webhook_endpoint_id: WebhookEndpointId,
    since: Timestamp,
    deliveries: field(Schema.Int, "The number of deliveries that this request has started.", 12),
    has_more: field(
      Schema.Boolean,
      "`true` when more deliveries are to be recovered than one request starts. Send the request again with another Idempotency-Key."
    )
  }).annotate({ identifier: "Recovery", description: "What the recovery has started." })
) {}

export class WebhookTestRequest extends Schema.Opaque<WebhookTestRequest>()(
  Schema.Struct({ type: Schema.optionalKey(EventType) }).annotate({
    identifier: "WebhookTestRequest",
    description: "The event type of the sample.",
    examples: [{ type: "invoice.accepted_by_authority" }]
  })
) {}
