import type { TaxCode } from "../../../schemas/Code.ts"
import type { Line, Tax, Totals } from "../../../schemas/Line.ts"
import { cents, decimal } from "./Decimal.ts"

interface Group {
  readonly code: TaxCode
  readonly rate: bigint
  base: bigint
  value: bigint
}

const byCodeAndRate = (a: Group, b: Group): number =>
  a.code === b.code ? Number(a.rate - b.rate) : a.code < b.code ? -1 : 1

/**
 * The exact sums of a document. Taxes are grouped by code and rate and ordered by both, independently of the order of the
 * lines. Entries with the code `ZZ` ("no tax") are left out.
 */
export const totalsOf = (lines: ReadonlyArray<Line>): Totals => {
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
  return {
    line_extension_amount: decimal(lineExtension),
    tax_amount: decimal(tax),
    payable_amount: decimal(lineExtension + tax),
    taxes: [...groups.values()].toSorted(byCodeAndRate).map((group) => ({
      code: group.code,
      rate: decimal(group.rate),
      base: decimal(group.base),
      value: decimal(group.value)
    }))
  }
}

const addTo = (groups: Map<string, Group>, entry: Tax): void => {
  const rate = cents(entry.rate)
  const key = `${entry.code} ${rate}`
  const group = groups.get(key) ?? { code: entry.code, rate, base: 0n, value: 0n }
  group.base += cents(entry.base)
  group.value += cents(entry.value)
  groups.set(key, group)
}

/** The amount of one tax over all its rates; "0.00" when the document does not have the tax. */
export const taxTotal = (totals: Totals, code: TaxCode): string =>
  decimal(totals.taxes.reduce((sum, tax) => (tax.code === code ? sum + cents(tax.value) : sum), 0n))
