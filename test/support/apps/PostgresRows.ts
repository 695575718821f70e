import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { customerBody, endpointBody, invoiceBody } from "./Invoices.ts"
import type { AccountMode } from "../../../schemas/Account.ts"
import { Accounts } from "../../../src/accounts/store/Accounts.ts"
import { account } from "./Accounts.ts"
import { settled } from "./Correcting.ts"
import { post, type Reply } from "./Requests.ts"
import type { InvoiceState } from "../../../src/invoices/rules/InvoiceLifecycle.ts"
import { conditionOf, seedDrafts } from "../database/Owners.ts"

/*
 * Objects in the account's test mode of `PostgresApp`: created by requests, and changed as superuser where no request
 * can.
 */

const madeBy = (reply: Reply): string => {
  assert.include([201, 202], reply.status, reply.text)
  return String(reply.json.id)
}

/** Returns the id of an acquirer; without `number`, the sandbox's own. */
export const addCustomer = () => Effect.map(post("/v1/customers", customerBody()), madeBy)

/** Returns the id of an endpoint. */
export const addEndpoint = () =>
  Effect.map(post("/v1/webhook-endpoints", endpointBody("https://hooks.example.com/folio")), madeBy)

/** Returns an invoice with a verdict of the test's authority, to a new acquirer if none is given. */
export const addInvoice = Effect.fnUntraced(function* (customer_id?: string) {
  const id = madeBy(yield* post("/v1/invoices", invoiceBody(customer_id ?? (yield* addCustomer()))))
  return yield* settled(`/v1/invoices/${id}`)
})

/**
 * Returns the id of an invoice in this state that no actor works on: a draft, or one with a number beyond its range.
 */
export const addResting = (state: InvoiceState = "queued") => Effect.map(seedDrafts(account, 1, state), ([id]) => id)

/** Runs a statement with the triggers and foreign keys of the tables off. */
export const pastGuards = Effect.fnUntraced(function* <A, E, R>(statement: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql.withTransaction(Effect.andThen(sql`set local session_replication_role = replica`, statement))
})

const asColumns = (values: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const isJson = typeof value === "object" && value !== null && !(value instanceof Date)
      return [name, isJson ? JSON.stringify(value) : value]
    })
  )

/** Changes rows in the same way: `where id = <id>`. */
export const change = Effect.fnUntraced(function* (table: string, id: string, columns: Record<string, unknown>) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* pastGuards(
    sql`update ${sql(table)} set ${sql.update(asColumns(columns))} where id = ${id} returning id`
  )
  assert.lengthOf(rows, 1)
})

/** Puts a numbered document into a state in which its actor does not work on it. */
export const become = (id: string, state: InvoiceState, columns: Record<string, unknown> = {}) =>
  change("invoices", id, { state, ...conditionOf(state), ...columns })

/** Changes a mode of an account in the same way. The service sees the change at its next read. */
export const changeMode = Effect.fnUntraced(function* (mode: AccountMode, columns: Record<string, unknown>) {
  const sql = yield* SqlClient.SqlClient
  yield* pastGuards(sql`
    update account_modes set ${sql.update(asColumns(columns))}
    where account_id = ${mode.account_id} and livemode = ${mode.livemode}`)
  yield* (yield* Accounts).forget(mode)
})

/** The actions on an object in the audit log, oldest first, each with its actor. */
export const auditedOf = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const log = yield* sql<{ entry: string }>`
    select action || ' by ' || actor as entry from audit_log where object_id = ${id} order by seq`
  return log.map(({ entry }) => entry)
})
