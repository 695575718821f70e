import type { Withholding } from "../../../schemas/DocumentDetails.ts"
import type { Line, Tax } from "../../../schemas/Line.ts"
import { cents, decimal } from "../rules/Decimal.ts"
import { taxSchemes, withholdingSchemes } from "./AuthorityCodes.ts"
import type { FiscalDocument } from "./FiscalDocument.ts"
import { taxScheme } from "./UblParties.ts"
import { attribute, element, leaf } from "./Xml.ts"

/**
 * An amount element with its currency. `value` is the decimal text of the document and is never converted to a number.
 */
export const amount = (name: string, value: string, currency: string): string =>
  leaf(name, value, attribute("currencyID", currency))

/** Like `amount`, but an empty string for a missing value. */
export const optionalAmount = (name: string, value: string | undefined, currency: string): string =>
  value === undefined ? "" : amount(name, value, currency)

export const lineExtension = (value: string, currency: string): string =>
  amount("cbc:LineExtensionAmount", value, currency)

export const price = ({ quantity, unit_code, unit_price }: Line, currency: string): string =>
  element(
    "cac:Price",
    amount("cbc:PriceAmount", unit_price, currency),
    leaf("cbc:BaseQuantity", quantity, attribute("unitCode", unit_code))
  )

type Scheme = Parameters<typeof taxScheme>[0]

/** A tax by percentage. */
const share = (scheme: Scheme, base: string, rate: string, value: string, currency: string): string =>
  element(
    "cac:TaxSubtotal",
    amount("cbc:TaxableAmount", base, currency),
    amount("cbc:TaxAmount", value, currency),
    element("cac:TaxCategory", leaf("cbc:Percent", rate), taxScheme(scheme))
  )

const subtotal = (scheme: Scheme, tax: Tax, currency: string): string => {
  const { base = "0.00", rate = "0.00", unit_amount, unit_code = "", units = "0.00", value } = tax
  if (unit_amount === undefined) return share(scheme, base, rate, value, currency)
  // A tax per unit has neither a base nor a percentage: the authority computes units × amount.
  return element(
    "cac:TaxSubtotal",
    amount("cbc:TaxAmount", value, currency),
    leaf("cbc:BaseUnitMeasure", units, attribute("unitCode", unit_code)),
    amount("cbc:PerUnitAmount", unit_amount, currency),
    element("cac:TaxCategory", taxScheme(scheme))
  )
}

/** The sum of amounts. A single amount is returned as it is written. */
const sum = (amounts: ReadonlyArray<string>): string =>
  amounts.length === 1 ? (amounts[0] ?? "") : decimal(amounts.reduce((whole, value) => whole + cents(value), 0n))

const total = (name: string, values: ReadonlyArray<string>, subtotals: ReadonlyArray<string>, currency: string) =>
  element(name, amount("cbc:TaxAmount", sum(values), currency), ...subtotals)

/**
 * A `cac:TaxTotal` for each tax of the authority, with a `cac:TaxSubtotal` for each rate, in the order of `taxes`. The
 * code `ZZ` ("no tax") has none.
 */
export const taxTotals = (taxes: ReadonlyArray<Tax>, currency: string): string => {
  const written = taxes.flatMap((tax) => (tax.code === "ZZ" ? [] : [{ scheme: taxSchemes[tax.code], tax }]))
  const groups = Map.groupBy(written, ({ scheme }) => scheme.id)
  const totals = [...groups.values()].map((group) =>
    total(
      "cac:TaxTotal",
      group.map(({ tax }) => tax.value),
      group.map(({ scheme, tax }) => subtotal(scheme, tax, currency)),
      currency
    )
  )
  return totals.join("")
}

/** A `cac:WithholdingTaxTotal` for each tax that the buyer withholds, with a `cac:TaxSubtotal` for each rate. */
export const withholdingTotals = (withholdings: ReadonlyArray<Withholding> = [], currency: string): string =>
  [...Map.groupBy(withholdings, ({ code }) => code)]
    .map(([code, group]) =>
      total(
        "cac:WithholdingTaxTotal",
        group.map(({ value }) => value),
        group.map(({ base, rate, value }) => share(withholdingSchemes[code], base, rate, value, currency)),
        currency
      )
    )
    .join("")

// Each line counts once, with the largest base of its taxes, even if several taxes apply; a line without tax counts as
// zero.
const taxedAmount = (lines: ReadonlyArray<Line>): string => {
  let all = 0n
  for (const { taxes } of lines) {
    let taxed = 0n
    for (const { base = "0.00", code } of taxes) {
      const given = cents(base)
      if (code !== "ZZ" && given > taxed) taxed = given
    }
    all += taxed
  }
  return decimal(all)
}

/** The totals of a document, as an element called `name`. */
export const monetaryTotal = (name: string, { currency, lines, totals }: FiscalDocument): string =>
  element(
    name,
    lineExtension(totals.line_extension_amount, currency),
    amount("cbc:TaxExclusiveAmount", taxedAmount(lines), currency),
    amount("cbc:TaxInclusiveAmount", sum([totals.line_extension_amount, totals.tax_amount]), currency),
    optionalAmount("cbc:AllowanceTotalAmount", totals.allowance_total_amount, currency),
    optionalAmount("cbc:ChargeTotalAmount", totals.charge_total_amount, currency),
    optionalAmount("cbc:PrepaidAmount", totals.prepaid_amount, currency),
    optionalAmount("cbc:PayableRoundingAmount", totals.payable_rounding_amount, currency),
    amount("cbc:PayableAmount", totals.payable_amount, currency)
  )
