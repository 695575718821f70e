import type { Issuer } from "../../schemas/Account.ts"
import type { Violation } from "../../schemas/ApiError.ts"
import type { CustomerRequest } from "../../schemas/Customer.ts"
import type { Identification } from "../../schemas/Party.ts"
import { violation } from "./AuthorityRules.ts"
import { checkDigit, isNit, isSandboxIdentification } from "./CheckDigit.ts"
import { municipalities } from "./Municipalities.ts"
import { countryCodes, departments, homeCountry } from "./Territories.ts"

/** The authority's rules for the two parties of a document: the same, under two names. */
interface PartyRules {
  readonly noDigit: string
  readonly wrongDigit: string
  readonly city: string
  readonly department: string
  readonly country: string
}
const acquirerRules: PartyRules = {
  noDigit: "FAK24",
  wrongDigit: "FAK25",
  city: "FAK29",
  department: "FAK32",
  country: "FAK36"
}
const issuerRules: PartyRules = {
  noDigit: "FAJ24a",
  wrongDigit: "FAJ24b",
  city: "FAJ09",
  department: "FAJ12",
  country: "FAJ16"
}

/** What is wrong with a customer. In test mode the sandbox identification passes although its check digit is not right. */
export const customerViolations = (request: CustomerRequest, mode: "test" | "live"): ReadonlyArray<Violation> => [
  ...(mode === "test" && isSandboxIdentification(request.identification)
    ? []
    : identificationViolations(request.identification, acquirerRules)),
  ...placeViolations(request, acquirerRules)
]

/** What is wrong with an issuer: as with an acquirer, and only who has a NIT and is at home may issue. */
export const issuerViolations = (issuer: Issuer): ReadonlyArray<Violation> => [
  ...(issuer.identification.type === "31"
    ? identificationViolations(issuer.identification, issuerRules)
    : [violation("identification.type", "parameter_invalid", 'type must be "31": an issuer is known by its NIT.')]),
  ...(countryCodes.has(issuer.country_code) && issuer.country_code !== homeCountry
    ? [violation("country_code", "parameter_invalid", `country_code must be "${homeCountry}".`, issuerRules.country)]
    : placeViolations(issuer, issuerRules))
]

// Foreigners' documents; those of residents have digits alone.
const typesWithLetters: ReadonlyArray<string> = ["21", "22", "41", "50"]

const identificationViolations = (identification: Identification, rules: PartyRules): ReadonlyArray<Violation> => {
  const { type, number, check_digit } = identification
  const violations: Array<Violation> = []
  if (type === "31" && !isNit(number)) {
    violations.push(
      violation(
        "identification.number",
        "parameter_invalid",
        "number of a NIT (type 31) must be 1 to 15 digits: leave out dots, hyphens and the check digit."
      )
    )
  } else if (!typesWithLetters.includes(type) && !/^\d+$/.test(number)) {
    violations.push(
      violation(
        "identification.number",
        "parameter_invalid",
        `number of an identification of type ${type} must be digits alone.`
      )
    )
  } else if (!/[0-9A-Za-z]/.test(number)) {
    violations.push(violation("identification.number", "parameter_invalid", "number must hold a digit or letter."))
  }
  const message = type === "31" ? nitFault(number, check_digit) : otherTypeFault(type, check_digit)
  if (message !== null) {
    const rule = type !== "31" ? undefined : check_digit === undefined ? rules.noDigit : rules.wrongDigit
    violations.push(violation("identification.check_digit", "invalid_check_digit", message, rule))
  }
  return violations
}

const nitFault = (number: string, given: string | undefined): string | null => {
  if (!isNit(number)) return given === undefined ? "check_digit is required for a NIT (type 31)." : null
  const expected = checkDigit(number)
  if (given === expected) return null
  return given === undefined
    ? `check_digit is required for a NIT (type 31): for the number ${number} it is "${expected}".`
    : `check_digit "${given}" does not fit the number ${number}: for this number it is "${expected}". Check both.`
}

const otherTypeFault = (type: string, given: string | undefined): string | null =>
  given === undefined ? null : `check_digit goes with a NIT (type 31) alone: leave it out for type ${type}.`

const placeViolations = (
  request: Partial<Pick<Issuer, "city_code" | "department_code" | "country_code">>,
  rules: PartyRules
): ReadonlyArray<Violation> => {
  const { city_code, department_code, country_code } = request
  if (country_code !== undefined && !countryCodes.has(country_code)) {
    return [
      violation(
        "country_code",
        "unknown_catalog_code",
        `country_code must be a country's two letters (ISO 3166), such as "CO"; "${country_code}" is none.`,
        rules.country
      )
    ]
  }
  // Abroad there are no departments; without a country the customer is taken to be at home.
  if ((country_code ?? homeCountry) !== homeCountry) return []
  const ofCity = city_code?.slice(0, 2)
  const violations: Array<Violation> = []
  if (city_code !== undefined && !municipalities.has(city_code)) {
    violations.push(
      violation(
        "city_code",
        "unknown_catalog_code",
        `city_code must be a municipality's five digits (DIVIPOLA), such as "11001"; "${city_code}" is none.`,
        rules.city
      )
    )
  }
  if (department_code !== undefined && !departments.has(department_code)) {
    violations.push(
      violation(
        "department_code",
        "unknown_catalog_code",
        `department_code must be a department's two digits, such as "11"; "${department_code}" is none.`,
        rules.department
      )
    )
  } else if (department_code !== undefined && ofCity !== undefined && department_code !== ofCity) {
    violations.push(
      violation(
        "department_code",
        "parameter_invalid",
        `department_code must be "${ofCity}", the first two digits of city_code, and is "${department_code}".`
      )
    )
  }
  return violations
}
