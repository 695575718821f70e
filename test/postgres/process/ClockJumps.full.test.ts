import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { vi } from "vitest"
import { invoiceBody } from "../../support/apps/Invoices.ts"
import * as TestApp from "../../support/apps/TestApp.ts"
import { until } from "../../support/apps/Until.ts"
import { arrived, Customer, deliveries, newEndpoint, passTime } from "../../support/receiver/Webhooks.ts"
import { itOn } from "../../support/Tests.ts"

const hour = 3_600_000

/** The clock of the service's machine, which can jump. The database's clock and the time-outs do not. */
const jumpingClock = Effect.gen(function* () {
  const real = Date.now.bind(Date)
  let offset = 0
  yield* Effect.acquireRelease(
    Effect.sync(() => vi.spyOn(Date, "now").mockImplementation(() => real() + offset)),
    (restored) => Effect.sync(() => restored.mockRestore())
  )
  return (to: number) =>
    Effect.sync(() => {
      offset = to
    })
})

/** The pending deliveries, when there are `count` of them, each with the given number of attempts. */
const failing = (count: number, attempts: number) =>
  until(
    Effect.map(deliveries, (rows) => rows.filter((row) => row.status === "pending")),
    (rows) => rows.length === count && rows.every((row) => row.attempts === attempts)
  )

const it = itOn(Customer.layer)

it.live("A clock that jumps by an hour in either direction shifts no retry, no key's day and no number", function* () {
  const sql = yield* SqlClient.SqlClient
  const jump = yield* jumpingClock
  const customer = yield* Customer
  const { client } = yield* TestApp.TestApp
  const buyer = yield* TestApp.newCustomer(client)
  customer.answerWith(({ path }) => (path === "/down" ? 503 : 200))
  yield* newEndpoint("/down")
  yield* newEndpoint("/up")

  const issue = (key: string) => client.post("/v1/invoices", invoiceBody(buyer), { key })
  const answer = yield* issue("first")
  for (const { wait } of yield* failing(1, 1)) assert.isTrue(wait >= 30 && wait <= 33, `${wait} s`)

  yield* jump(hour)
  // The whole way of a second invoice takes place, with sweeps, and the first invoice's retry has not come early.
  const second = yield* issue("second")
  assert.isAtLeast(Date.parse(second.json.created_at) - Date.parse(answer.json.created_at), hour)
  for (const { wait } of yield* failing(2, 1)) assert.isTrue(wait >= 30 && wait <= 33, `${wait} s`)

  yield* jump(-hour)
  yield* issue("third")
  yield* failing(3, 1)
  yield* passTime
  for (const { wait } of yield* failing(3, 2)) assert.isTrue(wait >= 300 && wait <= 330, `${wait} s`)

  yield* jump(25 * hour)
  const replayed = yield* issue("first")
  assert.deepStrictEqual([replayed.text, replayed.headers.get("svc-idempotency-cached")], [answer.text, "true"])
  yield* jump(-25 * hour)
  yield* issue("fourth")
  yield* arrived(4 + 4 + 3)
  const rows = yield* sql<{ number: string; key: string }>`
    select i.number, k.value as key from invoices i join idempotency_keys k on k.location = '/v1/invoices/' || i.id
    order by i.number`
  assert.deepStrictEqual(
    rows.map(({ key }) => key),
    ["first", "second", "third", "fourth"]
  )
})
