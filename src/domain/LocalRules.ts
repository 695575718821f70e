import type { Violation } from "../../schemas/ApiError.ts"
import type { InvoiceRequest, PaymentMeans } from "../../schemas/Invoice.ts"
import type { Line, Tax } from "../../schemas/Line.ts"
import { violation } from "./AuthorityRules.ts"
import { currencyCodes, peso } from "./Currencies.ts"
import { cents, decimal, fits, multiply, percentage } from "./Decimal.ts"
import { totalsOf } from "./Totals.ts"
import { violationsMax } from "./Violations.ts"

/*
 * The rules of the authority that can be known before a document is sent: whoever breaks one would be rejected after a
 * number has been used. Those of its parties are in PartyRules.ts, those of a field by itself in AuthorityRules.ts. All
 * functions give every violation at once, in the order of the document: of the lines, as many as are told and some more.
 */

/** What is wrong with an invoice. `today` is the date in the authority's zone, YYYY-MM-DD. */
export const invoiceViolations = (request: InvoiceRequest, today: string): ReadonlyArray<Violation> => [
  ...currencyViolations(request),
  ...paymentViolations(request.payment_means, today),
  ...linesViolations(request.lines, request.operation_type)
]

/**
 * What is wrong with the lines of a note to an invoice of this operation type. The authority counts the rules of notes apart: those
 * of invoices are not named.
 */
export const noteViolations = (lines: ReadonlyArray<Line>, operation_type: string): ReadonlyArray<Violation> =>
  linesViolations(lines, operation_type).map(({ code, message, param }) => ({ code, message, param }))

const linesViolations = (lines: ReadonlyArray<Line>, operation_type: string): ReadonlyArray<Violation> => {
  const violations: Array<Violation> = []
  for (const [index, line] of lines.entries()) {
    if (violations.length > violationsMax) return violations
    violations.push(...lineViolations(line, `lines[${index}]`, operation_type === "09"))
  }
  return [...violations, ...totalViolations(lines)]
}

const currencyViolations = ({ currency, exchange_rate }: InvoiceRequest): ReadonlyArray<Violation> => {
  if (!currencyCodes.has(currency)) {
    const message = `currency must be "${peso}" or another code of ISO 4217: the authority knows no "${currency}".`
    return [violation("currency", "unknown_catalog_code", message, "FAD15a")]
  }
  if (currency === peso) {
    return exchange_rate === undefined
      ? []
      : [violation("exchange_rate", "parameter_conflict", `Remove exchange_rate: an invoice in ${peso} has none.`)]
  }
  if (exchange_rate === undefined) {
    const message = `exchange_rate is required with currency "${currency}": the ${peso} for one ${currency} on the issue date.`
    return [violation("exchange_rate", "parameter_missing", message, "FAR01")]
  }
  return cents(exchange_rate) === 0n
    ? [violation("exchange_rate", "parameter_invalid", 'exchange_rate must be more than "0.00".', "FAR01")]
    : []
}

const paymentViolations = (payment: PaymentMeans, today: string): ReadonlyArray<Violation> => {
  if (payment.type !== "2") return []
  if (payment.due_date === undefined) {
    return [
      violation(
        "payment_means.due_date",
        "due_date_required",
        "due_date is required for a sale on credit (type 2).",
        "FAN04"
      )
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
        `line_extension_amount must be "${decimal(amount)}": quantity ${line.quantity} × unit_price ${line.unit_price}.`,
        "FAV06"
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
    return [violation(`${path}.code`, "tax_mismatch", message, "FAS01a")]
  }
  return taxes.findIndex((tax) => tax.code === code) < index
    ? [
        violation(
          `${path}.code`,
          "tax_mismatch",
          `code "${code}" stands twice in this line: send one entry for each tax.`,
          "FAX01"
        )
      ]
    : []
}

const noTaxViolations = (tax: Tax, path: string): ReadonlyArray<Violation> =>
  (["rate", "base", "value"] as const)
    .filter((field) => cents(tax[field]) !== 0n)
    .map((field) =>
      violation(`${path}.${field}`, "tax_mismatch", `${field} must be "0.00" with code "ZZ" (no tax).`, "FAS01a")
    )

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
    violations.push(violation(`${path}.value`, "tax_mismatch", message, "FAX07"))
  }
  return violations
}

const totalViolations = (lines: ReadonlyArray<Line>): ReadonlyArray<Violation> => {
  const { payable_amount } = totalsOf(lines)
  return fits(cents(payable_amount))
    ? []
    : [violation("lines", "parameter_invalid", `The total is ${payable_amount}, ${tooLong}`)]
}
