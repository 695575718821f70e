import { assert } from "@effect/vitest"
import { Array, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { InvoiceId } from "../../../schemas/Id.ts"
import { Ids } from "../../../src/database/Ids.ts"
import { Transitions } from "../../../src/invoices/store/Transitions.ts"
import { colombianSandbox } from "../../../src/documents/rules/parties/SandboxIds.ts"
import { checkDigit } from "../../../src/documents/rules/parties/CheckDigit.ts"
import { customerBody, endpointBody, invoiceBody } from "../../support/apps/Invoices.ts"
import { giveCertificate } from "../../support/authority/LiveAccounts.ts"
import { restingAt, seedDrafts } from "../../support/database/Owners.ts"
import * as TestApp from "../../support/apps/TestApp.ts"
import { until } from "../../support/apps/Until.ts"
import { isSignedWith } from "../../support/receiver/Signatures.ts"
import { arrived, Customer, deliveries, newEndpoint, passTime } from "../../support/receiver/Webhooks.ts"
import { itOn } from "../../support/Tests.ts"

const issue = Effect.fnUntraced(function* (count: number) {
  const { client } = yield* TestApp.TestApp
  const customer = yield* TestApp.newCustomer(client)
  const answers = yield* Effect.forEach(
    Array.range(1, count),
    (index) => client.post("/v1/invoices", invoiceBody(customer), { key: `invoice ${index} of ${customer}` }),
    { concurrency: "unbounded" }
  )
  return answers.map((answer) => String(answer.json.id))
})

/** All deliveries, when each of them has a final status. */
const settled = (count: number) =>
  until(deliveries, (rows) => rows.length === count && rows.every((row) => row.status !== "pending"))

const it = itOn(Customer.layer)

it.live("delivers an event that standard verifiers accept, with the stored bytes", function* () {
  const sql = yield* SqlClient.SqlClient
  const endpoint = yield* newEndpoint("/hooks")
  const [invoice] = yield* issue(1)
  const [post] = yield* arrived(1)
  if (post === undefined) return assert.fail()
  assert.isTrue(isSignedWith(endpoint.secret, post))
  const events = yield* sql<{ id: string; body: string }>`select id, body from events`
  assert.deepStrictEqual(
    events.map((event) => event.body),
    [post.body]
  )
  const { data, id, livemode, type } = post.event
  assert.deepStrictEqual([id, livemode, type], [events[0]?.id, false, "invoice.accepted_by_authority"])
  assert.deepStrictEqual([data.object.id, data.object.status], [invoice, "accepted_by_authority"])
  assert.strictEqual(post.headers["svc-event-id"], id)
  assert.strictEqual(post.headers["svc-event-type"], type)
  assert.strictEqual(post.headers["svc-webhook-id"], endpoint.id)
  assert.strictEqual(post.headers["content-type"], "application/json")
  yield* settled(1)
  const { client } = yield* TestApp.TestApp
  const healthy = yield* until(client.get(endpoint.path), ({ json }) => json.health.last_success_at !== null)
  assert.strictEqual(healthy.json.health.status, "healthy")
})

it.live("makes four attempts, at 0, 30 s, 5 min and 30 min, with the same bytes, and then fails", function* () {
  const sql = yield* SqlClient.SqlClient
  const customer = yield* Customer
  customer.answerWith(() => 503)
  yield* newEndpoint("/down")
  yield* issue(1)
  for (const [attempt, seconds] of [30, 300, 1800].entries()) {
    const [row] = yield* until(deliveries, (rows) => rows[0]?.attempts === attempt + 1)
    const wait = row?.status === "pending" ? row.wait : 0
    assert.isTrue(wait >= seconds && wait <= seconds * 1.1, `${wait} s after attempt ${attempt + 1}`)
    yield* passTime
  }
  const [row] = yield* settled(1)
  assert.deepStrictEqual([row?.status, row?.attempts], ["failed", 4])
  assert.strictEqual(new Set(customer.received.map((post) => post.body)).size, 1)
  const attempts = yield* sql`select number, response_status, error->>'code' as code from attempts order by number`
  assert.deepStrictEqual(
    attempts,
    Array.range(1, 4).map((number) => ({ number, response_status: 503, code: "status" }))
  )
})

it.live("keeps the order of one resource's events during retries, and delays no other resource", function* () {
  const { accountId } = yield* TestApp.TestApp
  const customer = yield* Customer
  const ids = yield* Ids
  const transitions = yield* Transitions
  yield* newEndpoint("/hooks")
  const drafts = yield* seedDrafts(accountId, 2, "signed")
  const refused = drafts[0]
  customer.answerWith(({ event }) => (event.data.object.id === refused ? 500 : 200))

  const outcome = Effect.fnUntraced(function* (id: InvoiceId, version: number) {
    const event = yield* ids.event
    const first = version === 1
    const type = first ? "invoice.accepted_contingency" : "invoice.accepted_by_authority"
    const object = { id, object: "invoice", status: type.slice(8), cufe: null, pdf_url: null, full_number: "" }
    const rest = { authority_errors: [], authority_notifications: [], failure: null, metadata: {}, version }
    yield* transitions.move({
      key: { account_id: accountId, livemode: false, id },
      version,
      from: first ? "signed" : "accepted_contingency",
      command: first ? "EnterContingency" : "Accept",
      to: first ? "accepted_contingency" : "accepted_by_authority",
      ...restingAt(first ? "accepted_contingency" : "accepted_by_authority"),
      event: {
        id: event,
        type,
        created_at: new Date(),
        body: JSON.stringify({
          id: event,
          object: "event",
          type,
          created: "2026-11-21T10:00:00.000-05:00",
          livemode: false,
          account: accountId,
          data: { object: { ...object, ...rest } }
        })
      }
    })
  })
  for (const version of [1, 2]) yield* Effect.forEach(drafts, (id) => outcome(id, version))

  const order = () =>
    customer.received.map(
      ({ event }) => `${event.data.object.id === refused ? "first" : "second"} ${event.type.slice(8)}`
    )
  // All deliveries of the other resource have ended. This resource is still at its first event.
  yield* until(deliveries, (rows) => rows.filter((row) => row.status === "succeeded").length === 2)
  yield* until(deliveries, (rows) => rows[0]?.attempts === 1)
  assert.deepStrictEqual(
    order().filter((line) => line.startsWith("first")),
    ["first accepted_contingency"]
  )
  customer.answerWith(() => 200)
  yield* passTime
  yield* settled(4)
  assert.deepStrictEqual(
    order().filter((line) => line.startsWith("first")),
    ["first accepted_contingency", "first accepted_contingency", "first accepted_by_authority"]
  )
  assert.deepStrictEqual(
    order().filter((line) => line.startsWith("second")),
    ["second accepted_contingency", "second accepted_by_authority"]
  )
})

it.live("keeps at most max_in_flight deliveries under way, and with 1 keeps the order of events", function* () {
  const customer = yield* Customer
  const sql = yield* SqlClient.SqlClient
  const { client } = yield* TestApp.TestApp
  const held = Promise.withResolvers<number>()
  customer.answerWith(() => held.promise)
  const endpoint = yield* newEndpoint("/three", 3)
  yield* issue(20)
  yield* until(sql`select count(*) from events`, (rows) => rows[0]?.["count"] === 20n)
  yield* until(Effect.sync(customer.open), (open) => open === 3)
  held.resolve(200)
  yield* settled(20)
  assert.strictEqual(customer.peak(), 3)

  const before = customer.received.length
  yield* client.request("PATCH", endpoint.path, { body: { max_in_flight: 1 } })
  yield* issue(20)
  yield* settled(40)
  const events = yield* sql<{ id: string }>`select id from events order by seq`
  assert.deepStrictEqual(
    customer.received.slice(before).map(({ event }) => event.id as string),
    events.slice(20).map((event) => event.id)
  )
})

it.live("sends nothing to an inactive endpoint, and the pending events when it is active again", function* () {
  const customer = yield* Customer
  const sql = yield* SqlClient.SqlClient
  const { client } = yield* TestApp.TestApp
  customer.answerWith(() => 500)
  const endpoint = yield* newEndpoint("/sleeper")
  yield* issue(3)
  yield* until(deliveries, (rows) => rows.length === 3 && rows.every((row) => row.attempts === 1))
  yield* client.request("PATCH", endpoint.path, { body: { is_active: false } })
  yield* passTime
  yield* until(
    sql`select 1 from deliveries where next_attempt_at = 'infinity' and status = 'pending'`,
    (rows) => rows.length === 3
  )
  assert.strictEqual(customer.received.length, 3)
  customer.answerWith(() => 200)
  yield* client.request("PATCH", endpoint.path, { body: { is_active: true } })
  yield* settled(3)
  assert.strictEqual(customer.received.length, 6)
})

it.live("cancels the pending deliveries of an endpoint before the response to its deletion", function* () {
  const customer = yield* Customer
  const { client } = yield* TestApp.TestApp
  customer.answerWith(() => 500)
  const endpoint = yield* newEndpoint("/gone")
  yield* issue(3)
  yield* until(deliveries, (rows) => rows.length === 3 && rows.every((row) => row.attempts === 1))
  yield* client.request("DELETE", endpoint.path)
  const rows = yield* deliveries
  assert.deepStrictEqual(
    rows.map((row) => row.status),
    Array.makeBy(3, () => "canceled")
  )
})

it.live("signs a retry with the secret that is valid at that time", function* () {
  const customer = yield* Customer
  const { client } = yield* TestApp.TestApp
  customer.answerWith(() => 500)
  const endpoint = yield* newEndpoint("/rotating")
  yield* issue(1)
  yield* until(deliveries, (rows) => rows[0]?.attempts === 1)
  const { json } = yield* client.request("POST", `${endpoint.path}/rotate-secret`)
  customer.answerWith(() => 200)
  yield* passTime
  yield* settled(1)
  const [first, second] = customer.received
  assert.deepStrictEqual([isSignedWith(endpoint.secret, first!), isSignedWith(json.secret, first!)], [true, false])
  assert.deepStrictEqual([isSignedWith(endpoint.secret, second!), isSignedWith(json.secret, second!)], [false, true])
  assert.deepStrictEqual([second?.event.id, second?.body], [first?.event.id, first?.body])
})

it.live("never mixes test and live", function* () {
  const { accountId, client, withNewKey } = yield* TestApp.TestApp
  const customer = yield* Customer
  const sql = yield* SqlClient.SqlClient
  const live = yield* withNewKey("live")
  const [range] = yield* sql<{ readonly [column: string]: unknown }>`select * from resolutions`
  const id = yield* (yield* Ids).resolution
  // A sealed key opens only in its own row.
  const { technical_key } = colombianSandbox.range
  const keys = { technical_key, technical_key_sealed: null }
  yield* sql`insert into resolutions ${sql.insert({ ...range, ...keys, id, livemode: true, prefix: "LIVE" })}`
  yield* giveCertificate(accountId, yield* TestApp.pem)
  yield* newEndpoint("/test")
  yield* live.post("/v1/webhook-endpoints", endpointBody(customer.url("/live")))
  const buyer = {
    ...customerBody(),
    identification: { type: "31", number: "800197268", check_digit: checkDigit("800197268") }
  }
  const made = yield* live.post("/v1/customers", buyer, { key: "buyer" })
  assert.strictEqual(made.status, 201)
  const foreign = yield* client.post("/v1/invoices", invoiceBody(made.json.id), { key: "foreign" })
  assert.deepStrictEqual([foreign.status, foreign.json.error.code], [404, "resource_missing"])
  const invoice = yield* live.post("/v1/invoices", invoiceBody(made.json.id), { key: "live" })
  yield* issue(1)
  yield* settled(2)
  assert.deepStrictEqual(
    customer.received.map(({ event, path }) => [path, event.livemode, event.data.object.full_number]).toSorted(),
    [
      ["/live", true, "LIVE990000000"],
      ["/test", false, "SETP990000000"]
    ]
  )
  assert.strictEqual((yield* client.get(`/v1/invoices/${invoice.json.id}`)).status, 404)
  assert.strictEqual((yield* live.get(`/v1/invoices/${invoice.json.id}`)).json.livemode, true)
})
