import type { TaxCode } from "../../../schemas/Code.ts"
import type { DocumentDetails } from "../../../schemas/DocumentDetails.ts"
import type { Line, Tax, Totals } from "../../../schemas/Line.ts"
import { cents, decimal, millionths, shortened } from "./Decimal.ts"

interface Group {
  readonly code: TaxCode
  /** The rate in percent, or the amount per unit, in millionths. */
  readonly rate: bigint
  /** The unit of a tax per unit. */
  readonly unit_code: string | undefined
  /** The sum of the bases in hundredths, or of the units in millionths. */
  base: bigint
  value: bigint
}

const compare = <A extends string | bigint>(a: A, b: A): number => (a < b ? -1 : a > b ? 1 : 0)

const inOrder = (a: Group, b: Group): number =>
  compare(a.code, b.code) || compare(a.rate, b.rate) || compare(a.unit_code ?? "", b.unit_code ?? "")

const figure = (inMillionths: bigint): string => {
  const digits = inMillionths.toString().padStart(7, "0")
  return shortened(`${digits.slice(0, -6)}.${digits.slice(-6)}`)
}

const taxOf = ({ base, code, rate, unit_code, value }: Group): Tax =>
  unit_code === undefined
    ? { code, rate: figure(rate), base: decimal(base), value: decimal(value) }
    : { code, unit_amount: figure(rate), units: figure(base), unit_code, value: decimal(value) }

const addTo = (groups: Map<string, Group>, { base, code, rate, unit_amount, unit_code, units, value }: Tax): void => {
  const isPerUnit = unit_amount !== undefined
  const [of, unit] = [millionths(unit_amount ?? rate ?? "0.00"), isPerUnit ? (unit_code ?? "") : undefined]
  const key = `${code} ${of} ${unit ?? "%"}`
  const group = groups.get(key) ?? { code, rate: of, unit_code: unit, base: 0n, value: 0n }
  group.base += isPerUnit ? millionths(units ?? "0.00") : cents(base ?? "0.00")
  group.value += cents(value)
  groups.set(key, group)
}

const sum = (amounts: ReadonlyArray<string>): bigint => amounts.reduce((total, amount) => total + cents(amount), 0n)

/** A total that exists only in documents with these parts. */
const shown = <K extends keyof Totals>(name: K, parts: ReadonlyArray<unknown> | undefined, total: bigint) =>
  parts === undefined || parts.length === 0 ? {} : { [name]: decimal(total) }

/**
 * The exact sums of a document, from the given figures. Taxes are grouped by code and rate, or by code, amount per unit
 * and unit. Their order follows the same keys and not the order of the lines. Entries with the code `ZZ` ("no tax") are
 * omitted.
 */
export const totalsOf = (lines: ReadonlyArray<Line>, details: DocumentDetails = {}): Totals => {
  let lineExtension = 0n
  let tax = 0n
  const groups = new Map<string, Group>()
  for (const line of lines) {
    lineExtension += cents(line.line_extension_amount)
    for (const entry of line.taxes) {
      if (entry.code === "ZZ") continue
      tax += cents(entry.value)
      addTo(groups, entry)
    }
  }
  const { allowance_charges = [], cash_rounding_amount, payable_rounding_amount, prepayments, withholdings } = details
  const discounts = allowance_charges.filter(({ type }) => type === "discount").map(({ amount }) => amount)
  const charges = allowance_charges.filter(({ type }) => type === "charge").map(({ amount }) => amount)
  const prepaid = sum(prepayments?.map(({ amount }) => amount) ?? [])
  const withheld = sum(withholdings?.map(({ value }) => value) ?? [])
  const payable = lineExtension + tax - sum(discounts) + sum(charges) + cents(payable_rounding_amount ?? "0.00")
  const due = (prepaid > payable ? 0n : payable - prepaid) + cents(cash_rounding_amount ?? "0.00")
  const hasOwnDue = cash_rounding_amount !== undefined || (prepayments !== undefined && prepayments.length > 0)
  return {
    line_extension_amount: decimal(lineExtension),
    ...shown("allowance_total_amount", discounts, sum(discounts)),
    ...shown("charge_total_amount", charges, sum(charges)),
    tax_amount: decimal(tax),
    ...(payable_rounding_amount === undefined ? {} : { payable_rounding_amount }),
    payable_amount: decimal(payable),
    ...shown("prepaid_amount", prepayments, prepaid),
    ...(cash_rounding_amount === undefined ? {} : { cash_rounding_amount }),
    ...(hasOwnDue ? { due_amount: decimal(due) } : {}),
    ...shown("withholding_total_amount", withholdings, withheld),
    ...shown("net_amount", withholdings, due - withheld),
    taxes: [...groups.values()].toSorted(inOrder).map(taxOf)
  }
}

/** The amount of one tax over all its rates; "0.00" if the document does not have the tax. */
export const taxTotal = (totals: Totals, code: TaxCode): string =>
  decimal(sum(totals.taxes.filter((tax) => tax.code === code).map(({ value }) => value)))
