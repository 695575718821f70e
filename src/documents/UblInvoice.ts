import { customization, incoterm, invoiceTypeCode } from "./AuthorityCodes.ts"
import type { FiscalDocument } from "./FiscalDocument.ts"
import { profiles } from "./NationalProfile.ts"
import type { Software } from "./Software.ts"
import { monetaryTotal, payment, taxTotals } from "./UblAmounts.ts"
import { authorityExtension, type Unsigned, unsigned } from "./UblExtensions.ts"
import { identity } from "./UblIdentity.ts"
import { lines } from "./UblLines.ts"
import { address, parties } from "./UblParties.ts"
import { element, leaf, optional } from "./Xml.ts"

const delivery = ({ acquirer }: FiscalDocument): string => {
  const place = address("cac:DeliveryAddress", acquirer)
  return (
    (place === "" ? "" : element("cac:Delivery", place)) +
    element("cac:DeliveryTerms", leaf("cbc:ID", "1"), leaf("cbc:LossRiskResponsibilityCode", incoterm))
  )
}

/** An invoice of type 01, 02 (export) or 04 (contingency). */
export const invoice = (document: FiscalDocument, software: Software): Unsigned =>
  unsigned(
    "Invoice",
    authorityExtension(document, software),
    identity(document, profiles.Invoice, customization(document)),
    optional("cbc:DueDate", document.payment_means.due_date),
    leaf("cbc:InvoiceTypeCode", invoiceTypeCode(document)),
    leaf("cbc:DocumentCurrencyCode", document.currency),
    leaf("cbc:LineCountNumeric", String(document.lines.length)),
    parties(document),
    document.operation_type === "11" ? delivery(document) : "",
    payment(document),
    taxTotals(document.totals.taxes, document.currency),
    monetaryTotal("cac:LegalMonetaryTotal", document),
    lines(document)
  )
