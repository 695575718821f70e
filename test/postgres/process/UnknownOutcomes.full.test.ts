import { assert } from "@effect/vitest"
import { Array, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Secrets } from "../../../src/database/Secrets.ts"
import { secretContext } from "../../../src/webhooks/store/WebhookEndpoints.ts"
import type { Answer, NoAnswer } from "../../support/apps/Client.ts"
import { customerBody, endpointBody, invoiceBody } from "../../support/apps/Invoices.ts"
import { freshDatabase } from "../../support/database/Postgres.ts"
import { type PostgresProxy, postgresProxy } from "../../support/database/PostgresProxy.ts"
import { receiver, type Receiver } from "../../support/receiver/Receiver.ts"
import { rowCount } from "../../support/database/Owners.ts"
import * as TestApp from "../../support/apps/TestApp.ts"
import { until } from "../../support/apps/Until.ts"
import { describeLive } from "../../support/Tests.ts"

/** The service, with a proxy between it and its database. Its webhooks go to a receiver. */
class Between extends Context.Service<Between, { readonly proxy: PostgresProxy; readonly hooks: Receiver }>()(
  "test/Between"
) {
  static readonly layer = Layer.unwrap(
    Effect.gen(function* () {
      const proxy = yield* postgresProxy(yield* freshDatabase)
      const hooks = yield* receiver
      return Layer.merge(
        Layer.succeed(Between, { proxy, hooks }),
        TestApp.layerOn(proxy.url, { allow: `127.0.0.1:${hooks.port}` })
      )
    })
  )
}

/**
 * Sends a request twice with its key. The first time, the connection breaks after the database has done all the work.
 * Returns the second response.
 */
const cutOnce = Effect.fnUntraced(function* (what: RegExp, request: Effect.Effect<Answer, NoAnswer>) {
  const { proxy } = yield* Between
  proxy.cutAnswer(what)
  const unknown = yield* request
  assert.deepStrictEqual([unknown.status, unknown.json.error?.code], [503, "service_unavailable"])
  assert.strictEqual(unknown.headers.get("svc-should-retry"), "true")
  assert.strictEqual(proxy.uncut(), 0)
  const known = yield* request
  assert.strictEqual(known.headers.get("svc-idempotency-cached"), "true", known.text)
  return known
})

const cutsOfEach = 25

/** Cuts the responses of this many requests, in sequence, each with its own key. */
const cutEach = (what: RegExp, request: (key: string) => Effect.Effect<Answer, NoAnswer>) =>
  Effect.forEach(Array.range(1, cutsOfEach), (index) => cutOnce(what, request(`${what} ${index}`)))

describeLive(Between.layer)("A commit without a response to the service", (it) => {
  it.effect("makes one endpoint for each key, and rotates its secret once", function* () {
    const { client } = yield* TestApp.TestApp
    const secrets = yield* Secrets
    const sql = yield* SqlClient.SqlClient
    for (const index of Array.range(1, cutsOfEach)) {
      const { json } = yield* cutOnce(
        /insert into webhook_endpoints[^]*COMMIT/,
        client.post("/v1/webhook-endpoints", endpointBody("https://example.com/hooks"), { key: `endpoint ${index}` })
      )
      const path = `/v1/webhook-endpoints/${json.id}`
      const rotated = yield* cutOnce(
        /update webhook_endpoints set "secret"[^]*COMMIT/,
        client.request("POST", `${path}/rotate-secret`, { key: `rotate ${index}` })
      )
      assert.notStrictEqual(rotated.json.secret, json.secret)
      // A second rotation by the retry would make another secret than the response has.
      const rows = yield* sql<{ secret: string }>`select secret from webhook_endpoints`
      assert.strictEqual(yield* secrets.open(rows[0]?.secret ?? "", secretContext(json.id)), rotated.json.secret)
      assert.strictEqual(yield* rowCount("webhook_endpoints"), 1)
      assert.strictEqual((yield* client.request("DELETE", path)).status, 200)
    }
  })

  it.effect("makes one customer for each key", function* () {
    const { client } = yield* TestApp.TestApp
    const before = yield* rowCount("customers")
    const answers = yield* cutEach(/insert into customers/, (key) =>
      client.post("/v1/customers", customerBody(), { key })
    )
    assert.strictEqual(new Set(answers.map(({ json, status }) => `${status} ${json.id}`)).size, cutsOfEach)
    assert.strictEqual((yield* rowCount("customers")) - before, cutsOfEach)
  })

  it.effect("makes one invoice for each key", function* () {
    const { client } = yield* TestApp.TestApp
    const customer = yield* TestApp.newCustomer(client)
    const answers = yield* cutEach(/insert into invoices/, (key) =>
      client.post("/v1/invoices", invoiceBody(customer), { key })
    )
    assert.strictEqual(new Set(answers.map(({ json, status }) => `${status} ${json.id}`)).size, cutsOfEach)
    assert.strictEqual(yield* rowCount("invoices"), cutsOfEach)
  })

  it.effect("delays no invoice in progress, and duplicates nothing of it", function* () {
    const { client } = yield* TestApp.TestApp
    const { hooks, proxy } = yield* Between
    const sql = yield* SqlClient.SqlClient
    const open = sql<{ count: number }>`
      select count(*)::int as count from invoices where state <> 'accepted_by_authority'`
    yield* until(open, ([row]) => row?.count === 0)
    const before = yield* rowCount("invoices")
    // Only one delivery at a time, so that most deliveries need a separate statement to be taken.
    yield* client.post("/v1/webhook-endpoints", { ...endpointBody(hooks.url("/hooks")), max_in_flight: 1 })
    const customer = yield* TestApp.newCustomer(client)
    const steps = [
      /set state = 'numbered'/,
      /update invoices i set state = n.to_state/,
      /insert into attempts/,
      /set next_attempt_at = now\(\) \+/,
      /next_action_at <= now\(\)/
    ]
    let made = 0
    const makeFive = Effect.suspend(() =>
      Effect.forEach(
        Array.makeBy(5, () => `on its way ${made++}`),
        (key) => until(client.post("/v1/invoices", invoiceBody(customer), { key }), ({ status }) => status === 202),
        { concurrency: "unbounded" }
      )
    )
    for (const step of [...steps, ...steps]) {
      proxy.cutAnswer(step)
      // Five invoices may not need every statement: the statement of the outcome takes a delivery if nothing blocks it.
      yield* until(Effect.andThen(makeFive, Effect.sync(proxy.uncut)), (left) => left === 0)
    }
    const succeeded = sql<{ count: number }>`
      select count(*)::int as count from deliveries where status = 'succeeded'`
    yield* until(succeeded, ([row]) => row?.count === made)
    assert.strictEqual((yield* open)[0]?.count, 0)
    const [all] = yield* sql`
      select count(*)::int as invoices, count(distinct number)::int as numbers,
        (max(number) - min(number) + 1)::int as span, (select count(*)::int from events) as events,
        (select count(*)::int from attempts) as attempts
      from invoices`
    const invoices = before + made
    assert.deepStrictEqual(all, { invoices, numbers: invoices, span: invoices, events: invoices, attempts: made })
    // A delivery without a response to its record is not sent again, because the row shows it.
    assert.deepStrictEqual(
      hooks.received.map(({ event }) => String(event.id)).toSorted(),
      (yield* sql<{ event_id: string }>`select event_id from deliveries`).map((row) => row.event_id).toSorted()
    )
  })
})
