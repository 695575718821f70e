import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AccountMode } from "../../../schemas/Account.ts"
import { ApiError, type Violation } from "../../../schemas/ApiError.ts"
import { Acquirer, type Customer } from "../../../schemas/Customer.ts"
import type { PageRequest } from "../../../schemas/Page.ts"
import type { Identification } from "../../../schemas/Party.ts"
import { CustomerId } from "../../../schemas/Id.ts"
import { Metadata } from "../../../schemas/Text.ts"
import { violation } from "../../documents/rules/AuthorityRules.ts"
import { timestamp } from "../../runtime/AuthorityTime.ts"
import * as Batcher from "../../database/Batcher.ts"
import { type Actor, actorColumns, recordAll } from "./AuditLog.ts"
import {
  type Answer,
  BatchRow,
  type Claim,
  claimAll,
  claimColumns,
  Idempotency,
  joinStored,
  storedColumns
} from "./Idempotency.ts"
import { ExternalIds, repeatedIfClaimed, takeAll, withExternalId } from "../../database/ExternalIds.ts"
import * as Input from "../../database/Input.ts"
import { columnsOf, type Mark, marked, ofAccount, ofKey } from "../../database/Keys.ts"
import * as Pages from "../../database/Pages.ts"
import * as Query from "../../database/Query.ts"
import { bounded } from "../../database/SlowReads.ts"

const Row = Schema.Struct({
  ...AccountMode.fields,
  id: CustomerId,
  acquirer: Acquirer,
  metadata: Metadata,
  external_id: Schema.NullOr(Schema.String),
  created_at: Schema.Date,
  updated_at: Schema.Date
})
export type StoredCustomer = typeof Row.Type

export const CustomerKey = Schema.Struct({ ...AccountMode.fields, id: CustomerId })
export type CustomerKey = typeof CustomerKey.Type

export interface NewCustomer {
  readonly customer: StoredCustomer
  readonly claim: Claim
  readonly by: Actor
  readonly answer: Answer
}

const batchMax = 200

const input = Input.make<NewCustomer>({
  account_id: ["text", ({ customer }) => customer.account_id],
  livemode: ["boolean", ({ customer }) => customer.livemode],
  id: ["text", ({ customer }) => customer.id],
  ...claimColumns,
  ...actorColumns,
  acquirer: ["json", ({ customer }) => customer.acquirer],
  metadata: ["json", ({ customer }) => customer.metadata],
  external_id: ["text", ({ customer }) => customer.external_id],
  created_at: ["timestamptz", ({ customer }) => customer.created_at]
})

/**
 * The filter of a list of customers. A customer matches if it has all marks. Unless `name` is null, one of the
 * customer's names must also contain `name`. Unless `external_id` is null, the customer must also have it.
 */
export interface CustomerFilter {
  readonly marks: ReadonlyArray<Mark>
  readonly external_id: string | null
  readonly name: string | null
}

const narrow = "Search by identification.number, email or metadata instead of the name."

/** The maximum number of customers of an account in each mode. */
export const customersMax = 1_000_000

export const customerLimitReached = new ApiError({
  code: "customer_limit_reached",
  message: `An account has at most ${customersMax} customers in each mode. Delete customers that you no longer use: their documents stay.`
})

/** The error for an identification that two customers share, so that it identifies neither of them. */
export const ambiguous = (id: string, other: string) =>
  new ApiError({
    code: "customer_ambiguous",
    message: `The customers ${id} and ${other} have the same identification, so Folio changed neither. Update one of them by its id, or delete the other.`
  })

export class Customers extends Context.Service<Customers>()("folio/accounts/store/Customers", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const externalIds = yield* ExternalIds
    const keys = yield* Idempotency
    const columns = columnsOf(sql, Row)
    const { find, list: page } = Pages.readers(sql, {
      service: "Customers",
      table: "customers",
      columns,
      row: Row,
      narrow
    })

    const conditions = (account: AccountMode, { external_id, marks }: Omit<CustomerFilter, "name">) => [
      ...marked(sql, account, marks),
      ...withExternalId(sql, account, "customer", external_id)
    ]

    /** The ids of the next customers with `name` in one of their names: at most one id more than the page holds. */
    const named = (account: AccountMode, { cursor, limit }: PageRequest, { name, ...filter }: CustomerFilter) => {
      const [beyond, order] =
        cursor?.direction === "before"
          ? [sql`id > ${cursor.id}`, sql`id asc`]
          : [cursor === null ? sql`true` : sql`id < ${cursor.id}`, sql`id desc`]
      return sql<{ readonly id: string }>`
        select id from customer_names
        where ${sql.and([
          ofAccount(sql, account),
          sql`strpos(names, (select plain_text(${name}))) > 0`,
          ...conditions(account, filter),
          beyond
        ])}
        order by ${order} limit ${limit + 1}`.pipe(
        Effect.orDie,
        Effect.map((rows) => rows.map(({ id }) => id)),
        bounded(sql, account, { name: "customer names", narrow })
      )
    }

    const list = Effect.fn("Customers.list")(function* (
      account: AccountMode,
      request: PageRequest,
      filter: CustomerFilter = { marks: [], external_id: null, name: null }
    ) {
      const found = sql.and([sql`true`, ...conditions(account, filter)])
      if (filter.name === null) return yield* page(account, request, found)
      const ids = yield* named(account, request, filter)
      return yield* page(account, request, ids.length === 0 ? sql`false` : sql`id in ${sql.in(ids)}`)
    })

    const identified = Query.all(
      Row,
      (account: AccountMode, { number, type }: Identification) => sql`
        select ${columns} from customers
        where ${ofAccount(sql, account)}
          and ${sql.and(marked(sql, account, [{ _tag: "Identification", type, number }]))}
        order by id limit 2 for update`
    )
    const countOf = Query.one(
      Schema.Struct({ customers: Schema.BigInt }),
      (account: AccountMode) =>
        sql`select customers from account_modes where ${ofAccount(sql, account)} for no key update`
    )
    const write = ({ acquirer, metadata, updated_at, ...key }: StoredCustomer) => {
      const changes = { acquirer: JSON.stringify(acquirer), metadata: JSON.stringify(metadata), updated_at }
      return Effect.orDie(sql`update customers set ${sql.update(changes)} where ${ofKey(sql, key)}`)
    }

    /**
     * Registers a customer, or replaces the customer with the same identification, which keeps its id. Runs in the
     * caller's transaction. Locks the account's mode, so that no other transaction registers a customer meanwhile.
     * Fails with `customer_limit_reached`, `customer_ambiguous` and `external_id_taken`. `check` can reject the
     * replacement of a customer.
     */
    const put = Effect.fn("Customers.put")(function* (
      customer: StoredCustomer,
      check: (known: StoredCustomer) => Effect.Effect<void, ApiError>
    ) {
      const { customers } = yield* countOf(customer)
      const [known, other] = yield* identified(customer, customer.acquirer.identification)
      if (known !== undefined && other !== undefined) return yield* ambiguous(known.id, other.id)
      if (known !== undefined) {
        yield* check(known)
        const { created_at, external_id, id } = known
        const replaced = { ...customer, id, external_id, created_at }
        yield* write(replaced)
        return { customer: replaced, isNew: false }
      }
      if (customers >= BigInt(customersMax)) return yield* customerLimitReached
      const { acquirer, metadata, ...row } = customer
      const added = { ...row, acquirer: JSON.stringify(acquirer), metadata: JSON.stringify(metadata) }
      yield* Effect.orDie(sql`insert into customers ${sql.insert(added)}`)
      yield* externalIds.take(customer, "customer", customer.external_id)
      yield* Effect.orDie(sql`update account_modes set customers = customers + 1 where ${ofAccount(sql, customer)}`)
      return { customer, isNew: true }
    })

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
          named as (${takeAll(sql, "customer", sql`fitting n ${joinStored(sql)}`)}),
          creatable as (
            select * from fitting where external_id is null or id in (select object_id from named)
          ),
          claimed as (${claimAll(sql, sql`creatable`)}),
          customer as (
            insert into customers (account_id, livemode, id, acquirer, metadata, external_id, created_at, updated_at)
            select n.account_id, n.livemode, n.id, n.acquirer::jsonb, n.metadata::jsonb, n.external_id, n.created_at,
              n.created_at
            from creatable n join claimed c on c.api_key_id = n.api_key_id and c.value = n.key order by n.ord
            returning account_id, livemode, id
          ),
          logged as (${recordAll(sql, "customer.created", sql`fitting join customer using (account_id, livemode, id)`)}),
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
    /**
     * Stores a customer, its claim, its audit entry and the response. Concurrent creates share one statement. Fails
     * with `customer_limit_reached` and `external_id_taken`.
     */
    const create = Effect.fn("Customers.create")(function* (draft: NewCustomer) {
      const row = yield* repeatedIfClaimed(insert(draft))
      const { external_id } = draft.customer
      const taken = externalIds.refusal(draft.customer, "customer", external_id)
      return yield* keys.settle(draft, row, row.fits ? undefined : customerLimitReached, taken)
    })

    /**
     * Replaces the customer with the result of `change`, in the caller's transaction. Fails with `resource_missing`.
     */
    const update = Effect.fn("Customers.update")(function* (
      key: CustomerKey,
      change: (customer: StoredCustomer) => Effect.Effect<StoredCustomer, ApiError>
    ) {
      // The row lock keeps two concurrent updates from overwriting each other.
      const found = yield* lock(key)
      if (Option.isNone(found)) return yield* ApiError.missing("customer", key.id)
      const { acquirer, metadata, updated_at } = yield* change(found.value)
      const changed = { ...found.value, acquirer, metadata, updated_at }
      yield* write(changed)
      return changed
    })
    const lock = Query.first(
      Row,
      (key: CustomerKey) => sql`select ${columns} from customers where ${ofKey(sql, key)} for update`
    )

    /** Deletes a customer in the caller's transaction. Returns false if the customer does not exist. */
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

    return { find, list, create, put, update, remove }
  })
}) {
  static readonly layer = Layer.effect(Customers, Customers.make)
}

/** The violation for a document request whose customer the account does not have. */
export const unknownCustomer = Effect.fnUntraced(function* (
  customers: Customers["Service"],
  account: AccountMode,
  customer_id: string
): Effect.fn.Return<ReadonlyArray<Violation>> {
  if (Option.isSome(yield* customers.find(account, customer_id))) return []
  const { code, message } = ApiError.missing("customer", customer_id)
  return [violation("customer_id", code, message, "account_object")]
})

/** The customer as the API shows it. */
export const customerView = (row: StoredCustomer): Customer => ({
  id: row.id,
  object: "customer",
  livemode: row.livemode,
  ...row.acquirer,
  metadata: row.metadata,
  external_id: row.external_id,
  created_at: timestamp(row.created_at.getTime()),
  updated_at: timestamp(row.updated_at.getTime())
})
