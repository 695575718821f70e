import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AccountMode } from "../../../schemas/Account.ts"
import { DocumentDetails, type PaymentMeans } from "../../../schemas/DocumentDetails.ts"
import type { NoteId } from "../../../schemas/Id.ts"
import { InvoiceId } from "../../../schemas/Id.ts"
import { Line, Totals } from "../../../schemas/Line.ts"
import type { InvoiceRequest } from "../../../schemas/Invoice.ts"
import type { NoteRequest, OriginalInvoice } from "../../../schemas/Note.ts"
import { detailsOf } from "../../documents/rules/Details.ts"
import type { NoteKind } from "../../../schemas/DocumentKinds.ts"
import { states } from "../rules/InvoiceLifecycle.ts"
import type { Links } from "./FileLinks.ts"
import { numberWithinSeconds } from "./InvoiceCreation.ts"
import { type ShownInvoice } from "./Invoices.ts"
import { invoiceView } from "./InvoiceViews.ts"
import * as AccountView from "../../database/AccountView.ts"
import { ofAccount, ofKey } from "../../database/Keys.ts"
import { ExternalIds } from "../../database/ExternalIds.ts"
import * as Query from "../../database/Query.ts"
import { Workers } from "../../database/Workers.ts"

const Corrected = Schema.Struct({
  ...AccountMode.fields,
  id: InvoiceId,
  state: Schema.Literals(states),
  operation_type: Schema.String,
  currency: Schema.String,
  totals: Totals,
  acquirer_number: Schema.String
})
/** The invoice that a note will correct, without its lines, because an invoice can have many lines. */
export type Corrected = typeof Corrected.Type

const Credited = Schema.Struct({ count: Schema.Int, amount: Schema.String })
/** The count and total amount of an invoice's credit notes that the authority has accepted or may still accept. */
export type Credited = typeof Credited.Type

const Found = Schema.Struct({ invoice_id: Schema.NullOr(Schema.String), totals: Totals, is_credited: Schema.Boolean })
/**
 * A note with the account's invoice that the note corrects. `is_credited`: whether the note's amount counts as credited
 * to the invoice.
 */
export type Found = typeof Found.Type

/**
 * The SQL condition for `is_credited` on a row of `invoices`. A note that failed after its submission stays credited,
 * because the authority may have accepted it. A note that failed with `authority_refused` is not credited.
 */
const isCredited = `state not in ('failed', 'canceled', 'rejected_by_authority')
  or state = 'failed' and submitted_at is not null and failure ->> 'code' <> 'authority_refused'`

export interface NewNote {
  readonly account: AccountMode
  readonly id: NoteId
  readonly kind: NoteKind
  /** The account's invoice that the note corrects; null if the request names buyer and currency. */
  readonly invoice: Corrected | null
  readonly request: NoteRequest
  readonly totals: Totals
  readonly created_at: Date
}

/** The operation type of a note without an invoice of the account: the standard operation. */
export const standardOperation = "10"

/**
 * The default payment means of a note: undefined means, immediate payment. The authority requires payment means
 * (CAN03b).
 */
export const undefinedMeans: PaymentMeans = { code: "1", type: "1" }

/** The SQL of the data that a document copies: from the corrected invoice, or else from a customer and the request. */
export const sourceOf = (
  sql: SqlClient.SqlClient,
  account: AccountMode,
  request: Partial<NoteRequest> & Partial<Pick<InvoiceRequest, "operation_type">>,
  invoice_id: string | null
) => {
  const { currency = "", customer_id = "", exchange_rate = null } = request
  const { operation_type = standardOperation, payment_means = undefinedMeans } = request
  return invoice_id === null
    ? sql`
        select account_id, livemode, ${currency}::text as currency, ${exchange_rate}::text as exchange_rate,
          ${operation_type}::text as operation_type, ${JSON.stringify(payment_means)}::jsonb as payment_means, acquirer,
          id as customer_id, null::text as invoice_id
        from customers where ${ofKey(sql, { ...account, id: customer_id })}`
    : sql`
        select account_id, livemode, currency, coalesce(${exchange_rate}::text, exchange_rate) as exchange_rate, operation_type,
          payment_means, acquirer, customer_id, id as invoice_id
        from invoices where ${ofKey(sql, { ...account, id: invoice_id })}`
}

/** The optional parts that a note over a whole invoice copies: the parts that change the invoice's value. */
export const ofWhole = (details: DocumentDetails | null): DocumentDetails => {
  const { allowance_charges, payable_rounding_amount } = details ?? {}
  return {
    ...(allowance_charges === undefined ? {} : { allowance_charges }),
    ...(payable_rounding_amount === undefined ? {} : { payable_rounding_amount })
  }
}

/** The invoice in a note's request: by its id, or as an invoice of another system. */
export interface NamedInvoice {
  readonly invoice_id?: NoteRequest["invoice_id"] | undefined
  readonly original?: OriginalInvoice | undefined
}

/** Credit and debit notes. All methods except `look` run in the caller's transaction and account view. */
export class Notes extends Context.Service<Notes>()("folio/invoices/store/Notes", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const externalIds = yield* ExternalIds
    const workers = yield* Workers

    const correctable = (account: AccountMode, id: string) => sql`
      select account_id, livemode, id, state, operation_type, currency, totals,
        acquirer -> 'identification' ->> 'number' as acquirer_number
      from invoices where ${ofKey(sql, { ...account, id })} and kind = 'invoice'`
    const lock = Query.first(
      Corrected,
      (account: AccountMode, id: string) => sql`${correctable(account, id)} for no key update`
    )
    const read = Query.first(Corrected, correctable)
    const content = Query.one(
      Schema.Struct({ lines: Schema.Array(Line), details: Schema.NullOr(DocumentDetails) }),
      (account: AccountMode, id: string) =>
        sql`select lines, details from invoices where ${ofKey(sql, { ...account, id })}`
    )
    // Runs after the lock in a separate statement, which sees the notes that earlier lock holders have committed.
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
        where ${ofKey(sql, { ...account, id })} and kind <> 'invoice'`
    )
    const own = Query.first(
      Schema.Struct({ id: InvoiceId }),
      (account: AccountMode, { cufe, full_number }: OriginalInvoice) => sql`
        select id from invoices
        where ${ofAccount(sql, account)} and kind = 'invoice' and (full_number = ${full_number} or cufe = ${cufe})
        order by id limit 1`
    )

    const insert = Query.first(Schema.Struct({ acquirer_number: Schema.String }), (note: NewNote) => {
      const { created_at, id, kind, request, totals } = note
      const [details, original] = [detailsOf(request), request.original ?? null].map((part) =>
        part === null ? null : JSON.stringify(part)
      )
      return sql`
        insert into invoices (account_id, livemode, id, kind, customer_id, state, next_action_at, worker, currency,
          exchange_rate, own_rate, operation_type, payment_means, lines, details, totals, acquirer, metadata, range_prefix,
          external_id, invoice_id, original, correction_code, reason, created_at, updated_at)
        select account_id, livemode, ${id}, ${kind}, customer_id, 'queued',
          now() + ${numberWithinSeconds} * interval '1 second', ${workers.id}, currency, exchange_rate,
          ${request.exchange_rate !== undefined}, operation_type, payment_means, ${JSON.stringify(request.lines)}::jsonb,
          ${details}::jsonb, ${JSON.stringify(totals)}::jsonb, acquirer, ${JSON.stringify(request.metadata ?? {})}::jsonb,
          ${request.prefix ?? null}, ${request.external_id ?? null}, invoice_id, ${original}::jsonb, ${request.correction_code}, ${request.reason},
          ${created_at}, ${created_at}
        from (${sourceOf(sql, note.account, request, note.invoice?.id ?? null)}) s
        returning acquirer -> 'identification' ->> 'number' as acquirer_number`
    })

    return {
      /** Locks an invoice, so that no other transaction credits it and later reads of its notes stay valid. */
      lock: Effect.fn("Notes.lock")(lock),
      /** The content that a note over a whole invoice copies. Dies if the invoice does not exist. */
      content: Effect.fn("Notes.content")((account: AccountMode, id: string) =>
        Effect.map(content(account, id), ({ details, lines }) => ({ lines, ...ofWhole(details) }))
      ),
      credited: Effect.fn("Notes.credited")(credited),
      /**
       * Inserts the draft of a note and returns the buyer's identification number; none for an unknown customer. Copies
       * buyer, currency, payment means and, unless the note has its own, exchange rate from the invoice. Fails with
       * `external_id_taken`.
       */
      insert: Effect.fn("Notes.insert")((note: NewNote) =>
        Effect.tap(
          Effect.map(
            insert(note),
            Option.map(({ acquirer_number }) => acquirer_number)
          ),
          (inserted) =>
            Option.isNone(inserted)
              ? Effect.void
              : externalIds.take({ ...note.account, id: note.id }, note.kind, note.request.external_id ?? null)
        )
      ),
      find: Effect.fn("Notes.find")(find),
      /** The account's invoice with the number or code of `original`, which a request names as another system's. */
      own: Effect.fn("Notes.own")((account: AccountMode, original: OriginalInvoice) =>
        own(account, original).pipe(Effect.map(Option.map(({ id }) => id)))
      ),
      /** The data for validating a note without storing it, read in its own account view and without a lock. */
      look: Effect.fn("Notes.look")((account: AccountMode, { invoice_id, original }: NamedInvoice) =>
        AccountView.within(
          sql,
          account
        )(
          Effect.all({
            invoice: invoice_id === undefined ? Effect.succeedNone : read(account, invoice_id),
            credited: invoice_id === undefined ? Effect.succeedNone : Effect.asSome(credited(account, invoice_id)),
            own: original === undefined ? Effect.succeedNone : own(account, original)
          })
        )
      )
    }
  })
}) {
  static readonly layer = Layer.effect(Notes, Notes.make)
}

/** The whole note as the API shows it: the fields of an invoice, and the correction. */
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
    invoice_id: row.invoice_id,
    ...(row.original === null ? {} : { original: row.original }),
    correction_code: row.correction_code ?? "",
    reason: row.reason ?? "",
    ...rest
  }
}

/** Any fiscal document as the API shows it. */
export const documentView = (row: ShownInvoice, links: Links) =>
  row.kind === "invoice" ? invoiceView(row, links) : noteView(row.kind, row, links)
