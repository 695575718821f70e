import { assert } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { AccountId } from "../../../schemas/Id.ts"
import { makeApiKey } from "../../../src/accounts/rules/ApiKeyFormat.ts"
import { ApiKeys } from "../../../src/accounts/store/ApiKeys.ts"
import { Ids } from "../../../src/database/Ids.ts"
import { makeClient } from "../../support/apps/Client.ts"
import { invoiceBody } from "../../support/apps/Invoices.ts"
import { blocked, copyAccount } from "../../support/database/Owners.ts"
import { layer as app, newCustomer, TestApp } from "../../support/apps/TestApp.ts"
import { until } from "../../support/apps/Until.ts"
import { describeLive } from "../../support/Tests.ts"

/** A client of another account. */
const otherClient = Effect.gen(function* () {
  const { accountId, url } = yield* TestApp
  const account_id = AccountId.make(`ten_${"z".repeat(26)}`)
  yield* copyAccount(accountId, account_id)
  const random = yield* SecureRandom.SecureRandom
  const key = makeApiKey("test", yield* random.randomBytes(32))
  yield* (yield* ApiKeys).insert({
    id: yield* (yield* Ids).apiKey,
    account_id,
    mode: "test",
    key,
    created_at: new Date()
  })
  return makeClient(url, key)
})

describeLive(app())("Commands of one account on PostgreSQL", (it) => {
  it.effect(
    "wait for a locked row on two connections, and the other connections serve other accounts and the account's reads",
    function* () {
      const { accountId, client } = yield* TestApp
      const other = yield* otherClient
      const sql = yield* SqlClient.SqlClient
      const customer = yield* newCustomer(client)
      assert.strictEqual((yield* other.get("/v1/account")).status, 200)
      const holder = yield* Effect.forkScoped(
        sql.withTransaction(
          Effect.andThen(
            sql`select 1 from account_modes where account_id = ${accountId} and not livemode for no key update`,
            Effect.never
          )
        )
      )
      yield* until(
        sql`select 1 from account_modes where account_id = ${accountId} for no key update skip locked`,
        (free) => free.length === 1
      )
      const rename = (index: number) =>
        client.request("PATCH", "/v1/account", { body: { name: `Cuenta ${index}` }, key: `${index}` })
      const renamed = yield* Effect.forEach(Array.from({ length: 24 }), (_, index) =>
        // A command fails if it waits for a locked row for more than three seconds.
        Effect.forkScoped(until(rename(index), ({ status }) => status === 200))
      )
      const two = until(blocked("of account_modes"), (waiting) => waiting.length >= 2)
      yield* two
      const patched = yield* other.request("PATCH", "/v1/account", { body: { name: "Otra" } })
      assert.strictEqual(patched.status, 200, patched.text)
      assert.strictEqual((yield* client.get("/v1/account")).status, 200)
      const issued = yield* client.post("/v1/invoices", invoiceBody(customer), { key: "invoice" })
      assert.strictEqual(issued.status, 202, issued.text)
      // For a moment only one waits: the other has waited for three seconds, and the next one is starting.
      assert.lengthOf(yield* two, 2, "two commands waited during the other requests")
      yield* Fiber.interrupt(holder)
      yield* Effect.forEach(renamed, Fiber.join)
      const again = yield* rename(3)
      assert.strictEqual(again.headers.get("svc-idempotency-cached"), "true")
    }
  )
})
