import { assert } from "@effect/vitest"
import { Array, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { type Answer, type Client, makeClient } from "../../support/apps/Client.ts"
import { customerBody, endpointBody, invoiceBody } from "../../support/apps/Invoices.ts"
import { freshDatabase } from "../../support/database/Postgres.ts"
import * as TestApp from "../../support/apps/TestApp.ts"
import { until } from "../../support/apps/Until.ts"
import { describeLive } from "../../support/Tests.ts"

/** Two services on one database with nothing else in common. Each considers itself the only owner of the account. */
class Two extends Context.Service<Two, { readonly left: Client; readonly right: Client }>()("test/Two") {
  static readonly layer = Layer.effectContext(
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const left = yield* Layer.build(TestApp.layerOn(database))
      const right = yield* Layer.build(TestApp.layerOn(database))
      const { apiKey, client } = Context.get(left, TestApp.TestApp)
      const { url } = Context.get(right, TestApp.TestApp)
      return Context.make(Two, { left: client, right: makeClient(url, apiKey) }).pipe(
        Context.add(SqlClient.SqlClient, Context.get(left, SqlClient.SqlClient))
      )
    })
  )
}

const keys = Array.makeBy(60, (index) => `key ${index}`)
const all = { concurrency: "unbounded" } as const

/**
 * Sends each request to both services concurrently, to the second one in the opposite order.
 * Returns the two responses for each key.
 */
const both = Effect.fnUntraced(function* (name: string, path: string, body: unknown) {
  const { left, right } = yield* Two
  const post = (client: Client) => (key: string) => client.post(path, body, { key: `${name} ${key}` })
  const [ours, theirs] = yield* Effect.all(
    [Effect.forEach(keys, post(left), all), Effect.forEach(keys.toReversed(), post(right), all)],
    all
  )
  return keys.map((_, index) => [ours[index]!, theirs.toReversed()[index]!] as const)
})

const register = (client: Client) =>
  client.post("/v1/webhook-endpoints", endpointBody("https://example.com/hooks"), { key: "endpoint" })

const cached = (answer: Answer) => answer.headers.get("svc-idempotency-cached")

const assertOnce = (pairs: ReadonlyArray<readonly [Answer, Answer]>, status: number) => {
  for (const [left, right] of pairs) {
    assert.deepStrictEqual([left.status, right.status], [status, status])
    assert.strictEqual(left.text, right.text)
    assert.deepStrictEqual([cached(left), cached(right)].toSorted(), ["false", "true"])
  }
}

describeLive(Two.layer)("Two processes that own one account", (it) => {
  it.effect("make one customer for a key that both receive concurrently", function* () {
    const sql = yield* SqlClient.SqlClient
    assertOnce(yield* both("customer", "/v1/customers", customerBody()), 201)
    assert.deepStrictEqual(yield* sql`select count(*) from customers`, [{ count: BigInt(keys.length) }])
  })

  it.effect("make one webhook endpoint for a key, with one secret", function* () {
    const sql = yield* SqlClient.SqlClient
    const { left, right } = yield* Two
    assertOnce([yield* Effect.all([register(left), register(right)], all)], 201)
    assert.deepStrictEqual(yield* sql`select count(*) from webhook_endpoints`, [{ count: 1n }])
  })

  it.effect("make one invoice for a key, and number all invoices without a gap or duplicate", function* () {
    const sql = yield* SqlClient.SqlClient
    const { left } = yield* Two
    const customer = yield* TestApp.newCustomer(left)
    assertOnce(yield* both("invoice", "/v1/invoices", invoiceBody(customer)), 202)
    const rows = yield* until(
      sql<{ number: bigint }>`select number from invoices where state = 'accepted_by_authority' order by number`,
      (accepted) => accepted.length === keys.length
    )
    assert.deepStrictEqual(
      rows.map((row) => row.number),
      keys.map((_, index) => 990_000_000n + BigInt(index))
    )
    assert.deepStrictEqual(yield* sql`select count(*) from invoices`, [{ count: BigInt(keys.length) }])
  })
})
