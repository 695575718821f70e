import { Option } from "effect"
import { InvoiceId } from "../../../schemas/Id.ts"
import type { GrantedRange } from "../../../schemas/Resolution.ts"
import { cents, decimal } from "../../../src/domain/documents/Decimal.ts"
import { Notes } from "../../../src/store/documents/Notes.ts"
import type { LoadedInvoice } from "../../../src/store/documents/Invoices.ts"
import type { StoredResolution } from "../../../src/store/accounts/Resolutions.ts"
import { existing, inMemory, type InvoiceRow, optionOf, type Tables } from "./MemoryTables.ts"

export const numberWithinMs = 3_000

/** What nobody has worked on has of a document. */
export const untouched = {
  state: "queued",
  version: 1,
  attempts: 0,
  range_prefix: null,
  resolution_id: null,
  issuer_version: 1,
  prefix: null,
  number: null,
  full_number: null,
  cufe: null,
  issue_date: null,
  issue_time: null,
  submitted_at: null,
  contingency_since: null,
  transmit_before: null,
  of_type_04: false,
  authority_errors: [],
  authority_notifications: [],
  failure: null
} as const

const isCredited = ({ failure, state, submitted_at }: InvoiceRow) => {
  if (state === "failed") return submitted_at !== null && failure?.code !== "authority_refused"
  return state !== "canceled" && state !== "rejected_by_authority"
}

/** A row with what its document says of its range and of the invoice that it corrects. */
export const loaded = ({ invoices, resolutions }: Tables, row: InvoiceRow, now: number): LoadedInvoice => {
  const range = resolutions.get(row.resolution_id ?? "")
  const corrected = invoices.get(row.invoice_id ?? "")
  const submitted_ms = row.submitted_at === null ? null : now - row.submitted_at.getTime()
  return { ...row, submitted_ms, range: range === undefined ? null : granted(range), corrected: correctedOf(corrected) }
}

const granted = ({ from_number, number, prefix, to_number, valid_from, valid_to }: StoredResolution): GrantedRange => ({
  number,
  prefix,
  from_number: String(from_number),
  to_number: String(to_number),
  valid_from,
  valid_to
})

const correctedOf = (row: InvoiceRow | undefined): LoadedInvoice["corrected"] =>
  row === undefined
    ? null
    : { cufe: row.cufe ?? "", full_number: row.full_number ?? "", issue_date: row.issue_date ?? "" }

// `IdempotencyKeys.once` runs one transaction at a time in memory: nothing need be locked.
export const notesLayer = inMemory(Notes, ({ call }) => ({
  lock: (account, id) =>
    call("Notes.lock", ({ invoices }) =>
      optionOf(invoices, account, id).pipe(
        Option.filter(({ kind }) => kind === "invoice"),
        Option.map(({ acquirer, operation_type, state, totals }) => ({
          ...account,
          id: InvoiceId.make(id),
          state,
          operation_type,
          totals,
          acquirer_number: acquirer.identification.number
        }))
      )
    ),
  lines: (account, id) =>
    call("Notes.lines", ({ invoices }) => Option.getOrThrow(optionOf(invoices, account, id)).lines),
  credited: (_of, id) =>
    call("Notes.credited", ({ invoices }) => {
      const notes = [...invoices.values()].filter(
        (row) => row.invoice_id === id && row.kind === "credit_note" && isCredited(row)
      )
      const amount = notes.reduce((sum, { totals }) => sum + cents(totals.payable_amount), 0n)
      return { count: notes.length, amount: decimal(amount) }
    }),
  insert: ({ created_at, id, invoice, kind, request, totals }) =>
    call("Notes.insert", ({ invoices }, now) => {
      invoices.set(id, {
        ...existing(invoices, invoice.id),
        ...untouched,
        id,
        kind,
        next_action_at: now + numberWithinMs,
        lines: request.lines,
        totals,
        metadata: request.metadata ?? {},
        invoice_id: invoice.id,
        correction_code: request.correction_code,
        reason: request.reason,
        created_at,
        updated_at: created_at
      })
    }),
  find: (account, id) =>
    call("Notes.find", ({ invoices }) =>
      Option.flatMap(optionOf(invoices, account, id), (row) =>
        row.invoice_id === null
          ? Option.none()
          : Option.some({ invoice_id: row.invoice_id as string, totals: row.totals, is_credited: isCredited(row) })
      )
    )
}))
