import { Schema } from "effect"
import { ApiKeyId } from "./Id.ts"
import { Timestamp } from "./Money.ts"
import { text } from "./Text.ts"

const name = text(100)

const expiresInMax = 7 * 86_400
const expiresRange = { message: `must be a whole number of seconds from 0 (at once) to ${expiresInMax} (seven days)` }

export class ApiKeyRequest extends Schema.Opaque<ApiKeyRequest>()(
  Schema.Struct({
    name: Schema.optionalKey(name).annotateKey({ description: "What the key is for.", examples: ["The shop"] })
  }).annotate({ identifier: "ApiKeyRequest", description: "A key to make." })
) {}

/** `expires_in`: for how many seconds the old key goes on working beside the new one. */
export class ApiKeyRollRequest extends Schema.Opaque<ApiKeyRollRequest>()(
  Schema.Struct({
    expires_in: Schema.Number.check(
      Schema.isInt(expiresRange),
      Schema.isBetween({ minimum: 0, maximum: expiresInMax }, expiresRange)
    ).annotateKey({ description: "Seconds for which the old key works on beside the new one.", examples: [86_400] })
  }).annotate({ identifier: "ApiKeyRollRequest", description: "How long the old key goes on working." })
) {}

/** A key as it is listed: enough to know it again, and not the key. `last_used_at` lags by up to five minutes. */
export class ApiKey extends Schema.Opaque<ApiKey>()(
  Schema.Struct({
    id: ApiKeyId,
    object: Schema.Literal("api_key"),
    name: Schema.NullOr(Schema.String).annotateKey({ description: "What it is for.", examples: ["The shop"] }),
    livemode: Schema.Boolean.annotateKey({ description: "A live key." }),
    last_four: Schema.String.annotateKey({ description: "The last four characters of the key.", examples: ["x7Qa"] }),
    created_at: Timestamp,
    last_used_at: Schema.NullOr(Timestamp).annotateKey({ description: "Up to five minutes late.", examples: [null] }),
    expires_at: Schema.NullOr(Timestamp).annotateKey({ description: "When it stops working.", examples: [null] }),
    revoked_at: Schema.NullOr(Timestamp).annotateKey({ description: "When it was revoked.", examples: [null] })
  }).annotate({ identifier: "ApiKey", description: "A key as it is listed: enough to know it again, and not the key." })
) {}

/** The answers that show the key itself: creation and roll, and no other. */
export class ApiKeyWithKey extends Schema.Opaque<ApiKeyWithKey>()(
  Schema.Struct({
    ...ApiKey.fields,
    key: Schema.String.annotateKey({ description: "The key itself.", examples: ["sk_test_…"] })
  }).annotate({ identifier: "ApiKeyWithKey", description: "A key, shown this once." })
) {}

export class DeletedApiKey extends Schema.Opaque<DeletedApiKey>()(
  Schema.Struct({ id: ApiKeyId, object: Schema.Literal("api_key"), deleted: Schema.Literal(true) }).annotate({
    identifier: "DeletedApiKey",
    description: "A key that was revoked."
  })
) {}
