import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { AccountMode } from "../../schemas/Account.ts"
import { ApiError } from "../../schemas/ApiError.ts"
import { Acquirer, type Customer } from "../../schemas/Customer.ts"
import { CustomerId } from "../../schemas/Id.ts"
import type { PageRequest } from "../../schemas/Page.ts"
import { Metadata } from "../../schemas/Text.ts"
import { timestamp } from "../domain/AuthorityTime.ts"
import * as AccountView from "./AccountView.ts"
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
import * as Pages from "./Pages.ts"

const Row = Schema.Struct({
  ...AccountMode.fields,
  id: CustomerId,
  acquirer: Acquirer,
  metadata: Metadata,
  created_at: Schema.Date,
  updated_at: Schema.Date
})
export type StoredCustomer = typeof Row.Type

export const CustomerKey = Schema.Struct({ ...AccountMode.fields, id: CustomerId })
export type CustomerKey = typeof CustomerKey.Type

export interface NewCustomer {
  readonly customer: StoredCustomer
  readonly claim: Claim
  readonly answer: Answer
}

const batchMax = 200

/** How many customers an account may have in each mode. */
export const customersMax = 1_000_000

export const customerLimitReached = new ApiError({
  code: "customer_limit_reached",
  message: `An account has at most ${customersMax} customers in each mode. Delete those that are no longer used: what was issued to them stays.`
})

export class Customers extends Context.Service<
  Customers,
  {
    readonly find: (of: AccountMode, id: string) => Effect.Effect<Option.Option<StoredCustomer>>
    readonly list: (of: AccountMode, page: PageRequest) => Effect.Effect<Pages.Rows<StoredCustomer>, ApiError>
    /**
     * The key's claim, the customer and the stored answer in one statement, shared with every create in flight. Fails with
     * `customer_limit_reached`.
     */
    readonly create: (draft: NewCustomer) => Effect.Effect<Outcome, ApiError>
    /**
     * Makes of the customer what `change` makes of it. Fails with `resource_missing`. Part of the caller's transaction, as is
     * `remove`.
     */
    readonly update: (
      key: CustomerKey,
      change: (customer: StoredCustomer) => Effect.Effect<StoredCustomer, ApiError>
    ) => Effect.Effect<StoredCustomer, ApiError>
    /** False when there is none. */
    readonly remove: (key: CustomerKey) => Effect.Effect<boolean>
  }
>()("folio/store/Customers") {
  static readonly layer = Layer.effect(
    Customers,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const keys = yield* IdempotencyKeys
      const columns = sql`account_id, livemode, id, acquirer, metadata, created_at, updated_at`

      const findRow = SqlSchema.findOneOption({
        Request: Schema.Struct({ ...AccountMode.fields, id: Schema.String }),
        Result: Row,
        execute: (key) => sql`
          select ${columns} from customers
          where account_id = ${key.account_id} and livemode = ${key.livemode} and id = ${key.id}`
      })
      const find = Effect.fn("Customers.find")((of: AccountMode, id: string) =>
        Effect.orDie(AccountView.within(sql, of)(findRow({ ...of, id })))
      )

      const decode = Schema.decodeUnknownEffect(
        Schema.Array(Schema.Struct({ ...BatchRow.fields, fits: Schema.Boolean }))
      )
      const insert = yield* Batcher.make({
        name: "Customers.create",
        max: batchMax,
        run: (drafts: ReadonlyArray<NewCustomer>) =>
          sql`
            with input as (
              select * from unnest(
                ${drafts.map((draft) => draft.customer.account_id)}::text[],
                ${drafts.map((draft) => draft.customer.livemode)}::boolean[],
                ${drafts.map((draft) => draft.customer.id)}::text[],
                ${drafts.map((draft) => draft.claim.api_key_id)}::text[],
                ${drafts.map((draft) => draft.claim.value)}::text[],
                ${drafts.map((draft) => draft.claim.fingerprint)}::text[],
                ${drafts.map((draft) => draft.answer.status)}::integer[],
                ${drafts.map((draft) => draft.answer.location ?? "")}::text[],
                ${drafts.map((draft) => draft.answer.body)}::text[],
                ${drafts.map((draft) => JSON.stringify(draft.customer.acquirer))}::text[],
                ${drafts.map((draft) => JSON.stringify(draft.customer.metadata))}::text[],
                ${drafts.map((draft) => draft.customer.created_at)}::timestamptz[]
              ) with ordinality as n (account_id, livemode, id, api_key_id, key, fingerprint, status, location, answer,
                acquirer, metadata, created_at, ord)
            ),
            room as materialized (
              select account_id, livemode, customers from account_modes
              where (account_id, livemode) in (select account_id, livemode from input)
              order by account_id, livemode for no key update
            ),
            fitting as materialized (
              select * from (
                select n.*, r.customers + row_number() over (
                  partition by n.account_id, n.livemode, k.value is null order by n.ord
                ) as place
                from input n join room r on r.account_id = n.account_id and r.livemode = n.livemode
                ${joinStored(sql)}
              ) placed
              where place <= ${customersMax}
            ),
            claimed as (${claimAll(sql, sql`fitting`)}),
            customer as (
              insert into customers (account_id, livemode, id, acquirer, metadata, created_at, updated_at)
              select n.account_id, n.livemode, n.id, n.acquirer::jsonb, n.metadata::jsonb, n.created_at, n.created_at
              from fitting n join claimed c on c.api_key_id = n.api_key_id and c.value = n.key order by n.ord
              returning account_id, livemode, id
            ),
            counted as (
              update account_modes m set customers = m.customers + c.count
              from (select account_id, livemode, count(*) from customer group by account_id, livemode) c
              where m.account_id = c.account_id and m.livemode = c.livemode
            )
            select c.id is not null as created, f.ord is not null as fits, ${storedColumns(sql)}
            from input n
            left join fitting f on f.ord = n.ord
            left join customer c on c.id = n.id
            ${joinStored(sql)}
            order by n.ord`.pipe(Effect.flatMap(decode), Effect.orDie)
      })
      const create = Effect.fn("Customers.create")(function* (draft: NewCustomer) {
        const row = yield* insert(draft)
        return yield* row.fits ? keys.settle(draft, row) : keys.settle(draft, row, customerLimitReached)
      })

      const where = (key: { readonly account_id: string; readonly livemode: boolean; readonly id: string }) =>
        sql`account_id = ${key.account_id} and livemode = ${key.livemode} and id = ${key.id}`

      const update: Customers["Service"]["update"] = Effect.fn("Customers.update")(function* (key, change) {
        // Locked, or of two changes at once the later would undo the earlier.
        const found = yield* Effect.orDie(lock(key))
        if (Option.isNone(found)) return yield* ApiError.missing("customer", key.id)
        const { acquirer, metadata, updated_at } = yield* change(found.value)
        const changes = { acquirer: JSON.stringify(acquirer), metadata: JSON.stringify(metadata), updated_at }
        yield* Effect.orDie(sql`update customers set ${sql.update(changes)} where ${where(key)}`)
        return { ...found.value, acquirer, metadata, updated_at }
      })
      const lock = SqlSchema.findOneOption({
        Request: CustomerKey,
        Result: Row,
        execute: (key) => sql`select ${columns} from customers where ${where(key)} for update`
      })

      const remove = Effect.fn("Customers.remove")(function* (key: CustomerKey) {
        const removed = yield* sql`
          with gone as (delete from customers where ${where(key)} returning 1),
          counted as (
            update account_modes set customers = greatest(customers - 1, 0)
            where account_id = ${key.account_id} and livemode = ${key.livemode} and exists (select from gone)
          )
          select from gone`
        return removed.length === 1
      }, Effect.orDie)

      return Customers.of({
        find,
        list: Pages.make(sql, { table: "customers", columns, row: Row }),
        create,
        update,
        remove
      })
    })
  )
}

/** The customer as the API shows it. */
export const customerView = (row: StoredCustomer): Customer => ({
  id: row.id,
  object: "customer",
  livemode: row.livemode,
  ...row.acquirer,
  metadata: row.metadata,
  created_at: timestamp(row.created_at.getTime()),
  updated_at: timestamp(row.updated_at.getTime())
})
