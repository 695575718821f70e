import type { DocumentDetails } from "../../../schemas/DocumentDetails.ts"
import type { Line, Tax } from "../../../schemas/Line.ts"
import { compare, figure, type Fraction, fraction, minus, plus, rounded, zero } from "./Fractions.ts"

/* The sums of a document by the rules, computed with fractions and without any code of the project. */

const sum = (amounts: ReadonlyArray<string | undefined>): Fraction =>
  amounts.reduce((total, amount) => plus(total, fraction(amount ?? "0.00")), zero)
const amount = (value: Fraction) => rounded(value, "down")
const canonical = (text: string) => figure(fraction(text))

const taxKey = ({ code, rate, unit_amount, unit_code }: Tax) =>
  unit_amount === undefined ? `${code} ${canonical(rate ?? "0.00")}` : `${code} ${canonical(unit_amount)} ${unit_code}`

const height = ({ rate, unit_amount }: Tax) => fraction(unit_amount ?? rate ?? "0.00")

const grouped = (taxes: ReadonlyArray<Tax>): ReadonlyArray<object> =>
  [...Map.groupBy(taxes, taxKey).values()]
    .toSorted(([a], [b]) => {
      const [left, right] = [a!, b!]
      return left.code === right.code
        ? compare(height(left), height(right)) || ((left.unit_code ?? "") < (right.unit_code ?? "") ? -1 : 1)
        : left.code < right.code
          ? -1
          : 1
    })
    .map((group) => {
      const [{ code, rate, unit_amount, unit_code }] = group as [Tax]
      const value = amount(sum(group.map((tax) => tax.value)))
      return unit_amount === undefined
        ? { code, rate: canonical(rate ?? "0.00"), base: amount(sum(group.map(({ base }) => base))), value }
        : {
            code,
            unit_amount: canonical(unit_amount),
            units: figure(sum(group.map(({ units }) => units))),
            unit_code,
            value
          }
    })

/** The right `totals` of a document with these lines and details. */
export const sums = (lines: ReadonlyArray<Line>, details: DocumentDetails = {}): object => {
  const {
    allowance_charges = [],
    cash_rounding_amount,
    payable_rounding_amount,
    prepayments = [],
    withholdings = []
  } = details
  const of = (type: string) => allowance_charges.filter((one) => one.type === type).map((one) => one.amount)
  const taxes = lines.flatMap((line) => line.taxes).filter(({ code }) => code !== "ZZ")
  const extension = sum(lines.map((line) => line.line_extension_amount))
  const tax = sum(taxes.map(({ value }) => value))
  const [discounts, charges] = [of("discount"), of("charge")]
  const prepaid = sum(prepayments.map((one) => one.amount))
  const withheld = sum(withholdings.map(({ value }) => value))
  const changed = plus(minus(plus(extension, tax), sum(discounts)), sum(charges))
  const payable = plus(changed, fraction(payable_rounding_amount ?? "0.00"))
  const left = compare(prepaid, payable) > 0 ? fraction("0.00") : minus(payable, prepaid)
  const due = plus(left, fraction(cash_rounding_amount ?? "0.00"))
  return {
    line_extension_amount: amount(extension),
    ...(discounts.length === 0 ? {} : { allowance_total_amount: amount(sum(discounts)) }),
    ...(charges.length === 0 ? {} : { charge_total_amount: amount(sum(charges)) }),
    tax_amount: amount(tax),
    ...(payable_rounding_amount === undefined ? {} : { payable_rounding_amount }),
    payable_amount: amount(payable),
    ...(prepayments.length === 0 ? {} : { prepaid_amount: amount(prepaid) }),
    ...(cash_rounding_amount === undefined ? {} : { cash_rounding_amount }),
    ...(prepayments.length === 0 && cash_rounding_amount === undefined ? {} : { due_amount: amount(due) }),
    ...(withholdings.length === 0
      ? {}
      : { withholding_total_amount: amount(withheld), net_amount: amount(minus(due, withheld)) }),
    taxes: grouped(taxes)
  }
}
