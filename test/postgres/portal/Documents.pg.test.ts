import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { ApiKeyId } from "../../../schemas/Id.ts"
import { invoiceBody } from "../../support/apps/Invoices.ts"
import { layer as app, newCustomer, TestApp } from "../../support/apps/TestApp.ts"
import { until } from "../../support/apps/Until.ts"
import { visitor } from "../../support/portal/Visitor.ts"
import { describeLive } from "../../support/Tests.ts"

const count = 10_000

describeLive(app())("an account with ten thousand documents", (it) => {
  it.effect("sees a page of them at once, by every filter and from any place, and each by an index", function* () {
    const { accountId, client } = yield* TestApp
    const sql = yield* SqlClient.SqlClient
    const customer = yield* newCustomer(client)
    const { json } = yield* client.post("/v1/invoices", invoiceBody(customer, { order: "needle" }), {
      key: "one of many"
    })
    yield* until(client.get(`/v1/invoices/${json.id}`), (seen) => seen.json.status === "accepted_by_authority")
    yield* sql`
      insert into invoices
      select c.* from invoices r, generate_series(1, ${count}::integer) n, jsonb_populate_record(r, jsonb_build_object(
        'id', 'inv_01' || lpad(n::text, 24, '0'), 'number', n, 'full_number', 'FE' || n, 'cufe', 'cufe ' || n,
        'metadata', jsonb_build_object('channel', 'web', 'n', n::text)
      )) c where r.id = ${json.id}`
    const keys = yield* client.get("/v1/api-keys")
    const account = { account_id: accountId, livemode: false }
    const person = yield* visitor({ account, apiKeyId: ApiKeyId.make(keys.json.data.at(-1).id) })
    const middle = `inv_01${String(count / 2).padStart(24, "0")}`
    const timed = Effect.fnUntraced(function* (query: string) {
      const times: Array<number> = []
      let bytes = 0
      for (let asked = 0; asked < 5; asked++) {
        const start = performance.now()
        const { status, text } = yield* person.see(`/portal/documents?${query}`)
        times.push(performance.now() - start)
        assert.strictEqual(status, 200, query)
        bytes = Buffer.byteLength(text)
        assert.isBelow(bytes, 60_000, query)
      }
      return { query, bytes, ms: Math.round(Math.min(...times)) }
    })
    const queries = [
      "",
      `after=${middle}`,
      `before=${middle}`,
      "status=accepted_by_authority",
      "status=failed",
      "status=draft",
      "kind=credit_note",
      `customer=${customer}`,
      "q=channel%3Dweb",
      "q=FE99999999",
      "from=2020-01-01&to=2020-01-31"
    ]
    const seen = yield* Effect.forEach(queries, timed)
    // oxlint-disable-next-line no-console -- the figures are what the test is run for
    console.log(seen.map(({ bytes, ms, query }) => `${ms} ms, ${bytes} bytes: ${query}`).join("\n"))
    for (const { ms, query } of seen) assert.isBelow(ms, 1_000, query)

    // No filter makes a page go through the documents of the account.
    const read = Effect.map(
      sql<{
        seq: bigint
      }>`select coalesce(sum(seq_tup_read), 0)::bigint as seq from pg_stat_user_tables where relname = 'invoices'`,
      ([row]) => row?.seq ?? 0n
    )
    yield* sql`analyze invoices`
    yield* sql`analyze marks`
    yield* sql`select pg_stat_force_next_flush()`
    const before = yield* read
    for (const query of queries) yield* person.see(`/portal/documents?${query}`)
    const found = yield* person.see("/portal/documents?q=n%3D77")
    assert.include(found.text, "FE77<")
    yield* sql`select pg_stat_force_next_flush()`
    assert.isBelow(Number((yield* read) - before), count, "rows read without an index")

    const start = performance.now()
    const csv = yield* person.see("/portal/documents/export.csv")
    const lines = csv.text.trimEnd().split("\r\n")
    assert.lengthOf(lines, count + 1)
    // oxlint-disable-next-line no-console -- see above
    console.log(`${Math.round(performance.now() - start)} ms for a CSV of ${count} documents`)
  })
})
