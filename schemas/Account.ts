import { Schema } from "effect"
import { OrganizationType, taxResponsibilities, TaxResponsibility } from "./Code.ts"
import { AccountId } from "./Id.ts"
import { Timestamp } from "./Money.ts"
import { addressFields, Identification, partyFields } from "./Party.ts"
import { text } from "./Text.ts"
import { Version } from "./Version.ts"

export const KeyMode = Schema.Literals(["test", "live"])
export type KeyMode = typeof KeyMode.Type

/** The issuer, as it stands in its documents. */
export class Issuer extends Schema.Opaque<Issuer>()(
  Schema.Struct({
    ...partyFields,
    ...addressFields,
    tax_responsibilities: Schema.Array(Schema.String).annotateKey({
      description: "What the issuer answers for before the authority.",
      examples: [["R-99-PN"]]
    })
  }).annotate({ identifier: "Issuer" })
) {}

/**
 * What a client may change of its account, in the mode of its key alone; the issuer's data hold for documents that are numbered
 * afterwards.
 */
export class AccountUpdate extends Schema.Opaque<AccountUpdate>()(
  Schema.Struct({
    name: Schema.optionalKey(text(450)).annotateKey({
      description: "How the account is called.",
      examples: ["Folio Demo"]
    }),
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
        Schema.isMaxLength(taxResponsibilities.length, {
          message: `must name at most ${taxResponsibilities.length} responsibilities`,
          errorCode: "parameter_too_long"
        }),
        Schema.isUnique({ message: "must name each responsibility once" })
      )
    ).annotateKey({ description: "What the issuer answers for before the authority.", examples: [["R-99-PN"]] }),
    default_version: Schema.optionalKey(Version)
  }).annotate({
    identifier: "AccountUpdate",
    description: "What may change of an account.",
    examples: [{ name: "Folio Demo", email: "facturas@folio.test" }]
  })
) {}

const ofIssuer = <S extends Schema.Top>(field: S, description: string, example: S["Type"]) =>
  Schema.NullOr(field).annotateKey({
    description: `${description} Null in a live mode whose issuer nobody has sent yet.`,
    examples: [example]
  })

/** A business account, seen through one of its keys: the key decides `key_mode` and `authority_environment`. */
export class Account extends Schema.Opaque<Account>()(
  Schema.Struct({
    id: AccountId,
    object: Schema.Literal("account"),
    name: Schema.String.annotateKey({ description: "How the account is called.", examples: ["Folio Demo"] }),
    authority_environment: Schema.Literals(["habilitacion", "produccion"]).annotateKey({
      description: "`habilitacion` for a test key, `produccion` for a live one."
    }),
    key_mode: KeyMode,
    identification: ofIssuer(Identification, "Who the issuer is to the tax authority.", {
      type: "31",
      number: "900373115",
      check_digit: "3"
    }),
    legal_name: ofIssuer(Schema.String, "The issuer's name as registered.", "Folio Demo S.A.S."),
    organization_type: ofIssuer(OrganizationType, "1 legal entity, 2 natural person.", "1"),
    email: ofIssuer(Schema.String, "Where answers to its e-mails go.", "facturas@folio.test"),
    address: ofIssuer(Schema.String, "Street address.", "Calle 100 # 7-33"),
    city_code: ofIssuer(Schema.String, "The five digits of a municipality.", "11001"),
    department_code: ofIssuer(Schema.String, "The two digits of a department.", "11"),
    country_code: ofIssuer(Schema.String, "ISO 3166, two letters.", "CO"),
    tax_responsibilities: ofIssuer(Schema.Array(Schema.String), "What the issuer answers for before the authority.", [
      "R-99-PN"
    ]),
    default_version: Version,
    certificate: Schema.NullOr(Schema.Struct({ subject: Schema.String, not_after: Timestamp })).annotateKey({
      description: "The certificate that signs; null where there is none.",
      examples: [null]
    }),
    created_at: Timestamp
  }).annotate({ identifier: "Account", description: "A business account, seen through one of its keys." })
) {}

/** What every row belongs to: an account in one of its two modes. Nothing made in one mode is visible in the other. */
export const AccountMode = Schema.Struct({ account_id: AccountId, livemode: Schema.Boolean })
export type AccountMode = typeof AccountMode.Type
