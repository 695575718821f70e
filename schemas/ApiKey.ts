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
    name: field(Schema.optionalKey(text(100)), "Name of the key. You can choose any name.", "The shop")
  }).annotate({ identifier: "ApiKeyRequest", description: "An API key to create." })
) {}

/** The request to roll an API key. */
export class ApiKeyRollRequest extends Schema.Opaque<ApiKeyRollRequest>()(
  Schema.Struct({
    expires_in: field(
      wholeNumber(
        0,
        expiresInMax,
        `must be a whole number of seconds from 0 (immediately) to ${expiresInMax} (seven days)`
      ),
      "Number of seconds during which the old key works in parallel with the new key.",
      86_400
    )
  }).annotate({ identifier: "ApiKeyRollRequest", description: "The time during which the old key still works." })
) {}

export class ApiKey extends Schema.Opaque<ApiKey>()(
  Schema.Struct({
    id: ApiKeyId,
    object: Schema.Literal("api_key"),
    name: field(Schema.NullOr(Schema.String), "Name of the key. You can choose any name.", "The shop"),
    capabilities: field(
      Schema.NullOr(Schema.Array(Capability)),
      "Capabilities of the key: those of the portal session that created it. Null for a key without restrictions.",
      null
    ),
    livemode: field(Schema.Boolean, "Mode of the key: `true` for live, `false` for test."),
    last_four: field(Schema.String, "The last four characters of the key.", "x7Qa"),
    created_at: Timestamp,
    last_used_at: field(
      Schema.NullOr(Timestamp),
      "Time of the last use of the key, recorded up to five minutes late. Null if the key was never used.",
      null
    ),
    expires_at: field(
      Schema.NullOr(Timestamp),
      "Time at which the key stops working. Null for a key that does not expire.",
      null
    ),
    revoked_at: field(
      Schema.NullOr(Timestamp),
      "Time at which the key was revoked. Null if the key was not revoked.",
      null
    )
  }).annotate({
    identifier: "ApiKey",
    description: "An API key with its name, last four characters and dates, without the key itself."
  })
) {}

/** The response to the creation or the roll of an API key. */
export class ApiKeyWithKey extends Schema.Opaque<ApiKeyWithKey>()(
  Schema.Struct({
    ...ApiKey.fields,
    key: field(Schema.String, "The API key itself, to send as `Authorization: Bearer …`.", "sk_test_…")
  }).annotate({
    identifier: "ApiKeyWithKey",
    description: "The new API key. Only this response shows the key itself."
  })
) {}

export class DeletedApiKey extends Schema.Opaque<DeletedApiKey>()(
  Schema.Struct({ id: ApiKeyId, object: Schema.Literal("api_key"), deleted: Schema.Literal(true) }).annotate({
    identifier: "DeletedApiKey",
    description: "Confirmation that the API key was revoked."
  })
) {}
