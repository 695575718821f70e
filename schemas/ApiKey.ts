import { Schema } from "effect"
import { ApiKeyId } from "./Id.ts"
import { Timestamp } from "./Money.ts"
import { text } from "./Text.ts"

const name = text(100)

const expiresInMax = 7 * 86_400
const expiresRange = { message: `must be a whole number of seconds from 0 (at once) to ${expiresInMax} (seven days)` }

export class ApiKeyRequest extends Schema.Opaque<ApiKeyRequest>()(
  Schema.Struct({ name: Schema.optionalKey(name) }).annotate({ identifier: "ApiKeyRequest" })
) {}

/** `expires_in`: for how many seconds the old key goes on working beside the new one. */
export class ApiKeyRollRequest extends Schema.Opaque<ApiKeyRollRequest>()(
  Schema.Struct({
    expires_in: Schema.Number.check(
      Schema.isInt(expiresRange),
      Schema.isBetween({ minimum: 0, maximum: expiresInMax }, expiresRange)
    )
  }).annotate({ identifier: "ApiKeyRollRequest" })
) {}

/** A key as it is listed: enough to know it again, and not the key. `last_used_at` lags by up to five minutes. */
export class ApiKey extends Schema.Opaque<ApiKey>()(
  Schema.Struct({
    id: ApiKeyId,
    object: Schema.Literal("api_key"),
    name: Schema.NullOr(Schema.String),
    livemode: Schema.Boolean,
    last_four: Schema.String,
    created_at: Timestamp,
    last_used_at: Schema.NullOr(Timestamp),
    expires_at: Schema.NullOr(Timestamp),
    revoked_at: Schema.NullOr(Timestamp)
  }).annotate({ identifier: "ApiKey" })
) {}

/** The answers that show the key itself: creation and roll, and no other. */
export class ApiKeyWithKey extends Schema.Opaque<ApiKeyWithKey>()(
  Schema.Struct({ ...ApiKey.fields, key: Schema.String }).annotate({ identifier: "ApiKeyWithKey" })
) {}

export class DeletedApiKey extends Schema.Opaque<DeletedApiKey>()(
  Schema.Struct({ id: ApiKeyId, object: Schema.Literal("api_key"), deleted: Schema.Literal(true) }).annotate({
    identifier: "DeletedApiKey"
  })
) {}
