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

/** The 21 event types: three kinds of document, seven things that can happen to each. */
export const eventTypes: ReadonlyArray<EventTypeName> = documents.flatMap((document) =>
  outcomes.map((outcome) => `${document}.${outcome}` as const)
)

export const EventType = Schema.Literals(eventTypes).annotate({
  identifier: "EventType",
  description: "One of the 21 event types.",
  errorCode: "unknown_event_type",
  message: `must be one of the event types: ${eventTypes.join(", ")}`
})
export type EventType = typeof EventType.Type

const { cufe, id: _id, object: _object, ...snapshotFields } = InvoiceSnapshot.fields

/** The copy of a credit or debit note that an event carries: `cude` stands in place of `cufe`. */
export class NoteSnapshot extends Schema.Opaque<NoteSnapshot>()(
  Schema.Struct({
    id: NoteId,
    object: Schema.Literals(["credit_note", "debit_note"]),
    cude: cufe,
    ...snapshotFields
  }).annotate({ identifier: "NoteSnapshot", description: "The copy of a credit or debit note that an event carries." })
) {}

/** The body of a webhook delivery. The bytes of an event are stored once, and every attempt sends the same bytes. */
export class Event extends Schema.Opaque<Event>()(
  Schema.Struct({
    id: EventId,
    object: Schema.Literal("event"),
    type: EventType,
    created: Timestamp,
    livemode: field(Schema.Boolean, "`true` for a live document, `false` for a test document."),
    account: AccountId,
    data: field(
      Schema.Struct({ object: Schema.Union([InvoiceSnapshot, NoteSnapshot, EmailSnapshot]) }),
      "The document, or the e-mail that carries it, as it was when the event happened."
    )
  }).annotate({
    identifier: "Event",
    description: "An event: what happened to a document. Webhooks deliver the same body."
  })
) {}

/** How long a request may wait for an event, in seconds. */
export const eventWaitMax = 20

/**
 * The query of events. With `after` or `wait` the answer follows the events, oldest first: those after the event `after`, or
 * all events from the first when `after` is absent. If no such event exists, the answer waits up to `wait` seconds for an
 * event.
 */
export const EventQuery = {
  ...pageQuery("evt"),
  type: field(Schema.optionalKey(EventType), "Only events of this event type."),
  "types[]": Schema.optionalKey(
    Schema.Array(EventType).check(
      Schema.isMaxLength(eventTypes.length, { message: `must name at most ${eventTypes.length} event types` })
    )
  ).annotateKey({ description: "Only events of these event types." }),
  object_id: field(Schema.optionalKey(Schema.String), "Only events of the document with this id."),
  ...createdQuery,
  after: field(
    Schema.optionalKey(Schema.String),
    "The id of an event: the answer holds the events that follow it, oldest first."
  ),
  wait: Schema.optionalKey(
    Schema.String.check(
      Schema.isPattern(/^(\d|1\d|20)$/u, { message: `must be a whole number of seconds from 0 to ${eventWaitMax}` })
    )
  ).annotateKey({
    description: "Goes with `after`: the number of seconds, up to 20, to wait for a new event when there is none."
  })
}
