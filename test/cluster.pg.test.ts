import { assert, describe, it } from "@effect/vitest"
import { Array, Effect, Fiber } from "effect"
import { randomBytes } from "node:crypto"
import type { Client } from "./support/Client.ts"
import { customerBody, endpointBody, invoiceBody } from "./support/Invoices.ts"
import { freshDatabase, query } from "./support/Postgres.ts"
import { receiver } from "./support/Receiver.ts"
import { freePort, serviceProcess } from "./support/ServiceProcess.ts"
import { makeClient } from "./support/Client.ts"
import { until } from "./support/Until.ts"

/** Two processes of one service, with one database; the clients know both. */
const twoProcesses = Effect.gen(function* () {
  const database = yield* freshDatabase
  const one = yield* receiver
  const secretKey = randomBytes(32).toString("base64")
  const start = Effect.gen(function* () {
    const process = yield* serviceProcess({
      webhookAllow: `127.0.0.1:${one.port}`,
      env: {
        CLUSTER: "socket",
        RUNNER_PORT: String(yield* freePort),
        DATABASE_URL: database,
        FOLIO_KEY: secretKey
      }
    })
    yield* process.start()
    return process
  })
  const first = yield* start
  const client = first.client()
  const second = yield* start
  const other = makeClient(second.url, client.apiKey)
  return { database, receiver: one, first, second, clients: [client, other] as const }
})

/** Repeats a request by its key, at the one process and the other by turns, until it is acknowledged. */
const insist = (clients: ReadonlyArray<Client>, customer: string, key: string) => {
  let turn = Number(key.split(" ")[1])
  return until(
    Effect.suspend(() => {
      const client = clients[turn++ % clients.length] as Client
      return Effect.option(client.post("/v1/invoices", invoiceBody(customer, { key }), { key }))
    }),
    (answer) => answer._tag === "Some" && answer.value.json?.object === "invoice",
    "30 seconds"
  )
}

describe("Two processes", () => {
  it.live(
    "take any request, and replace each other: kill -9 of one loses and doubles nothing",
    () =>
      Effect.gen(function* () {
        const { clients, database, first, receiver: hooks, second } = yield* twoProcesses
        yield* clients[1].post("/v1/webhook-endpoints", endpointBody(hooks.url("/hooks")))
        const customer = yield* clients[0].post("/v1/customers", customerBody(), { key: "customer" })
        let acknowledged = 0
        const work = yield* Effect.forkChild(
          Effect.forEach(
            Array.makeBy(300, (index) => `key ${index}`),
            (key) =>
              insist(clients, String(customer.json.id), key).pipe(
                Effect.tap(() => Effect.sync(() => (acknowledged += 1)))
              ),
            { concurrency: 16, discard: true }
          )
        )
        yield* until(
          Effect.sync(() => acknowledged),
          (count) => count >= 100
        )
        yield* first.signal("SIGKILL")
        yield* first.ended
        const killedAt = performance.now()
        const before = acknowledged
        yield* until(
          Effect.sync(() => acknowledged),
          (count) => count > before + 16
        )
        assert.isBelow(performance.now() - killedAt, 12_000, "the survivor takes the accounts over")
        yield* Fiber.join(work)

        // What the dead process had submitted is looked at when its lease ends, after 75 s; here it ends now.
        yield* query(database, "update invoices set next_action_at = now() where state = 'submitted'")
        const rows = Effect.map(
          query(
            database,
            `select count(*)::int as invoices, count(distinct metadata->>'key')::int as keys,
               count(distinct number)::int as numbers, (max(number) - min(number) + 1)::int as span,
               count(*) filter (where state = 'accepted_by_authority')::int as accepted,
               (select count(*)::int from events) as events,
               (select count(*)::int from deliveries where status = 'succeeded') as delivered
             from invoices`
          ),
          (result) => result.rows[0]
        )
        const all = { invoices: 300, keys: 300, numbers: 300, span: 300, accepted: 300, events: 300, delivered: 300 }
        const seen = yield* until(rows, (row) => row?.["accepted"] === 300 && row["delivered"] === 300, "40 seconds")
        assert.deepStrictEqual(seen as unknown, all)
        assert.strictEqual(new Set(hooks.received.map(({ event }) => event.data.object.id)).size, 300)

        yield* second.signal("SIGTERM")
        assert.deepStrictEqual(yield* second.ended, { code: 0, signal: null })
      }).pipe(Effect.scoped),
    90_000
  )
})
