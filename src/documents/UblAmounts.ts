import type { Line, Tax } from "../../schemas/Line.ts"
import { peso } from "../domain/Currencies.ts"
import { cents, decimal } from "../domain/Decimal.ts"
import { taxSchemes } from "./AuthorityCodes.ts"
import type { FiscalDocument } from "./FiscalDocument.ts"
import { attribute, element, leaf } from "./Xml.ts"

/** An amount as it stands in the document, which is never a number here, with its currency. */
const amount = (name: string, value: string, currency: string): string =>
  leaf(name, value, attribute("currencyID", currency))

export const lineExtension = (value: string, currency: string): string =>
  amount("cbc:LineExtensionAmount", value, currency)

export const price = ({ quantity, unit_code, unit_price }: Line, currency: string): string =>
  element(
    "cac:Price",
    amount("cbc:PriceAmount", unit_price, currency),
    leaf("cbc:BaseQuantity", quantity, attribute("unitCode", unit_code))
  )

const subtotal = ({ base, code, rate, value }: Tax, currency: string): string => {
  if (code === "ZZ") return ""
  const { id, name } = taxSchemes[code]
  return element(
    "cac:TaxSubtotal",
    amount("cbc:TaxableAmount", base, currency),
    amount("cbc:TaxAmount", value, currency),
    element(
      "cac:TaxCategory",
      leaf("cbc:Percent", rate),
      element("cac:TaxScheme", leaf("cbc:ID", id), leaf("cbc:Name", name))
    )
  )
}

const sum = (amounts: ReadonlyArray<string>): string =>
  amounts.length === 1 ? (amounts[0] ?? "") : decimal(amounts.reduce((total, value) => total + cents(value), 0n))

/** One group for each code, with a part for each rate, in the order they stand; "no tax" (`ZZ`) has no group. */
export const taxTotals = (taxes: ReadonlyArray<Tax>, currency: string): string => {
  const groups = new Map<string, Array<Tax>>()
  for (const tax of taxes) {
    const group = groups.get(tax.code)
    if (group !== undefined) group.push(tax)
    else if (tax.code !== "ZZ") groups.set(tax.code, [tax])
  }
  let xml = ""
  for (const group of groups.values()) {
    xml += element(
      "cac:TaxTotal",
      amount("cbc:TaxAmount", sum(group.map(({ value }) => value)), currency),
      ...group.map((tax) => subtotal(tax, currency))
    )
  }
  return xml
}

// Of each line the part that is taxed: once, by however many taxes, and nothing of a line without tax.
const taxedAmount = (lines: ReadonlyArray<Line>): string => {
  let total = 0n
  for (const { taxes } of lines) {
    let taxed = 0n
    for (const { base, code } of taxes) {
      const given = cents(base)
      if (code !== "ZZ" && given > taxed) taxed = given
    }
    total += taxed
  }
  return decimal(total)
}

/** The sums of a document, as `name`. */
export const monetaryTotal = (name: string, { currency, lines, totals }: FiscalDocument): string =>
  element(
    name,
    lineExtension(totals.line_extension_amount, currency),
    amount("cbc:TaxExclusiveAmount", taxedAmount(lines), currency),
    amount("cbc:TaxInclusiveAmount", totals.payable_amount, currency),
    amount("cbc:PayableAmount", totals.payable_amount, currency)
  )

/** How and when a document is paid, and what its currency is worth in pesos where it is another one. */
export const payment = ({ currency, exchange_rate, issue_date, payment_means }: FiscalDocument): string => {
  const due = payment_means.due_date === undefined ? "" : leaf("cbc:PaymentDueDate", payment_means.due_date)
  return (
    element(
      "cac:PaymentMeans",
      leaf("cbc:ID", payment_means.type),
      leaf("cbc:PaymentMeansCode", payment_means.code),
      due
    ) +
    (due === "" ? "" : element("cac:PaymentTerms", leaf("cbc:PaymentMeansID", payment_means.type), due)) +
    (exchange_rate === null
      ? ""
      : element(
          "cac:PaymentExchangeRate",
          leaf("cbc:SourceCurrencyCode", currency),
          leaf("cbc:SourceCurrencyBaseRate", "1.00"),
          leaf("cbc:TargetCurrencyCode", peso),
          leaf("cbc:TargetCurrencyBaseRate", "1.00"),
          leaf("cbc:CalculationRate", exchange_rate),
          leaf("cbc:Date", issue_date)
        ))
  )
}
