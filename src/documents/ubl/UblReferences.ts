import type { Acquirer } from "../../../schemas/Customer.ts"
import type { DocumentReference } from "../../../schemas/DocumentDetails.ts"
import type { Period } from "../../../schemas/Line.ts"
import type { FiscalDocument } from "./FiscalDocument.ts"
import { reference } from "./UblIdentity.ts"
import { address } from "./UblParties.ts"
import { element, filled, leaf, optional } from "./Xml.ts"

/** The period of a document or a line; an empty string without a period. */
export const invoicePeriod = (period: Period | undefined): string =>
  period === undefined
    ? ""
    : element("cac:InvoicePeriod", leaf("cbc:StartDate", period.start_date), leaf("cbc:EndDate", period.end_date))

const other = (name: string, document: DocumentReference | undefined): string =>
  document === undefined
    ? ""
    : element(name, leaf("cbc:ID", document.id), optional("cbc:IssueDate", document.issue_date))

/** The reason for a note, with the number of the corrected invoice, if there is one. */
const discrepancy = ({ correction, full_number }: FiscalDocument): string => {
  if (correction === null) throw new Error(`the note ${full_number} has no reason`)
  const { code, invoice, reason } = correction
  return element(
    "cac:DiscrepancyResponse",
    invoice === null ? "" : leaf("cbc:ReferenceID", invoice.full_number),
    leaf("cbc:ResponseCode", code),
    leaf("cbc:Description", reason)
  )
}

const corrected = ({ correction }: FiscalDocument): string => {
  const invoice = correction?.invoice ?? null
  if (invoice === null) return ""
  const content = reference(invoice, "invoice") + leaf("cbc:IssueDate", invoice.issue_date)
  return element("cac:BillingReference", element("cac:InvoiceDocumentReference", content))
}

/** The period of a document, the reason for a note, and the references to other documents. */
export const references = (document: FiscalDocument): string =>
  invoicePeriod(document.period) +
  (document.kind === "invoice" ? "" : discrepancy(document)) +
  other("cac:OrderReference", document.order_reference) +
  (document.kind === "invoice" ? "" : corrected(document)) +
  other("cac:DespatchDocumentReference", document.despatch_reference)

/** The destination of an invoice's goods: the address of the delivery, or otherwise the buyer of an export. */
const destination = ({ acquirer, delivery, operation_type }: FiscalDocument): string => {
  const { identification, legal_name, organization_type } = acquirer
  const { date: _date, ...place } = delivery ?? {}
  // The party of an address does not change the written address.
  const there: Acquirer = { identification, legal_name, organization_type, ...place }
  const written = address("cac:DeliveryAddress", there)
  return written === "" && operation_type === "11" ? address("cac:DeliveryAddress", acquirer) : written
}

/** The time and place of the delivery of an invoice's goods, and the delivery terms of an export that has them. */
export const delivery = (document: FiscalDocument): string =>
  document.kind === "invoice"
    ? filled("cac:Delivery", optional("cbc:ActualDeliveryDate", document.delivery?.date) + destination(document)) +
      filled(
        "cac:DeliveryTerms",
        document.incoterm === undefined
          ? ""
          : leaf("cbc:ID", "1") + leaf("cbc:LossRiskResponsibilityCode", document.incoterm)
      )
    : ""
