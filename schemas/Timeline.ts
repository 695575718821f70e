import { Schema } from "effect"
import { AttemptTrigger } from "./Delivery.ts"
import { EventType } from "./Event.ts"
import { EmailStatus } from "./EmailStatus.ts"
import { DeliveryId, EmailId, EventId, WebhookEndpointId } from "./Id.ts"
import { Timestamp } from "./Money.ts"
import { Page } from "./Page.ts"

const entry = <const Type extends string, const Fields extends Schema.Struct.Fields>(type: Type, fields: Fields) =>
  Schema.Struct({ object: Schema.Literal("timeline_entry"), type: Schema.Literal(type), at: Timestamp, ...fields })

/**
 * One thing that happened to a document. For a transition, `to` is the document's stage or, at the end, its status, and `from`
 * is null for the creation.
 */
export const TimelineEntry = Schema.Union([
  entry("transition", {
    command: Schema.String,
    from: Schema.NullOr(Schema.String),
    to: Schema.String,
    version: Schema.Int
  }),
  /** The current status of an e-mail. `at` is the time since which the e-mail has this status. */
  entry("email", {
    email_id: EmailId,
    to: Schema.String,
    status: EmailStatus,
    attempts: Schema.Int,
    reason: Schema.NullOr(Schema.String)
  }),
  entry("event", { event_id: EventId, event_type: EventType }),
  entry("delivery_attempt", {
    event_id: EventId,
    webhook_delivery_id: DeliveryId,
    webhook_endpoint_id: WebhookEndpointId,
    number: Schema.Int,
    trigger: AttemptTrigger,
    duration_ms: Schema.Int,
    response_status: Schema.NullOr(Schema.Int),
    error: Schema.NullOr(Schema.Struct({ code: Schema.String, message: Schema.String }))
  })
]).annotate({ identifier: "TimelineEntry", description: "One thing that happened to a document." })
export type TimelineEntry = typeof TimelineEntry.Type

export const TimelinePage = Page(TimelineEntry, "TimelinePage")
