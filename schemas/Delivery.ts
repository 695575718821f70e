import { Schema } from "effect"
import { EventType } from "./Event.ts"
import { DeliveryId, EventId, WebhookEndpointId } from "./Id.ts"
import { Instant, Timestamp } from "./Money.ts"
import { Page } from "./Page.ts"

/** Why an attempt was made: by the schedule, or because a redelivery, a recovery or a test was asked for. */
export const AttemptTrigger = Schema.Literals(["auto", "manual", "recover", "test"])
export type AttemptTrigger = typeof AttemptTrigger.Type

export const DeliveryStatus = Schema.Literals(["pending", "succeeded", "failed", "canceled"]).annotate({
  identifier: "DeliveryStatus",
  message: "must be one of pending, succeeded, failed, canceled"
})
export type DeliveryStatus = typeof DeliveryStatus.Type

/** One try to deliver. `error` is null when the endpoint answered 2xx in time. */
export class Attempt extends Schema.Opaque<Attempt>()(
  Schema.Struct({
    number: Schema.Int,
    trigger: AttemptTrigger,
    started_at: Timestamp,
    duration_ms: Schema.Int,
    remote_ip: Schema.NullOr(Schema.String),
    response_status: Schema.NullOr(Schema.Int),
    response_headers: Schema.Record(Schema.String, Schema.String),
    /** The first 4 KiB. */
    response_body: Schema.String,
    error: Schema.NullOr(Schema.Struct({ code: Schema.String, message: Schema.String }))
  }).annotate({ identifier: "Attempt" })
) {}

/** The sending of one event to one endpoint. `next_attempt_at` is null while an attempt is under way or none is planned. */
export class Delivery extends Schema.Opaque<Delivery>()(
  Schema.Struct({
    id: DeliveryId,
    object: Schema.Literal("webhook_delivery"),
    livemode: Schema.Boolean,
    webhook_endpoint_id: WebhookEndpointId,
    event_id: EventId,
    event_type: EventType,
    status: DeliveryStatus,
    next_attempt_at: Schema.NullOr(Timestamp),
    attempts: Schema.Array(Attempt),
    created_at: Timestamp,
    updated_at: Timestamp
  }).annotate({ identifier: "Delivery" })
) {}

export const DeliveryPage = Page(Delivery, "DeliveryPage")

export class RecoverRequest extends Schema.Opaque<RecoverRequest>()(
  Schema.Struct({ since: Instant }).annotate({ identifier: "RecoverRequest" })
) {}

/** What a recovery has set going. `has_more`: there is more to recover than one request takes; ask again. */
export class Recovery extends Schema.Opaque<Recovery>()(
  Schema.Struct({
    object: Schema.Literal("webhook_recovery"),
    webhook_endpoint_id: WebhookEndpointId,
    since: Timestamp,
    deliveries: Schema.Int,
    has_more: Schema.Boolean
  }).annotate({ identifier: "Recovery" })
) {}

export class WebhookTestRequest extends Schema.Opaque<WebhookTestRequest>()(
  Schema.Struct({ type: Schema.optionalKey(EventType) }).annotate({ identifier: "WebhookTestRequest" })
) {}
