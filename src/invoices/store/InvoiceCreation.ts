import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountMode } from "../../../schemas/Account.ts"
import { ApiError } from "../../../schemas/ApiError.ts"
import { Acquirer } from "../../../schemas/Customer.ts"
import type { InvoiceId } from "../../../schemas/Id.ts"
import type { InvoiceRequest } from "../../../schemas/Invoice.ts"
import type { Totals } from "../../../schemas/Line.ts"
import { detailsOf } from "../../documents/rules/Details.ts"
import { type Actor, actorColumns, recordAll } from "../../accounts/store/AuditLog.ts"
import * as Batcher from "../../database/Batcher.ts"
import {
  type Answer,
  BatchRow,
  type Claim,
  claimAll,
  claimColumns,
  Idempotency,
  joinStored,
  storedColumns
} from "../../accounts/store/Idempotency.ts"
import { ExternalIds, repeatedIfClaimed, takeAll } from "../../database/ExternalIds.ts"
import * as Input from "../../database/Input.ts"
import * as Query from "../../database/Query.ts"
import { Workers } from "../../database/Workers.ts"

export interface NewInvoice {
  readonly account: AccountMode
  readonly claim: Claim
  readonly by: Actor
  readonly id: InvoiceId
  readonly request: InvoiceRequest
  readonly totals: Totals
  readonly answer: Answer
  readonly created_at: Date
}

const batchMax = 200

/** The sweeper takes a draft if the account's actor has not numbered it within this time. */
export const numberWithinSeconds = 3

const input = Input.make<NewInvoice>({
  account_id: ["text", ({ account }) => account.account_id],
  livemode: ["boolean", ({ account }) => account.livemode],
  id: ["text", (draft) => draft.id],
  customer_id: ["text", ({ request }) => request.customer_id],
  ...claimColumns,
  ...actorColumns,
  currency: ["text", ({ request }) => request.currency],
  exchange_rate: ["text", ({ request }) => request.exchange_rate],
  operation_type: ["text", ({ request }) => request.operation_type],
  payment_means: ["json", ({ request }) => request.payment_means],
  lines: ["json", ({ request }) => request.lines],
  details: ["json", ({ request }) => detailsOf(request)],
  totals: ["json", (draft) => draft.totals],
  metadata: ["json", ({ request }) => request.metadata ?? {}],
  range_prefix: ["text", ({ request }) => request.prefix],
  external_id: ["text", ({ request }) => request.external_id],
  created_at: ["timestamptz", (draft) => draft.created_at]
})

// Decoded separately, because an unreadable buyer must not fail the other drafts of the batch.
const Result = Schema.Struct({ ...BatchRow.fields, acquirer: Schema.Unknown })
const readAcquirer = Schema.decodeUnknownOption(Acquirer)

/**
 * Creates drafts. Concurrent creations share a statement, which claims their keys and stores drafts, responses and
 * audit entries.
 */
export class InvoiceCreation extends Context.Service<InvoiceCreation>()("folio/invoices/store/InvoiceCreation", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const externalIds = yield* ExternalIds
    const keys = yield* Idempotency
    const workers = yield* Workers

    const insert = yield* Batcher.make({
      name: "InvoiceCreation.create",
      max: batchMax,
      run: Query.all(
        Result,
        (drafts: ReadonlyArray<NewInvoice>) => sql`
          with input as (select * from ${input(sql, drafts)}),
          sellable as (
            select n.*, c.acquirer from input n
            join customers c on c.account_id = n.account_id and c.livemode = n.livemode and c.id = n.customer_id
          ),
          named as (${takeAll(sql, "invoice", sql`sellable n ${joinStored(sql)}`)}),
          creatable as (
            select * from sellable where external_id is null or id in (select object_id from named)
          ),
          claimed as (${claimAll(sql, sql`creatable`)}),
          draft as (
            insert into invoices (account_id, livemode, id, customer_id, state, next_action_at, worker, currency,
              exchange_rate, operation_type, payment_means, lines, details, totals, acquirer, metadata, range_prefix,
              external_id, created_at, updated_at)
            select s.account_id, s.livemode, s.id, s.customer_id, 'queued',
              now() + ${numberWithinSeconds} * interval '1 second', ${workers.id}, s.currency, s.exchange_rate,
              s.operation_type,
              s.payment_means::jsonb, s.lines::jsonb, s.details::jsonb, s.totals::jsonb, s.acquirer, s.metadata::jsonb,
              s.range_prefix, s.external_id, s.created_at, s.created_at
            from creatable s join claimed c on c.api_key_id = s.api_key_id and c.value = s.key
            order by s.ord
            returning id
          ),
          logged as (${recordAll(sql, "document.created", sql`sellable join draft using (id)`)})
          select s.acquirer, d.id is not null as created, ${storedColumns(sql)}
          from input n
          left join sellable s on s.ord = n.ord
          left join draft d on d.id = n.id
          ${joinStored(sql)}
          order by n.ord`
      )
    })

    /**
     * Returns the outcome and the draft's copy of the buyer: none for a replay, which creates no draft, and for an
     * unreadable buyer. Fails with `resource_missing` for an unknown customer, with `external_id_taken`, and with
     * `idempotency_conflict` for the key of a different request.
     */
    const create = Effect.fn("InvoiceCreation.create")(function* (draft: NewInvoice) {
      const row = yield* repeatedIfClaimed(insert(draft))
      const refusal =
        row.acquirer === null ? ApiError.missing("customer", draft.request.customer_id, "customer_id") : undefined
      const taken = externalIds.refusal(draft.account, "invoice", draft.request.external_id ?? null)
      const outcome = yield* keys.settle(draft, row, refusal, taken)
      return { outcome, acquirer: row.created ? readAcquirer(row.acquirer) : Option.none() }
    })

    return { create }
  })
}) {
  static readonly layer = Layer.effect(InvoiceCreation, InvoiceCreation.make)
}
