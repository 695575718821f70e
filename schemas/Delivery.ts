import { Schema } from "effect"
import { EventType } from "./Event.ts"
import { AttemptId, DeliveryId, EventId, WebhookEndpointId } from "./Id.ts"
import { Instant, Timestamp } from "./Money.ts"
import { Page } from "./Page.ts"

/** Why an attempt was made: by the schedule, or because a redelivery, a recovery or a test was asked for. */
export const AttemptTrigger = Schema.Literals(["auto", "manual", "recover", "test"])
export type AttemptTrigger = typeof AttemptTrigger.Type

export const DeliveryStatus = Schema.Literals(["pending", "succeeded", "failed", "canceled"]).annotate({
  identifier: "DeliveryStatus",
  description: "Where a delivery stands.",
  message: "must be one of pending, succeeded, failed, canceled"
})
export type DeliveryStatus = typeof DeliveryStatus.Type

/** How many attempts a delivery shows, the latest ones: by itself, and in a list. All of them are a list of their own. */
export const attemptsShown = { alone: 10, listed: 3 }

/** The beginning of an answer that a list of deliveries shows, in characters. */
export const bodyShownInLists = 256

/** One try to deliver. `error` is null when the endpoint answered 2xx in time. */
export class Attempt extends Schema.Opaque<Attempt>()(
  Schema.Struct({
    id: AttemptId,
    object: Schema.Literal("webhook_attempt"),
    number: Schema.Int.annotateKey({ description: "The first is 1.", examples: [1] }),
    trigger: AttemptTrigger.annotateKey({
      description: "`auto` by the schedule; else a redelivery, a recovery or a test."
    }),
    started_at: Timestamp,
    duration_ms: Schema.Int.annotateKey({ description: "Milliseconds.", examples: [83] }),
    remote_ip: Schema.NullOr(Schema.String).annotateKey({
      description: "The address connected to.",
      examples: ["93.184.215.14"]
    }),
    response_status: Schema.NullOr(Schema.Int).annotateKey({
      description: "Null where no answer came.",
      examples: [200]
    }),
    response_headers: Schema.Record(Schema.String, Schema.String).annotateKey({
      description: "As received, up to 4 KiB of them. Empty in lists of deliveries.",
      examples: [{ "content-type": "text/plain" }]
    }),
    response_body: Schema.String.annotateKey({
      description: `The first 4 KiB; in lists of deliveries its first ${bodyShownInLists} characters.`,
      examples: ["ok"]
    }),
    error: Schema.NullOr(Schema.Struct({ code: Schema.String, message: Schema.String })).annotateKey({
      description: "Null when the endpoint answered 2xx in time.",
      examples: [null]
    })
  }).annotate({ identifier: "Attempt", description: "One try to deliver." })
) {}

/** The sending of one event to one endpoint. `next_attempt_at` is null while an attempt is under way or none is planned. */
export class Delivery extends Schema.Opaque<Delivery>()(
  Schema.Struct({
    id: DeliveryId,
    object: Schema.Literal("webhook_delivery"),
    livemode: Schema.Boolean.annotateKey({ description: "Of a live event." }),
    webhook_endpoint_id: WebhookEndpointId,
    event_id: EventId,
    event_type: EventType,
    status: DeliveryStatus.annotateKey({ description: "Where it stands.", examples: ["succeeded"] }),
    next_attempt_at: Schema.NullOr(Timestamp).annotateKey({
      description: "Null while an attempt is under way or none is planned.",
      examples: [null]
    }),
    attempts: Schema.Array(Attempt).annotateKey({
      description: `The latest, oldest first: up to ${attemptsShown.alone}, and up to ${attemptsShown.listed} in lists. All are at /v1/webhook-deliveries/{id}/attempts.`
    }),
    attempts_count: Schema.Int.annotateKey({ description: "How many attempts were made in all.", examples: [1] }),
    created_at: Timestamp,
    updated_at: Timestamp
  }).annotate({
    identifier: "Delivery",
    description: "The sending of one event to one endpoint, with its latest attempts."
  })
) {}

export const DeliveryPage = Page(Delivery, "DeliveryPage")

export const AttemptPage = Page(Attempt, "AttemptPage")

export class RecoverRequest extends Schema.Opaque<RecoverRequest>()(
  Schema.Struct({
    since: Instant.annotateKey({ description: "From when on.", examples: ["2026-11-21T00:00:00-05:00"] })
  }).annotate({ identifier: "RecoverRequest", description: "From when on to recover." })
) {}

/** What a recovery has set going. `has_more`: there is more to recover than one request takes; ask again. */
export class Recovery extends Schema.Opaque<Recovery>()(
  Schema.Struct({
    object: Schema.Literal("webhook_recovery"),
    webhook_endpoint_id: WebhookEndpointId,
    since: Timestamp,
    deliveries: Schema.Int.annotateKey({ description: "How many were set going.", examples: [12] }),
    has_more: Schema.Boolean.annotateKey({ description: "Ask again: there is more than one request takes." })
  }).annotate({ identifier: "Recovery", description: "What a recovery has set going." })
) {}

export class WebhookTestRequest extends Schema.Opaque<WebhookTestRequest>()(
  Schema.Struct({ type: Schema.optionalKey(EventType) }).annotate({
    identifier: "WebhookTestRequest",
    description: "Which event to sample.",
    examples: [{ type: "invoice.accepted_by_authority" }]
  })
) {}
