import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { customerBody, endpointBody, invoiceBody } from "./Invoices.ts"
import { get, post, type Reply } from "./Requests.ts"
import { until } from "./Until.ts"

/* What the account's test mode of `PostgresApp` holds: made by requests, and changed as superuser where no request can. */

const madeBy = (reply: Reply): string => {
  assert.include([201, 202], reply.status, reply.text)
  return String(reply.json.id)
}

/** Gives the id of an acquirer; without `number` the sandbox's own. */
export const addCustomer = (number?: string) => Effect.map(post("/v1/customers", customerBody(number)), madeBy)

/** Gives the id of an endpoint. */
export const addEndpoint = (url = "https://hooks.example.com/folio") =>
  Effect.map(post("/v1/webhook-endpoints", endpointBody(url)), madeBy)

const hasEnded = ({ json }: Reply) =>
  ["accepted_by_authority", "rejected_by_authority", "failed", "canceled"].includes(json.status)

/** Gives an invoice, to a new acquirer unless one is named, that the authority of the test has judged. */
export const addInvoice = Effect.fnUntraced(function* (customer_id?: string) {
  const id = madeBy(yield* post("/v1/invoices", invoiceBody(customer_id ?? (yield* addCustomer()))))
  const { json } = yield* until(get(`/v1/invoices/${id}`), hasEnded)
  return json
})

/** Changes rows past all guards of the tables: `where id = <id>`. */
export const change = Effect.fnUntraced(function* (table: string, id: string, columns: Record<string, unknown>) {
  const sql = yield* SqlClient.SqlClient
  const values = Object.entries(columns).map(([name, value]) => {
    const isJson = typeof value === "object" && value !== null && !(value instanceof Date)
    return [name, isJson ? JSON.stringify(value) : value]
  })
  const setting = Effect.andThen(
    sql`set local session_replication_role = replica`,
    sql`update ${sql(table)} set ${sql.update(Object.fromEntries(values))} where id = ${id} returning id`
  )
  const rows = yield* sql.withTransaction(setting)
  assert.lengthOf(rows, 1)
})
