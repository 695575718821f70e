import { Schema } from "effect"
import { field } from "./Field.ts"
import { ApiKeyId } from "./Id.ts"
import { wholeNumber } from "./Limits.ts"
import { Timestamp } from "./Money.ts"
import { Capability } from "./PortalSession.ts"
import { text } from "./Text.ts"

const expiresInMax = 7 * 86_400

export class ApiKeyRequest extends Schema.Opaque<ApiKeyRequest>()(
  Schema.Struct({
    name: field(Schema.optionalKey(text(100)), "A name of your own for the key.", "The shop")
  }).annotate({ identifier: "ApiKeyRequest", description: "An API key to create." })
) {}

/** The request to roll an API key. */
export class ApiKeyRollRequest extends Schema.Opaque<ApiKeyRollRequest>()(
  Schema.Struct({
    expires_in: field(
      wholeNumber(
        0,
        expiresInMax,
        `must be a whole number of seconds from 0 (at once) to ${expiresInMax} (seven days)`
      ),
      "The number of seconds for which the old key still works beside the new one.",
      86_400
    )
  }).annotate({ identifier: "ApiKeyRollRequest", description: "How long the old key still works." })
) {}

export class ApiKey extends Schema.Opaque<ApiKey>()(
  Schema.Struct({
    id: ApiKeyId,
    object: Schema.Literal("api_key"),
    name: field(Schema.NullOr(Schema.String), "A name of your own for the key.", "The shop"),
    capabilities: field(
      Schema.NullOr(Schema.Array(Capability)),
      "What the key may do: that of the portal session which made it. Null for a key that may do everything.",
      null
    ),
    livemode: field(Schema.Boolean, "`true` for a live key, `false` for a test key."),
    last_four: field(Schema.String, "The last four characters of the key.", "x7Qa"),
    created_at: Timestamp,
    last_used_at: field(
      Schema.NullOr(Timestamp),
      "The time at which the key was last used, recorded up to five minutes late; null when it was never used.",
      null
    ),
    expires_at: field(
      Schema.NullOr(Timestamp),
      "The time at which the key stops working; null for a key that does not expire.",
      null
    ),
    revoked_at: field(
      Schema.NullOr(Timestamp),
      "The time at which the key was revoked; null for a key that was not revoked.",
      null
    )
  }).annotate({
    identifier: "ApiKey",
    description: "An API key as it is listed: its name, its last four characters and its dates, without the key itself."
  })
) {}

/** The answer to the creation or the roll of an API key. */
export class ApiKeyWithKey extends Schema.Opaque<ApiKeyWithKey>()(
  Schema.Struct({
    ...ApiKey.fields,
    key: field(Schema.String, "The API key itself, to send as `Authorization: Bearer …`.", "sk_test_…")
  }).annotate({
    identifier: "ApiKeyWithKey",
    description: "The new API key. This answer is the only one that shows it."
  })
) {}

export class DeletedApiKey extends Schema.Opaque<DeletedApiKey>()(
  Schema.Struct({ id: ApiKeyId, object: Schema.Literal("api_key"), deleted: Schema.Literal(true) }).annotate({
    identifier: "DeletedApiKey",
    description: "The API key was revoked."
  })
) {}
