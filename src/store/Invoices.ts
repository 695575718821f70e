import { Context, Effect, Layer, Metric, Option, Result, Schema } from "effect"
import { SqlClient, SqlSchema, type Statement } from "effect/sql"
import { AccountMode } from "../../schemas/Account.ts"
import type { ApiError } from "../../schemas/ApiError.ts"
import { OperationType } from "../../schemas/Code.ts"
import { Acquirer } from "../../schemas/Customer.ts"
import { CustomerId, InvoiceId, ResolutionId } from "../../schemas/Id.ts"
import { EmailStatus } from "../../schemas/EmailStatus.ts"
import { AuthorityError, DocumentKind, Failure } from "../../schemas/FiscalDocument.ts"
import { type Invoice, type InvoiceSnapshot, type InvoiceStatus, PaymentMeans } from "../../schemas/Invoice.ts"
import { Line, Totals } from "../../schemas/Line.ts"
import { Currency, Decimal, LocalDate } from "../../schemas/Money.ts"
import type { PageRequest } from "../../schemas/Page.ts"
import { GrantedRange } from "../../schemas/Resolution.ts"
import { Metadata } from "../../schemas/Text.ts"
import { timestamp } from "../domain/AuthorityTime.ts"
import { type InvoiceState, stageOf, states, statusOf } from "../domain/InvoiceLifecycle.ts"
import * as AccountView from "./AccountView.ts"
import * as Metrics from "../protocol/Metrics.ts"
import * as Batcher from "./Batcher.ts"
import { firstIdAt, lastIdAt } from "./Ids.ts"
import * as Pages from "./Pages.ts"
import { PoisonInvoices, reminderLeaseSeconds, type RowKey, UnreadableInvoice, type Vitals } from "./PoisonInvoices.ts"

/** A fiscal document as it is stored. `state` is the lifecycle's; the public `status` and `stage` derive from it. */
const Row = Schema.Struct({
  ...AccountMode.fields,
  id: InvoiceId,
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
  resolution_id: Schema.NullOr(ResolutionId),
  issuer_version: Schema.Int,
  prefix: Schema.NullOr(Schema.String),
  full_number: Schema.NullOr(Schema.String),
  cufe: Schema.NullOr(Schema.String),
  issue_date: Schema.NullOr(LocalDate),
  issue_time: Schema.NullOr(Schema.String),
  authority_errors: Schema.Array(AuthorityError),
  authority_notifications: Schema.Array(AuthorityError),
  failure: Schema.NullOr(Failure),
  created_at: Schema.Date,
  updated_at: Schema.Date
})
export type StoredInvoice = typeof Row.Type

/** With what its document says of the range it was numbered from. */
const LoadedRow = Schema.Struct({ ...Row.fields, range: Schema.NullOr(GrantedRange) })
export type LoadedInvoice = typeof LoadedRow.Type

/** With what became of the latest e-mail that carries it. */
const ShownRow = Schema.Struct({
  ...Row.fields,
  email: Schema.NullOr(Schema.Struct({ status: EmailStatus, at_ms: Schema.Finite }))
})
export type ShownInvoice = typeof ShownRow.Type

export const InvoiceKey = Schema.Struct({ ...AccountMode.fields, id: InvoiceId })
export type InvoiceKey = typeof InvoiceKey.Type

/** A draft that waits for its number. Its id is as stored. */
export interface QueuedDraft {
  readonly id: string
  readonly draft: Result.Result<StoredInvoice, UnreadableInvoice>
}

/** Which invoices are asked for; null is any. Both ends of the time count. */
export interface InvoiceFilter {
  readonly status: InvoiceStatus | null
  readonly customer_id: string | null
  readonly full_number: string | null
  readonly from: Date | null
  readonly to: Date | null
}

/** The states that a client sees as this status. */
export const statesOf = (status: InvoiceStatus): ReadonlyArray<InvoiceState> =>
  states.filter((state) => statusOf(state) === status)

/** What may be the number in prefix and number written together: the index of numbers begins with it. */
const numbersIn = (full_number: string): ReadonlyArray<bigint> =>
  Array.from({ length: prefixMax + 1 }, (_, length) => full_number.slice(length))
    .filter((number) => /^[1-9]\d{0,9}$/.test(number))
    .map(BigInt)
const prefixMax = 4

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
    /** As `find`, for actors: look-ups of all actors share one statement. Dies with `UnreadableInvoice`, for that document alone. */
    readonly load: (key: InvoiceKey) => Effect.Effect<Option.Option<LoadedInvoice>>
    /** Drafts of an account that have no number yet and are not parked, oldest first, at most `limit`; each as far as it can be read. */
    readonly queued: (of: AccountMode, limit: number) => Effect.Effect<ReadonlyArray<QueuedDraft>>
    /** The bytes that were signed, and nothing else, go to the authority. */
    readonly signedDocument: (key: InvoiceKey) => Effect.Effect<Option.Option<Uint8Array>>
    /**
     * Documents whose alarm has rung, each given a lease before it rings again. At most `limit` drafts and as many
     * numbered documents, so that drafts which nobody can number do not hold up the others.
     */
    readonly takeDue: (limit: number) => Effect.Effect<ReadonlyArray<InvoiceKey & { readonly queued: boolean }>>
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

      const loadRow = yield* Batcher.make({
        name: "Invoices.load",
        max: loadBatchMax,
        run: Effect.fnUntraced(function* (keys: ReadonlyArray<InvoiceKey>) {
          const rows = yield* sql`
            select ${qualified}, case when r.id is not null then json_build_object('number', r.number, 'prefix', r.prefix,
              'from_number', r.from_number::text, 'to_number', r.to_number::text, 'valid_from', r.valid_from,
              'valid_to', r.valid_to) end as range
            from unnest(
              ${keys.map((key) => key.account_id)}::text[],
              ${keys.map((key) => key.livemode)}::boolean[],
              ${keys.map((key) => key.id)}::text[]
            ) as n (account_id, livemode, id)
            join invoices i using (account_id, livemode, id)
            left join resolutions r on r.account_id = i.account_id and r.livemode = i.livemode and r.id = i.resolution_id`
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

      const isDue = Schema.is(Schema.Struct({ ...InvoiceKey.fields, queued: Schema.Boolean }))

      const takeDue = Effect.fn("Invoices.takeDue")(function* (limit: number) {
        const page = (condition: Statement.Fragment) => sql`
          select account_id, livemode, id from invoices
          where next_action_at <= now() and ${condition}
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
      const fits = ({ customer_id, from, full_number, status, to }: InvoiceFilter): Statement.Fragment =>
        sql.and([
          ...(customer_id === null ? [] : [sql`customer_id = ${customer_id}`]),
          ...(full_number === null
            ? []
            : [sql`number = any(${numbersIn(full_number).map(String)}::bigint[]) and full_number = ${full_number}`]),
          ...(status === null ? [] : [sql`state = any(${statesOf(status)}::text[])`]),
          ...(from === null ? [] : [sql`created_at >= ${from} and id >= ${firstIdAt("inv", from)}`]),
          ...(to === null ? [] : [sql`created_at <= ${to} and id <= ${lastIdAt("inv", to)}`])
        ])

      return Invoices.of({
        find,
        list: (of, request, filter) => page(of, request, fits(filter)),
        load,
        queued,
        signedDocument: (key) => signedDocument(key).pipe(Effect.map(Option.map((row) => row.signed)), Effect.orDie),
        takeDue
      })
    })
  )
}

/** The copy of an invoice that goes into its events, from its row as the transition leaves it. */
export const invoiceSnapshot = (row: Vitals): InvoiceSnapshot => ({
  id: row.id,
  object: "invoice",
  status: statusOf(row.state),
  cufe: row.cufe,
  pdf_url: null,
  full_number: row.full_number ?? "",
  authority_errors: row.authority_errors,
  authority_notifications: row.authority_notifications,
  failure: row.failure,
  metadata: row.metadata,
  version: row.version
})

/** The whole invoice as the API shows it. */
export const invoiceView = (row: ShownInvoice): Invoice => ({
  id: row.id,
  object: "invoice",
  status: statusOf(row.state),
  full_number: row.full_number ?? "",
  cufe: row.cufe,
  created_at: timestamp(row.created_at.getTime()),
  livemode: row.livemode,
  stage: stageOf(row.state),
  customer_id: row.customer_id,
  currency: row.currency,
  exchange_rate: row.exchange_rate,
  operation_type: row.operation_type,
  payment_means: row.payment_means,
  lines: row.lines,
  totals: row.totals,
  resolution_id: row.resolution_id,
  issue_date: row.issue_date,
  pdf_url: null,
  xml_url: null,
  qr_url: null,
  authority_errors: row.authority_errors,
  authority_notifications: row.authority_notifications,
  failure: row.failure,
  contingency: null,
  email: row.email === null ? null : { status: row.email.status, at: timestamp(row.email.at_ms) },
  version: row.version,
  metadata: row.metadata,
  updated_at: timestamp(row.updated_at.getTime())
})
