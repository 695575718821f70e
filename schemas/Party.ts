import { Schema, Struct } from "effect"
import { IdentificationType, OrganizationType, PartyTaxScheme, taxResponsibilities, TaxResponsibility } from "./Code.ts"
import { field } from "./Field.ts"
import { atMost, notEmpty } from "./Limits.ts"
import { text } from "./Text.ts"

/** The identification of a person or company at the authority. `check_digit` is used with type 31 (NIT) alone. */
export class Identification extends Schema.Opaque<Identification>()(
  Schema.Struct({
    type: field(IdentificationType, "The kind of identification, as a code of the catalog tipo-identificacion.", "31"),
    number: Schema.String.check(
      Schema.isPattern(/^[0-9A-Za-z-]{1,20}$/u, {
        message:
          "must be 1 to 20 digits: leave out dots, spaces and slashes, and for a NIT hyphens and the check digit (passports, civil registries and foreign companies may have letters and hyphens)"
      })
    ).annotateKey({
      description:
        "The number of the identification: digits without dots; for passports, civil registries and foreign companies letters and hyphens too. A NIT (type 31) has no zero before its first digit.",
      examples: ["900000001"]
    }),
    check_digit: Schema.optionalKey(
      Schema.String.check(Schema.isPattern(/^\d$/u, { message: "must be one digit" }))
    ).annotateKey({
      description: "The check digit of a NIT. Required for type 31, and not sent for any other type.",
      examples: ["1"]
    })
  }).annotate({
    identifier: "Identification",
    description: "The identification of a person or company at the tax authority."
  })
) {}

/** The fields an issuer and an acquirer have in common, as they stand in a document. */
export const partyFields = {
  identification: field(Identification, "The identification at the tax authority."),
  legal_name: field(text(450), "The registered name.", "Cliente de Prueba S.A.S."),
  organization_type: field(OrganizationType, "`1` for a legal entity, `2` for a natural person.", "1")
}

export const addressFields = {
  email: Schema.String.check(
    atMost(254),
    Schema.isPattern(/^[^\s@<>"(),:;[\]\\\u0000-\u001f\u007f]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/u, {
      message: "must be one e-mail address, such as facturas@example.com"
    })
  ).annotateKey({
    description: "The e-mail address. The documents of a customer are sent to it.",
    examples: ["facturas@cliente.test"]
  }),
  address: field(text(300), "The street address.", "Calle 100 # 7-33"),
  city_code: Schema.String.check(
    Schema.isPattern(/^\d{5}$/u, { message: "must be the five digits of a municipality" })
  ).annotateKey({ description: "The municipality, as the five digits of its code.", examples: ["11001"] }),
  department_code: Schema.String.check(
    Schema.isPattern(/^\d{2}$/u, { message: "must be the two digits of a department" })
  ).annotateKey({ description: "The department, as the two digits of its code.", examples: ["11"] }),
  country_code: Schema.String.check(
    Schema.isPattern(/^[A-Z]{2}$/u, { message: "must be the two capital letters of a country (ISO 3166)" })
  ).annotateKey({ description: "The country, as its two letters of ISO 3166.", examples: ["CO"] })
}

/** Tax responsibilities as codes of the authority: at least one, each once. */
export const responsibilities = Schema.Array(TaxResponsibility).check(
  notEmpty("must name at least one, such as R-99-PN"),
  atMost(taxResponsibilities.length, `must name at most ${taxResponsibilities.length} responsibilities`),
  Schema.isUnique({ message: "must name each responsibility once" })
)

/** What an issuer and an acquirer may state besides; a document leaves out what is not given. */
export const registrationFields = {
  trade_name: field(
    text(450),
    "The name under which the business is known, if it is not the legal name.",
    "La Esquina"
  ),
  phone: Schema.String.check(
    Schema.isPattern(/^(?=(?:[^0-9]*[0-9]){5})[-0-9A-Za-z+()#*.,;/ ]{5,50}$/u, {
      message: "must be a telephone number of 5 to 50 characters, such as +57 601 7427000 ext. 12"
    })
  ).annotateKey({ description: "The telephone number, as people write it.", examples: ["+57 601 7427000"] }),
  postal_code: Schema.String.check(
    Schema.isPattern(/^[0-9A-Za-z](?:[0-9A-Za-z -]{0,8}[0-9A-Za-z])?$/u, {
      message: "must be a postal code of 1 to 10 letters and digits; six digits in Colombia"
    })
  ).annotateKey({
    description: "The postal code; in Colombia six digits of the authority's list.",
    examples: ["110111"]
  }),
  tax_scheme: field(
    PartyTaxScheme,
    "The tax that the party is registered for: `01` IVA, `04` INC, `ZA` IVA and INC, `ZZ` none of these.",
    "01"
  )
}

export const optionalRegistration = Struct.map(registrationFields, Schema.optionalKey)
export const optionalParty = Struct.map(partyFields, Schema.optionalKey)
export const optionalAddress = Struct.map(addressFields, Schema.optionalKey)
