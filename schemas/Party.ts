import { Schema, Struct } from "effect"
import { IdentificationType, OrganizationType, PartyTaxScheme, taxResponsibilities, TaxResponsibility } from "./Code.ts"
import { field } from "./Field.ts"
import { atMost, notEmpty } from "./Limits.ts"
import { text } from "./Text.ts"

/** The identification of a person or company at the authority. Only type 31 (NIT) has a `check_digit`. */
export class Identification extends Schema.Opaque<Identification>()(
  Schema.Struct({
    type: field(IdentificationType, "Type of identification, as a code of the catalog tipo-identificacion.", "31"),
    number: Schema.String.check(
      Schema.isPattern(/^[0-9A-Za-z-]{1,20}$/u, {
        message:
          "must be 1 to 20 digits: leave out dots, spaces and slashes, and for a NIT hyphens and the check digit (passports, civil registries and foreign companies may have letters and hyphens)"
      })
    ).annotateKey({
      description:
        "Identification number: digits without dots. Passports, civil registries and foreign companies may also have letters and hyphens. A NIT (type 31) has no leading zero.",
      examples: ["900000001"]
    }),
    check_digit: Schema.optionalKey(
      Schema.String.check(Schema.isPattern(/^\d$/u, { message: "must be one digit" }))
    ).annotateKey({
      description: "Check digit of a NIT. Required for type 31. Omit it for all other types.",
      examples: ["1"]
    })
  }).annotate({
    identifier: "Identification",
    description: "The identification of a person or company at the tax authority."
  })
) {}

/** The fields that an issuer and an acquirer share. */
export const partyFields = {
  identification: field(Identification, "Identification of the party at the tax authority."),
  legal_name: field(text(450), "Registered name of the party.", "Cliente de Prueba S.A.S."),
  organization_type: field(
    OrganizationType,
    "Type of organization: `1` for a legal entity, `2` for a natural person.",
    "1"
  )
}

export const addressFields = {
  email: Schema.String.check(
    atMost(254),
    Schema.isPattern(/^[^\s@<>"(),:;[\]\\\u0000-\u001f\u007f]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/u, {
      message: "must be one email address, such as facturas@example.com"
    })
  ).annotateKey({
    description: "Email address of the party. Folio sends the documents of a customer to this address.",
    examples: ["facturas@cliente.test"]
  }),
  address: field(text(300), "Street address of the party.", "Calle 100 # 7-33"),
  city_code: Schema.String.check(
    Schema.isPattern(/^\d{5}$/u, { message: "must be the five digits of a municipality" })
  ).annotateKey({ description: "Municipality code: five digits.", examples: ["11001"] }),
  department_code: Schema.String.check(
    Schema.isPattern(/^\d{2}$/u, { message: "must be the two digits of a department" })
  ).annotateKey({ description: "Department code: two digits.", examples: ["11"] }),
  country_code: Schema.String.check(
    Schema.isPattern(/^[A-Z]{2}$/u, { message: "must be the two capital letters of a country (ISO 3166)" })
  ).annotateKey({ description: "ISO 3166 country code: two letters.", examples: ["CO"] })
}

/** The tax responsibilities as codes of the authority: at least one, each once. */
export const responsibilities = Schema.Array(TaxResponsibility).check(
  notEmpty("must name at least one, such as R-99-PN"),
  atMost(taxResponsibilities.length, `must name at most ${taxResponsibilities.length} responsibilities`),
  Schema.isUnique({ message: "must name each responsibility once" })
)

/** The optional fields that an issuer and an acquirer share. Documents omit a field without a value. */
export const registrationFields = {
  trade_name: field(text(450), "Trade name of the business, if it differs from the legal name.", "La Esquina"),
  phone: Schema.String.check(
    Schema.isPattern(/^(?=(?:[^0-9]*[0-9]){5})[-0-9A-Za-z+()#*.,;/ ]{5,50}$/u, {
      message: "must be a telephone number of 5 to 50 characters, such as +57 601 7427000 ext. 12"
    })
  ).annotateKey({ description: "Telephone number, in any common notation.", examples: ["+57 601 7427000"] }),
  postal_code: Schema.String.check(
    Schema.isPattern(/^[0-9A-Za-z](?:[0-9A-Za-z -]{0,8}[0-9A-Za-z])?$/u, {
      message: "must be a postal code of 1 to 10 letters and digits; six digits in Colombia"
    })
  ).annotateKey({
    description: "Postal code. In Colombia, six digits from the authority's list.",
    examples: ["110111"]
  }),
  tax_scheme: field(
    PartyTaxScheme,
    "Tax for which the party is registered: `01` IVA, `04` INC, `ZA` IVA and INC, `ZZ` none of these.",
    "01"
  )
}

export const optionalRegistration = Struct.map(registrationFields, Schema.optionalKey)
export const optionalParty = Struct.map(partyFields, Schema.optionalKey)
export const optionalAddress = Struct.map(addressFields, Schema.optionalKey)
