import type { Violation } from "../../../../schemas/ApiError.ts"
import type { DocumentDetails, PaymentMeans, Withholding } from "../../../../schemas/DocumentDetails.ts"
import type { Totals } from "../../../../schemas/Line.ts"
import { placeViolations } from "../parties/PartyRules.ts"
import { findingsInItems, findingsOf } from "../../../runtime/json/Unreadable.ts"
import { violation, warning } from "../AuthorityRules.ts"
import { cents, decimal, millionths, percentage, trillionths } from "../Decimal.ts"
import { isPast } from "../Details.ts"
import { taxTotal } from "../Totals.ts"
import { allowancesViolations, settledAllowances } from "./AllowanceRules.ts"
import { figureViolations, isTolerated, settled } from "./Amounts.ts"
import { periodViolations } from "./LineRules.ts"

/* The rules of a document's parts other than its lines. `today` is the date in the authority's zone, YYYY-MM-DD. */

const codeViolations = ({ allowance_charges }: DocumentDetails): Generator<Violation, void> =>
  findingsInItems(allowance_charges, ({ code, type }, index) =>
    code === undefined || type === "discount"
      ? []
      : [
          violation(
            `allowance_charges[${index}].code`,
            "parameter_conflict",
            "Remove code: it is the kind of a discount, and this is a charge.",
            "discount_code"
          )
        ]
  )

/** The violations of a means of payment at `path`. */
export const paymentViolations = (payment: PaymentMeans, path: string, today: string): ReadonlyArray<Violation> => {
  const param = `${path}.due_date`
  if (payment.type !== "2") {
    const message = `due_date ${payment.due_date} is before today, ${today}, and the sale is paid immediately (type 1): the document omits it.`
    return isPast(payment, today) ? [warning(param, "parameter_conflict", message)] : []
  }
  if (payment.due_date === undefined) {
    return [violation(param, "due_date_required", "due_date is required for a sale on credit (type 2).", "FAN04")]
  }
  const message = `due_date ${payment.due_date} is before today, ${today}: the document is due when it is issued.`
  return isPast(payment, today) ? [warning(param, "parameter_invalid", message)] : []
}

const prepaymentViolations = ({ prepayments }: DocumentDetails, today: string): Generator<Violation, void> =>
  findingsInItems(prepayments, ({ received_date }, index) =>
    received_date <= today
      ? []
      : [
          warning(
            `prepayments[${index}].received_date`,
            "parameter_invalid",
            `received_date ${received_date} is after today, ${today}: a prepayment was received before the document is issued.`
          )
        ]
  )

/** The allowed base of a withholding: ReteIVA is withheld from the value added tax. */
const withheldBase = ({ base, code }: Withholding, totals: Totals): string => {
  const vat = taxTotal(totals, "01")
  return code === "05" && cents(base) > cents(vat) && !isTolerated(cents(base), trillionths(cents(vat))) ? vat : base
}

const summed = [
  "allowance_charges",
  "cash_rounding_amount",
  "payable_rounding_amount",
  "prepayments",
  "withholdings"
] as const

/** The details that totals depend on, with corrected figures; `totals` are the totals of the lines. */
export const settledDetails = (sent: DocumentDetails, totals: Totals): DocumentDetails => {
  const parts = summed.map((name) => [name, sent[name]] as const).filter(([, part]) => part !== undefined)
  const details: DocumentDetails = Object.fromEntries(parts)
  const { allowance_charges, withholdings } = details
  const settledOne = (withholding: Withholding): Withholding => {
    const base = withheldBase(withholding, totals)
    const exact = percentage(cents(base), withholding.rate)
    return { ...withholding, base, value: decimal(settled(cents(withholding.value), exact)) }
  }
  return {
    ...details,
    ...(allowance_charges === undefined ? {} : { allowance_charges: settledAllowances(allowance_charges) }),
    ...(withholdings === undefined ? {} : { withholdings: withholdings.map(settledOne) })
  }
}

/** The violations of a repeated withholding. */
function* twiceViolations(withholdings: ReadonlyArray<Withholding>, index: number, path: string) {
  const keys = withholdings.slice(0, index + 1).map((one) => `${one.code} ${millionths(one.rate)}`)
  if (keys.indexOf(keys[index] ?? "") === index) return
  const { code, rate } = withholdings[index] ?? { code: "", rate: "" }
  const message = `code "${code}" with rate ${rate} occurs twice: send one entry for each rate of a tax.`
  yield violation(`${path}code`, "tax_mismatch", message, "withholding_rate")
}

function* withholdingViolations(withholding: Withholding, path: string, totals: () => Totals) {
  const { base, code, rate, value } = withholding
  const right = code === "05" ? withheldBase(withholding, totals()) : base
  if (right !== base) {
    const message = `base must be at most "${right}": ReteIVA is withheld from the value added tax of the document.`
    yield violation(`${path}base`, "tax_mismatch", message, "FAY05")
  }
  const formula = `base ${right} × rate ${rate} / 100`
  yield* figureViolations(path, "value", value, percentage(cents(right), rate), formula, "tax_mismatch", "FAT02")
}

const withholdingsViolations = ({ withholdings = [] }: DocumentDetails, totals: () => Totals) =>
  findingsInItems(withholdings, (withholding, index) => {
    const path = `withholdings[${index}].`
    return findingsOf<Violation>([
      () => twiceViolations(withholdings, index, path),
      () => withholdingViolations(withholding, path, totals)
    ])
  })

const exportation = "11"

const incotermViolations = ({ incoterm }: DocumentDetails, operation_type: string): ReadonlyArray<Violation> =>
  incoterm === undefined || operation_type === exportation
    ? []
    : [
        violation(
          "incoterm",
          "parameter_conflict",
          'Remove incoterm, or send operation_type "11": only an export has terms of delivery.',
          "incoterm"
        )
      ]

/**
 * The warning about prepayments above the document's total. The authority notifies of them, and does not reject the
 * document.
 */
const prepaidWarnings = ({ payable_amount, prepaid_amount = "0.00" }: Totals): ReadonlyArray<Violation> => {
  if (cents(prepaid_amount) <= cents(payable_amount)) return []
  const message = `The prepayments are ${prepaid_amount} and the document's total is ${payable_amount}: send only the part that this document uses.`
  return [warning("prepayments", "amount_mismatch", message, "FBD03")]
}

/** The value of a document may not be negative. Neither may the remaining amount, before and after the withholdings. */
const balanceViolations = (details: DocumentDetails, totals: Totals): ReadonlyArray<Violation> => {
  const { due_amount = "0.00", net_amount = "0.00", payable_amount } = totals
  if (cents(payable_amount) < 0n) {
    const message = `The discounts are more than the document: the amount to pay would be ${payable_amount}, and no amount may be negative.`
    const param = (details.allowance_charges ?? []).length === 0 ? "payable_rounding_amount" : "allowance_charges"
    return [violation(param, "amount_mismatch", message, "VLR01")]
  }
  if (cents(due_amount) < 0n) {
    const message = `cash_rounding_amount is more than the amount due: ${due_amount} would remain, and no amount may be negative.`
    return [violation("cash_rounding_amount", "amount_mismatch", message, "no_sign")]
  }
  if (cents(net_amount) >= 0n) return []
  const message = `The withholdings are more than the amount due, ${totals.due_amount ?? payable_amount}.`
  return [violation("withholdings", "amount_mismatch", message, "no_sign")]
}

/** An amount in hundredths, rounded half up to whole units. */
const wholeUnits = (amount: bigint) => (amount + 50n) / 100n

/**
 * The authority omits the rounding in its formula for the payable amount, and compares whole units: the rounding may
 * not change the whole unit.
 */
const roundingViolations = ({ payable_rounding_amount }: DocumentDetails, totals: Totals): ReadonlyArray<Violation> => {
  if (payable_rounding_amount === undefined) return []
  const payable = cents(totals.payable_amount)
  const exact = payable - cents(payable_rounding_amount)
  const whole = 100n * wholeUnits(exact)
  if (payable < 0n || 100n * wholeUnits(payable) === whole) return []
  const message = `payable_rounding_amount must be "${decimal(whole - exact)}" to round ${decimal(exact)} to ${decimal(whole)}: the authority compares whole units, and rejects ${totals.payable_amount}. Send a rounding to coins in cash_rounding_amount.`
  return [violation("payable_rounding_amount", "amount_mismatch", message, "FAU14")]
}

/** The sums of a document, computed only when a rule reads them. */
export interface Sums {
  /** The totals of the lines only. */
  readonly ofLines: () => Totals
  readonly whole: () => Totals
}

/** The violations of the optional parts of a document with these sums. */
export const detailsViolations = (
  details: DocumentDetails,
  { ofLines, whole }: Sums,
  operation: { readonly operation_type: string },
  today: string
): Generator<Violation, void> =>
  findingsOf<Violation>([
    () => allowancesViolations(details.allowance_charges, "allowance_charges", "document"),
    () => codeViolations(details),
    () => prepaymentViolations(details, today),
    () => withholdingsViolations(details, ofLines),
    () => periodViolations(details.period, "period"),
    () => (details.delivery === undefined ? [] : placeViolations(details.delivery, "delivery.")),
    () => incotermViolations(details, operation.operation_type),
    () =>
      findingsInItems(details.other_payment_means, (payment, index) =>
        paymentViolations(payment, `other_payment_means[${index}]`, today)
      ),
    () => roundingViolations(details, whole()),
    () => prepaidWarnings(whole()),
    () => balanceViolations(details, whole())
  ])
