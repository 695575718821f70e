import { customization, documentTypeCode } from "./AuthorityCodes.ts"
import type { FiscalDocument } from "./FiscalDocument.ts"
import type { Software } from "./UblSoftware.ts"
import { documentAllowances, prepayments } from "./UblAllowances.ts"
import { monetaryTotal, taxTotals, withholdingTotals } from "./UblAmounts.ts"
import { authorityExtension, type Unsigned, unsigned } from "./UblExtensions.ts"
import { codeScheme, identity, uuid } from "./UblIdentity.ts"
import { lines } from "./UblLines.ts"
import { parties } from "./UblParties.ts"
import { exchange, payment } from "./UblPayment.ts"
import { elementNames } from "./UblProfile.ts"
import { delivery, references } from "./UblReferences.ts"
import { leaf, optional } from "./Xml.ts"

/** The type of a document, and the due date of an invoice. UBL has no element for the type of a debit note. */
const typed = (document: FiscalDocument): string => {
  if (document.kind === "debit_note") return ""
  const code = documentTypeCode(document)
  if (document.kind === "credit_note") return leaf("cbc:CreditNoteTypeCode", code)
  return optional("cbc:DueDate", document.payment_means.due_date) + leaf("cbc:InvoiceTypeCode", code)
}

/**
 * The payment of a document, and its discounts and charges as a whole. UBL has another order for each kind of document.
 */
const settlement = (document: FiscalDocument): string => {
  const { allowance_charges, currency, kind } = document
  const allowances = documentAllowances(allowance_charges, currency)
  const prepaid = prepayments(document.prepayments, currency)
  switch (kind) {
    case "invoice":
      return payment(document) + prepaid + allowances + exchange(document)
    case "credit_note":
      return payment(document) + exchange(document) + allowances
    case "debit_note":
      return prepaid + allowances + payment(document) + exchange(document)
  }
}

/**
 * An invoice (01, 02 export, 04 contingency) or a note. Throws for a note without a reason, because the authority
 * accepts none.
 */
export const unsignedDocument = (document: FiscalDocument, software: Software): Unsigned => {
  const { cufe, currency, environment, kind, notes = [], totals } = document
  const { root, total } = elementNames[kind]
  return unsigned(
    root,
    authorityExtension(document, software),
    identity(root, customization(document), document, uuid(cufe, environment, codeScheme(kind))),
    typed(document),
    ...notes.map((note) => leaf("cbc:Note", note)),
    leaf("cbc:DocumentCurrencyCode", currency),
    leaf("cbc:LineCountNumeric", String(document.lines.length)),
    references(document),
    parties(document),
    delivery(document),
    settlement(document),
    taxTotals(totals.taxes, currency),
    kind === "invoice" ? withholdingTotals(document.withholdings, currency) : "",
    monetaryTotal(total, document),
    lines(document)
  )
}
