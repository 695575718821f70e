import { Schema } from "effect"
import { IdentificationType, OrganizationType } from "./Code.ts"
import { text } from "./Text.ts"

/** Who somebody is to the tax authority. `check_digit` goes with type 31 alone. */
export class Identification extends Schema.Opaque<Identification>()(
  Schema.Struct({
    type: IdentificationType.annotateKey({ description: "Code of the catalog tipo-identificacion.", examples: ["31"] }),
    number: Schema.String.check(
      Schema.isPattern(/^[0-9A-Za-z-]{1,20}$/u, {
        message: "must be 1 to 20 digits (letters and hyphens for passports and foreign companies)"
      })
    ).annotateKey({
      description: "Digits; letters and hyphens too for passports and foreign companies.",
      examples: ["900000001"]
    }),
    check_digit: Schema.optionalKey(
      Schema.String.check(Schema.isPattern(/^\d$/u, { message: "must be one digit" }))
    ).annotateKey({ description: "Goes with type 31 alone.", examples: ["1"] })
  }).annotate({ identifier: "Identification", description: "Who somebody is to the tax authority." })
) {}

/** The fields an issuer and an acquirer have in common, as they stand in a document. */
export const partyFields = {
  identification: Identification.annotateKey({ description: "Who they are to the tax authority." }),
  legal_name: text(450).annotateKey({ description: "The name as registered.", examples: ["Cliente de Prueba S.A.S."] }),
  organization_type: OrganizationType.annotateKey({ description: "1 legal entity, 2 natural person.", examples: ["1"] })
}

export const addressFields = {
  email: Schema.String.check(
    Schema.isMaxLength(254, { message: "must be at most 254 characters long", errorCode: "parameter_too_long" }),
    Schema.isPattern(/^[^\s@<>"(),:;[\]\\\u0000-\u001f\u007f]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/u, {
      message: "must be one e-mail address, such as facturas@example.com"
    })
  ).annotateKey({ description: "Where documents are sent.", examples: ["facturas@cliente.test"] }),
  address: text(300).annotateKey({ description: "Street address.", examples: ["Calle 100 # 7-33"] }),
  city_code: Schema.String.check(
    Schema.isPattern(/^\d{5}$/u, { message: "must be the five digits of a municipality" })
  ).annotateKey({ description: "The five digits of a municipality.", examples: ["11001"] }),
  department_code: Schema.String.check(
    Schema.isPattern(/^\d{2}$/u, { message: "must be the two digits of a department" })
  ).annotateKey({ description: "The two digits of a department.", examples: ["11"] }),
  country_code: Schema.String.check(
    Schema.isPattern(/^[A-Z]{2}$/u, { message: "must be the two capital letters of a country (ISO 3166)" })
  ).annotateKey({ description: "ISO 3166, two letters.", examples: ["CO"] })
}
