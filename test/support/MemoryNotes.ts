import { Effect, Layer, Option } from "effect"
import { InvoiceId } from "../../schemas/Id.ts"
import type { GrantedRange } from "../../schemas/Resolution.ts"
import { cents, decimal } from "../../src/domain/Decimal.ts"
import { Notes } from "../../src/store/Notes.ts"
import type { LoadedInvoice } from "../../src/store/Invoices.ts"
import type { StoredResolution } from "../../src/store/Resolutions.ts"
import { type InvoiceRow, MemoryTables, optionOf, type Tables } from "./MemoryTables.ts"

const numberWithinMs = 3_000
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
export const notesLayer = Layer.effect(
  Notes,
  Effect.map(MemoryTables, ({ call }) =>
    Notes.of({
      lock: (of, id) =>
        call("Notes.lock", ({ invoices }) =>
          optionOf(invoices, of, id).pipe(
            Option.filter(({ kind }) => kind === "invoice"),
            Option.map(({ acquirer, operation_type, state, totals }) => ({
              ...of,
              id: InvoiceId.make(id),
              state,
              operation_type,
              totals,
              acquirer_number: acquirer.identification.number
            }))
          )
        ),
      lines: (of, id) => call("Notes.lines", ({ invoices }) => Option.getOrThrow(optionOf(invoices, of, id)).lines),
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
          const corrected = invoices.get(invoice.id)
          if (corrected === undefined) throw new Error(`no invoice ${invoice.id}`)
          invoices.set(id, {
            ...corrected,
            id,
            kind,
            state: "queued",
            version: 1,
            attempts: 0,
            submitted_at: null,
            contingency_since: null,
            next_action_at: now + numberWithinMs,
            lines: request.lines,
            totals,
            metadata: request.metadata ?? {},
            invoice_id: invoice.id,
            correction_code: request.correction_code,
            reason: request.reason,
            range_prefix: null,
            resolution_id: null,
            issuer_version: 1,
            prefix: null,
            number: null,
            full_number: null,
            cufe: null,
            issue_date: null,
            issue_time: null,
            authority_errors: [],
            authority_notifications: [],
            failure: null,
            created_at,
            updated_at: created_at
          })
        }),
      find: (of, id) =>
        call("Notes.find", ({ invoices }) =>
          Option.flatMap(optionOf(invoices, of, id), (row) =>
            row.invoice_id === null
              ? Option.none()
              : Option.some({ invoice_id: row.invoice_id as string, totals: row.totals, is_credited: isCredited(row) })
          )
        )
    })
  )
)
