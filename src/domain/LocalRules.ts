import type { Violation } from "../../schemas/ApiError.ts"
import type { Issuer } from "../../schemas/Account.ts"
import type { CustomerRequest } from "../../schemas/Customer.ts"
import type { InvoiceRequest, PaymentMeans } from "../../schemas/Invoice.ts"
import type { Line, Tax } from "../../schemas/Line.ts"
import type { Identification } from "../../schemas/Party.ts"
import { checkDigit, isNit, isSandboxIdentification } from "./CheckDigit.ts"
import { currencyCodes, issuedCurrency } from "./Currencies.ts"
import { cents, decimal, fits, multiply, percentage } from "./Decimal.ts"
import { countryCodes, departmentCodes, homeCountry } from "./Territories.ts"
import { totalsOf } from "./Totals.ts"

/*
 * The rules of the authority that can be known before a document is sent: whoever breaks one would be rejected after a
 * number has been used. All functions give every violation at once, in the order of the document.
 */

const violation = (param: string, code: Violation["code"], message: string): Violation => ({ param, code, message })

/** What is wrong with a customer. In test mode the sandbox identification passes although its check digit is not right. */
export const customerViolations = (request: CustomerRequest, mode: "test" | "live"): ReadonlyArray<Violation> => [
  ...(mode === "test" && isSandboxIdentification(request.identification)
    ? []
    : identificationViolations(request.identification)),
  ...placeViolations(request)
]

/** What is wrong with an issuer: as with an acquirer, and only who has a NIT may issue. */
export const issuerViolations = (issuer: Issuer): ReadonlyArray<Violation> => [
  ...(issuer.identification.type === "31"
    ? identificationViolations(issuer.identification)
    : [violation("identification.type", "parameter_invalid", 'type must be "31": an issuer is known by its NIT.')]),
  ...placeViolations(issuer)
]

// Foreigners' documents; those of residents have digits alone.
const typesWithLetters: ReadonlyArray<string> = ["21", "22", "41", "50"]

const identificationViolations = (identification: Identification): ReadonlyArray<Violation> => {
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
  if (message !== null) violations.push(violation("identification.check_digit", "invalid_check_digit", message))
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
  request: Partial<Pick<Issuer, "city_code" | "department_code" | "country_code">>
): ReadonlyArray<Violation> => {
  const { city_code, department_code, country_code } = request
  if (country_code !== undefined && !countryCodes.has(country_code)) {
    return [
      violation(
        "country_code",
        "unknown_catalog_code",
        `country_code must be a country's two letters (ISO 3166), such as "CO"; "${country_code}" is none.`
      )
    ]
  }
  // Abroad there are no departments; without a country the customer is taken to be at home.
  if ((country_code ?? homeCountry) !== homeCountry) return []
  const ofCity = city_code?.slice(0, 2)
  const violations: Array<Violation> = []
  if (ofCity !== undefined && !departmentCodes.has(ofCity)) {
    violations.push(
      violation(
        "city_code",
        "unknown_catalog_code",
        `city_code must start with a department's two digits, such as "11"; "${ofCity}" is none.`
      )
    )
  }
  if (department_code !== undefined && !departmentCodes.has(department_code)) {
    violations.push(
      violation(
        "department_code",
        "unknown_catalog_code",
        `department_code must be a department's two digits, such as "11"; "${department_code}" is none.`
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

/** What is wrong with an invoice. `today` is the date in the authority's zone, YYYY-MM-DD. */
export const invoiceViolations = (request: InvoiceRequest, today: string): ReadonlyArray<Violation> => [
  ...currencyViolations(request.currency),
  ...paymentViolations(request.payment_means, today),
  ...request.lines.flatMap((line, index) => lineViolations(line, `lines[${index}]`, request.operation_type === "09")),
  ...totalViolations(request.lines)
]

const currencyViolations = (currency: string): ReadonlyArray<Violation> => {
  if (currency === issuedCurrency) return []
  const must = `currency must be "${issuedCurrency}":`
  return currencyCodes.has(currency)
    ? [violation("currency", "parameter_invalid", `${must} another needs an exchange rate, which cannot be given yet.`)]
    : [violation("currency", "unknown_catalog_code", `${must} the authority knows no currency "${currency}".`)]
}

const paymentViolations = (payment: PaymentMeans, today: string): ReadonlyArray<Violation> => {
  if (payment.type !== "2") return []
  if (payment.due_date === undefined) {
    return [
      violation("payment_means.due_date", "due_date_required", "due_date is required for a sale on credit (type 2).")
    ]
  }
  return payment.due_date < today
    ? [violation("payment_means.due_date", "parameter_invalid", `due_date must be ${today} (today) or later.`)]
    : []
}

/*
 * Amounts are exact to the cent, without tolerance. The authority's own tolerance is for sums; a line's amount goes into
 * the hashed code and the totals as it stands, and half-even on two decimals is a computation that every client can do.
 * Each figure is judged against the right ones before it, not against those sent: only the wrong figures are named, and a
 * client that corrects all that it is told passes at its next try.
 */
const lineViolations = (line: Line, path: string, isAiu: boolean): ReadonlyArray<Violation> => {
  const quantity = cents(line.quantity)
  const amount = multiply(quantity, cents(line.unit_price))
  const violations: Array<Violation> = []
  if (quantity === 0n) {
    violations.push(violation(`${path}.quantity`, "parameter_invalid", 'quantity must be at least "0.01".'))
  } else if (!fits(amount)) {
    violations.push(
      violation(
        `${path}.line_extension_amount`,
        "parameter_invalid",
        `quantity × unit_price is ${decimal(amount)}, ${tooLong}`
      )
    )
  } else if (cents(line.line_extension_amount) !== amount) {
    violations.push(
      violation(
        `${path}.line_extension_amount`,
        "amount_mismatch",
        `line_extension_amount must be "${decimal(amount)}": quantity ${line.quantity} × unit_price ${line.unit_price}.`
      )
    )
  }
  const isKnown = quantity !== 0n && fits(amount)
  for (const [index, tax] of line.taxes.entries()) {
    const taxPath = `${path}.taxes[${index}]`
    violations.push(...taxCodeViolations(line.taxes, index, taxPath))
    if (tax.code === "ZZ") violations.push(...noTaxViolations(tax, taxPath))
    else if (isKnown) violations.push(...taxAmountViolations(tax, amount, taxPath, isAiu))
  }
  return violations
}

const tooLong = "more than the 15 digits before the point that an amount may have: split it."

const taxCodeViolations = (taxes: ReadonlyArray<Tax>, index: number, path: string): ReadonlyArray<Violation> => {
  const code = taxes[index]?.code
  if (code === "ZZ" && taxes.length > 1) {
    const message = 'code "ZZ" says that the line has no tax: remove this entry, or all others.'
    return [violation(`${path}.code`, "tax_mismatch", message)]
  }
  return taxes.findIndex((tax) => tax.code === code) < index
    ? [
        violation(
          `${path}.code`,
          "tax_mismatch",
          `code "${code}" stands twice in this line: send one entry for each tax.`
        )
      ]
    : []
}

const noTaxViolations = (tax: Tax, path: string): ReadonlyArray<Violation> =>
  (["rate", "base", "value"] as const)
    .filter((field) => cents(tax[field]) !== 0n)
    .map((field) => violation(`${path}.${field}`, "tax_mismatch", `${field} must be "0.00" with code "ZZ" (no tax).`))

const taxAmountViolations = (tax: Tax, amount: bigint, path: string, isAiu: boolean): ReadonlyArray<Violation> => {
  const given = cents(tax.base)
  // Of a contract with administration, contingency and profit (AIU) only a part is taxed, which the client decides.
  const base = isAiu && given < amount ? given : amount
  const value = percentage(base, cents(tax.rate))
  const violations: Array<Violation> = []
  if (given !== base) {
    const message = isAiu
      ? `base must be at most "${decimal(base)}", the amount of the line.`
      : `base must be "${decimal(base)}", the amount of the line.`
    violations.push(violation(`${path}.base`, "tax_mismatch", message))
  }
  if (!fits(value)) {
    violations.push(
      violation(`${path}.value`, "parameter_invalid", `base × rate / 100 is ${decimal(value)}, ${tooLong}`)
    )
  } else if (cents(tax.value) !== value) {
    const message = `value must be "${decimal(value)}": base ${decimal(base)} × rate ${tax.rate} / 100.`
    violations.push(violation(`${path}.value`, "tax_mismatch", message))
  }
  return violations
}

const totalViolations = (lines: ReadonlyArray<Line>): ReadonlyArray<Violation> => {
  const { payable_amount } = totalsOf(lines)
  return fits(cents(payable_amount))
    ? []
    : [violation("lines", "parameter_invalid", `The invoice's total is ${payable_amount}, ${tooLong}`)]
}
