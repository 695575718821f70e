import { Context, Effect, Layer, type Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { AccountMode } from "../../schemas/Account.ts"
import type { NoteId } from "../../schemas/Id.ts"
import { InvoiceId } from "../../schemas/Id.ts"
import { Line, Totals } from "../../schemas/Line.ts"
import type { NoteRequest } from "../../schemas/Note.ts"
import type { NoteKind } from "../domain/DocumentKinds.ts"
import { states } from "../domain/InvoiceLifecycle.ts"
import type { Links } from "./FileLinks.ts"
import { type ShownInvoice } from "./Invoices.ts"
import { invoiceView } from "./InvoiceViews.ts"
import { Workers } from "./Workers.ts"

const Corrected = Schema.Struct({
  ...AccountMode.fields,
  id: InvoiceId,
  state: Schema.Literals(states),
  operation_type: Schema.String,
  totals: Totals,
  acquirer_number: Schema.String
})
/** An invoice that is to be corrected, without its lines: they may be many. */
export type Corrected = typeof Corrected.Type

const Credited = Schema.Struct({ count: Schema.Int, amount: Schema.String })
/** What the credit notes of an invoice come to, and how many they are: those that the authority has or may have. */
export type Credited = typeof Credited.Type

const Found = Schema.Struct({ invoice_id: Schema.String, totals: Totals, is_credited: Schema.Boolean })
/** A note, and whether its invoice counts as credited by it. */
export type Found = typeof Found.Type

/**
 * In SQL, of a row of `invoices`. A note that failed after it was sent may have been accepted, unless the authority refused it: what it
 * credits is given back once that is known.
 */
const isCredited = `state not in ('failed', 'canceled', 'rejected_by_authority')
  or state = 'failed' and submitted_at is not null and failure ->> 'code' <> 'authority_refused'`

export interface NewNote {
  readonly id: NoteId
  readonly kind: NoteKind
  readonly invoice: Corrected
  readonly request: NoteRequest
  readonly totals: Totals
  readonly created_at: Date
}

// Until its account's actor has numbered it, a draft is nobody's work but the sweeper's.
const numberWithinSeconds = 3

/** Notes to invoices. All of it is part of the caller's transaction, in the account's view. */
export class Notes extends Context.Service<
  Notes,
  {
    /**
     * Locks an invoice: until the transaction ends nobody else credits it, so that what is read of its notes afterwards stays
     * true.
     */
    readonly lock: (of: AccountMode, invoice_id: string) => Effect.Effect<Option.Option<Corrected>>
    /** The lines of an invoice that is there. */
    readonly lines: (of: AccountMode, invoice_id: string) => Effect.Effect<ReadonlyArray<Line>>
    readonly credited: (of: AccountMode, invoice_id: string) => Effect.Effect<Credited>
    /** Makes the draft of a note. Buyer, currency, rate and payment are copied from the invoice in this statement. */
    readonly insert: (note: NewNote) => Effect.Effect<void>
    readonly find: (of: AccountMode, id: string) => Effect.Effect<Option.Option<Found>>
  }
>()("folio/store/Notes") {
  static readonly layer = Layer.effect(
    Notes,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const workers = yield* Workers
      const Key = Schema.Struct({ ...AccountMode.fields, id: Schema.String })

      const lock = SqlSchema.findOneOption({
        Request: Key,
        Result: Corrected,
        execute: (key) => sql`
          select account_id, livemode, id, state, operation_type, totals,
            acquirer -> 'identification' ->> 'number' as acquirer_number
          from invoices
          where account_id = ${key.account_id} and livemode = ${key.livemode} and id = ${key.id} and kind = 'invoice'
          for no key update`
      })

      const lines = SqlSchema.findOne({
        Request: Key,
        Result: Schema.Struct({ lines: Schema.Array(Line) }),
        execute: (key) => sql`
          select lines from invoices
          where account_id = ${key.account_id} and livemode = ${key.livemode} and id = ${key.id}`
      })

      // A statement of its own, after the lock: it sees what those have committed that held the lock before.
      const credited = SqlSchema.findOne({
        Request: Key,
        Result: Credited,
        execute: (key) => sql`
          select count(*)::integer as count, coalesce(sum((totals ->> 'payable_amount')::numeric), 0.00)::text as amount
          from invoices
          where account_id = ${key.account_id} and livemode = ${key.livemode} and invoice_id = ${key.id}
            and kind = 'credit_note' and (${sql.literal(isCredited)})`
      })

      const find = SqlSchema.findOneOption({
        Request: Key,
        Result: Found,
        execute: (key) => sql`
          select invoice_id, totals, ${sql.literal(isCredited)} as is_credited from invoices
          where account_id = ${key.account_id} and livemode = ${key.livemode} and id = ${key.id}
            and invoice_id is not null`
      })

      const insert: Notes["Service"]["insert"] = ({ created_at, id, invoice, kind, request, totals }) =>
        sql`
          insert into invoices (account_id, livemode, id, kind, customer_id, state, next_action_at, worker, currency,
            exchange_rate, operation_type, payment_means, lines, totals, acquirer, metadata, invoice_id, correction_code,
            reason, created_at, updated_at)
          select account_id, livemode, ${id}, ${kind}, customer_id, 'queued',
            now() + ${numberWithinSeconds} * interval '1 second', ${workers.id}, currency, exchange_rate, operation_type,
            payment_means, ${JSON.stringify(request.lines)}::jsonb, ${JSON.stringify(totals)}::jsonb, acquirer,
            ${JSON.stringify(request.metadata ?? {})}::jsonb, id, ${request.correction_code}, ${request.reason},
            ${created_at}, ${created_at}
          from invoices
          where account_id = ${invoice.account_id} and livemode = ${invoice.livemode} and id = ${invoice.id}`.pipe(
          Effect.orDie,
          Effect.asVoid
        )

      return Notes.of({
        lock: Effect.fn("Notes.lock")((of, id) => Effect.orDie(lock({ ...of, id }))),
        lines: Effect.fn("Notes.lines")((of, id) => Effect.orDie(Effect.map(lines({ ...of, id }), (row) => row.lines))),
        credited: Effect.fn("Notes.credited")((of, id) => Effect.orDie(credited({ ...of, id }))),
        insert: Effect.fn("Notes.insert")(insert),
        find: Effect.fn("Notes.find")((of, id) => Effect.orDie(find({ ...of, id })))
      })
    })
  )
}

/** The whole note as the API shows it: as an invoice is shown, and what it corrects. */
export const noteView = <Kind extends NoteKind>(kind: Kind, row: ShownInvoice, links: Links) => {
  const { created_at, cufe, full_number, id, status, ...invoice } = invoiceView(row, links)
  const { object: _object, operation_type: _operation, resolution_id: _resolution, ...rest } = invoice
  return {
    id: id as string as NoteId,
    object: kind,
    status,
    full_number,
    cude: cufe,
    created_at,
    invoice_id: row.invoice_id as InvoiceId,
    correction_code: row.correction_code ?? "",
    reason: row.reason ?? "",
    ...rest
  }
}

/** Any fiscal document as the API shows it. */
export const documentView = (row: ShownInvoice, links: Links) =>
  row.kind === "invoice" ? invoiceView(row, links) : noteView(row.kind, row, links)
