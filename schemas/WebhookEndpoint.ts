import { Schema } from "effect"
import { eventTypes } from "./Event.ts"
import { field } from "./Field.ts"
import { WebhookEndpointId } from "./Id.ts"
import { atMost, notEmpty, wholeNumber } from "./Limits.ts"
import { Timestamp } from "./Money.ts"
import { Metadata, text } from "./Text.ts"
import { Version } from "./Version.ts"

/** The subscription to all event types, including those that later releases add. */
export const allEvents = "*"

export const Subscription = Schema.Literals([...eventTypes, allEvents]).annotate({
  identifier: "Subscription",
  description: "Event type, or `*` for all event types, including those that later releases add.",
  errorCode: "unknown_event_type",
  message: `must be one of the event types: ${eventTypes.join(", ")}; or * for all of them`
})
export type Subscription = typeof Subscription.Type

const subscribed_events = Schema.Array(Subscription)
  .check(
    notEmpty("must name at least one event type"),
    atMost(eventTypes.length, `must name at most ${eventTypes.length} event types`),
    Schema.isUnique({ message: "must name each event type once" }),
    Schema.makeFilter((names: ReadonlyArray<Subscription>) => names.length < 2 || !names.includes(allEvents), {
      message: 'must be event types, or ["*"] alone for all of them'
    })
  )
  .annotateKey({
    description:
      'Event types to deliver to the endpoint, or `["*"]` for all event types, including those that later releases add.',
    examples: [["invoice.accepted_by_authority", "invoice.rejected_by_authority"], ["*"]]
  })

const max_in_flight = field(
  wholeNumber(1, 64),
  "Maximum number of concurrent deliveries to the endpoint. With 1, Folio makes first attempts strictly in the order of the events.",
  8
)

const url = field(
  Schema.String.check(notEmpty(), atMost(2048)),
  "Public https URL on port 443 or 8443.",
  "https://hooks.example.com/folio"
)

export class WebhookEndpointRequest extends Schema.Opaque<WebhookEndpointRequest>()(
  Schema.Struct({
    url,
    subscribed_events,
    description: Schema.optionalKey(text(500)),
    max_in_flight: Schema.optionalKey(max_in_flight),
    metadata: Schema.optionalKey(Metadata)
  }).annotate({
    identifier: "WebhookEndpointRequest",
    description: "A webhook endpoint to register.",
    examples: [
      {
        url: "https://hooks.example.com/folio",
        subscribed_events: ["invoice.accepted_by_authority", "invoice.rejected_by_authority"],
        description: "The shop",
        metadata: { team: "billing" }
      }
    ]
  })
) {}

export class WebhookEndpointUpdate extends Schema.Opaque<WebhookEndpointUpdate>()(
  Schema.Struct({
    url: Schema.optionalKey(url),
    description: Schema.optionalKey(Schema.NullOr(text(500))),
    subscribed_events: Schema.optionalKey(subscribed_events),
    is_active: Schema.optionalKey(Schema.Boolean),
    max_in_flight: Schema.optionalKey(max_in_flight),
    metadata: Schema.optionalKey(Metadata)
  }).annotate({
    identifier: "WebhookEndpointUpdate",
    description: "The fields of a webhook endpoint to change.",
    examples: [{ is_active: false }]
  })
) {}

export class EndpointHealth extends Schema.Opaque<EndpointHealth>()(
  Schema.Struct({
    status: Schema.Literals(["unknown", "healthy", "failing"]),
    failing_since: Schema.NullOr(Timestamp),
    last_success_at: Schema.NullOr(Timestamp),
    full_since: field(
      Schema.NullOr(Timestamp),
      "Time since which the endpoint's delivery queue is full. Deliveries of later events fail without an attempt; a recovery sends them. Null while the queue has space.",
      null
    )
  }).annotate({
    identifier: "EndpointHealth",
    description: "The health of an endpoint's deliveries. Folio never deactivates a failing endpoint.",
    examples: [
      { status: "healthy", failing_since: null, last_success_at: "2026-11-21T10:00:00.000-05:00", full_since: null }
    ]
  })
) {}

export class WebhookEndpoint extends Schema.Opaque<WebhookEndpoint>()(
  Schema.Struct({
    id: WebhookEndpointId,
    object: Schema.Literal("webhook_endpoint"),
    url: field(Schema.String, "URL that receives the deliveries.", "https://hooks.example.com/folio"),
    description: field(
      Schema.NullOr(Schema.String),
      "Description of the endpoint. You can choose any text.",
      "The shop"
    ),
    subscribed_events: field(
      Schema.Array(Subscription),
      'Event types that Folio delivers to the endpoint. `["*"]`: all event types, including those that later releases add.',
      ["invoice.accepted_by_authority"]
    ),
    is_active: field(
      Schema.Boolean,
      "Active state of the endpoint: if `false`, Folio sends no deliveries. After you reactivate the endpoint, Folio sends the queued deliveries. A recovery sends the events of the inactive time.",
      true
    ),
    livemode: field(
      Schema.Boolean,
      "Mode of the events that the endpoint receives: `true` for live, `false` for test."
    ),
    max_in_flight: field(Schema.Int, "Maximum number of concurrent deliveries to the endpoint.", 8),
    metadata: Metadata,
    api_version: Version,
    health: EndpointHealth,
    created_at: Timestamp,
    updated_at: Timestamp
  }).annotate({ identifier: "WebhookEndpoint", description: "A webhook endpoint, without its signing secret." })
) {}

/** The response to the creation of an endpoint or the rotation of its secret. */
export class WebhookEndpointWithSecret extends Schema.Opaque<WebhookEndpointWithSecret>()(
  Schema.Struct({
    ...WebhookEndpoint.fields,
    secret: field(
      Schema.String,
      "Secret that signs the deliveries to the endpoint.",
      "whsec_Zm9saW8gdGVzdCBzZWNyZXQgb2YgMzIgYnl0ZXMhISE="
    )
  }).annotate({
    identifier: "WebhookEndpointWithSecret",
    description: "The webhook endpoint with its signing secret. Only this response shows the secret."
  })
) {}

export class DeletedWebhookEndpoint extends Schema.Opaque<DeletedWebhookEndpoint>()(
  Schema.Struct({
    id: WebhookEndpointId,
    object: Schema.Literal("webhook_endpoint"),
    deleted: Schema.Literal(true)
  }).annotate({
    identifier: "DeletedWebhookEndpoint",
    description: "Confirmation that the webhook endpoint was deleted."
  })
) {}
