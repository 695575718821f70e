import { Schema } from "effect"
import { EmailSnapshot } from "./Email.ts"
import { AccountId, EventId, NoteId } from "./Id.ts"
import { InvoiceSnapshot } from "./Invoice.ts"
import { Instant, Timestamp } from "./Money.ts"
import { PageQuery } from "./Page.ts"

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

/** What a webhook delivers. The bytes of it are stored once and every attempt sends the same. */
export class Event extends Schema.Opaque<Event>()(
  Schema.Struct({
    id: EventId,
    object: Schema.Literal("event"),
    type: EventType,
    created: Timestamp,
    livemode: Schema.Boolean.annotateKey({ description: "Of a live document." }),
    account: AccountId,
    data: Schema.Struct({ object: Schema.Union([InvoiceSnapshot, NoteSnapshot, EmailSnapshot]) }).annotateKey({
      description: "The document, or the e-mail that carries it, as it was then."
    })
  }).annotate({ identifier: "Event", description: "What happened to a document: the body that webhooks deliver." })
) {}

/** How long a request may wait for an event, in seconds. */
export const eventWaitMax = 20

/**
 * The query of events. With `after` or `wait` they are followed: those after an event, or from the first there is, oldest first;
 * where there are none, the answer waits up to `wait` seconds for one.
 */
export const EventQuery = {
  ...PageQuery,
  type: Schema.optionalKey(EventType).annotateKey({ description: "Only events of this type." }),
  "types[]": Schema.optionalKey(
    Schema.Array(EventType).check(
      Schema.isMaxLength(eventTypes.length, { message: `must name at most ${eventTypes.length} event types` })
    )
  ).annotateKey({ description: "Only events of these types." }),
  object_id: Schema.optionalKey(Schema.String).annotateKey({ description: "Only events of this document." }),
  "created[gte]": Schema.optionalKey(Instant).annotateKey({ description: "Not before." }),
  "created[lte]": Schema.optionalKey(Instant).annotateKey({ description: "Not after." }),
  after: Schema.optionalKey(Schema.String).annotateKey({
    description: "Follow: the events after this one, oldest first."
  }),
  wait: Schema.optionalKey(
    Schema.String.check(
      Schema.isPattern(/^(\d|1\d|20)$/u, { message: `must be a whole number of seconds from 0 to ${eventWaitMax}` })
    )
  ).annotateKey({ description: "Seconds to wait for an event where there is none, up to 20." })
}
