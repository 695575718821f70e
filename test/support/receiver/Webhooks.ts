import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { endpointBody } from "../apps/Invoices.ts"
import { receiver, type Receiver } from "./Receiver.ts"
import * as TestApp from "../apps/TestApp.ts"
import { until } from "../apps/Until.ts"

/** A customer of the service with a server for its webhooks. */
export class Customer extends Context.Service<Customer, Receiver>()("test/Customer") {
  /** Also provides the service, which may deliver there. */
  static readonly layer = Layer.unwrap(
    Effect.map(receiver, (one) =>
      Layer.merge(Layer.succeed(Customer, one), TestApp.layer({ allow: `127.0.0.1:${one.port}` }))
    )
  )
}

/** Registers an endpoint at `path` of the customer's server. */
export const newEndpoint = Effect.fnUntraced(function* (path: string, maxInFlight?: number) {
  const { client } = yield* TestApp.TestApp
  const { url } = yield* Customer
  const { json } = yield* client.post("/v1/webhook-endpoints", endpointBody(url(path), maxInFlight))
  return { id: String(json.id), secret: String(json.secret), path: `/v1/webhook-endpoints/${json.id}` }
})

/** Waits until the customer's server has received `count` POSTs, and returns them in order of arrival. */
export const arrived = (count: number) =>
  Effect.flatMap(Customer, ({ received }) =>
    until(
      Effect.sync(() => [...received]),
      (list) => list.length >= count
    )
  )

export interface StoredDelivery {
  readonly id: string
  readonly event_id: string
  readonly status: string
  readonly attempts: number
  /** Seconds from the last change to the next attempt, by the database's clock. */
  readonly wait: number
}

/** The deliveries in event order. */
export const deliveries = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<StoredDelivery>`
    select id, event_id, status, attempts, extract(epoch from next_attempt_at - updated_at)::float8 as wait
    from deliveries order by seq`
})

/**
 * Lets the waits of pending deliveries pass, but not the lease of a running attempt, which would then be made twice.
 */
export const passTime = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    update deliveries set next_attempt_at = now()
    where status = 'pending' and next_attempt_at <> 'infinity' and worker is null`
})
