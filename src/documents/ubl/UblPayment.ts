import type { PaymentMeans } from "../../../schemas/DocumentDetails.ts"
import { peso } from "../rules/Currencies.ts"
import { paymentCode } from "./AuthorityCodes.ts"
import type { FiscalDocument } from "./FiscalDocument.ts"
import { element, leaf, optional } from "./Xml.ts"

const due = ({ due_date }: PaymentMeans): string => optional("cbc:PaymentDueDate", due_date)

const means = (payment: PaymentMeans): string =>
  element(
    "cac:PaymentMeans",
    leaf("cbc:ID", payment.type),
    leaf("cbc:PaymentMeansCode", paymentCode(payment.code)),
    due(payment),
    optional("cbc:PaymentID", payment.reference)
  )

const terms = (payment: PaymentMeans): string =>
  payment.due_date === undefined
    ? ""
    : element("cac:PaymentTerms", leaf("cbc:PaymentMeansID", payment.type), due(payment))

/** The means of payment of a document, followed by the terms of the means with a due date. */
export const payment = ({ other_payment_means = [], payment_means }: FiscalDocument): string => {
  const all = [payment_means, ...other_payment_means]
  return all.map(means).join("") + all.map(terms).join("")
}

/** The exchange rate of a document in a foreign currency to pesos; an empty string for a document in pesos. */
export const exchange = ({ currency, exchange_rate, exchange_rate_date, issue_date }: FiscalDocument): string =>
  exchange_rate === null
    ? ""
    : element(
        "cac:PaymentExchangeRate",
        leaf("cbc:SourceCurrencyCode", currency),
        leaf("cbc:SourceCurrencyBaseRate", "1.00"),
        leaf("cbc:TargetCurrencyCode", peso),
        leaf("cbc:TargetCurrencyBaseRate", "1.00"),
        leaf("cbc:CalculationRate", exchange_rate),
        leaf("cbc:Date", exchange_rate_date ?? issue_date)
      )
