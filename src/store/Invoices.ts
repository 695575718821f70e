import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { AccountMode } from "../../schemas/Account.ts"
import type { ApiError } from "../../schemas/ApiError.ts"
import { OperationType } from "../../schemas/Code.ts"
import { Acquirer } from "../../schemas/Customer.ts"
import { CustomerId, InvoiceId, ResolutionId } from "../../schemas/Id.ts"
import { AuthorityError, Failure, type Invoice, type InvoiceSnapshot, PaymentMeans } from "../../schemas/Invoice.ts"
import { Line, Totals } from "../../schemas/Line.ts"
import { Currency, LocalDate } from "../../schemas/Money.ts"
import type { PageRequest } from "../../schemas/Page.ts"
import { Metadata } from "../../schemas/Text.ts"
import { timestamp } from "../domain/AuthorityTime.ts"
import { stageOf, states, statusOf } from "../domain/InvoiceLifecycle.ts"
import * as Batcher from "./Batcher.ts"
import * as Pages from "./Pages.ts"

/** A fiscal document as it is stored. `state` is the lifecycle's; the public `status` and `stage` derive from it. */
const Row = Schema.Struct({
  ...AccountMode.fields,
  id: InvoiceId,
  customer_id: CustomerId,
  state: Schema.Literals(states),
  version: Schema.Int,
  attempts: Schema.Int,
  currency: Currency,
  operation_type: OperationType,
  payment_means: PaymentMeans,
  lines: Schema.Array(Line),
  totals: Totals,
  acquirer: Acquirer,
  metadata: Metadata,
  resolution_id: Schema.NullOr(ResolutionId),
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

export const InvoiceKey = Schema.Struct({ ...AccountMode.fields, id: InvoiceId })
export type InvoiceKey = typeof InvoiceKey.Type

const loadBatchMax = 500

export class Invoices extends Context.Service<
  Invoices,
  {
    readonly find: (of: AccountMode, id: string) => Effect.Effect<Option.Option<StoredInvoice>>
    readonly list: (of: AccountMode, page: PageRequest) => Effect.Effect<Pages.Rows<StoredInvoice>, ApiError>
    /** As `find`, for actors: look-ups of all actors share one statement. */
    readonly load: (key: InvoiceKey) => Effect.Effect<Option.Option<StoredInvoice>>
    /** Drafts of an account that have no number yet, oldest first, at most `limit`. */
    readonly queued: (of: AccountMode, limit: number) => Effect.Effect<ReadonlyArray<StoredInvoice>>
    /** The bytes that were signed, and nothing else, go to the authority. */
    readonly signedDocument: (key: InvoiceKey) => Effect.Effect<Option.Option<Uint8Array>>
    /** Documents whose alarm has rung, each given `leaseSeconds` more before it rings again. */
    readonly takeDue: (
      limit: number,
      leaseSeconds: number
    ) => Effect.Effect<ReadonlyArray<InvoiceKey & { readonly queued: boolean }>>
  }
>()("folio/store/Invoices") {
  static readonly layer = Layer.effect(
    Invoices,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const decode = Schema.decodeUnknownEffect(Schema.Array(Row))
      const names = Object.keys(Row.fields)
      const columns = sql.literal(names.join(", "))
      const qualified = sql.literal(names.map((name) => `i.${name}`).join(", "))

      const findRow = SqlSchema.findOneOption({
        Request: Schema.Struct({ ...AccountMode.fields, id: Schema.String }),
        Result: Row,
        execute: (key) => sql`
          select ${columns} from invoices
          where account_id = ${key.account_id} and livemode = ${key.livemode} and id = ${key.id}`
      })
      const find = Effect.fn("Invoices.find")((of: AccountMode, id: string) => Effect.orDie(findRow({ ...of, id })))

      const load = yield* Batcher.make({
        name: "Invoices.load",
        max: loadBatchMax,
        run: Effect.fnUntraced(function* (keys: ReadonlyArray<InvoiceKey>) {
          const rows = yield* sql`
            select ${qualified} from unnest(
              ${keys.map((key) => key.account_id)}::text[],
              ${keys.map((key) => key.livemode)}::boolean[],
              ${keys.map((key) => key.id)}::text[]
            ) as n (account_id, livemode, id)
            join invoices i using (account_id, livemode, id)`.pipe(Effect.flatMap(decode))
          const byId = new Map(rows.map((row) => [row.id, row]))
          return keys.map((key) => Option.fromUndefinedOr(byId.get(key.id)))
        }, Effect.orDie)
      })

      const queued = SqlSchema.findAll({
        Request: Schema.Struct({ ...AccountMode.fields, limit: Schema.Int }),
        Result: Row,
        execute: (request) => sql`
          select ${columns} from invoices
          where account_id = ${request.account_id} and livemode = ${request.livemode} and state = 'queued'
          order by id limit ${request.limit}`
      })

      const signedDocument = SqlSchema.findOneOption({
        Request: InvoiceKey,
        Result: Schema.Struct({ signed: Schema.Uint8Array }),
        execute: (key) => sql`
          select signed from invoice_documents
          where account_id = ${key.account_id} and livemode = ${key.livemode} and invoice_id = ${key.id}`
      })

      const takeDue = SqlSchema.findAll({
        Request: Schema.Struct({ limit: Schema.Int, lease: Schema.Int }),
        Result: Schema.Struct({ ...InvoiceKey.fields, queued: Schema.Boolean }),
        execute: ({ lease, limit }) => sql`
          update invoices i set next_action_at = now() + ${lease} * interval '1 second'
          from (
            select account_id, livemode, id from invoices
            where next_action_at <= now() order by next_action_at limit ${limit} for update skip locked
          ) due
          where i.account_id = due.account_id and i.livemode = due.livemode and i.id = due.id
          returning i.account_id, i.livemode, i.id, i.state = 'queued' as queued`
      })

      return Invoices.of({
        find,
        list: Pages.make(sql, { table: "invoices", columns, row: Row }),
        load,
        queued: (of, limit) => Effect.orDie(queued({ ...of, limit })),
        signedDocument: (key) => signedDocument(key).pipe(Effect.map(Option.map((row) => row.signed)), Effect.orDie),
        takeDue: (limit, lease) => Effect.orDie(takeDue({ limit, lease }))
      })
    })
  )
}

/** The copy of an invoice that goes into its events, from its row as the transition leaves it. */
export const invoiceSnapshot = (row: StoredInvoice): InvoiceSnapshot => ({
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
export const invoiceView = (row: StoredInvoice): Invoice => ({
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
  email: null,
  version: row.version,
  metadata: row.metadata,
  updated_at: timestamp(row.updated_at.getTime())
})
