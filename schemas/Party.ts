import { Schema } from "effect"
import { IdentificationType, OrganizationType } from "./Code.ts"
import { text } from "./Text.ts"

/** Who somebody is to the tax authority. `check_digit` goes with type 31 alone. */
export class Identification extends Schema.Opaque<Identification>()(
  Schema.Struct({
    type: IdentificationType,
    number: Schema.String.check(
      Schema.isPattern(/^[0-9A-Za-z-]{1,20}$/u, {
        message: "must be 1 to 20 digits (letters and hyphens for passports and foreign companies)"
      })
    ),
    check_digit: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^\d$/u, { message: "must be one digit" })))
  }).annotate({ identifier: "Identification" })
) {}

/** The fields an issuer and an acquirer have in common, as they stand in a document. */
export const partyFields = {
  identification: Identification,
  legal_name: text(450),
  organization_type: OrganizationType
}

export const addressFields = {
  email: Schema.String.check(
    Schema.isMaxLength(254, { message: "must be at most 254 characters long", errorCode: "parameter_too_long" }),
    Schema.isPattern(/^[^\s@<>"(),:;[\]\\\u0000-\u001f\u007f]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/u, {
      message: "must be one e-mail address, such as facturas@example.com"
    })
  ),
  address: text(300),
  city_code: Schema.String.check(
    Schema.isPattern(/^\d{5}$/u, { message: "must be the five digits of a municipality" })
  ),
  department_code: Schema.String.check(
    Schema.isPattern(/^\d{2}$/u, { message: "must be the two digits of a department" })
  ),
  country_code: Schema.String.check(
    Schema.isPattern(/^[A-Z]{2}$/u, { message: "must be the two capital letters of a country (ISO 3166)" })
  )
}
