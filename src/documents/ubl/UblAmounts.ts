import type { Line, Tax } from "../../../schemas/Line.ts"
import { peso } from "../../domain/documents/Currencies.ts"
import { cents, decimal } from "../../domain/documents/Decimal.ts"
import { taxSchemes } from "./AuthorityCodes.ts"
import type { FiscalDocument } from "./FiscalDocument.ts"
import { taxScheme } from "./UblParties.ts"
import { attribute, element, leaf, optional } from "./Xml.ts"

/** An amount element with its currency. `value` is the decimal text of the document and is never converted to a number. */
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
  return element(
    "cac:TaxSubtotal",
    amount("cbc:TaxableAmount", base, currency),
    amount("cbc:TaxAmount", value, currency),
    element("cac:TaxCategory", leaf("cbc:Percent", rate), taxScheme(taxSchemes[code]))
  )
}

const sum = (amounts: ReadonlyArray<string>): string =>
  amounts.length === 1 ? (amounts[0] ?? "") : decimal(amounts.reduce((total, value) => total + cents(value), 0n))

/** One `cac:TaxTotal` for each tax code except `ZZ` ("no tax"), with a `cac:TaxSubtotal` for each rate, in the order of `taxes`. */
export const taxTotals = (taxes: ReadonlyArray<Tax>, currency: string): string => {
  const groups = Map.groupBy(
    taxes.filter(({ code }) => code !== "ZZ"),
    ({ code }) => code
  )
  const totals = [...groups.values()].map((group) =>
    element(
      "cac:TaxTotal",
      amount("cbc:TaxAmount", sum(group.map(({ value }) => value)), currency),
      ...group.map((tax) => subtotal(tax, currency))
    )
  )
  return totals.join("")
}

// Each line counts once, with the largest base of its taxes, even if several taxes apply; a line without tax counts as zero.
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

/** The totals of a document, as an element called `name`. */
export const monetaryTotal = (name: string, { currency, lines, totals }: FiscalDocument): string =>
  element(
    name,
    lineExtension(totals.line_extension_amount, currency),
    amount("cbc:TaxExclusiveAmount", taxedAmount(lines), currency),
    amount("cbc:TaxInclusiveAmount", totals.payable_amount, currency),
    amount("cbc:PayableAmount", totals.payable_amount, currency)
  )

/** The payment means and due date of a document and, unless the document is in pesos, the exchange rate to pesos. */
export const payment = ({ currency, exchange_rate, issue_date, payment_means }: FiscalDocument): string => {
  const due = optional("cbc:PaymentDueDate", payment_means.due_date)
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
