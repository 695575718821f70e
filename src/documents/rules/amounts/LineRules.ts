import type { Violation } from "../../../../schemas/ApiError.ts"
import type { Item, Line, Period } from "../../../../schemas/Line.ts"
import { identificationViolations } from "../parties/PartyRules.ts"
import { findingsOf, ifReadable } from "../../../runtime/json/Unreadable.ts"
import { violation } from "../AuthorityRules.ts"
import { cents, decimal, fits, millionths, product, rounded, trillionths } from "../Decimal.ts"
import { allowanceFormula, allowancesViolations, allowanceSum, settledAllowances } from "./AllowanceRules.ts"
import { figureViolations, settled, tooLong } from "./Amounts.ts"
import { settledTax, type Taxed, taxesViolations } from "./TaxRules.ts"

/** The parts of a document's operation that its lines depend on. */
export interface Operation {
  readonly operation_type: string
  readonly isDebitNote: boolean
}

/** The operation type of a contract with administration, contingencies and profit (AIU). */
export const contract = "09"

/** quantity × unit price - discounts + charges, in trillionths. */
const exactOf = ({ allowance_charges = [], quantity, unit_price }: Line): bigint =>
  product(quantity, unit_price) + trillionths(allowanceSum(settledAllowances(allowance_charges)))

/** The amount of a line, and the amount that its taxes apply to; undefined if it cannot be computed. */
const amountOf = (line: Line, isAiu: boolean): Taxed | undefined => {
  const { line_extension_amount, quantity, reference_price, special_base } = line
  const exact = exactOf(line)
  if (millionths(quantity) === 0n || !fits(rounded(exact))) return undefined
  const isSpecial = special_base !== undefined
  if (millionths(line.unit_price) !== 0n) {
    const amount = settled(cents(line_extension_amount), exact)
    return { exact: trillionths(amount), amount, words: "the amount of the line", isAiu, isSpecial }
  }
  // Without the reference price of a free item, the base of its taxes is unknown.
  if (reference_price === undefined) return undefined
  const reference = product(quantity, reference_price.amount)
  if (reference === 0n || !fits(rounded(reference))) return undefined
  const words = `quantity ${quantity} × reference_price ${reference_price.amount}`
  return { exact: reference, amount: rounded(reference), words, isAiu, isSpecial }
}

function* amountViolations(line: Line, path: string): Generator<Violation, void> {
  const { allowance_charges = [], line_extension_amount, quantity, unit_price } = line
  if (millionths(quantity) === 0n) {
    return yield violation(`${path}.quantity`, "parameter_invalid", 'quantity must be more than "0.00".', "FAV04b")
  }
  const exact = exactOf(line)
  const allowances = allowanceFormula(settledAllowances(allowance_charges))
  const formula = `quantity ${quantity} × unit_price ${unit_price}${allowances}`
  if (exact < 0n) {
    const message = `The discounts are more than the line: ${formula} is ${decimal(rounded(exact))}, and no amount may be negative.`
    yield violation(`${path}.allowance_charges`, "amount_mismatch", message, "VLR01")
  } else {
    const name = "line_extension_amount"
    yield* figureViolations(`${path}.`, name, line_extension_amount, exact, formula, "amount_mismatch", "FAV06")
  }
}

const referenceViolations = (line: Line, path: string): ReadonlyArray<Violation> => {
  const { reference_price, unit_price } = line
  const isFree = millionths(unit_price) === 0n
  const param = `${path}.reference_price`
  if (isFree && reference_price === undefined) {
    const message = "reference_price is required with a unit_price of zero: the usual price of the free item."
    return [violation(param, "parameter_missing", message, "FAW01")]
  }
  if (isFree && millionths(reference_price?.amount ?? "0.00") === 0n) {
    return [violation(`${param}.amount`, "parameter_invalid", 'amount must be more than "0.00".', "FAW03")]
  }
  const exact = product(line.quantity, reference_price?.amount ?? "0.00")
  if (isFree && !fits(rounded(exact))) {
    const message = `quantity × reference_price is ${decimal(rounded(exact))}, ${tooLong}`
    return [violation(`${param}.amount`, "parameter_invalid", message, "amount_digits")]
  }
  return isFree || reference_price === undefined
    ? []
    : [
        violation(
          param,
          "parameter_conflict",
          "Remove reference_price: it goes only with a unit_price of zero.",
          "reference_price"
        )
      ]
}

/** Whether a GTIN's last digit is its check digit: weights 3 and 1 from the right. */
const isGtin = (code: string): boolean => {
  if (!/^(\d{8}|\d{12,14})$/.test(code)) return false
  const digits = [...code].map(Number).toReversed()
  return digits.reduce((sum, digit, index) => sum + digit * (index % 2 === 0 ? 1 : 3), 0) % 10 === 0
}

const itemForms: Readonly<Record<Item["scheme"], { readonly has: (code: string) => boolean; readonly form: string }>> =
  {
    "999": { has: () => true, form: "" },
    "001": { has: (code) => /^\d{8}(\d{2})?$/.test(code), form: "8 or 10 digits (UNSPSC)" },
    "010": { has: isGtin, form: "8, 12, 13 or 14 digits of a bar code (GTIN), the last of which is their check digit" },
    "020": { has: (code) => /^\d{6,10}$/.test(code), form: "6 to 10 digits (tariff heading), without dots" }
  }

const itemViolations = (item: Item | undefined, path: string): ReadonlyArray<Violation> => {
  if (item === undefined) return []
  const { form, has } = itemForms[item.scheme]
  const message = `code must be ${form}: "${item.code}" is not. Scheme "999" takes any code of your own.`
  return has(item.code) ? [] : [violation(`${path}.item.code`, "parameter_invalid", message, "item_code")]
}

const contractViolations = (
  { aiu_contract }: Line,
  path: string,
  { operation_type }: Operation
): ReadonlyArray<Violation> =>
  aiu_contract === undefined || operation_type === contract
    ? []
    : [
        violation(
          `${path}.aiu_contract`,
          "parameter_conflict",
          'Remove aiu_contract: it goes only with operation_type "09" (AIU).',
          "aiu_contract"
        )
      ]

const principalViolations = (
  { principal }: Line,
  path: string,
  { operation_type }: Operation
): ReadonlyArray<Violation> => {
  if (principal === undefined) return []
  if (operation_type === contract) {
    const message =
      'Remove principal, or send operation_type "10": a contract with AIU is not sold on behalf of another party.'
    return [violation(`${path}.principal`, "parameter_conflict", message, "principal")]
  }
  return identificationViolations(principal.identification, `${path}.principal.identification`)
}

const daysViolations = ({ period }: Line, path: string, { isDebitNote }: Operation): ReadonlyArray<Violation> => {
  if (period === undefined || !isDebitNote) return periodViolations(period, `${path}.period`)
  const message = "Remove period: a line of a debit note has none. Name the days in notes."
  return [violation(`${path}.period`, "parameter_conflict", message, "debit_note_line")]
}

/**
 * The violations of a line at `path`. A client's figure is right within the authority's tolerance of its exact value.
 * Each figure is compared with the value computed from the right preceding figures. Therefore only wrong figures are
 * reported, and a client that corrects all of them succeeds at the next attempt.
 */
export const lineViolations = (line: Line, path: string, operation: Operation): Generator<Violation, void> => {
  const taxed = ifReadable(() => amountOf(line, operation.operation_type === contract))
  return findingsOf<Violation>([
    () => allowancesViolations(line.allowance_charges, `${path}.allowance_charges`, "line"),
    () => amountViolations(line, path),
    () => referenceViolations(line, path),
    () => taxesViolations(line, path, taxed),
    () => itemViolations(line.item, path),
    () => daysViolations(line, path, operation),
    () => contractViolations(line, path, operation),
    () => principalViolations(line, path, operation)
  ])
}

/** The line with corrected figures, for the sums against which other figures are checked. */
export const settledLine = (line: Line, { operation_type }: Operation): Line => {
  const taxed = amountOf(line, operation_type === contract)
  if (taxed === undefined) return line
  return {
    ...line,
    line_extension_amount: decimal(settled(cents(line.line_extension_amount), exactOf(line))),
    taxes: line.taxes.map((tax) => settledTax(tax, taxed))
  }
}

/** The violation of a period at `path` that ends before its first day. */
export const periodViolations = (period: Period | undefined, path: string): ReadonlyArray<Violation> =>
  period === undefined || period.start_date <= period.end_date
    ? []
    : [
        violation(
          `${path}.end_date`,
          "parameter_invalid",
          `end_date must be ${period.start_date} or later.`,
          "calendar"
        )
      ]
