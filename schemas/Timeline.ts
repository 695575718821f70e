import { Schema } from "effect"
import { acceptanceEventFields } from "./Acceptance.ts"
import { AttemptTrigger } from "./Delivery.ts"
import { EventType } from "./Event.ts"
import { EmailStatus } from "./EmailStatus.ts"
import { DeliveryId, EmailId, EventId, WebhookEndpointId } from "./Id.ts"
import { field } from "./Field.ts"
import { AuthorityError } from "./FiscalDocument.ts"
import { LocalDate, Timestamp } from "./Money.ts"
import { Page } from "./Page.ts"

const entry = <const Type extends string, const Fields extends Schema.Struct.Fields>(type: Type, fields: Fields) =>
  Schema.Struct({ object: Schema.Literal("timeline_entry"), type: Schema.Literal(type), at: Timestamp, ...fields })

/** The former content of a rejected document that was corrected later. The document itself has the new content. */
const rejectedFields = {
  cufe: Schema.optionalKey(
    field(
      Schema.String,
      "Rejected CUFE. Only the rejection of an invoice that was corrected later has it.",
      "8bb918b19ba22a694f1da11c643b5e9de39adf60311cf179179e9b33381030bcd4c3c3f156c506ed5908f9276f5bd9b4"
    )
  ),
  cude: Schema.optionalKey(
    field(
      Schema.String,
      "Rejected CUDE. Only the rejection of a note that was corrected later has it.",
      "907e4444decc9e59c160a2fb3b6659b33dc5b632a5008922b9a62f83f757b1c448e47f5867f2b50dbdb96f48c7681168"
    )
  ),
  issue_date: Schema.optionalKey(
    field(
      LocalDate,
      "Issue date of the rejected document. Only the rejection of a document that was corrected later has it.",
      "2026-11-21"
    )
  ),
  authority_errors: Schema.optionalKey(
    field(
      Schema.Array(AuthorityError),
      "Rules of the authority that rejected the document. Only the rejection of a document that was corrected later has them.",
      []
    )
  )
}

/**
 * An entry in the timeline of a document. For a transition, `to` is the document's stage or, at the end, its status.
 * `from` is null for the creation.
 */
export const TimelineEntry = Schema.Union([
  entry("transition", {
    command: field(Schema.String, "Step of the document, such as `submit` or `enter_contingency`.", "submit"),
    from: Schema.NullOr(Schema.String),
    to: Schema.String,
    version: Schema.Int,
    ...rejectedFields
  }),
  /** The current status of an email. `at` is the time at which the email reached this status. */
  entry("email", {
    email_id: EmailId,
    to: Schema.String,
    status: EmailStatus,
    attempts: Schema.Int,
    reason: Schema.NullOr(Schema.String)
  }),
  /** An acceptance event of an invoice on credit terms. `at` is the time of its registration with the authority. */
  entry("acceptance", acceptanceEventFields),
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
]).annotate({ identifier: "TimelineEntry", description: "An entry in the timeline of a document." })
export type TimelineEntry = typeof TimelineEntry.Type

export const TimelinePage = Page(TimelineEntry, "TimelinePage")
