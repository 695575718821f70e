import { assert } from "@effect/vitest"
import { Effect, Fiber, Metric } from "effect"
import { SqlClient } from "effect/sql"
import * as Metrics from "../../../src/runtime/Metrics.ts"
import { Limits } from "../../../src/runtime/Limits.ts"
import { RequestLog } from "../../../src/operations/store/RequestLog.ts"
import { customerBody, invoiceBody } from "../../support/apps/Invoices.ts"
import { apiKeyIds, keys } from "../../support/apps/Accounts.ts"
import { layer as app, serviceWith } from "../../support/apps/PostgresApp.ts"
import { bearer, get, patch, post, type Reply, send } from "../../support/apps/Requests.ts"
import { until } from "../../support/apps/Until.ts"
import { blocked, holdTable } from "../../support/database/Owners.ts"
import { describeLive } from "../../support/Tests.ts"

const idOf = ({ headers }: Reply) => String(headers["request-id"])

const logged = (reply: Reply, headers = {}) =>
  Effect.map(get(`/v1/requests/${idOf(reply)}`, headers), ({ json }) => json)

const idsOf = (query: string, headers = {}) =>
  Effect.map(get(`/v1/requests?limit=100&${query}`, headers), ({ json, text }) => {
    assert.isArray(json.data, text)
    return json.data.map(({ id }: { readonly id: string }) => id)
  })

const customer = (key: string, body: object = customerBody()) => post("/v1/customers", body, { "idempotency-key": key })

const left = (why: "busy" | "database" | "flood") =>
  Effect.map(Metric.value(Metrics.requestsNotLogged(why)), ({ count }) => Number(count))

const storedIds = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ id: string }>`select id from requests`
  return rows.map(({ id }) => id)
})

describeLive(app)("The request log", (it) => {
  it.effect("shows a request and its response", function* () {
    const made = yield* customer("shown", { ...customerBody(), metadata: { order: "7" } })
    const { created, duration_ms, ip, request_body, response_body, ...rest } = yield* logged(made)
    assert.deepStrictEqual(rest, {
      id: idOf(made),
      object: "request",
      livemode: false,
      method: "POST",
      path: "/v1/customers",
      query: null,
      status: 201,
      api_key: { id: apiKeyIds.test, last_four: keys.test.slice(-4) },
      portal_session_id: null,
      version: "2026-01-01",
      idempotency: { key: "shown", verdict: "executed", of: null },
      error_code: null,
      objects: [made.json.id],
      events: [],
      request_bytes: JSON.stringify({ ...customerBody(), metadata: { order: "7" } }).length,
      response_bytes: made.text.length
    })
    assert.match(created, /-05:00$/)
    assert.isAtLeast(duration_ms, 0)
    assert.strictEqual(ip, "127.0.0.1")
    assert.deepStrictEqual(JSON.parse(request_body), {
      identification: { type: "31", number: "[masked]", check_digit: "[masked]" },
      legal_name: "[masked]",
      organization_type: "1",
      metadata: "[masked]"
    })
    assert.deepInclude(JSON.parse(response_body), { id: made.json.id, legal_name: "[masked]" })
  })

  it.effect(
    "lists requests newest first, without bodies and without its own requests, and applies each filter",
    function* () {
      const { json } = yield* customer("filters")
      const read = idOf(yield* get(`/v1/customers/${json.id}`))
      const refused = idOf(yield* post("/v1/customers", { legal_name: 5 }, { "idempotency-key": "filters refused" }))
      const missing = idOf(yield* get("/v1/invoices/inv_1"))
      const other = idOf(yield* get("/v1/customers", bearer(keys.secondTest)))
      const page = yield* get("/v1/requests?limit=4")
      assert.deepStrictEqual(
        page.json.data.map(({ id }: { readonly id: string }) => id),
        [other, missing, refused, read]
      )
      for (const row of page.json.data) assert.notProperty(row, "request_body")
      assert.include(yield* idsOf("status=404"), missing)
      const fourth = yield* idsOf("status=4xx")
      assert.includeMembers(fourth, [missing, refused])
      assert.notInclude(fourth, read)
      assert.notInclude(yield* idsOf("method=POST"), read)
      assert.deepInclude(yield* idsOf("path=/v1/invoices"), missing)
      assert.notInclude(yield* idsOf("path=/v1/invoices"), read)
      assert.deepStrictEqual(yield* idsOf(`api_key_id=${apiKeyIds.secondTest}`), [other])
      assert.deepStrictEqual(yield* idsOf("idempotency_key=filters%20refused"), [refused])
      assert.lengthOf(yield* idsOf(`object_id=${json.id}`), 2)
      assert.lengthOf(yield* idsOf("created[gte]=2030-01-01T00:00:00Z"), 0)
      assert.strictEqual((yield* get("/v1/requests?status=4x")).json.error.code, "parameter_invalid")
    }
  )

  it.effect("shows the outcome for an idempotency key, and the request that was executed with it", function* () {
    const first = yield* customer("told")
    const again = yield* customer("told")
    const another = yield* customer("told", { ...customerBody(), legal_name: "Otra" })
    assert.strictEqual((yield* logged(first)).idempotency.of, null)
    assert.deepStrictEqual((yield* logged(again)).idempotency, { key: "told", verdict: "replayed", of: idOf(first) })
    assert.deepInclude(yield* logged(another), {
      idempotency: { key: "told", verdict: "conflict", of: idOf(first) },
      error_code: "idempotency_conflict"
    })

    const { release } = yield* holdTable("invoices")
    const body = invoiceBody(first.json.id)
    const create = post("/v1/invoices", body, { "idempotency-key": "slow" })
    const slow = yield* Effect.forkChild(create)
    yield* until(blocked("payment_means, lines"), (pids) => pids.length === 1)
    const early = yield* create
    yield* release
    const executed = yield* Fiber.join(slow)
    assert.deepStrictEqual((yield* logged(early)).idempotency, {
      key: "slow",
      verdict: "in_progress",
      of: idOf(executed)
    })
  })

  it.effect("contains requests with a revoked key, and none with an unknown key", function* () {
    const ended = yield* get("/v1/customers", bearer(keys.revoked))
    const unknown = yield* get("/v1/customers", bearer(keys.unknown))
    assert.deepInclude(yield* logged(ended), {
      status: 401,
      error_code: "invalid_api_key",
      api_key: { id: apiKeyIds.revoked, last_four: keys.revoked.slice(-4) }
    })
    assert.notInclude(yield* storedIds, idOf(unknown))
  })

  it.effect("separates modes and accounts", function* () {
    const own = yield* get("/v1/customers")
    const live = yield* get("/v1/customers", bearer(keys.live))
    assert.strictEqual((yield* logged(own)).id, idOf(own))
    assert.strictEqual((yield* logged(live, bearer(keys.live))).livemode, true)
    for (const key of [keys.live, keys.otherAccount]) {
      assert.strictEqual((yield* get(`/v1/requests/${idOf(own)}`, bearer(key))).status, 404)
      assert.notInclude(yield* idsOf("", bearer(key)), idOf(own))
    }
    assert.notInclude(yield* idsOf(""), idOf(live))
  })

  it.effect("follows the account's setting for a mode, from the change on", function* () {
    assert.strictEqual((yield* get("/v1/account")).json.request_log, "masked")
    assert.strictEqual((yield* patch("/v1/account", { request_log: "full" })).json.request_log, "full")
    const full = yield* customer("full")
    const body = JSON.parse((yield* logged(full)).request_body)
    assert.deepStrictEqual(body, customerBody())
    assert.strictEqual((yield* get("/v1/account", bearer(keys.live))).json.request_log, "masked")
    yield* patch("/v1/account", { request_log: "off" })
    const off = yield* customer("off")
    assert.strictEqual((yield* get(`/v1/requests/${idOf(off)}`)).status, 404)
    yield* patch("/v1/account", { request_log: "masked" })
  })

  it.effect("keeps the first 16 KiB of a body, and nothing of a body that is no JSON", function* () {
    yield* patch("/v1/account", { request_log: "full" })
    const lines = Array.from({ length: 200 }, () => ({ ...invoiceBody("").lines[0], description: "ñ".repeat(90) }))
    const large = yield* post("/v1/invoices", { ...invoiceBody("cust_1"), lines })
    const { request_body, request_bytes } = yield* logged(large)
    assert.isAtMost(Buffer.byteLength(request_body), 16 * 1024)
    assert.isAbove(Buffer.byteLength(request_body), 16 * 1024 - 8)
    assert.isTrue(JSON.stringify({ ...invoiceBody("cust_1"), lines }).startsWith(request_body))
    assert.isAbove(request_bytes, 50_000)
    const broken = yield* post("/v1/customers", "{secret")
    assert.deepInclude(yield* logged(broken), { request_body: null, request_bytes: 7, error_code: "malformed_json" })
    assert.notInclude((yield* logged(broken)).response_body, "secret")
    yield* patch("/v1/account", { request_log: "masked" })
  })

  it.effect("gets requests without a read, and delays no response while the database stores nothing", function* () {
    const sql = yield* SqlClient.SqlClient
    const reply = yield* get("/v1/customers")
    yield* until(storedIds, (ids) => ids.includes(idOf(reply)))
    const before = yield* left("database")
    yield* sql`alter table requests rename to requests_away`
    const lost = yield* get("/v1/customers")
    assert.strictEqual(lost.status, 200)
    yield* until(left("database"), (count) => count > before)
    yield* sql`alter table requests_away rename to requests`
    assert.strictEqual((yield* get(`/v1/requests/${idOf(lost)}`)).status, 404)
  })
})

const flooded = serviceWith(Limits.layerChanged({ rate: { perSecond: 0.001, burst: 5 } }))

describeLive(flooded)("A flood of rejected requests", (it) => {
  it.effect("leaves one logged request per key and second", function* () {
    const before = yield* left("flood")
    const begun = performance.now()
    for (let index = 0; index < 30; index++) yield* send({ path: "/v1/customers" })
    yield* (yield* RequestLog).flush
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ status: number }>`select status from requests order by id`
    const refused = rows.length - 5
    assert.deepStrictEqual(
      rows.map(({ status }) => status),
      [...Array<number>(5).fill(200), ...Array<number>(refused).fill(429)]
    )
    // At most one for each second that the requests took, including the second in which they began.
    assert.isAtMost(refused, 2 + (performance.now() - begun) / 1_000)
    assert.strictEqual((yield* left("flood")) - before, 25 - refused)
  })
})
