import { assert } from "@effect/vitest"
import { Array, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { invoiceBody } from "../../support/apps/Invoices.ts"
import { isSignedWith } from "../../support/receiver/Signatures.ts"
import * as TestApp from "../../support/apps/TestApp.ts"
import { until } from "../../support/apps/Until.ts"
import { arrived, Customer, deliveries, newEndpoint } from "../../support/receiver/Webhooks.ts"
import { itOn } from "../../support/Tests.ts"

const issue = Effect.fnUntraced(function* (count: number) {
  const { client } = yield* TestApp.TestApp
  const buyer = yield* TestApp.newCustomer(client)
  yield* Effect.forEach(
    Array.range(1, count),
    (index) => client.post("/v1/invoices", invoiceBody(buyer), { key: `invoice ${index} of ${buyer}` }),
    { concurrency: "unbounded" }
  )
})

const settled = (count: number) =>
  until(deliveries, (rows) => rows.length === count && rows.every((row) => row.status !== "pending"))

const it = itOn(Customer.layer)

it.live(
  "A redelivery sends the same bytes under the same event, signed with the current secret, even after a success",
  function* () {
    const customer = yield* Customer
    const { client } = yield* TestApp.TestApp
    const endpoint = yield* newEndpoint("/hooks")
    yield* issue(1)
    const [{ id } = { id: "" }] = yield* settled(1)
    const path = `/v1/webhook-deliveries/${id}`
    const { json: rotated } = yield* client.request("POST", `${endpoint.path}/rotate-secret`)
    customer.answerWith(() => 500)
    assert.strictEqual((yield* client.request("POST", `${path}/redeliver`)).status, 202)
    const failed = yield* until(client.get(path), ({ json }) => json.attempts.length === 2)
    assert.strictEqual(failed.json.status, "succeeded", "the receiver has it once")
    customer.answerWith(() => 200)
    yield* client.request("POST", `${path}/redeliver`)
    const { json } = yield* until(client.get(path), (shown) => shown.json.attempts.length === 3)
    assert.deepStrictEqual(
      json.attempts.map((attempt: { readonly [member: string]: unknown }) => [
        attempt["number"],
        attempt["trigger"],
        attempt["response_status"]
      ]),
      [
        [1, "auto", 200],
        [2, "manual", 500],
        [3, "manual", 200]
      ]
    )
    const posts = yield* arrived(3)
    assert.strictEqual(new Set(posts.map(({ body }) => body)).size, 1)
    assert.strictEqual(new Set(posts.map(({ headers }) => headers["svc-event-id"])).size, 1)
    assert.deepStrictEqual(
      posts.map((post) => [isSignedWith(endpoint.secret, post), isSignedWith(rotated.secret, post)]),
      [
        [true, false],
        [false, true],
        [false, true]
      ]
    )
  }
)

it.live(
  "A recovery sends the events that an endpoint missed, in order, and no more at a time than allowed",
  function* () {
    const customer = yield* Customer
    const sql = yield* SqlClient.SqlClient
    const { client } = yield* TestApp.TestApp
    const since = new Date(Date.now() - 60_000).toISOString()
    yield* issue(30)
    yield* until(sql`select count(*) from events`, (rows) => rows[0]?.["count"] === 30n)
    const strict = yield* newEndpoint("/strict", 1)
    const wide = yield* newEndpoint("/wide", 4)
    const recover = (path: string) => client.post(`${path}/recover`, { since })
    const [first, again] = yield* Effect.all([recover(strict.path), recover(strict.path)], { concurrency: 2 })
    assert.deepStrictEqual([first.status, again.status], [202, 202])
    assert.deepStrictEqual([first.json.deliveries, again.json.deliveries].toSorted(), [0, 30])
    yield* settled(30)
    assert.strictEqual(customer.peak(), 1)
    const events = yield* sql<{ id: string }>`select id from events order by seq`
    assert.deepStrictEqual(
      customer.received.map(({ event }) => String(event.id)),
      events.map(({ id }) => id)
    )
    const gate = Promise.withResolvers<number>()
    customer.answerWith(() => gate.promise)
    yield* recover(wide.path)
    yield* until(Effect.sync(customer.open), (open) => open === 4)
    gate.resolve(200)
    yield* settled(60)
    assert.strictEqual(customer.peak(), 4)
    const shown = yield* client.get(`${wide.path}/deliveries?status=succeeded&limit=100`)
    assert.lengthOf(shown.json.data, 30)
    assert.isTrue(
      shown.json.data.every((one: { attempts: [{ trigger: string }] }) => one.attempts[0].trigger === "recover")
    )
  }
)

it.live("A sample of every type goes to one endpoint only, signed as an event, and no list contains it", function* () {
  const { client } = yield* TestApp.TestApp
  const endpoint = yield* newEndpoint("/tested")
  yield* newEndpoint("/other")
  for (const type of ["invoice.failed", "invoice.rejected_by_authority", "invoice.email.bounced"]) {
    const { json, status } = yield* client.post(`${endpoint.path}/test`, { type })
    assert.deepStrictEqual([status, json.event_type, json.livemode], [202, type, false])
  }
  const posts = yield* arrived(3)
  yield* settled(3)
  for (const post of posts) {
    assert.isTrue(isSignedWith(endpoint.secret, post))
    assert.strictEqual(post.path, "/tested")
    assert.strictEqual(post.headers["svc-event-type"], post.event.type)
    assert.strictEqual((yield* client.get(`/v1/events/${post.event.id}`)).text, post.body)
  }
  assert.deepStrictEqual((yield* client.get("/v1/events")).json.data, [])
  assert.deepStrictEqual((yield* client.get("/v1/events?wait=0")).json.data, [])
  assert.strictEqual((yield* client.get(endpoint.path)).json.health.status, "healthy")
})
