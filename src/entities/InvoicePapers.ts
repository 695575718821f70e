import type { Issuer } from "../../schemas/Account.ts"
import type { EventType } from "../../schemas/Event.ts"
import type { EventId } from "../../schemas/Id.ts"
import { timestamp } from "../domain/AuthorityTime.ts"
import type { FiscalDocument } from "../documents/FiscalDocument.ts"
import type { Links } from "../store/FileLinks.ts"
import { type LoadedInvoice } from "../store/Invoices.ts"
import { invoiceSnapshot } from "../store/InvoiceViews.ts"
import type { Vitals } from "../store/PoisonInvoices.ts"

/** What the document of a numbered invoice or note says. */
export const documentOf = (row: LoadedInvoice, issuer: Issuer): FiscalDocument => ({
  kind: row.kind,
  in_contingency: row.of_type_04,
  full_number: row.full_number ?? "",
  prefix: row.prefix ?? "",
  cufe: row.cufe ?? "",
  issue_date: row.issue_date ?? "",
  issue_time: row.issue_time ?? "",
  environment: row.livemode ? "1" : "2",
  currency: row.currency,
  exchange_rate: row.exchange_rate,
  operation_type: row.operation_type,
  issuer,
  acquirer: row.acquirer,
  payment_means: row.payment_means,
  lines: row.lines,
  totals: row.totals,
  range: row.kind === "invoice" ? row.range : null,
  correction:
    row.corrected === null
      ? null
      : { code: row.correction_code ?? "", reason: row.reason ?? "", invoice: row.corrected }
})

/** An event of a document, from its row as the step leaves it. Its bytes are fixed here: every attempt of every delivery sends them. */
export const eventFor = (row: Vitals, type: EventType, id: EventId, now: number, links: Links) => ({
  id,
  type,
  body: JSON.stringify({
    id,
    object: "event",
    type,
    created: timestamp(now),
    livemode: row.livemode,
    account: row.account_id,
    data: { object: invoiceSnapshot(row, links) }
  }),
  created_at: new Date(now)
})
