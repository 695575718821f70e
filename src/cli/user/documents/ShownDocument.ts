import type { AuthorityError, InvoiceStatus, TimelinePage } from "../../../clients/typescript/Interface.ts"
import { type Column, fieldLines, type Paint } from "../Table.ts"
import { clock } from "../Times.ts"
import { type Document, nameOf } from "./Kinds.ts"

/** A document's status in color: red if it needs attention, yellow if it is in progress. */
export const painted = (status: InvoiceStatus, { dim, green, red, yellow }: Paint): string => {
  switch (status) {
    case "accepted_by_authority":
      return green("accepted")
    case "accepted_contingency":
      return yellow("contingency")
    case "rejected_by_authority":
      return red("rejected")
    case "failed":
      return red("failed")
    case "canceled":
      return dim("canceled")
    case "draft":
      return yellow("draft")
  }
}

const codeOf = (document: Document) => (document.object === "invoice" ? document.cufe : document.cude)

/** The buyer's acceptance or claim of an invoice on credit terms. */
const buyerOf = (document: Document): string | null => {
  if (document.object !== "invoice" || document.acceptance === undefined) return null
  const { at, status } = document.acceptance
  return at === null ? status : `${status} ${clock(at)}`
}

export const documentColumns: ReadonlyArray<Column<Document>> = [
  ["NUMBER", nameOf],
  ["STATUS", ({ status }, paint) => painted(status, paint)],
  ["CREATED", ({ created_at }) => clock(created_at)],
  ["TOTAL", ({ currency, totals }) => `${totals.payable_amount} ${currency}`],
  ["ID", ({ full_number, id }) => (full_number === "" ? "" : id), "whole"]
]

const ruleLine = ({ hint, message, rule }: AuthorityError) =>
  `${rule}: ${message.replace(/[.\s]+$/, "")}.${hint === null ? "" : ` What to do: ${hint}`}`

/** The errors of a document, in words. */
export const faultsOf = ({ authority_errors, failure }: Document): ReadonlyArray<string> => [
  ...authority_errors.map(ruleLine),
  ...(failure === null ? [] : [`${failure.code}: ${failure.message}`])
]

/** The lines that show a document at a terminal. */
export const documentLines =
  (document: Document) =>
  (paint: Paint): ReadonlyArray<string> => {
    const {
      authority_notifications,
      contingency,
      created_at,
      currency,
      email,
      id,
      issue_date,
      qr_url,
      stage,
      waiting
    } = document
    const rows: ReadonlyArray<readonly [string, string | null]> = [
      ["id", id],
      ["external id", document.external_id],
      ["created", clock(created_at)],
      ["issued", issue_date],
      ["total", `${document.totals.payable_amount} ${currency}`],
      ["customer", document.customer_id],
      ["corrects", document.object === "invoice" ? null : document.invoice_id],
      ["email", email === null ? null : `${email.status} ${clock(email.at)}`],
      ["buyer", buyerOf(document)],
      ["transmit by", contingency?.transmit_before == null ? null : clock(contingency.transmit_before)],
      ["code", codeOf(document)],
      ["check at", qr_url],
      ...Object.entries(document.metadata).map(([name, value]) => [`metadata.${name}`, value] as const)
    ]
    return [
      `${paint.bold(nameOf(document))}  ${painted(document.status, paint)}${stage === "done" ? "" : ` (${stage})`}`,
      ...fieldLines(rows, paint),
      ...faultsOf(document).map((fault) => `  ${paint.red(fault)}`),
      ...(waiting === undefined
        ? []
        : [`  ${paint.yellow(`waiting since ${clock(waiting.since)}: ${waiting.message}`)}`]),
      ...authority_notifications.map((remark) => `  ${paint.yellow(ruleLine(remark))}`)
    ]
  }

type Entry = TimelinePage["data"][number]

const what = (entry: Entry): string => {
  switch (entry.type) {
    case "transition":
      return `${entry.from ?? "new"} → ${entry.to} (${entry.command})`
    case "email":
      return `email to ${entry.to}: ${entry.status}${entry.reason === null ? "" : `, ${entry.reason}`}`
    case "acceptance":
      return `${entry.code} ${entry.name}${entry.by === undefined ? "" : `, ${entry.by}`}${entry.reason === undefined ? "" : `: ${entry.reason}`}`
    case "event":
      return `event ${entry.event_type}`
    case "delivery_attempt":
      return `attempt ${entry.number} to ${entry.webhook_endpoint_id}: ${entry.response_status ?? entry.error?.message ?? "no response"}, ${entry.duration_ms} ms`
  }
}

const subject = (entry: Entry): string => {
  switch (entry.type) {
    case "transition":
    case "acceptance":
      return ""
    case "email":
      return entry.email_id
    case "event":
      return entry.event_id
    case "delivery_attempt":
      return entry.webhook_delivery_id
  }
}

export const timelineColumns: ReadonlyArray<Column<Entry>> = [
  ["TIME", ({ at }) => clock(at)],
  [
    "WHAT",
    (entry, { red }) => (entry.type === "delivery_attempt" && entry.error !== null ? red(what(entry)) : what(entry))
  ],
  ["ID", subject, "whole"]
]
