import { Option, Result } from "effect"
import { type DocumentFilter, statesOf } from "../../../src/invoices/store/InvoiceFilter.ts"
import { kindsOf, type ListedDocument, orderOf } from "../../../src/invoices/store/DocumentList.ts"
import { Invoices } from "../../../src/invoices/store/Invoices.ts"
import { isOpen } from "../../../src/invoices/rules/InvoiceLifecycle.ts"
import { timelineMax } from "../../../src/invoices/store/Timelines.ts"
import { reminderLeaseSeconds } from "../../../src/invoices/store/Vitals.ts"
import { acceptanceOf } from "./acceptance/MemoryAcceptances.ts"
import { entriesOf } from "./MemoryCommands.ts"
import { latestEmail } from "./MemoryEmails.ts"
import { loaded } from "./MemoryNotes.ts"
import { firstOf, pageOf } from "./MemoryPages.ts"
import { optionOf, type InvoiceRow, isOf, inMemory, type Tables } from "./MemoryTables.ts"

const fits = (filter: DocumentFilter) => {
  const { cufe, customer_id, external_id, from, full_numbers, ids, invoice_id, metadata, status, to } = filter
  const ofKinds = kindsOf(filter)
  return (row: InvoiceRow) =>
    ofKinds.includes(row.kind) &&
    (ids === null || ids.includes(row.id)) &&
    (invoice_id === null || row.invoice_id === invoice_id) &&
    (customer_id === null || row.customer_id === customer_id) &&
    (full_numbers === null || full_numbers.includes(row.full_number ?? "")) &&
    (cufe === null || row.cufe === cufe) &&
    (external_id === null || row.external_id === external_id) &&
    Object.entries(metadata).every(([key, value]) => Object.hasOwn(row.metadata, key) && row.metadata[key] === value) &&
    (status === null || statesOf(status).includes(row.state)) &&
    (from === null || row.created_at >= from) &&
    (to === null || row.created_at <= to)
}

const listed = (row: InvoiceRow): ListedDocument => ({
  id: row.id,
  kind: row.kind,
  state: row.state,
  full_number: row.full_number,
  cufe: row.cufe,
  customer_id: row.customer_id,
  customer_name: row.acquirer.legal_name,
  customer_number: row.acquirer.identification.number,
  currency: row.currency,
  line_extension_amount: row.totals.line_extension_amount,
  tax_amount: row.totals.tax_amount,
  payable_amount: row.totals.payable_amount,
  waiting_code: isOpen(row.state) ? (row.waiting?.code ?? null) : null,
  issue_date: row.issue_date,
  issue_time: row.issue_time,
  created_at: row.created_at
})

const shown = (tables: Tables, row: InvoiceRow) => ({
  ...row,
  email: latestEmail(tables, row.id),
  acceptance: acceptanceOf(tables, row.id)
})

const suspendSecondsMax = 300

const isDraft = (row: InvoiceRow) => row.state === "queued"

const alarm = (row: InvoiceRow) => row.next_action_at ?? Infinity

export const layerInvoices = inMemory(Invoices, ({ call }) => ({
  imprint: (account, id) =>
    call("Invoices.imprint", ({ documents, invoices, resolutions }) =>
      Option.map(optionOf(invoices, account, id), (row) => ({
        id: row.id,
        kind: row.kind,
        state: row.state,
        full_number: row.full_number ?? "",
        is_signed: documents.has(row.id),
        imprint: JSON.stringify([
          row.id,
          row.full_number,
          row.cufe,
          row.issue_date,
          row.issue_time,
          row.of_type_04,
          row.issuer_version,
          row.resolution_id,
          resolutions.get(row.resolution_id ?? "")?.valid_to,
          row.invoice_id
        ])
      }))
    ),
  find: (account, id) =>
    call("Invoices.find", (tables) => Option.map(optionOf(tables.invoices, account, id), (row) => shown(tables, row))),
  load: (key) =>
    call("Invoices.load", (tables, now) =>
      Option.map(optionOf(tables.invoices, key, key.id), (row) => loaded(tables, row, now))
    ),
  list: (account, request, filter) =>
    call("Invoices.list", (tables) => {
      const { has_more, rows } = pageOf(tables.invoices, account, request, fits(filter))
      return { has_more, rows: rows.map((row) => shown(tables, row)) }
    }),
  queued: (account, limit) =>
    call("Invoices.queued", ({ invoices }, now) =>
      [...invoices.values()]
        .filter(
          (row) =>
            isOf(row, account) &&
            row.state === "queued" &&
            (row.attempts === 0 || alarm(row) <= now + reminderLeaseSeconds * 1000)
        )
        .toSorted((a, b) => (a.id < b.id ? -1 : 1))
        .slice(0, limit)
        .map((row) => ({ id: row.id, draft: Result.succeed(row) }))
    ),
  acceptance: (key) =>
    call("Invoices.acceptance", ({ documents, transitions }) => {
      const accepted = transitions.find(({ command, invoice_id }) => invoice_id === key.id && command === "Accept")
      const { XmlBase64Bytes = "" } = Object(documents.get(key.id)?.authority_answer)
      if (accepted === undefined || XmlBase64Bytes === "") return Option.none()
      const applicationResponse = new Uint8Array(Buffer.from(String(XmlBase64Bytes), "base64"))
      return Option.some({ applicationResponse, validatedAt: accepted.at })
    }),
  signedDocument: (key) =>
    call("Invoices.signedDocument", ({ documents, invoices }) =>
      Option.flatMap(optionOf(invoices, key, key.id), (row) =>
        Option.map(Option.fromUndefinedOr(documents.get(row.id)), ({ signed }) => signed)
      )
    ),
  takeDue: (limit, without) =>
    call("Invoices.takeDue", ({ invoices }, now) => {
      const due = [...invoices.values()]
        .filter((row) => alarm(row) <= now && !without.includes(row.account_id))
        .toSorted((a, b) => alarm(a) - alarm(b))
      const drafts = due.filter(isDraft).slice(0, limit)
      const numbered = due.filter((row) => !isDraft(row)).slice(0, limit)
      return [...drafts, ...numbered].map((row) => {
        const { account_id, id, livemode } = row
        invoices.set(id, { ...row, next_action_at: now + reminderLeaseSeconds * 1000 })
        return { account_id, livemode, id, queued: isDraft(row) }
      })
    }),
  listAll: (account, { cursor, limit }, filter) =>
    call("Invoices.listAll", ({ invoices }) => {
      const backwards = cursor?.direction === "before"
      const newestFirst = [...invoices.values()]
        .filter((row) => isOf(row, account) && fits(filter)(row))
        .toSorted((a, b) => (orderOf(a.id) < orderOf(b.id) ? 1 : -1))
      const at = orderOf(cursor?.id ?? "")
      const beyond = newestFirst.filter(
        ({ id }) => cursor === null || (backwards ? orderOf(id) > at : orderOf(id) < at)
      )
      const rows = backwards ? beyond.slice(-limit) : beyond.slice(0, limit)
      return { rows: rows.map(listed), has_more: beyond.length > rows.length }
    }),
  timeline: (account, id) =>
    call("Invoices.timeline", (tables) => {
      const entries = Option.isSome(optionOf(tables.invoices, account, id)) ? entriesOf(tables, id) : []
      const rows = firstOf(entries, timelineMax)
      return { rows, has_more: entries.length > rows.length }
    }),
  vitals: (key) =>
    call("Invoices.vitals", ({ invoices }) =>
      Option.filter(Option.fromUndefinedOr(invoices.get(key.id)), (row) => row.account_id === key.account_id)
    ),
  suspend: (keys) =>
    call("Invoices.suspend", ({ invoices }, now) => {
      for (const { id } of keys) {
        const row = invoices.get(id)
        if (row === undefined || row.next_action_at === null) continue
        const next_action_at = now + (reminderLeaseSeconds + Math.min(2 ** row.attempts, suspendSecondsMax)) * 1000
        invoices.set(id, { ...row, attempts: row.attempts + 1, next_action_at })
      }
    })
}))
