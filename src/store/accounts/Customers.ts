import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AccountMode } from "../../../schemas/Account.ts"
import { ApiError } from "../../../schemas/ApiError.ts"
import { Acquirer, type Customer } from "../../../schemas/Customer.ts"
import { CustomerId } from "../../../schemas/Id.ts"
import { Metadata } from "../../../schemas/Text.ts"
import { timestamp } from "../../domain/documents/AuthorityTime.ts"
import * as Batcher from "../sql/Batcher.ts"
import {
  type Answer,
  BatchRow,
  type Claim,
  claimAll,
  claimColumns,
  IdempotencyKeys,
  joinStored,
  storedColumns
} from "./IdempotencyKeys.ts"
import * as Input from "../sql/Input.ts"
import { columnsOf, ofAccount, ofKey } from "../sql/Keys.ts"
import * as Pages from "../sql/Pages.ts"
import * as Query from "../sql/Query.ts"

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

const input = Input.make<NewCustomer>({
  account_id: ["text", ({ customer }) => customer.account_id],
  livemode: ["boolean", ({ customer }) => customer.livemode],
  id: ["text", ({ customer }) => customer.id],
  ...claimColumns,
  acquirer: ["json", ({ customer }) => customer.acquirer],
  metadata: ["json", ({ customer }) => customer.metadata],
  created_at: ["timestamptz", ({ customer }) => customer.created_at]
})

/** The most customers that an account may have in each mode. */
export const customersMax = 1_000_000

export const customerLimitReached = new ApiError({
  code: "customer_limit_reached",
  message: `An account has at most ${customersMax} customers in each mode. Delete those that are no longer used: what was issued to them stays.`
})

export class Customers extends Context.Service<Customers>()("folio/store/Customers", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const keys = yield* IdempotencyKeys
    const columns = columnsOf(sql, Row)
    const { find, list } = Pages.readers(sql, { service: "Customers", table: "customers", columns, row: Row })

    const insert = yield* Batcher.make({
      name: "Customers.create",
      max: batchMax,
      run: Query.all(
        Schema.Struct({ ...BatchRow.fields, fits: Schema.Boolean }),
        (drafts: ReadonlyArray<NewCustomer>) => sql`
          with input as (select * from ${input(sql, drafts)}),
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
          order by n.ord`
      )
    })
    /** Stores claim, customer and answer in one statement for all creates in flight. Fails with `customer_limit_reached`. */
    const create = Effect.fn("Customers.create")(function* (draft: NewCustomer) {
      const row = yield* insert(draft)
      return yield* row.fits ? keys.settle(draft, row) : keys.settle(draft, row, customerLimitReached)
    })

    /** Replaces the customer with the result of `change`, in the caller's transaction. Fails with `resource_missing`. */
    const update = Effect.fn("Customers.update")(function* (
      key: CustomerKey,
      change: (customer: StoredCustomer) => Effect.Effect<StoredCustomer, ApiError>
    ) {
      // The row lock keeps two concurrent updates from overwriting each other.
      const found = yield* lock(key)
      if (Option.isNone(found)) return yield* ApiError.missing("customer", key.id)
      const { acquirer, metadata, updated_at } = yield* change(found.value)
      const changes = { acquirer: JSON.stringify(acquirer), metadata: JSON.stringify(metadata), updated_at }
      yield* Effect.orDie(sql`update customers set ${sql.update(changes)} where ${ofKey(sql, key)}`)
      return { ...found.value, acquirer, metadata, updated_at }
    })
    const lock = Query.first(
      Row,
      (key: CustomerKey) => sql`select ${columns} from customers where ${ofKey(sql, key)} for update`
    )

    /** Deletes a customer in the caller's transaction; false when the customer does not exist. */
    const remove = Effect.fn("Customers.remove")(function* (key: CustomerKey) {
      const removed = yield* sql`
        with gone as (delete from customers where ${ofKey(sql, key)} returning 1),
        counted as (
          update account_modes set customers = greatest(customers - 1, 0)
          where ${ofAccount(sql, key)} and exists (select from gone)
        )
        select from gone`
      return removed.length === 1
    }, Effect.orDie)

    return { find, list, create, update, remove }
  })
}) {
  static readonly layer = Layer.effect(Customers, Customers.make)
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
