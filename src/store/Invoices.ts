import { Context, Effect, Layer, Metric, Option, Result, Schema } from "effect"
import { SqlClient, SqlSchema, type Statement } from "effect/sql"
import { AccountMode } from "../../schemas/Account.ts"
import type { ApiError } from "../../schemas/ApiError.ts"
import { OperationType } from "../../schemas/Code.ts"
import { Acquirer } from "../../schemas/Customer.ts"
import { type AccountId, CustomerId, DocumentId, InvoiceId, ResolutionId } from "../../schemas/Id.ts"
import { AuthorityError, Correction, DocumentKind, Failure } from "../../schemas/FiscalDocument.ts"
import { PaymentMeans } from "../../schemas/Invoice.ts"
import { EmailStatus } from "../../schemas/EmailStatus.ts"
import { Line, Totals } from "../../schemas/Line.ts"
import { Currency, Decimal, LocalDate } from "../../schemas/Money.ts"
import type { PageRequest } from "../../schemas/Page.ts"
import { GrantedRange } from "../../schemas/Resolution.ts"
import { Metadata } from "../../schemas/Text.ts"
import { isOfKind } from "../domain/DocumentKinds.ts"
import { states } from "../domain/InvoiceLifecycle.ts"
import * as AccountView from "./AccountView.ts"
import * as Metrics from "../protocol/Metrics.ts"
import * as Batcher from "./Batcher.ts"
import { fits, type InvoiceFilter } from "./InvoiceFilter.ts"
import * as Pages from "./Pages.ts"
import { PoisonInvoices, reminderLeaseSeconds, type RowKey, UnreadableInvoice } from "./PoisonInvoices.ts"

/** A fiscal document as it is stored. `state` is the lifecycle's; the public `status` and `stage` derive from it. */
const Row = Schema.Struct({
  ...AccountMode.fields,
  id: DocumentId,
  customer_id: CustomerId,
  state: Schema.Literals(states),
  version: Schema.Int,
  attempts: Schema.Int,
  kind: DocumentKind,
  currency: Currency,
  exchange_rate: Schema.NullOr(Decimal),
  operation_type: OperationType,
  payment_means: PaymentMeans,
  lines: Schema.Array(Line),
  totals: Totals,
  acquirer: Acquirer,
  metadata: Metadata,
  /** Of a note: the invoice that it corrects, and why. */
  invoice_id: Schema.NullOr(InvoiceId),
  correction_code: Schema.NullOr(Schema.String),
  reason: Schema.NullOr(Schema.String),
  /** Of which prefix the range must be that it is numbered from; null for any. */
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
  created_at: Schema.Date,
  updated_at: Schema.Date
})
export type StoredInvoice = typeof Row.Type

/**
 * With what its document says of the range it was numbered from and of the invoice that it corrects, and since how long it has
 * been submitted.
 */
const LoadedRow = Schema.Struct({
  ...Row.fields,
  range: Schema.NullOr(GrantedRange),
  corrected: Schema.NullOr(Correction.fields.invoice),
  submitted_ms: Schema.NullOr(Schema.Finite)
})
export type LoadedInvoice = typeof LoadedRow.Type

/** With what became of the latest e-mail that carries it. */
const ShownRow = Schema.Struct({
  ...Row.fields,
  email: Schema.NullOr(Schema.Struct({ status: EmailStatus, at_ms: Schema.Finite }))
})
export type ShownInvoice = typeof ShownRow.Type

export const InvoiceKey = Schema.Struct({ ...AccountMode.fields, id: DocumentId })
export type InvoiceKey = typeof InvoiceKey.Type

/** A draft that waits for its number. Its id is as stored. */
export interface QueuedDraft {
  readonly id: string
  readonly draft: Result.Result<StoredInvoice, UnreadableInvoice>
}

/** What is known of a document without its lines. The same `imprint` is printed the same way. */
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

export class Invoices extends Context.Service<
  Invoices,
  {
    readonly find: (of: AccountMode, id: string) => Effect.Effect<Option.Option<ShownInvoice>>
    readonly list: (
      of: AccountMode,
      page: PageRequest,
      filter: InvoiceFilter
    ) => Effect.Effect<Pages.Rows<ShownInvoice>, ApiError>
    readonly imprint: (of: AccountMode, id: string) => Effect.Effect<Option.Option<Imprint>>
    /** As `find`, for actors: look-ups of all actors share one statement. Dies with `UnreadableInvoice`, for that document alone. */
    readonly load: (key: InvoiceKey) => Effect.Effect<Option.Option<LoadedInvoice>>
    /** Drafts of an account that have no number yet and are not parked, oldest first, at most `limit`; each as far as it can be read. */
    readonly queued: (of: AccountMode, limit: number) => Effect.Effect<ReadonlyArray<QueuedDraft>>
    /** The bytes that were signed, and nothing else, go to the authority. */
    readonly signedDocument: (key: InvoiceKey) => Effect.Effect<Option.Option<Uint8Array>>
    /** What the authority answered when it accepted a document, in XML, and when (Unix milliseconds); none where it did not. */
    readonly acceptance: (
      key: InvoiceKey
    ) => Effect.Effect<Option.Option<{ readonly applicationResponse: Uint8Array; readonly validatedAt: number }>>
    /**
     * Documents whose alarm has rung, each given a lease before it rings again. At most `limit` drafts and as many
     * numbered documents, so that drafts which nobody can number do not hold up the others. None of the accounts `without`.
     */
    readonly takeDue: (
      limit: number,
      without: ReadonlyArray<AccountId>
    ) => Effect.Effect<ReadonlyArray<InvoiceKey & { readonly queued: boolean }>>
  }
>()("folio/store/Invoices") {
  static readonly layer = Layer.effect(
    Invoices,
    Effect.gen(function* () {
      const poison = yield* PoisonInvoices
      const sql = yield* SqlClient.SqlClient
      const decode = Schema.decodeUnknownResult(Row)
      const read = (row: unknown) => Result.mapError(decode(row), UnreadableInvoice.from)
      const names = Object.keys(Row.fields)
      const columns = sql.literal(names.join(", "))
      const qualified = sql.literal(names.map((name) => `i.${name}`).join(", "))
      const decodeLoaded = Schema.decodeUnknownResult(LoadedRow)

      const shown = sql`${columns}, (
        select json_build_object('status', e.status, 'at_ms', floor(extract(epoch from e.status_at) * 1000))
        from emails e
        where e.invoice_id = invoices.id and e.account_id = invoices.account_id and e.livemode = invoices.livemode
        order by e.id desc limit 1
      ) as email`

      const findRow = SqlSchema.findOneOption({
        Request: Schema.Struct({ ...AccountMode.fields, id: Schema.String }),
        Result: ShownRow,
        execute: (key) => sql`
          select ${shown} from invoices
          where account_id = ${key.account_id} and livemode = ${key.livemode} and id = ${key.id}`
      })
      const find = Effect.fn("Invoices.find")((of: AccountMode, id: string) =>
        Effect.orDie(AccountView.within(sql, of)(findRow({ ...of, id })))
      )

      // What is printed is fixed with the code of the number and date, but for the range's validity.
      const findImprint = SqlSchema.findOneOption({
        Request: Schema.Struct({ ...AccountMode.fields, id: Schema.String }),
        Result: Imprint,
        execute: (key) => sql`
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
      })

      const loadRow = yield* Batcher.make({
        name: "Invoices.load",
        max: loadBatchMax,
        run: Effect.fnUntraced(function* (keys: ReadonlyArray<InvoiceKey>) {
          const rows = yield* sql`
            select ${qualified}, case when r.id is not null then json_build_object('number', r.number, 'prefix', r.prefix,
              'from_number', r.from_number::text, 'to_number', r.to_number::text, 'valid_from', r.valid_from,
              'valid_to', r.valid_to) end as range,
              case when c.id is not null then json_build_object('full_number', c.full_number, 'cufe', c.cufe,
              'issue_date', c.issue_date) end as corrected,
              (extract(epoch from now() - i.submitted_at) * 1000)::float8 as submitted_ms
            from unnest(
              ${keys.map((key) => key.account_id)}::text[],
              ${keys.map((key) => key.livemode)}::boolean[],
              ${keys.map((key) => key.id)}::text[]
            ) as n (account_id, livemode, id)
            join invoices i using (account_id, livemode, id)
            left join resolutions r on r.account_id = i.account_id and r.livemode = i.livemode and r.id = i.resolution_id
            left join invoices c on c.account_id = i.account_id and c.livemode = i.livemode and c.id = i.invoice_id`
          const byId = new Map(rows.map((row) => [row["id"], row]))
          return keys.map((key) => byId.get(key.id))
        }, Effect.orDie)
      })

      // Each reads its own row: one that cannot be read is nobody else's failure.
      const load = Effect.fnUntraced(function* (key: InvoiceKey) {
        const row = yield* loadRow(key)
        if (row === undefined) return Option.none<LoadedInvoice>()
        return Option.some(yield* Effect.fromResult(Result.mapError(decodeLoaded(row), UnreadableInvoice.from)))
      }, Effect.orDie)

      // A draft that was attempted and waits is passed over, or a page of such would hide those behind it.
      const queued = Effect.fn("Invoices.queued")(function* (of: AccountMode, limit: number) {
        const rows = yield* sql`
          select ${columns} from invoices
          where account_id = ${of.account_id} and livemode = ${of.livemode} and state = 'queued'
            and (attempts = 0 or next_action_at <= now() + ${reminderLeaseSeconds} * interval '1 second')
          order by id limit ${limit}`
        return rows.map((row): QueuedDraft => ({ id: String(row["id"]), draft: read(row) }))
      }, Effect.orDie)

      const signedDocument = SqlSchema.findOneOption({
        Request: InvoiceKey,
        Result: Schema.Struct({ signed: Schema.Uint8Array }),
        execute: (key) => sql`
          select signed from invoice_documents
          where account_id = ${key.account_id} and livemode = ${key.livemode} and invoice_id = ${key.id}`
      })

      const findAcceptance = SqlSchema.findOneOption({
        Request: InvoiceKey,
        Result: Schema.Struct({ xml: Schema.Uint8ArrayFromBase64, at: Schema.Date }),
        execute: (key) => sql`
          select d.authority_answer ->> 'XmlBase64Bytes' as xml, t.at
          from invoice_documents d
          join transitions t on t.account_id = d.account_id and t.livemode = d.livemode and t.invoice_id = d.invoice_id
            and t.command = 'Accept'
          where d.account_id = ${key.account_id} and d.livemode = ${key.livemode} and d.invoice_id = ${key.id}
            and d.authority_answer ->> 'XmlBase64Bytes' <> ''`
      })

      const isDue = Schema.is(Schema.Struct({ ...InvoiceKey.fields, queued: Schema.Boolean }))

      const takeDue = Effect.fn("Invoices.takeDue")(function* (limit: number, without: ReadonlyArray<AccountId>) {
        const page = (condition: Statement.Fragment) => sql`
          select account_id, livemode, id from invoices
          where next_action_at <= now() and account_id <> all(${without}::text[]) and ${condition}
          order by next_action_at limit ${limit} for update skip locked`
        const rows = yield* sql<RowKey>`
          with draft as (${page(sql`state = 'queued'`)}), numbered as (${page(sql`state <> 'queued'`)})
          update invoices i set next_action_at = now() + ${reminderLeaseSeconds} * interval '1 second'
          from (select * from draft union all select * from numbered) due
          where i.account_id = due.account_id and i.livemode = due.livemode and i.id = due.id
          returning i.account_id, i.livemode, i.id, i.state = 'queued' as queued`
        const strange = rows.filter((row) => !isDue(row))
        if (strange.length > 0) {
          yield* Effect.logError("Documents have ids that no actor can have; they wait").pipe(
            Effect.annotateLogs({ ids: strange.map(({ id }) => id) })
          )
          yield* Metric.update(Metrics.poison("invoice"), strange.length)
          yield* poison.park(strange)
        }
        return rows.filter(isDue)
      }, Effect.orDie)

      const page = Pages.make(sql, { table: "invoices", columns: shown, row: ShownRow })

      return Invoices.of({
        find,
        imprint: Effect.fn("Invoices.imprint")((of, id) =>
          Effect.orDie(AccountView.within(sql, of)(findImprint({ ...of, id })))
        ),
        list: (of, request, filter) =>
          request.cursor === null || isOfKind(filter.kind, request.cursor.id)
            ? page(of, request, fits(sql, filter))
            : Effect.fail(Pages.invalidCursor(request.cursor)),
        load,
        queued,
        signedDocument: (key) => signedDocument(key).pipe(Effect.map(Option.map((row) => row.signed)), Effect.orDie),
        acceptance: (key) =>
          findAcceptance(key).pipe(
            Effect.map(Option.map(({ at, xml }) => ({ applicationResponse: xml, validatedAt: at.getTime() }))),
            Effect.orDie
          ),
        takeDue
      })
    })
  )
}
