import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountMode } from "../../schemas/Account.ts"
import { ApiError } from "../../schemas/ApiError.ts"
import { Acquirer } from "../../schemas/Customer.ts"
import type { InvoiceId } from "../../schemas/Id.ts"
import type { InvoiceRequest } from "../../schemas/Invoice.ts"
import type { Totals } from "../../schemas/Line.ts"
import * as Batcher from "./Batcher.ts"
import {
  type Answer,
  BatchRow,
  type Claim,
  claimAll,
  IdempotencyKeys,
  joinStored,
  type Outcome,
  storedColumns
} from "./IdempotencyKeys.ts"
import { Workers } from "./Workers.ts"

export interface NewInvoice {
  readonly of: AccountMode
  readonly claim: Claim
  readonly id: InvoiceId
  readonly request: InvoiceRequest
  readonly totals: Totals
  readonly answer: Answer
  readonly created_at: Date
}

/** `acquirer` is the buyer as copied into the draft, when a draft was made now and can be read; a replay made none. */
export interface Created {
  readonly outcome: Outcome
  readonly acquirer: Option.Option<Acquirer>
}

const batchMax = 200

// Until its account's actor has numbered it, a draft is nobody's work but the sweeper's.
const numberWithinSeconds = 3

// The driver cannot tell the type of an array of nulls, and an empty prefix is one: absent ones travel as what is none.
const noPrefix = "-"

// The buyer is read apart: one whose row is in ruins must not fail the drafts that were made beside his.
const Result = Schema.Struct({ ...BatchRow.fields, acquirer: Schema.Unknown })
const readAcquirer = Schema.decodeUnknownOption(Acquirer)

/** Makes drafts: the key's claim, the draft and the stored answer in one statement, shared with every create in flight. */
export class InvoiceCreation extends Context.Service<
  InvoiceCreation,
  {
    /** Fails with `resource_missing` for a customer that is not there, `idempotency_conflict` for a key of another request. */
    readonly create: (draft: NewInvoice) => Effect.Effect<Created, ApiError>
  }
>()("folio/store/InvoiceCreation") {
  static readonly layer = Layer.effect(
    InvoiceCreation,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const keys = yield* IdempotencyKeys
      const workers = yield* Workers
      const decode = Schema.decodeUnknownEffect(Schema.Array(Result))

      const insert = yield* Batcher.make({
        name: "InvoiceCreation.create",
        max: batchMax,
        run: Effect.fnUntraced(function* (drafts: ReadonlyArray<NewInvoice>) {
          const json = (f: (draft: NewInvoice) => unknown) => drafts.map((draft) => JSON.stringify(f(draft)))
          return yield* sql`
            with input as (
              select * from unnest(
                ${drafts.map((draft) => draft.of.account_id)}::text[],
                ${drafts.map((draft) => draft.of.livemode)}::boolean[],
                ${drafts.map((draft) => draft.id)}::text[],
                ${drafts.map((draft) => draft.request.customer_id)}::text[],
                ${drafts.map((draft) => draft.claim.api_key_id)}::text[],
                ${drafts.map((draft) => draft.claim.value)}::text[],
                ${drafts.map((draft) => draft.claim.fingerprint)}::text[],
                ${drafts.map((draft) => draft.answer.status)}::integer[],
                ${drafts.map((draft) => draft.answer.location ?? "")}::text[],
                ${drafts.map((draft) => draft.answer.body)}::text[],
                ${drafts.map((draft) => draft.request.currency)}::text[],
                ${drafts.map((draft) => draft.request.exchange_rate ?? "")}::text[],
                ${drafts.map((draft) => draft.request.operation_type)}::text[],
                ${json((draft) => draft.request.payment_means)}::text[],
                ${json((draft) => draft.request.lines)}::text[],
                ${json((draft) => draft.totals)}::text[],
                ${json((draft) => draft.request.metadata ?? {})}::text[],
                ${drafts.map((draft) => draft.request.prefix ?? noPrefix)}::text[],
                ${drafts.map((draft) => draft.created_at)}::timestamptz[]
              ) with ordinality as n (account_id, livemode, id, customer_id, api_key_id, key, fingerprint, status, location,
                answer, currency, exchange_rate, operation_type, payment_means, lines, totals, metadata, range_prefix,
                created_at, ord)
            ),
            sellable as (
              select n.*, c.acquirer from input n
              join customers c on c.account_id = n.account_id and c.livemode = n.livemode and c.id = n.customer_id
            ),
            claimed as (${claimAll(sql, sql`sellable`)}),
            draft as (
              insert into invoices (account_id, livemode, id, customer_id, state, next_action_at, worker, currency,
                exchange_rate, operation_type, payment_means, lines, totals, acquirer, metadata, range_prefix, created_at,
                updated_at)
              select s.account_id, s.livemode, s.id, s.customer_id, 'queued',
                now() + ${numberWithinSeconds} * interval '1 second', ${workers.id}, s.currency, nullif(s.exchange_rate, ''),
                s.operation_type,
                s.payment_means::jsonb, s.lines::jsonb, s.totals::jsonb, s.acquirer, s.metadata::jsonb,
                nullif(s.range_prefix, ${noPrefix}), s.created_at, s.created_at
              from sellable s join claimed c on c.api_key_id = s.api_key_id and c.value = s.key
              order by s.ord
              returning id
            )
            select s.acquirer, d.id is not null as created, ${storedColumns(sql)}
            from input n
            left join sellable s on s.ord = n.ord
            left join draft d on d.id = n.id
            ${joinStored(sql)}
            order by n.ord`.pipe(Effect.flatMap(decode))
        }, Effect.orDie)
      })

      const create: InvoiceCreation["Service"]["create"] = Effect.fn("InvoiceCreation.create")(function* (draft) {
        const row = yield* insert(draft)
        const refusal =
          row.acquirer === null ? ApiError.missing("customer", draft.request.customer_id, "customer_id") : undefined
        const outcome = yield* keys.settle(draft, row, refusal)
        return { outcome, acquirer: row.created ? readAcquirer(row.acquirer) : Option.none() }
      })

      return InvoiceCreation.of({ create })
    })
  )
}
