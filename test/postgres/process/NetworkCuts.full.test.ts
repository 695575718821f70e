import { assert, describe } from "@effect/vitest"
import { Array, Context, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Silence } from "../../../src/runtime/postgres/PostgresSocket.ts"
import type { Answer, NoAnswer } from "../../support/apps/Client.ts"
import { invoiceBody } from "../../support/apps/Invoices.ts"
import { freshDatabase } from "../../support/database/Postgres.ts"
import { postgresProxy } from "../../support/database/PostgresProxy.ts"
import * as TestApp from "../../support/apps/TestApp.ts"
import { until } from "../../support/apps/Until.ts"
import { it } from "../../support/Tests.ts"

/** The service with a network between it and its database, whose server may be silent for 4 s, and an acquirer. */
const overNetwork = Effect.gen(function* () {
  const proxy = yield* postgresProxy(yield* freshDatabase)
  const context = yield* Effect.provideService(Layer.build(TestApp.layerOn(proxy.url)), Silence, 4_000)
  const { client } = Context.get(context, TestApp.TestApp)
  const customer = yield* TestApp.newCustomer(client)
  return {
    proxy,
    client,
    sql: Context.get(context, SqlClient.SqlClient),
    post: (key: string) => client.post("/v1/invoices", invoiceBody(customer), { key })
  }
})

const insist = (request: Effect.Effect<Answer, NoAnswer>) => until(request, ({ json }) => json.object === "invoice")

/**
 * Asserts this many invoices, one for each key, numbered without a gap and with one event each.
 * If the network swallows an invoice's verdict too often, the invoice waits for its lease of 75 s.
 */
const accepted = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, count: number) {
  yield* until(
    sql<{ open: number }>`select count(*)::int as open from invoices where state <> 'accepted_by_authority'`,
    ([row]) => row?.open === 0
  )
  const [all] = yield* sql`
    select count(*)::int as invoices, (max(number) - min(number) + 1)::int as span, (select count(*)::int from events) as events
    from invoices`
  assert.deepStrictEqual(all, { invoices: count, span: count, events: count })
})

describe("A network fault", () => {
  it.live(
    "delays no request for long while it swallows all packets, and the service continues automatically afterwards",
    function* () {
      const { client, post, proxy, sql } = yield* overNetwork
      yield* insist(post("before"))
      proxy.blackHole()
      const began = performance.now()
      const keys = Array.makeBy(30, (index) => `during ${index}`)
      const requests = yield* Effect.forkChild(
        Effect.all([client.get("/v1/invoices"), ...keys.map(post)], { concurrency: "unbounded" })
      )
      // The readiness check responds while the other requests wait.
      const ready = yield* client.get("/health/ready")
      assert.strictEqual(ready.status, 503)
      assert.strictEqual(ready.headers.get("retry-after"), "1")
      assert.isBelow(performance.now() - began, 15_000)
      for (const { headers, status } of yield* Fiber.join(requests)) {
        // 429 for a creation that waited too long for its turn.
        assert.include([429, 500, 503], status)
        assert.isTrue(headers.get("svc-should-retry") === "true" || headers.has("retry-after"))
      }
      assert.isBelow(performance.now() - began, 40_000)

      // The swallowed packets stay lost, and no caller waits for them.
      proxy.heal()
      const healed = performance.now()
      yield* until(client.get("/health/ready"), ({ status }) => status === 200)
      yield* Effect.forEach(keys, (key) => insist(post(key)), { concurrency: "unbounded" })
      assert.isBelow(performance.now() - healed, 30_000)
      yield* accepted(sql, 31)
    }
  )

  it.live("costs at most a retry when it resets connections during the work", function* () {
    const { post, proxy, sql } = yield* overNetwork
    const keys = Array.makeBy(200, (index) => `reset ${index}`)
    const work = yield* Effect.forkChild(Effect.forEach(keys, (key) => insist(post(key)), { concurrency: 10 }))
    for (const done of [20, 60, 100, 140, 180]) {
      yield* until(
        sql<{ made: number }>`select count(*)::int as made from invoices`,
        ([row]) => (row?.made ?? 0) >= done
      )
      proxy.reset()
    }
    yield* Fiber.join(work)
    yield* accepted(sql, 200)
  })
})
