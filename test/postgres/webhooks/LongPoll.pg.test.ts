import { assert } from "@effect/vitest"
import { Array, Context, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { makeClient } from "../../support/apps/Client.ts"
import { invoiceBody } from "../../support/apps/Invoices.ts"
import { freshDatabase } from "../../support/database/Postgres.ts"
import * as TestApp from "../../support/apps/TestApp.ts"
import { until } from "../../support/apps/Until.ts"
import { it } from "../../support/Tests.ts"

// Several times the service's number of database connections.
const crowd = 60

/** Waits until this many sessions look for events, which proves that requests wait. */
const looking = (sql: SqlClient.SqlClient, count = 1) =>
  until(
    sql`
      select 1 from pg_stat_activity
      where datname = current_database() and query like '%as news%' and pid <> pg_backend_pid()`,
    (rows) => rows.length >= count
  )

it.live("Waiting requests hold no connection, and all return the event that another process has written", function* () {
  const url = yield* freshDatabase
  const [one, other] = [yield* Layer.build(TestApp.layerOn(url)), yield* Layer.build(TestApp.layerOn(url))]
  const sql = Context.get(one, SqlClient.SqlClient)
  const [here, there] = [Context.get(one, TestApp.TestApp).client, Context.get(other, TestApp.TestApp).client]
  const buyer = yield* TestApp.newCustomer(there)
  yield* there.post("/v1/invoices", invoiceBody(buyer), { key: "first" })
  const { json } = yield* until(here.get("/v1/events?wait=20"), ({ json: page }) => page.data.length === 1)
  const last = json.data[0].id

  const requests = yield* Effect.forEach(Array.range(1, crowd), () =>
    Effect.forkScoped(here.get(`/v1/events?after=${last}&wait=20`))
  )
  // The requests wait when a session looks for events. Other requests, one per connection, get immediate responses
  // meanwhile.
  yield* looking(sql)
  const answered = yield* Effect.forEach(Array.range(1, 20), () => here.get("/v1/account"), { concurrency: 20 })
  assert.isTrue(answered.every(({ status }) => status === 200))
  const ended = requests.flatMap((request) => request.pollUnsafe() ?? [])
  assert.deepStrictEqual(ended, [])

  yield* there.post("/v1/invoices", invoiceBody(buyer), { key: "second" })
  const pages = yield* Effect.forEach(requests, Fiber.join)
  const [stored] = yield* sql<{ body: string }>`select body from events where id <> ${last}`
  for (const page of pages) assert.include(page.text, `"data":[${stored?.body}]`)
})

it.live("A waiting request gets its response when the service stops", function* () {
  const url = yield* freshDatabase
  const scope = yield* Scope.make()
  const app = yield* Layer.buildWithScope(TestApp.layerOn(url), scope)
  const { client } = Context.get(app, TestApp.TestApp)
  const request = yield* Effect.forkScoped(client.get("/v1/events?wait=20"))
  const sql = yield* Effect.map(Layer.build(TestApp.layerOn(url)), (context) =>
    Context.get(context, SqlClient.SqlClient)
  )
  // The request waits when a session looks for events.
  yield* looking(sql)
  yield* Scope.close(scope, Exit.void)
  const answer = yield* Fiber.join(request)
  assert.deepStrictEqual([answer.status, answer.json.data], [200, []])
})

it.live.each(["revoked", "rolled"])(
  "A waiting request ends within a second, in every process, when its key is %s",
  function* (how) {
    const url = yield* freshDatabase
    const processes = [yield* Layer.build(TestApp.layerOn(url)), yield* Layer.build(TestApp.layerOn(url))]
    const sql = Context.get(processes[0]!, SqlClient.SqlClient)
    const apps = processes.map((context) => Context.get(context, TestApp.TestApp))
    const { client } = apps[0]!
    const { id, key } = (yield* client.post("/v1/api-keys", {})).json
    const waiting = yield* Effect.forEach(apps, (app) =>
      Effect.forkScoped(makeClient(app.url, key).get("/v1/events?wait=20"))
    )
    yield* looking(sql, 2)
    const endedAt = performance.now()
    if (how === "revoked") yield* client.request("DELETE", `/v1/api-keys/${id}`)
    else yield* client.post(`/v1/api-keys/${id}/roll`, { expires_in: 0 })
    for (const { json, status } of yield* Effect.forEach(waiting, Fiber.join)) {
      assert.deepStrictEqual([status, json.error.code], [401, "invalid_api_key"])
    }
    // The limit is one second. A busy machine may take longer, and a request that does not end takes 20.
    assert.isBelow(performance.now() - endedAt, 5_000)
  }
)
