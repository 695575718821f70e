import { Context, Effect, Layer, Metric, Option, Result, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { AccountMode } from "../../../schemas/Account.ts"
import { WaitingCode } from "../../../schemas/AuthorityTrouble.ts"
import { OperationType } from "../../../schemas/Code.ts"
import { Acquirer } from "../../../schemas/Customer.ts"
import { type AccountId, CustomerId, DocumentId, InvoiceId, ResolutionId } from "../../../schemas/Id.ts"
import {
  AuthorityError,
  type DocumentKey,
  DocumentKind,
  Failure,
  InvoiceReference
} from "../../../schemas/FiscalDocument.ts"
import { DocumentDetails, PaymentMeans } from "../../../schemas/DocumentDetails.ts"
import { EmailStatus } from "../../../schemas/EmailStatus.ts"
import { Line, Totals } from "../../../schemas/Line.ts"
import { Currency, Figure, LocalDate } from "../../../schemas/Money.ts"
import type { PageRequest } from "../../../schemas/Page.ts"
import { GrantedRange } from "../../../schemas/Resolution.ts"
import { Metadata } from "../../../schemas/Text.ts"
import { states } from "../rules/InvoiceLifecycle.ts"
import { StoredAcceptance } from "./Acceptances.ts"
import * as AccountView from "../../database/AccountView.ts"
import * as Metrics from "../../runtime/Metrics.ts"
import * as Batcher from "../../database/Batcher.ts"
import { fits, type InvoiceFilter, narrowDocuments } from "./InvoiceFilter.ts"
import { columnsOf, inputOfKeys, ofAccount } from "../../database/Keys.ts"
import * as Pages from "../../database/Pages.ts"
import * as Query from "../../database/Query.ts"
import * as DocumentList from "./DocumentList.ts"
import * as Timelines from "./Timelines.ts"
import * as Vitals from "./Vitals.ts"
import { reminderLeaseSeconds, UnreadableInvoice } from "./Vitals.ts"

/** A document as stored. The public `status` and `stage` derive from `state`, the state of the lifecycle. */
const Row = Schema.Struct({
  ...AccountMode.fields,
  id: DocumentId,
  customer_id: CustomerId,
  state: Schema.Literals(states),
  version: Schema.Int,
  attempts: Schema.Int,
  kind: DocumentKind,
  currency: Currency,
  exchange_rate: Schema.NullOr(Figure),
  operation_type: OperationType,
  payment_means: PaymentMeans,
  lines: Schema.Array(Line),
  /** The optional parts of the document, such as discounts and notes; null without optional parts. */
  details: Schema.NullOr(DocumentDetails),
  totals: Totals,
  acquirer: Acquirer,
  metadata: Metadata,
  /** The client's own reference; null if the request had none. */
  external_id: Schema.NullOr(Schema.String),
  /** Whether a note has its own `exchange_rate`, and not the rate of the account's invoice that the note corrects. */
  own_rate: Schema.Boolean,
  /** The invoice of the account that a note corrects; null for all other documents. */
  invoice_id: Schema.NullOr(InvoiceId),
  /** The invoice of another system that a note corrects; null for all other documents. */
  original: Schema.NullOr(InvoiceReference),
  /** The code and text of a note's reason; null for an invoice. */
  correction_code: Schema.NullOr(Schema.String),
  reason: Schema.NullOr(Schema.String),
  /** The prefix of the range for the document's number; null for any range. */
  range_prefix: Schema.NullOr(Schema.String),
  resolution_id: Schema.NullOr(ResolutionId),
  issuer_version: Schema.Int,
  prefix: Schema.NullOr(Schema.String),
  full_number: Schema.NullOr(Schema.String),
  cufe: Schema.NullOr(Schema.String),
  issue_date: Schema.NullOr(LocalDate),
  issue_time: Schema.NullOr(Schema.String),
  submitted_at: Schema.NullOr(Schema.Date),
  contingency_since: Schema.NullOr(Schema.Date),
  transmit_before: Schema.NullOr(Schema.Date),
  of_type_04: Schema.Boolean,
  authority_errors: Schema.Array(AuthorityError),
  authority_notifications: Schema.Array(AuthorityError),
  failure: Schema.NullOr(Failure),
  waiting: Schema.NullOr(Schema.Struct({ code: WaitingCode, message: Schema.String })),
  waiting_since: Schema.NullOr(Schema.Date),
  created_at: Schema.Date,
  updated_at: Schema.Date
})
export type StoredInvoice = typeof Row.Type

/**
 * A stored document with its range and the milliseconds for which it has waited. `corrected`: the invoice that a note
 * corrects, of the account or of another system.
 */
const LoadedRow = Schema.Struct({
  ...Row.fields,
  range: Schema.NullOr(GrantedRange),
  corrected: Schema.NullOr(InvoiceReference),
  waiting_ms: Schema.NullOr(Schema.Finite)
})
export type LoadedInvoice = typeof LoadedRow.Type

const decodeLoaded = Schema.decodeUnknownResult(LoadedRow)

/** Reads a row of `loadedColumns`. */
export const readLoaded = (row: unknown): Result.Result<LoadedInvoice, UnreadableInvoice> =>
  Result.mapError(decodeLoaded(row), UnreadableInvoice.from)

/** The columns of a `LoadedInvoice`: the document `i`, its range `r`, and the invoice `c` that it corrects, if any. */
// While a corrected invoice has no new code, its notes name the code of its last rejected version.
export const loadedColumns = (sql: SqlClient.SqlClient) => sql`
  ${columnsOf(sql, Row, "i")}, case when r.id is not null then json_build_object('number', r.number, 'prefix', r.prefix,
    'from_number', r.from_number::text, 'to_number', r.to_number::text, 'valid_from', r.valid_from,
    'valid_to', r.valid_to) end as range,
    case when c.id is not null then jsonb_build_object('full_number', c.full_number,
    'cufe', coalesce(c.cufe, (
      select f.cufe from rejected_documents f
      where f.account_id = c.account_id and f.livemode = c.livemode and f.invoice_id = c.id order by f.version desc limit 1
    )), 'issue_date', c.issue_date) else i.original end as corrected,
    (extract(epoch from now() - i.waiting_since) * 1000)::float8 as waiting_ms`

/**
 * A stored document with its latest email and its buyer's acceptance. `email` is null without an email. `acceptance`
 * is null unless the document is an accepted invoice on credit terms.
 */
const ShownRow = Schema.Struct({
  ...Row.fields,
  acceptance: Schema.NullOr(StoredAcceptance),
  email: Schema.NullOr(Schema.Struct({ status: EmailStatus, at_ms: Schema.Finite }))
})
export type ShownInvoice = typeof ShownRow.Type

/** A draft without a number. `id` is the stored text, unchecked; `draft` is a failure if the row is unreadable. */
export interface QueuedDraft {
  readonly id: string
  readonly draft: Result.Result<StoredInvoice, UnreadableInvoice>
}

/** The data that identify a printed document. Equal values of `imprint` mean equal PDFs. */
const Imprint = Schema.Struct({
  id: DocumentId,
  kind: DocumentKind,
  state: Schema.Literals(states),
  full_number: Schema.String,
  is_signed: Schema.Boolean,
  imprint: Schema.String
})
export type Imprint = typeof Imprint.Type

const loadBatchMax = 500

/** Reads documents, for their account and for their actors; also postpones documents whose processing fails. */
export class Invoices extends Context.Service<Invoices>()("folio/invoices/store/Invoices", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { suspend, vitals } = Vitals.make(sql)
    const decode = Schema.decodeUnknownResult(Row)
    const read = (row: unknown) => Result.mapError(decode(row), UnreadableInvoice.from)
    const columns = columnsOf(sql, Row)

    const shown = sql`${columns}, (
      select json_build_object('status', e.status, 'at_ms', floor(extract(epoch from e.status_at) * 1000))
      from emails e
      where e.invoice_id = invoices.id and e.account_id = invoices.account_id and e.livemode = invoices.livemode
      order by e.id desc limit 1
    ) as email, case when kind = 'invoice' and payment_means ->> 'type' = '2' then (
      select json_build_object('events', a.events, 'is_over', a.next_question_at is null) from acceptances a
      where a.account_id = invoices.account_id and a.livemode = invoices.livemode and a.id = invoices.id
    ) end as acceptance`

    const { find, list } = Pages.readers(sql, {
      service: "Invoices",
      table: "invoices",
      columns: shown,
      row: ShownRow,
      narrow: narrowDocuments
    })

    // Number, date and code fix the printed content, except the mark of contingency and the range's validity.
    const findImprint = Query.first(
      Imprint,
      (key: DocumentKey) => sql`
        select i.id, i.kind, i.state, coalesce(i.full_number, '') as full_number,
          exists (
            select from invoice_documents d
            where d.account_id = i.account_id and d.livemode = i.livemode and d.invoice_id = i.id
          ) as is_signed,
          json_build_array(i.id, i.full_number, i.cufe, i.issue_date, i.issue_time, i.of_type_04, i.issuer_version,
            r.number, r.prefix, r.from_number, r.to_number, r.valid_from, r.valid_to, c.full_number, c.cufe)::text as imprint
        from invoices i
        left join resolutions r on r.account_id = i.account_id and r.livemode = i.livemode and r.id = i.resolution_id
        left join invoices c on c.account_id = i.account_id and c.livemode = i.livemode and c.id = i.invoice_id
        where i.account_id = ${key.account_id} and i.livemode = ${key.livemode} and i.id = ${key.id}`
    )

    const loadRow = yield* Batcher.make({
      name: "Invoices.load",
      max: loadBatchMax,
      run: Effect.fnUntraced(function* (keys: ReadonlyArray<DocumentKey>) {
        const rows = yield* sql`
          select ${loadedColumns(sql)}
          from ${inputOfKeys(sql, keys)}
          join invoices i using (account_id, livemode, id)
          left join resolutions r on r.account_id = i.account_id and r.livemode = i.livemode and r.id = i.resolution_id
          left join invoices c on c.account_id = i.account_id and c.livemode = i.livemode and c.id = i.invoice_id`
        const byId = new Map(rows.map((row) => [row["id"], row]))
        return keys.map((key) => byId.get(key.id))
      }, Effect.orDie)
    })

    /** Finds a document for its actor. Concurrent calls share a statement. Dies with `UnreadableInvoice`. */
    // Each caller decodes its own row, so that an unreadable row does not fail the other callers of the batch.
    const load = Effect.fnUntraced(function* (key: DocumentKey) {
      const row = yield* loadRow(key)
      if (row === undefined) return Option.none<LoadedInvoice>()
      return Option.some(yield* Effect.fromResult(readLoaded(row)))
    }, Effect.orDie)

    /** An account's drafts without a number, oldest first, at most `limit`, including unreadable drafts. */
    // Skips suspended drafts, because a page full of suspended drafts would hide the drafts after them.
    const queued = Effect.fn("Invoices.queued")(function* (account: AccountMode, limit: number) {
      const rows = yield* sql`
        select ${columns} from invoices
        where ${ofAccount(sql, account)} and state = 'queued'
          and (attempts = 0 or next_action_at <= now() + ${reminderLeaseSeconds} * interval '1 second')
        order by id limit ${limit}`
      return rows.map((row): QueuedDraft => ({ id: String(row["id"]), draft: read(row) }))
    }, Effect.orDie)

    const signedDocument = Query.first(
      Schema.Struct({ signed: Schema.Uint8Array }),
      (key: DocumentKey) => sql`
        select signed from invoice_documents where ${ofAccount(sql, key)} and invoice_id = ${key.id}`
    )

    const findAcceptance = Query.first(
      Schema.Struct({ xml: Schema.Uint8ArrayFromBase64, at: Schema.Date }),
      (key: DocumentKey) => sql`
        select d.authority_answer ->> 'XmlBase64Bytes' as xml, t.at
        from invoice_documents d
        join transitions t on t.account_id = d.account_id and t.livemode = d.livemode and t.invoice_id = d.invoice_id
          and t.command = 'Accept'
        where d.account_id = ${key.account_id} and d.livemode = ${key.livemode} and d.invoice_id = ${key.id}
          and d.authority_answer ->> 'XmlBase64Bytes' <> ''`
    )

    const isDue = Schema.is(Schema.Struct({ ...AccountMode.fields, id: DocumentId, queued: Schema.Boolean }))

    /**
     * Takes documents whose `next_action_at` has passed, each under a lease of `reminderLeaseSeconds`. Takes at most
     * `limit` drafts and `limit` other documents, so that drafts without a usable range do not delay other documents.
     * Skips the accounts in `without`.
     */
    const takeDue = Effect.fn("Invoices.takeDue")(function* (limit: number, without: ReadonlyArray<AccountId>) {
      const page = (condition: Statement.Fragment) => sql`
        select account_id, livemode, id from invoices
        where next_action_at <= now() and account_id <> all(${without}::text[]) and ${condition}
        order by next_action_at limit ${limit} for update skip locked`
      const rows = yield* sql<DocumentKey>`
        with draft as (${page(sql`state = 'queued'`)}), numbered as (${page(sql`state <> 'queued'`)})
        update invoices i set next_action_at = now() + ${reminderLeaseSeconds} * interval '1 second'
        from (select * from draft union all select * from numbered) due
        where i.account_id = due.account_id and i.livemode = due.livemode and i.id = due.id
        returning i.account_id, i.livemode, i.id, i.state = 'queued' as queued`
      const strange = rows.filter((row) => !isDue(row))
      if (strange.length > 0) {
        yield* Effect.logError("Documents with invalid ids have no actor; they are postponed").pipe(
          Effect.annotateLogs({ ids: strange.map(({ id }) => id) })
        )
        yield* Metric.update(Metrics.poison("invoice"), strange.length)
        yield* suspend(strange)
      }
      return rows.filter(isDue)
    }, Effect.orDie)

    return {
      find,
      list: (account: AccountMode, request: PageRequest, filter: InvoiceFilter) =>
        list(account, request, fits(sql, account, filter)),
      listAll: DocumentList.make(sql),
      timeline: Timelines.make(sql),
      imprint: Effect.fn("Invoices.imprint")((account: AccountMode, id: string) =>
        AccountView.within(sql, account)(findImprint({ ...account, id }))
      ),
      load,
      queued,
      /** The signed bytes of a document, which Folio submits unchanged; none before the signature. */
      signedDocument: (key: DocumentKey) => signedDocument(key).pipe(Effect.map(Option.map(({ signed }) => signed))),
      /** The authority's acceptance of a document, in XML, and its time in Unix milliseconds; none if not accepted. */
      acceptance: (key: DocumentKey) =>
        findAcceptance(key).pipe(
          Effect.map(Option.map(({ at, xml }) => ({ applicationResponse: xml, validatedAt: at.getTime() })))
        ),
      takeDue,
      suspend,
      vitals
    }
  })
}) {
  static readonly layer = Layer.effect(Invoices, Invoices.make)
}
