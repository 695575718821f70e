import { Effect, Schema } from "effect"
import { Event } from "../../../schemas/Event.ts"
import { customerBody, invoiceBody } from "../apps/Invoices.ts"
import { seen } from "../apps/Correcting.ts"
import { get, post } from "../apps/Requests.ts"
import { SqlClient } from "effect/sql"
import { until } from "../apps/Until.ts"

const isMailed = ({ email: sent, status }: { readonly status: string; readonly email: { status: string } | null }) =>
  status === "accepted_by_authority" && sent?.status !== "pending"

/** An accepted invoice for a customer with this address, whose email has its final status. */
export const accepted = Effect.fnUntraced(function* (email?: string) {
  const customer = yield* post("/v1/customers", { ...customerBody(), ...(email === undefined ? {} : { email }) })
  const { json } = yield* post("/v1/invoices", invoiceBody(customer.json.id, { order: "1001" }))
  yield* seen(`/v1/invoices/${json.id}`, isMailed)
  return String(json.id)
})

const decodeEvents = Schema.decodeUnknownEffect(Schema.Array(Event))

/** The email events of a document, oldest first, each decoded with the API's schema. */
export const told = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  // An event is listed only after all earlier transactions.
  const stored = yield* sql`select 1 from events where object_id = ${id}`
  const listed = get(`/v1/events?object_id=${id}&limit=100`)
  const { json } = yield* until(listed, (list) => list.json.data.length === stored.length)
  const events = yield* decodeEvents(json.data.toReversed())
  return events.filter(({ type }) => type.includes(".email."))
})

export const typesOf = (events: ReadonlyArray<Pick<Event, "type">>) => events.map(({ type }) => type)
