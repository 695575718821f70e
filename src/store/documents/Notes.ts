import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AccountMode } from "../../../schemas/Account.ts"
import type { NoteId } from "../../../schemas/Id.ts"
import { InvoiceId } from "../../../schemas/Id.ts"
import { Line, Totals } from "../../../schemas/Line.ts"
import type { NoteRequest } from "../../../schemas/Note.ts"
import type { NoteKind } from "../../domain/documents/DocumentKinds.ts"
import { states } from "../../domain/documents/InvoiceLifecycle.ts"
import type { Links } from "./FileLinks.ts"
import { numberWithinSeconds } from "./InvoiceCreation.ts"
import { type ShownInvoice } from "./Invoices.ts"
import { invoiceView } from "./InvoiceViews.ts"
import { ofAccount, ofKey } from "../sql/Keys.ts"
import * as Query from "../sql/Query.ts"
import { Workers } from "../sql/Workers.ts"

const Corrected = Schema.Struct({
  ...AccountMode.fields,
  id: InvoiceId,
  state: Schema.Literals(states),
  operation_type: Schema.String,
  totals: Totals,
  acquirer_number: Schema.String
})
/** The invoice that a note is to correct, without its lines, because an invoice can have many lines. */
export type Corrected = typeof Corrected.Type

const Credited = Schema.Struct({ count: Schema.Int, amount: Schema.String })
/** The count and total amount of an invoice's credit notes that the authority has accepted or may still accept. */
export type Credited = typeof Credited.Type

const Found = Schema.Struct({ invoice_id: Schema.String, totals: Totals, is_credited: Schema.Boolean })
/** A note; `is_credited`: whether the note's amount counts as credited to its invoice. */
export type Found = typeof Found.Type

/**
 * The SQL condition for `is_credited` on a row of `invoices`. The authority may have accepted a note that failed after its
 * submission, unless the failure is a refusal, so the amount of the note stays credited until the outcome is known.
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

/** Notes to invoices. Every method runs in the caller's transaction and account view. */
export class Notes extends Context.Service<Notes>()("folio/store/Notes", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const workers = yield* Workers

    const lock = Query.first(
      Corrected,
      (account: AccountMode, id: string) => sql`
        select account_id, livemode, id, state, operation_type, totals,
          acquirer -> 'identification' ->> 'number' as acquirer_number
        from invoices where ${ofKey(sql, { ...account, id })} and kind = 'invoice' for no key update`
    )
    const lines = Query.one(
      Schema.Struct({ lines: Schema.Array(Line) }),
      (account: AccountMode, id: string) => sql`select lines from invoices where ${ofKey(sql, { ...account, id })}`
    )
    // A separate statement after the lock, so that it sees the notes that earlier holders of the lock have committed.
    const credited = Query.one(
      Credited,
      (account: AccountMode, invoice_id: string) => sql`
        select count(*)::integer as count, coalesce(sum((totals ->> 'payable_amount')::numeric), 0.00)::text as amount
        from invoices
        where ${ofAccount(sql, account)} and invoice_id = ${invoice_id}
          and kind = 'credit_note' and (${sql.literal(isCredited)})`
    )
    const find = Query.first(
      Found,
      (account: AccountMode, id: string) => sql`
        select invoice_id, totals, ${sql.literal(isCredited)} as is_credited from invoices
        where ${ofKey(sql, { ...account, id })} and invoice_id is not null`
    )

    const insert = ({ created_at, id, invoice, kind, request, totals }: NewNote) =>
      sql`
        insert into invoices (account_id, livemode, id, kind, customer_id, state, next_action_at, worker, currency,
          exchange_rate, operation_type, payment_means, lines, totals, acquirer, metadata, invoice_id, correction_code,
          reason, created_at, updated_at)
        select account_id, livemode, ${id}, ${kind}, customer_id, 'queued',
          now() + ${numberWithinSeconds} * interval '1 second', ${workers.id}, currency, exchange_rate, operation_type,
          payment_means, ${JSON.stringify(request.lines)}::jsonb, ${JSON.stringify(totals)}::jsonb, acquirer,
          ${JSON.stringify(request.metadata ?? {})}::jsonb, id, ${request.correction_code}, ${request.reason},
          ${created_at}, ${created_at}
        from invoices where ${ofKey(sql, invoice)}`.pipe(Effect.orDie, Effect.asVoid)

    return {
      /** Locks an invoice until the transaction ends: others that credit it wait, so that later reads of its notes stay valid. */
      lock: Effect.fn("Notes.lock")(lock),
      /** The lines of an invoice; dies when the invoice does not exist. */
      lines: Effect.fn("Notes.lines")((account: AccountMode, id: string) =>
        Effect.map(lines(account, id), (row) => row.lines)
      ),
      credited: Effect.fn("Notes.credited")(credited),
      /** Inserts the draft of a note. The statement copies buyer, currency, exchange rate and payment means from the invoice. */
      insert: Effect.fn("Notes.insert")(insert),
      find: Effect.fn("Notes.find")(find)
    }
  })
}) {
  static readonly layer = Layer.effect(Notes, Notes.make)
}

/** The whole note as the API shows it: the fields that notes share with invoices, and the correction. */
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
