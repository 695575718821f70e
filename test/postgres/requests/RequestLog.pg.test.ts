import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { purgeBatchMax, Retention } from "../../../src/operations/store/Retention.ts"
import { customerBody, invoiceBody } from "../../support/apps/Invoices.ts"
import type { Answer, Client } from "../../support/apps/Client.ts"
import { layer as app, TestApp } from "../../support/apps/TestApp.ts"
import { until } from "../../support/apps/Until.ts"
import { describeLive } from "../../support/Tests.ts"

const idOf = ({ headers }: Answer) => headers.get("request-id") ?? ""

const logged = (client: Client, answer: Answer) =>
  Effect.map(client.get(`/v1/requests/${idOf(answer)}`), ({ json }) => json)

const idsOf = (client: Client, query: string) =>
  Effect.map(client.get(`/v1/requests?limit=100&${query}`), ({ json, text }) => {
    assert.isArray(json.data, text)
    return json.data.map(({ id }: { readonly id: string }) => id)
  })

describeLive(app())("The request log on PostgreSQL", (it) => {
  it.effect("lists requests with their outcomes, their objects and the events about these", function* () {
    const { client, withNewKey } = yield* TestApp
    const customer = yield* client.post("/v1/customers", customerBody(), { key: "customer" })
    const body = invoiceBody(customer.json.id)
    const first = yield* client.post("/v1/invoices", body, { key: "order 7" })
    const again = yield* client.post("/v1/invoices", body, { key: "order 7" })
    const other = yield* client.post(
      "/v1/invoices",
      { ...body, currency: "USD", exchange_rate: "1.00" },
      { key: "order 7" }
    )
    const another = yield* (yield* withNewKey("test")).post("/v1/invoices", body, { key: "order 7" })
    assert.deepStrictEqual([first.status, again.status, other.status, another.status], [202, 202, 409, 202])
    const row = yield* until(logged(client, first), ({ events }) => events.length > 0)
    assert.deepInclude(row, {
      objects: [first.json.id],
      idempotency: { key: "order 7", verdict: "executed", of: null },
      status: 202,
      path: "/v1/invoices"
    })
    const listed = client.get(`/v1/events?object_id=${first.json.id}`)
    const events = yield* until(listed, ({ json }) => json.data.length > 0)
    assert.deepStrictEqual(row.events, [events.json.data[0].id])
    assert.deepInclude(yield* logged(client, again), {
      idempotency: { key: "order 7", verdict: "replayed", of: idOf(first) }
    })
    assert.deepInclude(yield* logged(client, other), {
      idempotency: { key: "order 7", verdict: "conflict", of: idOf(first) }
    })
    assert.strictEqual((yield* logged(client, another)).idempotency.of, null)
    assert.deepStrictEqual(yield* idsOf(client, "idempotency_key=order%207"), [another, other, again, first].map(idOf))
    assert.deepStrictEqual(yield* idsOf(client, `object_id=${first.json.id}&method=POST`), [again, first].map(idOf))
    const email = yield* client.post(`/v1/invoices/${first.json.id}/email`, { to: "a@b.co" }, { key: "email" })
    assert.include(yield* idsOf(client, `object_id=${email.json.id}`), idOf(email))
    assert.deepStrictEqual(yield* idsOf(client, "status=409"), [idOf(other)])
    assert.deepStrictEqual(yield* idsOf(client, "status=4xx&path=/v1/invoices"), [idOf(other)])
    const pages = yield* client.get(`/v1/requests?limit=1&starting_after=${idOf(again)}&path=/v1/invoices`)
    assert.strictEqual(pages.json.data[0].id, idOf(first))
  })

  it.effect("shows a mode only its own requests, by the account's role and by the condition", function* () {
    const { client, withNewKey } = yield* TestApp
    const live = yield* withNewKey("live")
    const own = yield* client.get("/v1/customers")
    const others = yield* live.get("/v1/customers")
    assert.strictEqual((yield* client.get(`/v1/requests/${idOf(others)}`)).status, 404)
    assert.strictEqual((yield* live.get(`/v1/requests/${idOf(own)}`)).status, 404)
    assert.deepInclude(yield* logged(live, others), { id: idOf(others), livemode: true })
    assert.notInclude(yield* idsOf(live, ""), idOf(own))
    const admin = yield* SqlClient.SqlClient
    const seen = admin.withTransaction(
      Effect.andThen(admin`set local role folio_account`, admin`select id from requests`)
    )
    assert.deepStrictEqual(yield* seen, [])
  })

  it.effect("finds the request that ran without reading all its replays", function* () {
    const { client } = yield* TestApp
    const first = yield* client.post("/v1/customers", customerBody(), { key: "in a loop" })
    yield* client.get("/v1/requests")
    const admin = yield* SqlClient.SqlClient
    yield* admin`
      insert into requests
      select c.* from requests r, generate_series(1000, 5999) n,
        jsonb_populate_record(r, jsonb_build_object('id', 'req_' || lpad(n::text, 26, 'z'), 'verdict', 'replayed')) c
      where r.id = ${idOf(first)}`
    yield* admin`analyze requests`
    const read = Effect.map(
      admin<{ count: bigint }>`
        select idx_scan as count from pg_stat_user_indexes
        where indexrelname = 'requests_executed' and schemaname = current_schema()`,
      ([row]) => row?.count ?? 0n
    )
    const before = yield* read
    const { json } = yield* client.get("/v1/requests?idempotency_key=in%20a%20loop&limit=100")
    for (const { idempotency } of json.data) assert.strictEqual(idempotency.of, idOf(first))
    assert.lengthOf(json.data, 100)
    yield* until(read, (after) => after >= before + 100n)
    yield* admin`delete from requests where id like 'req_zz%'`
  })

  it.effect("deletes requests after a week, by their ids", function* () {
    const { client } = yield* TestApp
    yield* client.get("/v1/customers")
    yield* client.get("/v1/requests")
    const admin = yield* SqlClient.SqlClient
    const retention = yield* Retention
    const rows = yield* admin<{ id: string }>`select id from requests`
    assert.strictEqual(yield* retention.requests, 0)
    // The rows as if made a week and a minute ago, and a minute less than a week ago.
    const moved = (minutes: number) => admin`
      insert into requests
      select (jsonb_populate_record(r, jsonb_build_object('id', 'req_' || (
        select string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', ((millis >> (5 * place)) & 31)::integer + 1, 1), '' order by place desc)
        from generate_series(0, 9) place,
          (select (extract(epoch from now() - interval '7 days' + ${minutes} * interval '1 minute') * 1000)::bigint as millis) m
      ) || substr(r.id, 15)))).*
      from requests r where id = ${rows[0]?.id ?? ""}`
    yield* moved(-1)
    yield* moved(1)
    assert.strictEqual(yield* retention.requests, 1)
    assert.strictEqual(yield* retention.requests, 0)
    assert.lengthOf(yield* admin`select id from requests`, rows.length + 1)
    assert.isAbove(purgeBatchMax, 1)
  })
})
