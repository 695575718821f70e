import { Option } from "effect"
import { detailsOf } from "../../../src/documents/rules/Details.ts"
import { InvoiceCommands, type Renewal } from "../../../src/invoices/store/InvoiceCommands.ts"
import type { NoteRequest } from "../../../schemas/Note.ts"
import { noteSource, untouched } from "./MemoryNotes.ts"
import { existing, inMemory, type InvoiceRow, isOf, optionOf, type Tables } from "./MemoryTables.ts"

const retryAlarmMs = 5_000

const givenUp = "The document was corrected before this email was sent. The corrected document has an email of its own."

/** Corrects a document as the SQL does: the rejected version is kept, and everything except the number is reset. */
const correct = (tables: Tables, { key, totals, ...date }: Renewal, content: Partial<InvoiceRow>, now: number) => {
  const row = existing(tables.invoices, key.id)
  const { cufe, version } = row
  if (cufe === null) throw new Error(`${row.id} was never rejected`)
  tables.rejected.push({ invoice_id: row.id, cufe })
  tables.documents.delete(row.id)
  for (const email of tables.emails.values()) {
    if (email.invoice_id !== row.id || email.status !== "pending") continue
    tables.emails.set(email.id, { ...email, status: "failed", reason: givenUp, status_at: now, next_attempt_at: null })
  }
  const { number, full_number, prefix, range_prefix, resolution_id } = row
  const numbered = { number, full_number, prefix, range_prefix, resolution_id }
  tables.invoices.set(row.id, {
    ...row,
    ...untouched,
    ...numbered,
    ...content,
    ...date,
    totals,
    state: "numbered",
    version: version + 1,
    next_action_at: now + retryAlarmMs,
    updated_at: new Date(now)
  })
  const step = { invoice_id: row.id, version: version + 1, from: "rejected_by_authority", to: "numbered" } as const
  tables.transitions.push({ ...step, command: "Correct", at: now })
  return true
}

export const layerInvoiceCommands = inMemory(InvoiceCommands, ({ call }) => ({
  lock: (key) =>
    call("InvoiceCommands.lock", ({ invoices }) =>
      Option.map(
        optionOf(invoices, key, key.id),
        ({ authority_errors, contingency_since, currency, failure, full_number, state, submitted_at }) => ({
          state,
          full_number,
          currency,
          authority_errors,
          has_number: full_number !== null,
          is_issued: submitted_at !== null || contingency_since !== null,
          failure
        })
      )
    ),
  move: ({ id }, from, command, to) =>
    call("InvoiceCommands.move", ({ invoices, transitions }, now) => {
      const row = existing(invoices, id)
      const version = row.version + 1
      invoices.set(row.id, {
        ...row,
        state: to,
        version,
        attempts: 0,
        next_action_at: command === "Retry" ? now + retryAlarmMs : null,
        failure: null,
        updated_at: new Date(now)
      })
      transitions.push({ invoice_id: row.id, version, command, from: from.state, to, at: now })
    }),
  noteUnderWay: (account, id) =>
    call("InvoiceCommands.noteUnderWay", ({ invoices }) =>
      Option.fromUndefinedOr(
        [...invoices.values()].find((row) => isOf(row, account) && row.invoice_id === id && row.next_action_at !== null)
          ?.id
      )
    ),
  codes: (key) =>
    call("InvoiceCommands.codes", ({ rejected }) =>
      rejected.filter(({ invoice_id }) => invoice_id === key.id).map(({ cufe }) => cufe)
    ),
  correct: (renewal, request) =>
    call("InvoiceCommands.correct", (tables, now) => {
      const sent: Partial<NoteRequest> = request
      const source = noteSource(tables, renewal.key, sent, sent.invoice_id ?? null)
      if (Option.isNone(source)) return false
      const { lines, metadata = {} } = request
      const { correction_code = null, original = null, reason = null } = sent
      const said = { correction_code, details: detailsOf(request), lines, metadata, original, reason }
      const own_rate = correction_code !== null && request.exchange_rate !== undefined
      const { account_id: _account, livemode: _mode, ...content } = source.value
      return correct(tables, renewal, { ...content, ...said, own_rate }, now)
    })
}))
