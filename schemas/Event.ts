import { Schema } from "effect"
import { EmailSnapshot } from "./Email.ts"
import { field } from "./Field.ts"
import { AccountId, EventId, NoteId } from "./Id.ts"
import { InvoiceSnapshot } from "./Invoice.ts"
import { Timestamp } from "./Money.ts"
import { createdQuery, pageQuery } from "./Page.ts"

const documents = ["invoice", "credit_note", "debit_note"] as const
const outcomes = [
  "accepted_by_authority",
  "rejected_by_authority",
  "accepted_contingency",
  "failed",
  "email.delivered",
  "email.bounced",
  "email.complained"
] as const

type EventTypeName = `${(typeof documents)[number]}.${(typeof outcomes)[number]}`

/** The 21 event types: seven outcomes for each of three document types. */
export const eventTypes: ReadonlyArray<EventTypeName> = documents.flatMap((document) =>
  outcomes.map((outcome) => `${document}.${outcome}` as const)
)

export const EventType = Schema.Literals(eventTypes).annotate({
  identifier: "EventType",
  description: "Type of the event: one of 21 event types.",
  errorCode: "unknown_event_type",
  message: `must be one of the event types: ${eventTypes.join(", ")}`
})
export type EventType = typeof EventType.Type

const { cufe, id: _id, object: _object, ...snapshotFields } = InvoiceSnapshot.fields

/** The copy of a credit or debit note in an event. Its `cude` replaces the `cufe` of an invoice. */
export class NoteSnapshot extends Schema.Opaque<NoteSnapshot>()(
  Schema.Struct({
    id: NoteId,
    object: Schema.Literals(["credit_note", "debit_note"]),
    cude: cufe,
    ...snapshotFields
  }).annotate({ identifier: "NoteSnapshot", description: "The copy of a credit or debit note in an event." })
) {}

/** The body of a webhook delivery. Folio stores the bytes of an event once; every attempt sends these bytes. */
export class Event extends Schema.Opaque<Event>()(
  Schema.Struct({
    id: EventId,
    object: Schema.Literal("event"),
    type: EventType,
    created: Timestamp,
    livemode: field(Schema.Boolean, "Mode of the document: `true` for live, `false` for test."),
    account: AccountId,
    data: field(
      Schema.Struct({ object: Schema.Union([InvoiceSnapshot, NoteSnapshot, EmailSnapshot]) }),
      "The document, or the email with the document, at the time of the event."
    )
  }).annotate({
    identifier: "Event",
    description: "A change of a document or its email. Webhooks deliver the same body."
  })
) {}

/** The maximum number of seconds that a request may wait for an event. */
export const eventWaitMax = 20

/**
 * The query of events. With `after` or `wait`, the response lists events oldest first: the events after `after`, or all
 * events if `after` is omitted. If there is no event to list, the request waits up to `wait` seconds for one.
 */
export const EventQuery = {
  ...pageQuery("evt"),
  type: field(Schema.optionalKey(EventType), "Filter by event type."),
  "types[]": Schema.optionalKey(
    Schema.Array(EventType).check(
      Schema.isMaxLength(eventTypes.length, { message: `must name at most ${eventTypes.length} event types` })
    )
  ).annotateKey({ description: "Filter by several event types." }),
  object_id: field(Schema.optionalKey(Schema.String), "Filter by the id of the document."),
  ...createdQuery,
  after: field(Schema.optionalKey(Schema.String), "Id of an event. The response lists the later events, oldest first."),
  wait: Schema.optionalKey(
    Schema.String.check(
      Schema.isPattern(/^(\d|1\d|20)$/u, { message: `must be a whole number of seconds from 0 to ${eventWaitMax}` })
    )
  ).annotateKey({
    description: "Number of seconds, up to 20, to wait for a new event if there is none. Send `after` too."
  })
}
