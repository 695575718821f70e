import { Schema } from "effect"
import { AccountId } from "./Id.ts"
import { Timestamp } from "./Money.ts"
import { addressFields, partyFields } from "./Party.ts"
import { Version } from "./Version.ts"

export const KeyMode = Schema.Literals(["test", "live"])
export type KeyMode = typeof KeyMode.Type

/** The issuer, as it stands in its documents. */
export class Issuer extends Schema.Opaque<Issuer>()(
  Schema.Struct({
    ...partyFields,
    ...addressFields,
    tax_responsibilities: Schema.Array(Schema.String)
  }).annotate({ identifier: "Issuer" })
) {}

/** A business account, seen through one of its keys: the key decides `key_mode` and `authority_environment`. */
export class Account extends Schema.Opaque<Account>()(
  Schema.Struct({
    id: AccountId,
    object: Schema.Literal("account"),
    name: Schema.String,
    authority_environment: Schema.Literals(["habilitacion", "produccion"]),
    key_mode: KeyMode,
    ...Issuer.fields,
    default_version: Version,
    certificate: Schema.NullOr(Schema.Struct({ subject: Schema.String, not_after: Timestamp })),
    created_at: Timestamp
  }).annotate({ identifier: "Account" })
) {}

/** What every row belongs to: an account in one of its two modes. Nothing made in one mode is visible in the other. */
export const AccountMode = Schema.Struct({ account_id: AccountId, livemode: Schema.Boolean })
export type AccountMode = typeof AccountMode.Type
