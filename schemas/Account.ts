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

const activitiesMax = 10

/** What an issuer may state besides; what is not given is neither written nor printed. */
const issuerFields = {
  ...registrationFields,
  vat_responsible: field(
    Schema.Boolean,
    "Whether the issuer charges the value added tax: documents state the regime 48 for `true`, and 49 for `false`. Without it nothing is issued with a live key.",
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
    "The economic activities of the issuer, as codes of the CIIU, the principal one first.",
    ["6201"]
  ),
  merchant_registration: field(
    text(50),
    "The number of the issuer's registration at the chamber of commerce (matrícula mercantil).",
    "02345678"
  ),
  payment_instructions: field(
    lines(1000),
    "How to pay, printed on the documents: free text of one or more lines.",
    "Cuenta corriente 123-456789-00 de Bancolombia\nBre-B: facturas@folio.test"
  ),
  color: Schema.String.check(
    Schema.isPattern(/^#[0-9A-Fa-f]{6}$/u, {
      message: "must be a colour as # and six hexadecimal digits, such as #1f4e79"
    })
  ).annotateKey({ description: "The colour of the printed documents, as `#rrggbb`.", examples: ["#1f4e79"] })
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
 * The fields of an account that a client may change, only in the mode of the API key. Changed issuer data apply to documents
 * that are numbered afterwards. Null removes a field that an issuer need not have.
 */
export class AccountUpdate extends Schema.Opaque<AccountUpdate>()(
  Schema.Struct({
    name: field(Schema.optionalKey(text(450)), "The name of the account, of your own choice.", "Folio Demo"),
    ...optionalParty,
    ...optionalAddress,
    tax_responsibilities: Schema.optionalKey(responsibilities).annotateKey({
      description: "The tax responsibilities of the issuer, as codes of the tax authority.",
      examples: [["R-99-PN"]]
    }),
    ...Struct.map(Struct.map(issuerFields, Schema.NullOr), Schema.optionalKey),
    default_version: Schema.optionalKey(Version),
    request_log: field(
      Schema.optionalKey(RequestLogLevel),
      "How much the request log keeps of the requests of this mode from now on. `off`: nothing. `masked`: all but secrets and personal data. `full`: all but secrets.",
      "masked"
    )
  }).annotate({
    identifier: "AccountUpdate",
    description: "The fields of the account to change.",
    examples: [{ name: "Folio Demo", email: "facturas@folio.test" }]
  })
) {}

const ofIssuer = <S extends Schema.Top>(schema: S, description: string, example: S["Type"]) =>
  field(Schema.NullOr(schema), `${description} Null in a live mode whose issuer nobody has sent yet.`, example)

/** A business account as seen with one of its API keys. The API key decides `key_mode` and `authority_environment`. */
export class Account extends Schema.Opaque<Account>()(
  Schema.Struct({
    id: AccountId,
    object: Schema.Literal("account"),
    name: field(Schema.String, "The name of the account, of your own choice.", "Folio Demo"),
    authority_environment: field(
      Schema.Literals(["habilitacion", "produccion"]),
      "The environment of the tax authority that the key's documents go to: `habilitacion` for a test key, `produccion` for a live key."
    ),
    key_mode: KeyMode,
    identification: ofIssuer(Identification, "The identification of the issuer at the tax authority.", {
      type: "31",
      number: "900373115",
      check_digit: "3"
    }),
    legal_name: ofIssuer(Schema.String, "The registered name of the issuer.", "Folio Demo S.A.S."),
    organization_type: ofIssuer(OrganizationType, "`1` for a legal entity, `2` for a natural person.", "1"),
    email: ofIssuer(Schema.String, "The address that answers to the issuer's e-mails reach.", "facturas@folio.test"),
    address: ofIssuer(Schema.String, "The street address.", "Calle 100 # 7-33"),
    city_code: ofIssuer(Schema.String, "The municipality, as the five digits of its code.", "11001"),
    department_code: ofIssuer(Schema.String, "The department, as the two digits of its code.", "11"),
    country_code: ofIssuer(Schema.String, "The country, as its two letters of ISO 3166.", "CO"),
    tax_responsibilities: ofIssuer(
      Schema.Array(Schema.String),
      "The tax responsibilities of the issuer, as codes of the tax authority.",
      ["R-99-PN"]
    ),
    ...Struct.map(issuerFields, Schema.optionalKey),
    logo: field(Schema.optionalKey(Logo), "The logo of the issuer's printed documents; left out where there is none."),
    default_version: Version,
    request_log: field(
      RequestLogLevel,
      "How much the request log keeps of the requests of this mode. `off`: nothing. `masked`: all but secrets and personal data. `full`: all but secrets.",
      "masked"
    ),
    certificate: field(
      Schema.NullOr(Schema.Struct({ subject: Schema.String, not_after: Timestamp })),
      "The certificate that signs the documents of this mode; null when there is none.",
      null
    ),
    software: field(
      Schema.NullOr(AccountSoftware),
      "The software that the account has registered with the authority; null when live documents name that of the service, and in test mode.",
      null
    ),
    live: field(LiveState, "What is left to do before live documents can be issued: the same for both modes."),
    created_at: Timestamp
  }).annotate({ identifier: "Account", description: "The business account of the API key, in the mode of that key." })
) {}

/** The owner of a row: an account in one of its two modes. Objects made in one mode are not visible in the other mode. */
export const AccountMode = Schema.Struct({ account_id: AccountId, livemode: Schema.Boolean })
export type AccountMode = typeof AccountMode.Type
