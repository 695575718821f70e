import { Schema } from "effect"
import { field } from "./Field.ts"
import { ApiKeyId } from "./Id.ts"
import { atMost, notEmpty, wholeNumber } from "./Limits.ts"
import { Instant, Timestamp } from "./Money.ts"
import { Network } from "./Network.ts"
import { Capability, someOf } from "./PortalSession.ts"
import { text } from "./Text.ts"

const expiresInMax = 7 * 86_400
const allowedIpsMax = 50

const capabilities = [...Capability.literals, "create", "read"] as const

/**
 * A capability of an API key: those of portal sessions, `create` for creations alone, and `read`, another name of
 * `view`.
 */
export const KeyCapability = Schema.Literals(capabilities).annotate({
  message: `must be one of ${capabilities.join(", ")}`
})
export type KeyCapability = typeof KeyCapability.Type

/** The capabilities that another one includes. */
const included: Partial<Record<KeyCapability, KeyCapability>> = { documents: "create", read: "view", view: "read" }

/** Whether a session or a key with the capability `held` may do what `capability` allows. */
export const includes = (held: KeyCapability, capability: KeyCapability): boolean =>
  held === capability || included[held] === capability

const AllowedIps = Schema.Array(Network).check(
  notEmpty("must name at least one address or network. Omit the field for any address"),
  atMost(allowedIpsMax, `must name at most ${allowedIpsMax} addresses and networks`)
)

const capabilitiesExample = ["create", "read"] as const
const allowedIpsExample = ["203.0.113.7", "2001:db8::/32"]

export class ApiKeyRequest extends Schema.Opaque<ApiKeyRequest>()(
  Schema.Struct({
    name: field(Schema.optionalKey(text(100)), "Name of the key. You can choose any name.", "The shop"),
    capabilities: field(
      Schema.optionalKey(someOf(KeyCapability)),
      "Capabilities of the key, by default those of the key or session that makes the request. `read` and `view`: read everything. `create`: create and validate customers and documents, and replace customers by PUT. `documents`: all changes of customers and documents, including `create`. `keys`: create, roll and revoke API keys, and create and end portal sessions. `deliver`, `endpoints` and `setup`: as for portal sessions. The capabilities of a platform's key also apply in each of its accounts.",
      capabilitiesExample
    ),
    allowed_ips: field(
      Schema.optionalKey(AllowedIps),
      "IPv4 and IPv6 addresses and networks from which the key works, at most 50. By default those of the key that makes the request. Portal sessions that the key creates work from any address.",
      allowedIpsExample
    ),
    expires_at: field(
      Schema.optionalKey(Instant),
      "Time at which the key stops working, in the future. By default the key expires together with the key that makes the request."
    )
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
      Schema.NullOr(Schema.Array(KeyCapability)),
      "Capabilities of the key. Null for a key with all capabilities.",
      null
    ),
    allowed_ips: field(
      Schema.NullOr(Schema.Array(Schema.String)),
      "Addresses and networks from which the key works. Null for any address.",
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
