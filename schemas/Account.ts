import { Schema } from "effect"
import { TaxResponsibility } from "./Code.ts"
import { AccountId } from "./Id.ts"
import { Timestamp } from "./Money.ts"
import { addressFields, partyFields } from "./Party.ts"
import { text } from "./Text.ts"
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

/** What a client may change of its account; the issuer's data hold for documents that are numbered afterwards. */
export class AccountUpdate extends Schema.Opaque<AccountUpdate>()(
  Schema.Struct({
    name: Schema.optionalKey(text(450)),
    identification: Schema.optionalKey(partyFields.identification),
    legal_name: Schema.optionalKey(partyFields.legal_name),
    organization_type: Schema.optionalKey(partyFields.organization_type),
    email: Schema.optionalKey(addressFields.email),
    address: Schema.optionalKey(addressFields.address),
    city_code: Schema.optionalKey(addressFields.city_code),
    department_code: Schema.optionalKey(addressFields.department_code),
    country_code: Schema.optionalKey(addressFields.country_code),
    tax_responsibilities: Schema.optionalKey(
      Schema.Array(TaxResponsibility).check(
        Schema.isMinLength(1, {
          message: "must name at least one, such as R-99-PN",
          errorCode: "parameter_invalid_empty"
        }),
        Schema.isUnique({ message: "must name each responsibility once" })
      )
    ),
    default_version: Schema.optionalKey(Version)
  }).annotate({ identifier: "AccountUpdate" })
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
