import { Schema, Struct } from "effect"
import { OrganizationType } from "./Code.ts"
import { field } from "./Field.ts"
import { AccountId } from "./Id.ts"
import { atMost, notEmpty } from "./Limits.ts"
import { LiveState } from "./LiveSteps.ts"
import { Logo, LogoImprint } from "./Logo.ts"
import { Timestamp } from "./Money.ts"
import {
  addressFields,
  Identification,
  optionalAddress,
  optionalParty,
  partyFields,
  registrationFields,
  responsibilities
} from "./Party.ts"
import { AccountSoftware } from "./Software.ts"
import { lines, text } from "./Text.ts"
import { Version } from "./Version.ts"

export const KeyMode = Schema.Literals(["test", "live"])
export type KeyMode = typeof KeyMode.Type

export const RequestLogLevel = Schema.Literals(["off", "masked", "full"]).annotate({
  message: "must be one of off, masked, full"
})

/** The status of an account: a suspended account creates no documents, a closed account changes nothing. */
export const AccountStatus = Schema.Literals(["active", "suspended", "closed"]).annotate({
  message: "must be one of active, suspended, closed"
})
export type AccountStatus = typeof AccountStatus.Type

const activitiesMax = 10

/** The optional fields of an issuer. Documents omit a field without a value. */
const issuerFields = {
  ...registrationFields,
  vat_responsible: field(
    Schema.Boolean,
    "VAT responsibility: `true` if the issuer charges value added tax. Documents state regime 48 for `true` and 49 for `false`. Required to issue documents with a live key.",
    true
  ),
  economic_activities: field(
    Schema.Array(
      Schema.String.check(
        Schema.isPattern(/^\d{4}$/u, { message: "must be the four digits of an economic activity (CIIU)" })
      )
    ).check(
      notEmpty("must name at least one, such as 6201"),
      atMost(activitiesMax, `must name at most ${activitiesMax} activities`),
      Schema.isUnique({ message: "must name each activity once" })
    ),
    "Economic activities of the issuer as CIIU codes. The principal activity comes first.",
    ["6201"]
  ),
  merchant_registration: field(
    text(50),
    "Registration number of the issuer at the chamber of commerce (matrícula mercantil).",
    "02345678"
  ),
  payment_instructions: field(
    lines(1000),
    "Payment instructions that are printed on the documents. Free text of one or more lines.",
    "Cuenta corriente 123-456789-00 de Bancolombia\nBre-B: facturas@folio.test"
  ),
  color: Schema.String.check(
    Schema.isPattern(/^#[0-9A-Fa-f]{6}$/u, {
      message: "must be a colour as # and six hexadecimal digits, such as #1f4e79"
    })
  ).annotateKey({ description: "Colour of the printed documents, as `#rrggbb`.", examples: ["#1f4e79"] })
}

/** The data of an issuer, as the issuer's documents carry them. */
export class Issuer extends Schema.Opaque<Issuer>()(
  Schema.Struct({
    ...partyFields,
    ...addressFields,
    tax_responsibilities: Schema.Array(Schema.String),
    ...Struct.map(issuerFields, Schema.optionalKey),
    logo: Schema.optionalKey(LogoImprint)
  }).annotate({ identifier: "Issuer" })
) {}

/**
 * The fields of an account that a client may change, only in the mode of the API key. Changed issuer data apply to
 * documents that are numbered afterwards. Null removes an optional issuer field.
 */
export class AccountUpdate extends Schema.Opaque<AccountUpdate>()(
  Schema.Struct({
    name: field(Schema.optionalKey(text(450)), "Name of the account. You can choose any name.", "Folio Demo"),
    ...optionalParty,
    ...optionalAddress,
    tax_responsibilities: Schema.optionalKey(responsibilities).annotateKey({
      description: "Tax responsibilities of the issuer, as codes of the tax authority.",
      examples: [["R-99-PN"]]
    }),
    ...Struct.map(Struct.map(issuerFields, Schema.NullOr), Schema.optionalKey),
    default_version: Schema.optionalKey(Version),
    request_log: field(
      Schema.optionalKey(RequestLogLevel),
      "Level of detail of the request log in this mode, for future requests. `off`: logs nothing. `masked`: logs everything except secrets and personal data. `full`: logs everything except secrets.",
      "masked"
    )
  }).annotate({
    identifier: "AccountUpdate",
    description: "The fields of the account to change.",
    examples: [{ name: "Folio Demo", email: "facturas@folio.test" }]
  })
) {}

/** The account to create by a platform: its issuer in the mode of the platform's key, and its name. */
export class AccountRequest extends Schema.Opaque<AccountRequest>()(
  Schema.Struct({
    name: field(
      Schema.optionalKey(text(450)),
      "Name of the account. You can choose any name. By default the legal name.",
      "Folio Demo"
    ),
    ...partyFields,
    ...addressFields,
    tax_responsibilities: Schema.optionalKey(responsibilities).annotateKey({
      description: "Tax responsibilities of the issuer, as codes of the tax authority. By default `R-99-PN`.",
      examples: [["R-99-PN"]]
    }),
    ...Struct.map(issuerFields, Schema.optionalKey)
  }).annotate({
    identifier: "AccountRequest",
    description: "An account to create, with the issuer of its documents.",
    examples: [
      {
        identification: { type: "31", number: "901234567", check_digit: "7" },
        legal_name: "Ferretería El Tornillo S.A.S.",
        organization_type: "1",
        email: "facturas@tornillo.example",
        address: "Calle 13 # 8-20",
        city_code: "11001",
        department_code: "11",
        country_code: "CO"
      }
    ]
  })
) {}

/** The reason of a platform for the suspension or the closure of an account. */
export class AccountStatusRequest extends Schema.Opaque<AccountStatusRequest>()(
  Schema.Struct({
    reason: field(text(500), "Reason, in words. The account and its portal show the reason.", "Unpaid since October")
  }).annotate({ identifier: "AccountStatusRequest", description: "The reason for the change of an account's status." })
) {}

const ofIssuer = <S extends Schema.Top>(schema: S, description: string, example: S["Type"]) =>
  field(Schema.NullOr(schema), `${description} Null in live mode until you send the issuer.`, example)

/** A business account as one of its API keys sees it. The API key determines `key_mode` and `authority_environment`. */
export class Account extends Schema.Opaque<Account>()(
  Schema.Struct({
    id: AccountId,
    object: Schema.Literal("account"),
    name: field(Schema.String, "Name of the account. You can choose any name.", "Folio Demo"),
    status: field(
      AccountStatus,
      "Status of the account in both modes. `suspended`: the account cannot create customers or documents. `closed`: the account cannot change anything. Only a platform suspends and closes its accounts.",
      "active"
    ),
    status_reason: field(
      Schema.NullOr(Schema.String),
      "Reason for the suspension or the closure. Null for an active account.",
      null
    ),
    authority_environment: field(
      Schema.Literals(["habilitacion", "produccion"]),
      "Environment of the tax authority that receives the documents: `habilitacion` for a test key, `produccion` for a live key."
    ),
    key_mode: KeyMode,
    identification: ofIssuer(Identification, "Identification of the issuer at the tax authority.", {
      type: "31",
      number: "900373115",
      check_digit: "3"
    }),
    legal_name: ofIssuer(Schema.String, "Registered name of the issuer.", "Folio Demo S.A.S."),
    organization_type: ofIssuer(
      OrganizationType,
      "Type of organization: `1` for a legal entity, `2` for a natural person.",
      "1"
    ),
    email: ofIssuer(Schema.String, "Address that receives replies to the issuer's emails.", "facturas@folio.test"),
    address: ofIssuer(Schema.String, "Street address of the issuer.", "Calle 100 # 7-33"),
    city_code: ofIssuer(Schema.String, "Municipality code of the issuer: five digits.", "11001"),
    department_code: ofIssuer(Schema.String, "Department code of the issuer: two digits.", "11"),
    country_code: ofIssuer(Schema.String, "ISO 3166 country code of the issuer: two letters.", "CO"),
    tax_responsibilities: ofIssuer(
      Schema.Array(Schema.String),
      "Tax responsibilities of the issuer, as codes of the tax authority.",
      ["R-99-PN"]
    ),
    ...Struct.map(issuerFields, Schema.optionalKey),
    logo: field(Schema.optionalKey(Logo), "Logo of the issuer's printed documents. Absent if you have sent no logo."),
    default_version: Version,
    request_log: field(
      RequestLogLevel,
      "Level of detail of the request log in this mode. `off`: logs nothing. `masked`: logs everything except secrets and personal data. `full`: logs everything except secrets.",
      "masked"
    ),
    certificate: field(
      Schema.NullOr(Schema.Struct({ subject: Schema.String, not_after: Timestamp })),
      "Certificate that signs the documents of this mode. Null if the account has no certificate.",
      null
    ),
    software: field(
      Schema.NullOr(AccountSoftware),
      "Software that the account has registered with the authority. Null in test mode, and while live documents name Folio's software.",
      null
    ),
    live: field(LiveState, "Remaining steps before the account can issue live documents, the same in both modes."),
    created_at: Timestamp
  }).annotate({ identifier: "Account", description: "The business account of the API key, in the mode of that key." })
) {}

/** The owner of a row: an account in one of its two modes. Objects of one mode are not visible in the other mode. */
export const AccountMode = Schema.Struct({ account_id: AccountId, livemode: Schema.Boolean })
export type AccountMode = typeof AccountMode.Type
