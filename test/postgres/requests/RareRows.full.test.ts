import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { endpointBody, invoiceBody } from "../../support/apps/Invoices.ts"
import { layer as app, newCustomer, TestApp } from "../../support/apps/TestApp.ts"
import { until } from "../../support/apps/Until.ts"
import { describeLive } from "../../support/Tests.ts"

const count = 5_000

/** More often than PostgreSQL plans a statement for its values alone. */
const times = 8

describeLive(app())("An account with many rows", (it) => {
  it.effect("finds a few failed rows, or none, without reading all the successful ones", function* () {
    const { client } = yield* TestApp
    const sql = yield* SqlClient.SqlClient
    const hook = yield* client.post("/v1/webhook-endpoints", endpointBody("https://hooks.example.com"), {
      key: "hook"
    })
    const customer = yield* newCustomer(client)
    const { json } = yield* client.post("/v1/invoices", invoiceBody(customer), { key: "one of many" })
    yield* until(client.get(`/v1/invoices/${json.id}`), (seen) => seen.json.status === "accepted_by_authority")
    const [delivery] = yield* until(sql<{ id: string }>`select id from deliveries`, (rows) => rows.length > 0)
    const copies = (prefix: string, changes: string) =>
      sql.unsafe(`jsonb_build_object('id', '${prefix}_' || lpad(n::text, 26, '0'), ${changes})`)
    yield* sql`
      insert into invoices
      select c.* from invoices r, generate_series(1, ${count}::integer) n, jsonb_populate_record(r, ${copies(
        "inv",
        `'number', n, 'full_number', r.prefix || n, 'cufe', 'cufe ' || n`
      )}) c where r.id = ${json.id}`
    yield* sql`
      insert into events overriding system value
      select c.* from events r,
        generate_series(1, ${count}::integer) n, jsonb_populate_record(r, ${copies("evt", `'object_id', 'inv_' || n`)}) c
      where r.id = (select min(id) from events where type = 'invoice.accepted_by_authority')`
    yield* sql`
      insert into deliveries
      select c.* from deliveries r, generate_series(1, ${count}::integer) n, jsonb_populate_record(r, ${copies(
        "whd",
        `'status', 'succeeded', 'event_id', 'evt_' || lpad(n::text, 26, '0'), 'object_id', 'inv_' || n`
      )}) c where r.id = ${delivery?.id}`
    yield* sql`
      insert into api_keys
      select c.* from api_keys r, generate_series(1, ${count}::integer) n,
        jsonb_populate_record(r, ${copies("key", `'key_hash', 'hash ' || n, 'revoked_at', now()`)}) c
      where r.id = (select min(id) from api_keys)`
    for (const table of ["invoices", "events", "deliveries", "api_keys"]) yield* sql`analyze ${sql(table)}`

    const scans = Effect.map(
      sql<{ name: string; count: bigint }>`
        select indexrelname as name, idx_scan as count from pg_stat_user_indexes where schemaname = current_schema()`,
      (rows) => new Map(rows.map((row) => [row.name, row.count]))
    )
    let keysMade = 0
    for (const [index, request] of [
      ["invoices_unaccepted", client.get("/v1/invoices?status=failed")],
      ["events_unusual", client.get("/v1/events?type=invoice.failed")],
      ["deliveries_undelivered", client.get(`/v1/webhook-endpoints/${hook.json.id}/deliveries?status=failed`)],
      ["api_keys_kept", Effect.suspend(() => client.post("/v1/api-keys", {}, { key: `key ${keysMade++}` }))]
    ] as const) {
      const before = (yield* scans).get(index) ?? 0n
      for (let asked = 0; asked < times; asked++) {
        const { json: answer, status } = yield* request
        assert.oneOf(status, [200, 201])
        if (answer.object === "list") assert.deepStrictEqual(answer.data, [])
      }
      yield* until(scans, (after) => (after.get(index) ?? 0n) >= before + BigInt(times))
    }
  })
})
