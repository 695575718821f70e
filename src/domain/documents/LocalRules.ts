import type { Violation } from "../../../schemas/ApiError.ts"
import type { InvoiceRequest, PaymentMeans } from "../../../schemas/Invoice.ts"
import type { Line, Tax } from "../../../schemas/Line.ts"
import { violation } from "./AuthorityRules.ts"
import { currencyCodes, peso } from "./Currencies.ts"
import { cents, decimal, fits, multiply, percentage } from "./Decimal.ts"
import { totalsOf } from "./Totals.ts"
import { violationsMax } from "../requests/Violations.ts"

/*
 * The authority's rules that can be checked before a document is sent. A document that breaks such a rule would be rejected
 * after a number has been used. The rules of the parties are in PartyRules.ts, those of a single field in AuthorityRules.ts.
 * Each function returns all violations at once, in the order of the document; the check of the lines stops after the line that
 * brings the violations above `violationsMax`.
 */

/** The violations of an invoice. `today` is the date in the authority's zone, YYYY-MM-DD. */
export const invoiceViolations = (request: InvoiceRequest, today: string): ReadonlyArray<Violation> => [
  ...currencyViolations(request),
  ...paymentViolations(request.payment_means, today),
  ...linesViolations(request.lines, request.operation_type)
]

/**
 * The violations of the lines of a note that corrects an invoice of this operation type, without the rules of invoices: the
 * authority numbers the rules of notes separately.
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
  const param = "payment_means.due_date"
  if (payment.due_date === undefined) {
    return [violation(param, "due_date_required", "due_date is required for a sale on credit (type 2).", "FAN04")]
  }
  return payment.due_date < today
    ? [violation(param, "parameter_invalid", `due_date must be ${today} (today) or later.`)]
    : []
}

/*
 * Amounts are exact to the cent, without tolerance. The authority's own tolerance applies to sums; a line's amount goes into
 * the hashed code and the totals unchanged, and every client can compute half-even rounding on two decimals. Each figure is
 * compared with the value computed from the correct preceding figures, not from the figures in the request: only the wrong
 * figures are named, and a client that corrects all named figures passes at the next attempt.
 */
function* lineViolations(line: Line, path: string, isAiu: boolean): Generator<Violation, void> {
  const quantity = cents(line.quantity)
  const amount = multiply(quantity, cents(line.unit_price))
  const isKnown = quantity !== 0n && fits(amount)
  const param = `${path}.line_extension_amount`
  if (quantity === 0n) {
    yield violation(`${path}.quantity`, "parameter_invalid", 'quantity must be at least "0.01".')
  } else if (!isKnown) {
    yield violation(param, "parameter_invalid", `quantity × unit_price is ${decimal(amount)}, ${tooLong}`)
  } else if (cents(line.line_extension_amount) !== amount) {
    const message = `line_extension_amount must be "${decimal(amount)}": quantity ${line.quantity} × unit_price ${line.unit_price}.`
    yield violation(param, "amount_mismatch", message, "FAV06")
  }
  for (const [index, tax] of line.taxes.entries()) {
    const taxPath = `${path}.taxes[${index}]`
    yield* taxCodeViolations(line.taxes, index, taxPath)
    if (tax.code === "ZZ") yield* noTaxViolations(tax, taxPath)
    else if (isKnown) yield* taxAmountViolations(tax, amount, taxPath, isAiu)
  }
}

const tooLong = "more than the 15 digits before the point that an amount may have: split it."

const taxCodeViolations = (taxes: ReadonlyArray<Tax>, index: number, path: string): ReadonlyArray<Violation> => {
  const code = taxes[index]?.code
  if (code === "ZZ" && taxes.length > 1) {
    const message = 'code "ZZ" says that the line has no tax: remove this entry, or all others.'
    return [violation(`${path}.code`, "tax_mismatch", message, "FAS01a")]
  }
  if (taxes.findIndex((tax) => tax.code === code) === index) return []
  const message = `code "${code}" stands twice in this line: send one entry for each tax.`
  return [violation(`${path}.code`, "tax_mismatch", message, "FAX01")]
}

const noTaxViolations = (tax: Tax, path: string): ReadonlyArray<Violation> =>
  (["rate", "base", "value"] as const)
    .filter((field) => cents(tax[field]) !== 0n)
    .map((field) =>
      violation(`${path}.${field}`, "tax_mismatch", `${field} must be "0.00" with code "ZZ" (no tax).`, "FAS01a")
    )

function* taxAmountViolations(tax: Tax, amount: bigint, path: string, isAiu: boolean): Generator<Violation, void> {
  const given = cents(tax.base)
  // Only a part of a contract with administration, contingency and profit (AIU) is taxed, and the client decides on that part.
  const base = isAiu && given < amount ? given : amount
  const value = percentage(base, cents(tax.rate))
  if (given !== base) {
    const message = `base must be ${isAiu ? "at most " : ""}"${decimal(base)}", the amount of the line.`
    yield violation(`${path}.base`, "tax_mismatch", message)
  }
  if (!fits(value)) {
    yield violation(`${path}.value`, "parameter_invalid", `base × rate / 100 is ${decimal(value)}, ${tooLong}`)
  } else if (cents(tax.value) !== value) {
    const message = `value must be "${decimal(value)}": base ${decimal(base)} × rate ${tax.rate} / 100.`
    yield violation(`${path}.value`, "tax_mismatch", message, "FAX07")
  }
}

const totalViolations = (lines: ReadonlyArray<Line>): ReadonlyArray<Violation> => {
  const { payable_amount } = totalsOf(lines)
  return fits(cents(payable_amount))
    ? []
    : [violation("lines", "parameter_invalid", `The total is ${payable_amount}, ${tooLong}`)]
}
