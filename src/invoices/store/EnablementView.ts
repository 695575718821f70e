import type { Enablement, EnablementDocument } from "../../../schemas/Enablement.ts"
import type { DocumentKind } from "../../../schemas/FiscalDocument.ts"
import { timestamp } from "../../runtime/AuthorityTime.ts"
import { isOpen, kinds } from "../rules/Plan.ts"
import type { StoredEnablement } from "./Enablements.ts"
import type { StoredTestDocument } from "./TestDocuments.ts"

const at = (time: Date | null) => (time === null ? null : timestamp(time.getTime()))

const documentView = (row: StoredTestDocument): EnablementDocument => ({
  full_number: row.full_number,
  kind: row.kind,
  cufe: row.cufe,
  status: row.state === "signed" ? "waiting" : row.state,
  authority_errors: row.errors,
  authority_notifications: row.notifications,
  message: row.message,
  created_at: timestamp(row.created_at.getTime()),
  sent_at: at(row.sent_at),
  judged_at: at(row.judged_at)
})

const plural = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`

const messageOf = (row: StoredEnablement, accepted: number, open: number): string => {
  const wanted = kinds.reduce((sum, kind) => sum + row.wanted[kind], 0)
  const counted = `${accepted} of ${plural(wanted, "document is", "documents are")} accepted`
  if (row.status === "failed") return `${counted}. ${row.failure?.message ?? ""}`.trim()
  if (row.status === "passed") {
    return `${row.message ?? `All ${plural(wanted, "document is", "documents are")} accepted.`} In the authority's portal, check that the test set is accepted and request the numbering ranges. Then import them with POST /v1/resolutions/import.`
  }
  return row.waiting === null
    ? `${counted}, and ${plural(open, "waits for an outcome", "wait for an outcome")}. The test set continues automatically.`
    : `${counted}. ${row.waiting.message}`
}

/** The maximum number of documents in a test set as the API shows it: the newest documents. */
const shownMax = 1_000

/** A test set with its documents, as the API shows it. */
export const enablementView = (row: StoredEnablement, all: ReadonlyArray<StoredTestDocument>): Enablement => {
  const count = (kind: DocumentKind) => {
    const accepted = all.filter((one) => one.kind === kind && one.state === "accepted").length
    const missing = row.status === "passed" ? 0 : Math.max(row.wanted[kind] - accepted, 0)
    return { wanted: row.wanted[kind], accepted, missing }
  }
  const counts = { invoices: count("invoice"), credit_notes: count("credit_note"), debit_notes: count("debit_note") }
  const accepted = counts.invoices.accepted + counts.credit_notes.accepted + counts.debit_notes.accepted
  return {
    object: "enablement",
    livemode: true,
    test_set_id: row.id,
    status: row.status,
    ...counts,
    range: row.range,
    waiting: row.waiting,
    failure: row.failure,
    message: messageOf(row, accepted, all.filter(isOpen).length),
    documents: all.slice(-shownMax).map(documentView),
    started_at: timestamp(row.started_at.getTime()),
    finished_at: at(row.finished_at)
  }
}
