import { Option } from "effect"
import type { AccountMode } from "../../../schemas/Account.ts"
import { InvoiceId } from "../../../schemas/Id.ts"
import type { InvoiceRequest } from "../../../schemas/Invoice.ts"
import type { NoteRequest } from "../../../schemas/Note.ts"
import type { GrantedRange } from "../../../schemas/Resolution.ts"
import { detailsOf } from "../../../src/documents/rules/Details.ts"
import { cents, decimal } from "../../../src/documents/rules/Decimal.ts"
import { Notes, ofWhole, standardOperation, undefinedMeans } from "../../../src/invoices/store/Notes.ts"
import type { LoadedInvoice } from "../../../src/invoices/store/Invoices.ts"
import type { StoredResolution } from "../../../src/accounts/store/Resolutions.ts"
import { existing, inMemory, type InvoiceRow, optionOf, type Tables } from "./MemoryTables.ts"

export const numberWithinMs = 3_000

/** The columns of a document that no actor has worked on. */
export const untouched = {
  state: "queued",
  version: 1,
  attempts: 0,
  range_prefix: null,
  external_id: null,
  own_rate: false,
  original: null,
  resolution_id: null,
  issuer_version: 1,
  prefix: null,
  number: null,
  full_number: null,
  cufe: null,
  issue_date: null,
  issue_time: null,
  submitted_at: null,
  waiting: null,
  waiting_since: null,
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

/** A row with its document's data about its range and the corrected invoice. */
export const loaded = ({ invoices, resolutions }: Tables, row: InvoiceRow, now: number): LoadedInvoice => {
  const range = resolutions.get(row.resolution_id ?? "")
  const corrected = invoices.get(row.invoice_id ?? "")
  const waiting_ms = row.waiting_since === null ? null : now - row.waiting_since.getTime()
  return {
    ...row,
    waiting_ms,
    range: range === undefined ? null : granted(range),
    corrected: correctedOf(corrected) ?? row.original
  }
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

const correctable = ({ invoices }: Tables, account: AccountMode, id: string) =>
  optionOf(invoices, account, id).pipe(
    Option.filter(({ kind }) => kind === "invoice"),
    Option.map(({ acquirer, currency, operation_type, state, totals }) => ({
      ...account,
      id: InvoiceId.make(id),
      state,
      operation_type,
      currency,
      totals,
      acquirer_number: acquirer.identification.number
    }))
  )

const creditedTo = ({ invoices }: Tables, id: string) => {
  const notes = [...invoices.values()].filter(
    (row) => row.invoice_id === id && row.kind === "credit_note" && isCredited(row)
  )
  const amount = notes.reduce((sum, { totals }) => sum + cents(totals.payable_amount), 0n)
  return { count: notes.length, amount: decimal(amount) }
}

/**
 * The data that a note takes from the account's invoice, or from its request and a customer; none if there is no such
 * customer.
 */
export const noteSource = (
  { customers, invoices }: Tables,
  account: AccountMode,
  request: Partial<NoteRequest> & Partial<Pick<InvoiceRequest, "operation_type">>,
  invoice_id: string | null
) => {
  if (invoice_id !== null) {
    const { acquirer, currency, customer_id, exchange_rate, operation_type, payment_means } = existing(
      invoices,
      invoice_id
    )
    return Option.some({
      ...account,
      acquirer,
      currency,
      customer_id,
      operation_type,
      payment_means,
      exchange_rate: request.exchange_rate ?? exchange_rate,
      invoice_id: InvoiceId.make(invoice_id) as InvoiceId | null
    })
  }
  const { currency = "", customer_id = "", exchange_rate = null, payment_means = undefinedMeans } = request
  const { operation_type = standardOperation as "09" | "10" | "11" } = request
  return Option.map(optionOf(customers, account, customer_id), ({ acquirer, id }) => ({
    ...account,
    customer_id: id,
    acquirer,
    currency,
    exchange_rate,
    operation_type,
    payment_means,
    invoice_id: null as InvoiceId | null
  }))
}

// `Idempotency.once` runs one transaction at a time in memory: no lock is needed.
export const layerNotes = inMemory(Notes, ({ call }) => ({
  lock: (account, id) => call("Notes.lock", (tables) => correctable(tables, account, id)),
  content: (account, id) =>
    call("Notes.content", ({ invoices }) => {
      const { details, lines } = Option.getOrThrow(optionOf(invoices, account, id))
      return { lines, ...ofWhole(details) }
    }),
  credited: (_of, id) => call("Notes.credited", (tables) => creditedTo(tables, id)),
  look: (account, { invoice_id }) =>
    call("Notes.look", (tables) => ({
      invoice: invoice_id === undefined ? Option.none() : correctable(tables, account, invoice_id),
      credited: invoice_id === undefined ? Option.none() : Option.some(creditedTo(tables, invoice_id)),
      own: Option.none()
    })),
  insert: (note) =>
    call("Notes.insert", (tables, now) => {
      const { account, created_at, id, invoice, kind, request, totals } = note
      const found = noteSource(tables, account, request, invoice?.id ?? null)
      return Option.map(found, (source): string => {
        tables.invoices.set(id, {
          ...source,
          ...untouched,
          id,
          kind,
          next_action_at: now + numberWithinMs,
          lines: request.lines,
          details: detailsOf(request),
          totals,
          metadata: request.metadata ?? {},
          range_prefix: request.prefix ?? null,
          own_rate: request.exchange_rate !== undefined,
          original: request.original ?? null,
          correction_code: request.correction_code,
          reason: request.reason,
          created_at,
          updated_at: created_at
        })
        return source.acquirer.identification.number
      })
    })
}))
