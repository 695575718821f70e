import { Option, Result } from "effect"
import { kindsOf } from "../../../src/invoices/store/DocumentList.ts"
import { Invoices } from "../../../src/invoices/store/Invoices.ts"
import { reminderLeaseSeconds } from "../../../src/invoices/store/Vitals.ts"
import { latestEmail } from "./MemoryEmails.ts"
import { loaded } from "./MemoryNotes.ts"
import { pageOf } from "./MemoryPages.ts"
import { optionOf, type InvoiceRow, isOf, inMemory, type Tables } from "./MemoryTables.ts"

const shown = (tables: Tables, row: InvoiceRow) => ({ ...row, email: latestEmail(tables, row.id), acceptance: null })

const suspendSecondsMax = 300

const isDraft = (row: InvoiceRow) => row.state === "queued"

const alarm = (row: InvoiceRow) => row.next_action_at ?? Infinity

export const layerInvoices = inMemory(Invoices, ({ call }) => ({
  imprint: (account, id) =>
    call("Invoices.imprint", ({ documents, invoices }) =>
      Option.map(optionOf(invoices, account, id), (row) => ({
        id: row.id,
        kind: row.kind,
        state: row.state,
        full_number: row.full_number ?? "",
        is_signed: documents.has(row.id),
        imprint: `${row.id} ${row.cufe}`
      }))
    ),
  find: (account, id) =>
    call("Invoices.find", (tables) => Option.map(optionOf(tables.invoices, account, id), (row) => shown(tables, row))),
  load: (key) =>
    call("Invoices.load", (tables, now) =>
      Option.map(optionOf(tables.invoices, key, key.id), (row) => loaded(tables, row, now))
    ),
  // Other filters are tested on PostgreSQL.
  list: (account, request, filter) =>
    call("Invoices.list", (tables) => {
      const kinds = kindsOf(filter)
      const { has_more, rows } = pageOf(tables.invoices, account, request, ({ kind }) => kinds.includes(kind))
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
