import { Schema } from "effect"
import { EventType } from "./Event.ts"
import { WebhookEndpointId } from "./Id.ts"
import { Timestamp } from "./Money.ts"
import { Metadata, text } from "./Text.ts"
import { Version } from "./Version.ts"

const subscribed_events = Schema.Array(EventType).check(
  Schema.isMinLength(1, { message: "must name at least one event type", errorCode: "parameter_invalid_empty" }),
  Schema.isUnique({ message: "must name each event type once" })
)

const inFlightRange = { message: "must be a whole number from 1 to 64" }
const max_in_flight = Schema.Number.check(
  Schema.isInt(inFlightRange),
  Schema.isBetween({ minimum: 1, maximum: 64 }, inFlightRange)
)

const url = Schema.String.check(
  Schema.isMinLength(1, { message: "must not be empty", errorCode: "parameter_invalid_empty" }),
  Schema.isMaxLength(2048, { message: "must be at most 2048 characters long", errorCode: "parameter_too_long" })
)

export class WebhookEndpointRequest extends Schema.Opaque<WebhookEndpointRequest>()(
  Schema.Struct({
    url,
    subscribed_events,
    description: Schema.optionalKey(text(500)),
    max_in_flight: Schema.optionalKey(max_in_flight),
    metadata: Schema.optionalKey(Metadata)
  }).annotate({ identifier: "WebhookEndpointRequest" })
) {}

export class WebhookEndpointUpdate extends Schema.Opaque<WebhookEndpointUpdate>()(
  Schema.Struct({
    url: Schema.optionalKey(url),
    description: Schema.optionalKey(Schema.NullOr(text(500))),
    subscribed_events: Schema.optionalKey(subscribed_events),
    is_active: Schema.optionalKey(Schema.Boolean),
    max_in_flight: Schema.optionalKey(max_in_flight),
    metadata: Schema.optionalKey(Metadata)
  }).annotate({ identifier: "WebhookEndpointUpdate" })
) {}

/** How deliveries to an endpoint are going; a notice for its owner, never a reason to switch it off. */
export class EndpointHealth extends Schema.Opaque<EndpointHealth>()(
  Schema.Struct({
    status: Schema.Literals(["unknown", "healthy", "failing"]),
    failing_since: Schema.NullOr(Timestamp),
    last_success_at: Schema.NullOr(Timestamp)
  }).annotate({ identifier: "EndpointHealth" })
) {}

export class WebhookEndpoint extends Schema.Opaque<WebhookEndpoint>()(
  Schema.Struct({
    id: WebhookEndpointId,
    object: Schema.Literal("webhook_endpoint"),
    url: Schema.String,
    description: Schema.NullOr(Schema.String),
    subscribed_events: Schema.Array(EventType),
    is_active: Schema.Boolean,
    livemode: Schema.Boolean,
    max_in_flight: Schema.Int,
    metadata: Metadata,
    api_version: Version,
    health: EndpointHealth,
    created_at: Timestamp,
    updated_at: Timestamp
  }).annotate({ identifier: "WebhookEndpoint" })
) {}

/** The answers that show the signing secret: creation and rotation, and no other. */
export class WebhookEndpointWithSecret extends Schema.Opaque<WebhookEndpointWithSecret>()(
  Schema.Struct({ ...WebhookEndpoint.fields, secret: Schema.String }).annotate({
    identifier: "WebhookEndpointWithSecret"
  })
) {}

export class DeletedWebhookEndpoint extends Schema.Opaque<DeletedWebhookEndpoint>()(
  Schema.Struct({
    id: WebhookEndpointId,
    object: Schema.Literal("webhook_endpoint"),
    deleted: Schema.Literal(true)
  }).annotate({ identifier: "DeletedWebhookEndpoint" })
) {}
