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

export class Customers extends Context.Service<
  Customers,
  {
    readonly find: (of: AccountMode, id: string) => Effect.Effect<Option.Option<StoredCustomer>>
    readonly list: (of: AccountMode, page: PageRequest) => Effect.Effect<Pages.Rows<StoredCustomer>, ApiError>
    /** The key's claim, the customer and the stored answer in one statement, shared with every create in flight. */
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

      const decode = Schema.decodeUnknownEffect(Schema.Array(BatchRow))
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
            claimed as (${claimAll(sql, sql`input`)}),
            customer as (
              insert into customers (account_id, livemode, id, acquirer, metadata, created_at, updated_at)
              select n.account_id, n.livemode, n.id, n.acquirer::jsonb, n.metadata::jsonb, n.created_at, n.created_at
              from input n join claimed c on c.api_key_id = n.api_key_id and c.value = n.key order by n.ord
              returning id
            )
            select c.id is not null as created, ${storedColumns(sql)}
            from input n
            left join customer c on c.id = n.id
            ${joinStored(sql)}
            order by n.ord`.pipe(Effect.flatMap(decode), Effect.orDie)
      })
      const create = Effect.fn("Customers.create")(function* (draft: NewCustomer) {
        return yield* keys.settle(draft, yield* insert(draft))
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
        return (yield* sql`delete from customers where ${where(key)} returning id`).length === 1
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
