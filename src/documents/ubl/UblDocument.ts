import { customization, documentTypeCode, incoterm } from "./AuthorityCodes.ts"
import type { FiscalDocument } from "./FiscalDocument.ts"
import { elementNames } from "./UblProfile.ts"
import type { Software } from "./Software.ts"
import { monetaryTotal, payment, taxTotals } from "./UblAmounts.ts"
import { authorityExtension, type Unsigned, unsigned } from "./UblExtensions.ts"
import { codeScheme, identity, reference, uuid } from "./UblIdentity.ts"
import { lines } from "./UblLines.ts"
import { address, parties } from "./UblParties.ts"
import { element, filled, leaf, optional } from "./Xml.ts"

/** The type of a document, and the due date of an invoice. UBL has no element for the type of a debit note. */
const typed = (document: FiscalDocument): string => {
  if (document.kind === "debit_note") return ""
  const code = documentTypeCode(document)
  if (document.kind === "credit_note") return leaf("cbc:CreditNoteTypeCode", code)
  return optional("cbc:DueDate", document.payment_means.due_date) + leaf("cbc:InvoiceTypeCode", code)
}

/** The reason for a note, and the reference to the invoice that the note corrects; an empty string for an invoice. */
const corrected = ({ correction, full_number, kind }: FiscalDocument): string => {
  if (kind === "invoice") return ""
  if (correction === null) throw new Error(`the note ${full_number} names no invoice`)
  const { code, invoice, reason } = correction
  return (
    element(
      "cac:DiscrepancyResponse",
      leaf("cbc:ReferenceID", invoice.full_number),
      leaf("cbc:ResponseCode", code),
      leaf("cbc:Description", reason)
    ) +
    element(
      "cac:BillingReference",
      element("cac:InvoiceDocumentReference", reference(invoice, "invoice"), leaf("cbc:IssueDate", invoice.issue_date))
    )
  )
}

/** Where an export goes, and its terms; an empty string for any other document. */
const delivery = ({ acquirer, kind, operation_type }: FiscalDocument): string =>
  kind !== "invoice" || operation_type !== "11"
    ? ""
    : filled("cac:Delivery", address("cac:DeliveryAddress", acquirer)) +
      element("cac:DeliveryTerms", leaf("cbc:ID", "1"), leaf("cbc:LossRiskResponsibilityCode", incoterm))

/** An invoice (01, 02 export, 04 contingency) or a note. Throws for a note without an invoice: the authority accepts none. */
export const unsignedDocument = (document: FiscalDocument, software: Software): Unsigned => {
  const { cufe, currency, environment, kind, totals } = document
  const { root, total } = elementNames[kind]
  return unsigned(
    root,
    authorityExtension(document, software),
    identity(root, customization(document), document, uuid(cufe, environment, codeScheme(kind))),
    typed(document),
    leaf("cbc:DocumentCurrencyCode", currency),
    leaf("cbc:LineCountNumeric", String(document.lines.length)),
    corrected(document),
    parties(document),
    delivery(document),
    payment(document),
    taxTotals(totals.taxes, currency),
    monetaryTotal(total, document),
    lines(document)
  )
}
