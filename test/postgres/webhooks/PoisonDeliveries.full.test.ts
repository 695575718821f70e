import { assert, describe } from "@effect/vitest"
import { Array, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { invoiceBody } from "../../support/apps/Invoices.ts"
import * as TestApp from "../../support/apps/TestApp.ts"
import { until } from "../../support/apps/Until.ts"
import { arrived, Customer, deliveries, newEndpoint, passTime } from "../../support/receiver/Webhooks.ts"
import { itOn } from "../../support/Tests.ts"

/* A delivery that breaks its handler, among healthy ones. SQL damages the rows in the database. */

const post = Effect.fnUntraced(function* (customer: string) {
  const { client } = yield* TestApp.TestApp
  const key = `${customer} ${performance.now()} ${Math.random()}`
  const answer = yield* client.post("/v1/invoices", invoiceBody(customer), { key })
  assert.strictEqual(answer.status, 202, answer.text)
  return String(answer.json.id)
})

const it = itOn(Customer.layer)

describe("A delivery that cannot be sent", () => {
  const codes = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return yield* sql<{ url: string; status: string; codes: ReadonlyArray<string | null> }>`
      select w.url, d.status, array_agg(a.error->>'code' order by a.number) as codes
      from deliveries d join webhook_endpoints w on w.id = d.endpoint_id join attempts a on a.delivery_id = d.id
      group by d.id, w.url, d.status order by d.id`
  })

  it.live("follows the schedule and fails if its endpoint's secret does not open", function* () {
    const sql = yield* SqlClient.SqlClient
    const { client } = yield* TestApp.TestApp
    const broken = yield* newEndpoint("/broken")
    yield* newEndpoint("/well")
    yield* sql`update webhook_endpoints set secret = 'v1.ruins' where id = ${broken.id}`
    const customer = yield* TestApp.newCustomer(client)
    yield* Effect.forEach([1, 2, 3], () => post(customer))
    assert.deepStrictEqual(
      (yield* arrived(3)).map(({ path }) => path),
      ["/well", "/well", "/well"]
    )
    const rows = yield* until(
      Effect.andThen(passTime, deliveries),
      (seen) => seen.length === 6 && seen.every((row) => row.status !== "pending")
    )
    assert.lengthOf(rows, 6)
    const attempted = yield* codes
    assert.deepStrictEqual(
      attempted.filter(({ url }) => url.endsWith("/broken")).map((row) => [row.status, ...row.codes]),
      Array.makeBy(3, () => ["failed", "internal", "internal", "internal", "internal"])
    )
    assert.lengthOf((yield* Customer).received, 3)
  })

  it.live(
    "fails a separate attempt if it breaks the sender, and the endpoint's other deliveries continue",
    function* () {
      const sql = yield* SqlClient.SqlClient
      const customer = yield* Customer
      const { client } = yield* TestApp.TestApp
      yield* newEndpoint("/hooks")
      const buyer = yield* TestApp.newCustomer(client)
      customer.answerWith(() => 503)
      const poison = yield* post(buyer)
      yield* until(deliveries, ([row]) => row?.attempts === 1)
      // No header can carry this value. The constraint that protects events is disabled.
      yield* sql.withTransaction(
        Effect.andThen(
          sql`set local session_replication_role = replica`,
          sql`update events set type = E'two\nlines' where object_id = ${poison}`
        )
      )
      customer.answerWith(() => 200)
      const others = yield* Effect.forEach([1, 2, 3], () => post(buyer))
      yield* until(
        Effect.andThen(passTime, deliveries),
        (rows) => rows.length === 4 && rows.every((row) => row.status !== "pending")
      )
      // At least once, because the time that passes here also ends leases.
      const got = new Set(customer.received.slice(1).map(({ event }) => event.data.object.id))
      assert.deepStrictEqual([...got].toSorted(), others.toSorted())
      assert.deepStrictEqual(
        (yield* codes).map((row) => [row.status, ...row.codes]).toSorted(),
        [
          ["failed", "status", "protocol", "protocol", "protocol"],
          ...Array.makeBy(3, () => ["succeeded", null])
        ].toSorted()
      )
    }
  )

  it.live("waits behind no other endpoint's backlog", function* () {
    const sql = yield* SqlClient.SqlClient
    const customer = yield* Customer
    const { client } = yield* TestApp.TestApp
    const held = Promise.withResolvers<number>()
    customer.answerWith(({ path }) => (path === "/well" ? 503 : held.promise))
    const endpoint = yield* newEndpoint("/well")
    yield* post(yield* TestApp.newCustomer(client))
    yield* until(deliveries, ([row]) => row?.attempts === 1)
    yield* sql`update webhook_endpoints set is_active = false where id = ${endpoint.id}`
    const slow = yield* newEndpoint("/slow", 1)
    yield* sql`update webhook_endpoints set is_active = true where id = ${endpoint.id}`
    // More than a page of the sweeper, due for longer than the retry, which only the sweeper finds.
    yield* sql`
      insert into events (account_id, livemode, id, type, object_id, object_version, body, created_at)
      select account_id, livemode, 'evt_' || lpad(n::text, 26, '0'), type, 'inv_' || lpad(n::text, 26, '0'), 1, body, created_at
      from events, generate_series(1, 1200) n`
    yield* sql`
      insert into deliveries (account_id, livemode, id, endpoint_id, event_id, object_id, seq, next_attempt_at, created_at,
        updated_at)
      select account_id, livemode, 'whd_' || substr(id, 5), ${slow.id}, id, object_id, seq, now() - interval '1 hour', now(),
        now() from events where id like 'evt_0000%'`
    customer.answerWith(({ path }) => (path === "/well" ? 200 : held.promise))
    yield* sql`update deliveries set next_attempt_at = now() where endpoint_id = ${endpoint.id}`
    yield* until(deliveries, (rows) => rows.some((row) => row.status === "succeeded"))
    yield* sql`update deliveries set status = 'canceled' where endpoint_id = ${slow.id}`
    held.resolve(200)
  })
})
