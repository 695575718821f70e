import type { Issuer } from "../../../../schemas/Account.ts"
import type { Violation } from "../../../../schemas/ApiError.ts"
import type { Acquirer } from "../../../../schemas/Customer.ts"
import type { Identification } from "../../../../schemas/Party.ts"
import { findingsOf } from "../../../runtime/json/Unreadable.ts"
import { violation } from "../AuthorityRules.ts"
import type { AuthorityRule } from "../Grounds.ts"
import { checkDigit, isNit, isSandboxIdentification, sandboxIdentification } from "./CheckDigit.ts"
import { countryCodes, departments, homeCountry, municipalities, postalCodes } from "./Territories.ts"

type Place = Partial<Pick<Issuer, "city_code" | "department_code" | "country_code" | "postal_code">>

/** The authority's codes for the rules of one party, if the authority has these rules. */
type PartyRules = Readonly<Partial<Record<"noDigit" | "wrongDigit" | keyof Place, AuthorityRule>>>

// The issuer and the acquirer have the same rules under different codes.
const acquirerRules: PartyRules = {
  noDigit: "FAK24",
  wrongDigit: "FAK25",
  city_code: "FAK29",
  department_code: "FAK32",
  country_code: "FAK36"
}
const issuerRules: PartyRules = {
  noDigit: "FAJ24a",
  wrongDigit: "FAJ24b",
  city_code: "FAJ09",
  department_code: "FAJ12",
  country_code: "FAJ16",
  postal_code: "FAJ73"
}

/** The violations of a customer. In test mode the sandbox identification passes although its check digit is wrong. */
export const customerViolations = (request: Acquirer, mode: "test" | "live"): ReadonlyArray<Violation> => [
  ...findingsOf<Violation>([
    () =>
      mode === "test" && isSandboxIdentification(request.identification)
        ? []
        : identificationViolations(
            request.identification,
            "identification",
            acquirerRules,
            mode === "test" ? sandboxDigit : checkDigit
          ),
    () => placeViolations(request, "", acquirerRules)
  ])
]

/**
 * The violations of an issuer: the rules of an acquirer apply, and an issuer must have a NIT and be in the home
 * country.
 */
export const issuerViolations = (issuer: Issuer): ReadonlyArray<Violation> => [
  ...(issuer.identification.type === "31"
    ? identificationViolations(issuer.identification, "identification", issuerRules)
    : [
        violation(
          "identification.type",
          "parameter_invalid",
          'type must be "31": an issuer is known by its NIT.',
          "issuer"
        )
      ]),
  ...(countryCodes.has(issuer.country_code) && issuer.country_code !== homeCountry
    ? [
        violation(
          "country_code",
          "parameter_invalid",
          `country_code must be "${homeCountry}".`,
          issuerRules.country_code ?? "issuer"
        )
      ]
    : placeViolations(issuer, "", issuerRules))
]

/**
 * The missing requirements of an issuer for live documents. The issuer must state whether it charges the value added
 * tax: Folio never guesses.
 */
export const lacksOfIssuer = ({ vat_responsible }: Issuer): ReadonlyArray<string> =>
  vat_responsible === undefined
    ? ["the account does not state whether it charges the value added tax (send vat_responsible to PATCH /v1/account)"]
    : []

// The identification types whose numbers may have letters: those of foreigners, and civil registry (11) and NUIP (91),
// because of older numbers. The numbers of all other types have only digits.
const typesWithLetters: ReadonlyArray<string> = ["11", "21", "22", "41", "42", "50", "91"]

/** The check digit that an error shows: the computed digit, except for the test identification of the sandbox. */
const sandboxDigit = (number: string): string =>
  number === sandboxIdentification.number ? sandboxIdentification.check_digit : checkDigit(number)

/** The violations of an identification at `path`. `expectedDigit`: the check digit that an error shows. */
export const identificationViolations = (
  identification: Identification,
  path: string,
  rules: PartyRules = {},
  expectedDigit: (number: string) => string = checkDigit
): ReadonlyArray<Violation> => {
  const ofNumber = ({ number, type }: Identification) => {
    const fault = numberFault(type, number)
    return fault === null ? [] : [violation(`${path}.number`, "parameter_invalid", fault, "identification_number")]
  }
  const ofDigit = ({ check_digit, number, type }: Identification) => {
    const fault = type === "31" ? nitFault(number, check_digit, expectedDigit) : otherTypeFault(type, check_digit)
    const nitRule = check_digit === undefined ? rules.noDigit : rules.wrongDigit
    const source = (type === "31" ? nitRule : undefined) ?? "check_digit"
    return fault === null ? [] : [violation(`${path}.check_digit`, "invalid_check_digit", fault, source)]
  }
  return [...findingsOf<Violation>([() => ofNumber(identification), () => ofDigit(identification)])]
}

const numberFault = (type: string, number: string): string | null => {
  if (type === "31" && !isNit(number)) {
    return "number of a NIT (type 31) must be 1 to 15 digits: leave out dots, hyphens and the check digit."
  }
  if (type === "31" && number.startsWith("0")) {
    return "number of a NIT (type 31) must not begin with zero: leave out the zeros before its first digit."
  }
  if (!typesWithLetters.includes(type) && !/^\d+$/.test(number)) {
    return `number of an identification of type ${type} must be digits alone.`
  }
  return /[0-9A-Za-z]/.test(number) ? null : "number must hold a digit or letter."
}

const nitFault = (
  number: string,
  given: string | undefined,
  expectedDigit: (number: string) => string
): string | null => {
  if (!isNit(number)) return given === undefined ? "check_digit is required for a NIT (type 31)." : null
  if (given === checkDigit(number)) return null
  const expected = expectedDigit(number)
  return given === undefined
    ? `check_digit is required for a NIT (type 31): for the number ${number} it is "${expected}".`
    : `check_digit "${given}" does not fit the number ${number}: for this number it is "${expected}". Check both.`
}

const otherTypeFault = (type: string, given: string | undefined): string | null =>
  given === undefined ? null : `check_digit goes with a NIT (type 31) alone: omit it for type ${type}.`

const codes = {
  country_code: { list: countryCodes, form: `a country's two letters (ISO 3166), such as "CO"` },
  city_code: { list: municipalities, form: `a municipality's five digits (DIVIPOLA), such as "11001"` },
  department_code: { list: departments, form: `a department's two digits, such as "11"` },
  postal_code: { list: postalCodes, form: `a postal code of the authority's list, six digits such as "110111"` }
}

/** The violations of the address of a party or a delivery. `path`: the path of the address, with a dot at its end. */
export const placeViolations = (place: Place, path: string, rules: PartyRules = {}): ReadonlyArray<Violation> => {
  const unknownCode = (name: keyof Place): ReadonlyArray<Violation> => {
    const { form, list } = codes[name]
    const given = place[name]
    if (given === undefined || list.has(given)) return []
    const message = `${name} must be ${form}; "${given}" is none.`
    return [violation(`${path}${name}`, "unknown_catalog_code", message, rules[name] ?? "catalog")]
  }
  const { country_code = homeCountry } = place
  // Only the home country has departments and municipalities. An address without a country counts as one in the home
  // country.
  if (country_code !== homeCountry) return unknownCode("country_code")
  // The department is checked against the city only if the city exists.
  const ofBoth = (): ReadonlyArray<Violation> => {
    const { city_code, department_code } = place
    if (city_code === undefined || department_code === undefined || city_code.slice(0, 2) === department_code) return []
    if (!municipalities.has(city_code) || !departments.has(department_code)) return []
    const message = `department_code must be "${city_code.slice(0, 2)}", the first two digits of city_code, and is "${department_code}".`
    return [violation(`${path}department_code`, "parameter_invalid", message, "city_of_department")]
  }
  return [
    ...findingsOf<Violation>([
      () => unknownCode("city_code"),
      () => unknownCode("department_code"),
      ofBoth,
      () => unknownCode("postal_code")
    ])
  ]
}
