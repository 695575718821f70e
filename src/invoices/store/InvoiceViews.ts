import type { InvoiceId, NoteId } from "../../../schemas/Id.ts"
import type { NoteSnapshot } from "../../../schemas/Event.ts"
import type { Invoice, InvoiceSnapshot } from "../../../schemas/Invoice.ts"
import { acceptanceOf } from "../rules/AcceptanceRules.ts"
import { timestamp } from "../../runtime/AuthorityTime.ts"
import { isOpen, stageOf, statusOf } from "../rules/InvoiceLifecycle.ts"
import { storedEvents } from "./Acceptances.ts"
import type { Links } from "./FileLinks.ts"
import type { ShownInvoice, StoredInvoice } from "./Invoices.ts"
import type { Vitals } from "./Vitals.ts"

/** The copy of a document in its events, made from its row after the transition. */
export const invoiceSnapshot = (row: Vitals, { pdf_url }: Links): InvoiceSnapshot | NoteSnapshot => {
  const rest = {
    status: statusOf(row.state),
    pdf_url,
    full_number: row.full_number ?? "",
    authority_errors: row.authority_errors,
    authority_notifications: row.authority_notifications,
    failure: row.failure,
    metadata: row.metadata,
    version: row.version
  }
  return row.kind === "invoice"
    ? { id: row.id as InvoiceId, object: row.kind, cufe: row.cufe, ...rest }
    : { id: row.id as NoteId, object: row.kind, cude: row.cufe, ...rest }
}

const contingencyView = ({ contingency_since, transmit_before }: StoredInvoice): Invoice["contingency"] =>
  contingency_since === null
    ? null
    : {
        type: "04",
        since: timestamp(contingency_since.getTime()),
        transmit_before: transmit_before === null ? null : timestamp(transmit_before.getTime())
      }

/** The field `waiting` of an open document that waits; empty for all other documents. */
const waitingView = ({ state, waiting, waiting_since }: StoredInvoice): Pick<Invoice, "waiting"> =>
  waiting === null || waiting_since === null || !isOpen(state)
    ? {}
    : { waiting: { ...waiting, since: timestamp(waiting_since.getTime()) } }

/** The whole invoice as the API shows it. */
export const invoiceView = (row: ShownInvoice, links: Links): Invoice => ({
  id: row.id as InvoiceId,
  object: "invoice",
  status: statusOf(row.state),
  full_number: row.full_number ?? "",
  cufe: row.cufe,
  created_at: timestamp(row.created_at.getTime()),
  livemode: row.livemode,
  stage: stageOf(row.state),
  customer_id: row.customer_id,
  currency: row.currency,
  exchange_rate: row.exchange_rate,
  operation_type: row.operation_type,
  payment_means: row.payment_means,
  lines: row.lines,
  ...row.details,
  totals: row.totals,
  resolution_id: row.resolution_id,
  issue_date: row.issue_date,
  ...links,
  authority_errors: row.authority_errors,
  authority_notifications: row.authority_notifications,
  failure: row.failure,
  ...waitingView(row),
  contingency: contingencyView(row),
  email: row.email === null ? null : { status: row.email.status, at: timestamp(row.email.at_ms) },
  ...(row.acceptance === null
    ? {}
    : { acceptance: acceptanceOf(storedEvents(row.acceptance), row.acceptance.is_over) }),
  version: row.version,
  metadata: row.metadata,
  external_id: row.external_id,
  updated_at: timestamp(row.updated_at.getTime())
})
