import type { Correction } from "../../schemas/FiscalDocument.ts"
import { creditNoteTypeCode, customization } from "./AuthorityCodes.ts"
import type { FiscalDocument } from "./FiscalDocument.ts"
import { profiles } from "./NationalProfile.ts"
import type { Software } from "./Software.ts"
import { monetaryTotal, payment, taxTotals } from "./UblAmounts.ts"
import { authorityExtension, type Unsigned, unsigned } from "./UblExtensions.ts"
import { codeScheme, identity } from "./UblIdentity.ts"
import { lines } from "./UblLines.ts"
import { parties } from "./UblParties.ts"
import { attribute, element, leaf } from "./Xml.ts"

/** Why a note was issued, and the invoice it corrects. */
const correction = ({ code, invoice, reason }: Correction): string =>
  element(
    "cac:DiscrepancyResponse",
    leaf("cbc:ReferenceID", invoice.full_number),
    leaf("cbc:ResponseCode", code),
    leaf("cbc:Description", reason)
  ) +
  element(
    "cac:BillingReference",
    element(
      "cac:InvoiceDocumentReference",
      leaf("cbc:ID", invoice.full_number),
      leaf("cbc:UUID", invoice.cufe, attribute("schemeName", codeScheme("invoice"))),
      leaf("cbc:IssueDate", invoice.issue_date)
    )
  )

const roots = {
  credit_note: { root: "CreditNote", total: "cac:LegalMonetaryTotal" },
  debit_note: { root: "DebitNote", total: "cac:RequestedMonetaryTotal" }
} as const

/** A credit or debit note. Throws when it names no invoice: the authority takes none. */
export const note = (document: FiscalDocument, kind: keyof typeof roots, software: Software): Unsigned => {
  if (document.correction === null) throw new Error(`the note ${document.full_number} names no invoice`)
  const { root, total } = roots[kind]
  return unsigned(
    root,
    authorityExtension(document, software),
    identity(document, profiles[root], customization(document)),
    kind === "credit_note" ? leaf("cbc:CreditNoteTypeCode", creditNoteTypeCode) : "",
    leaf("cbc:DocumentCurrencyCode", document.currency),
    leaf("cbc:LineCountNumeric", String(document.lines.length)),
    correction(document.correction),
    parties(document),
    payment(document),
    taxTotals(document.totals.taxes, document.currency),
    monetaryTotal(total, document),
    lines(document)
  )
}
