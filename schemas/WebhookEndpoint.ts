import { Schema } from "effect"
import { EventType, eventTypes } from "./Event.ts"
import { WebhookEndpointId } from "./Id.ts"
import { Timestamp } from "./Money.ts"
import { Metadata, text } from "./Text.ts"
import { Version } from "./Version.ts"

const subscribed_events = Schema.Array(EventType)
  .check(
    Schema.isMinLength(1, { message: "must name at least one event type", errorCode: "parameter_invalid_empty" }),
    Schema.isMaxLength(eventTypes.length, {
      message: `must name at most ${eventTypes.length} event types`,
      errorCode: "parameter_too_long"
    }),
    Schema.isUnique({ message: "must name each event type once" })
  )
  .annotateKey({
    description: "What to be told of.",
    examples: [["invoice.accepted_by_authority", "invoice.rejected_by_authority"]]
  })

const inFlightRange = { message: "must be a whole number from 1 to 64" }
const max_in_flight = Schema.Number.check(
  Schema.isInt(inFlightRange),
  Schema.isBetween({ minimum: 1, maximum: 64 }, inFlightRange)
).annotateKey({
  description: "Deliveries under way at one time; 1 gives strict order of first attempts.",
  examples: [8]
})

const url = Schema.String.check(
  Schema.isMinLength(1, { message: "must not be empty", errorCode: "parameter_invalid_empty" }),
  Schema.isMaxLength(2048, { message: "must be at most 2048 characters long", errorCode: "parameter_too_long" })
).annotateKey({
  description: "A public https address, on port 443 or 8443.",
  examples: ["https://hooks.example.com/folio"]
})

export class WebhookEndpointRequest extends Schema.Opaque<WebhookEndpointRequest>()(
  Schema.Struct({
    url,
    subscribed_events,
    description: Schema.optionalKey(text(500)),
    max_in_flight: Schema.optionalKey(max_in_flight),
    metadata: Schema.optionalKey(Metadata)
  }).annotate({
    identifier: "WebhookEndpointRequest",
    description: "An endpoint to register.",
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
    description: "What may change of an endpoint.",
    examples: [{ is_active: false }]
  })
) {}

/** How deliveries to an endpoint are going; a notice for its owner, never a reason to switch it off. */
export class EndpointHealth extends Schema.Opaque<EndpointHealth>()(
  Schema.Struct({
    status: Schema.Literals(["unknown", "healthy", "failing"]),
    failing_since: Schema.NullOr(Timestamp),
    last_success_at: Schema.NullOr(Timestamp),
    full_since: Schema.NullOr(Timestamp).annotateKey({
      description:
        "Since when as many deliveries wait as may: later ones fail without an attempt, and a recovery sends them. Null while there is room.",
      examples: [null]
    })
  }).annotate({
    identifier: "EndpointHealth",
    description: "How deliveries are going; it never switches an endpoint off.",
    examples: [
      { status: "healthy", failing_since: null, last_success_at: "2026-11-21T10:00:00.000-05:00", full_since: null }
    ]
  })
) {}

export class WebhookEndpoint extends Schema.Opaque<WebhookEndpoint>()(
  Schema.Struct({
    id: WebhookEndpointId,
    object: Schema.Literal("webhook_endpoint"),
    url: Schema.String.annotateKey({
      description: "Where deliveries go.",
      examples: ["https://hooks.example.com/folio"]
    }),
    description: Schema.NullOr(Schema.String).annotateKey({ description: "A label.", examples: ["The shop"] }),
    subscribed_events: Schema.Array(EventType).annotateKey({
      description: "What it is told of.",
      examples: [["invoice.accepted_by_authority"]]
    }),
    is_active: Schema.Boolean.annotateKey({ description: "An inactive one gets nothing new.", examples: [true] }),
    livemode: Schema.Boolean.annotateKey({ description: "Whether it hears of live documents, or of test documents." }),
    max_in_flight: Schema.Int.annotateKey({ description: "Deliveries under way at one time.", examples: [8] }),
    metadata: Metadata,
    api_version: Version,
    health: EndpointHealth,
    created_at: Timestamp,
    updated_at: Timestamp
  }).annotate({ identifier: "WebhookEndpoint", description: "An endpoint, without its secret." })
) {}

/** The answers that show the signing secret: creation and rotation, and no other. */
export class WebhookEndpointWithSecret extends Schema.Opaque<WebhookEndpointWithSecret>()(
  Schema.Struct({
    ...WebhookEndpoint.fields,
    secret: Schema.String.annotateKey({
      description: "Signs deliveries.",
      examples: ["whsec_Zm9saW8gdGVzdCBzZWNyZXQgb2YgMzIgYnl0ZXMhISE="]
    })
  }).annotate({
    identifier: "WebhookEndpointWithSecret",
    description: "An endpoint with its signing secret, shown this once."
  })
) {}

export class DeletedWebhookEndpoint extends Schema.Opaque<DeletedWebhookEndpoint>()(
  Schema.Struct({
    id: WebhookEndpointId,
    object: Schema.Literal("webhook_endpoint"),
    deleted: Schema.Literal(true)
  }).annotate({ identifier: "DeletedWebhookEndpoint", description: "An endpoint that was deleted." })
) {}
