import { Schema } from "effect"
import { AccountId, EventId } from "./Id.ts"
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
  errorCode: "unknown_event_type",
  message: `must be one of the event types: ${eventTypes.join(", ")}`
})
export type EventType = typeof EventType.Type

/** What a webhook delivers. The bytes of it are stored once and every attempt sends the same. */
export class Event extends Schema.Opaque<Event>()(
  Schema.Struct({
    id: EventId,
    object: Schema.Literal("event"),
    type: EventType,
    created: Timestamp,
    livemode: Schema.Boolean,
    account: AccountId,
    data: Schema.Struct({ object: InvoiceSnapshot })
  }).annotate({ identifier: "Event" })
) {}

/** How long a request may wait for an event, in seconds. */
export const eventWaitMax = 20

/**
 * The query of events. With `after` or `wait` they are followed: those after an event, or from the first there is, oldest first;
 * where there are none, the answer waits up to `wait` seconds for one.
 */
export const EventQuery = {
  ...PageQuery,
  type: Schema.optionalKey(EventType),
  "types[]": Schema.optionalKey(
    Schema.Array(EventType).check(
      Schema.isMaxLength(eventTypes.length, { message: `must name at most ${eventTypes.length} event types` })
    )
  ),
  object_id: Schema.optionalKey(Schema.String),
  "created[gte]": Schema.optionalKey(Instant),
  "created[lte]": Schema.optionalKey(Instant),
  after: Schema.optionalKey(Schema.String),
  wait: Schema.optionalKey(
    Schema.String.check(
      Schema.isPattern(/^(\d|1\d|20)$/u, { message: `must be a whole number of seconds from 0 to ${eventWaitMax}` })
    )
  )
}
