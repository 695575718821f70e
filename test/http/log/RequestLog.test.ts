import { assert } from "@effect/vitest"
import { Effect, Fiber, Latch, Metric } from "effect"
import { TestClock } from "effect/testing"
import * as Metrics from "../../../src/protocol/Metrics.ts"
import { type OfferedRequest, RequestLog } from "../../../src/store/requests/RequestLog.ts"
import { customerBody, invoiceBody } from "../../support/apps/Invoices.ts"
import { apiKeyIds, keys, startOfTest, testMode } from "../../support/apps/Accounts.ts"
import { layer as app, limitedTo } from "../../support/apps/MemoryApp.ts"
import { bearer, get, patch, post, type Reply, send } from "../../support/apps/Requests.ts"
import { MemoryTables } from "../../support/memory/MemoryTables.ts"
import { describeOn, itOn } from "../../support/Tests.ts"

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

const request = (index: number, json: string | null = null, created_ms = startOfTest): OfferedRequest => ({
  account: testMode,
  id: `req_${String(index).padStart(26, "0")}` as OfferedRequest["id"],
  created_ms,
  duration_ms: 1,
  method: "GET",
  route: "/v1/customers",
  path: "/v1/customers",
  query: "",
  status: 200,
  api_key_id: apiKeyIds.test,
  portal_session_id: null,
  ip: null,
  version: null,
  idempotency: null,
  error_code: null,
  request: { bytes: json?.length ?? 0, json },
  response: { bytes: 0, json: null }
})

describeOn(app)("The request log", (it) => {
  it.effect("shows a request as it was asked and answered", function* () {
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
    "lists newest first, without bodies and without requests for itself, and finds by each filter",
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

  it.effect("says what became of a key, and which request was executed with it", function* () {
    const first = yield* customer("told")
    const again = yield* customer("told")
    const another = yield* customer("told", { ...customerBody(), legal_name: "Otra" })
    assert.strictEqual((yield* logged(first)).idempotency.of, null)
    assert.deepStrictEqual((yield* logged(again)).idempotency, { key: "told", verdict: "replayed", of: idOf(first) })
    assert.deepInclude(yield* logged(another), {
      idempotency: { key: "told", verdict: "conflict", of: idOf(first) },
      error_code: "idempotency_conflict"
    })

    const memory = yield* MemoryTables
    const go = yield* Latch.make()
    const come = yield* Latch.make()
    memory.onCall = (name) => (name === "InvoiceCreation.create" ? Effect.andThen(come.open, go.await) : Effect.void)
    const body = invoiceBody(first.json.id)
    const slow = yield* Effect.forkChild(post("/v1/invoices", body, { "idempotency-key": "slow" }))
    yield* come.await
    const second = yield* Effect.forkChild(post("/v1/invoices", body, { "idempotency-key": "slow" }))
    yield* Effect.forkChild(Effect.forever(Effect.andThen(TestClock.adjust("100 millis"), Effect.yieldNow)))
    const early = yield* Fiber.join(second)
    yield* go.open
    const executed = yield* Fiber.join(slow)
    memory.onCall = () => Effect.void
    assert.deepStrictEqual((yield* logged(early)).idempotency, {
      key: "slow",
      verdict: "in_progress",
      of: idOf(executed)
    })
  })

  it.effect("has a request with a key that has ended, and none with a key that nobody knows", function* () {
    const ended = yield* get("/v1/customers", bearer(keys.revoked))
    const unknown = yield* get("/v1/customers", bearer(keys.unknown))
    assert.deepInclude(yield* logged(ended), {
      status: 401,
      error_code: "invalid_api_key",
      api_key: { id: apiKeyIds.revoked, last_four: keys.revoked.slice(-4) }
    })
    const { tables } = yield* MemoryTables
    assert.isFalse(tables.requests.has(idOf(unknown)))
  })

  it.effect("keeps modes and accounts apart", function* () {
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

  it.effect("keeps what the account wants of a mode, from then on", function* () {
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

  it.effect("keeps the first 16 KiB of a body, and nothing of one that is no JSON", function* () {
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

  it.effect("is written without being asked for, and lets nobody wait for a database that takes nothing", function* () {
    const memory = yield* MemoryTables
    const reply = yield* get("/v1/customers")
    yield* TestClock.adjust("200 millis")
    yield* memory.until(({ requests }) => requests.has(idOf(reply)))
    const before = yield* left("database")
    memory.onCall = (name) => (name === "Requests.insert" ? Effect.die("away") : Effect.void)
    const lost = yield* get("/v1/customers")
    assert.strictEqual(lost.status, 200)
    yield* (yield* RequestLog).flush
    memory.onCall = () => Effect.void
    assert.strictEqual((yield* get(`/v1/requests/${idOf(lost)}`)).status, 404)
    assert.isAbove(yield* left("database"), before)
  })

  it.effect("drops what it cannot keep up with, and counts it", function* () {
    const log = yield* RequestLog
    const { tables } = yield* MemoryTables
    yield* log.flush
    const before = yield* left("busy")
    const size = tables.requests.size
    for (let index = 0; index < 3_000; index++) yield* log.offer(request(index))
    yield* log.flush
    assert.strictEqual(tables.requests.size - size, 2_000)
    assert.strictEqual((yield* left("busy")) - before, 1_000)
    // Of a megabyte each, of which 64 KiB are held: as many as there is memory for.
    const large = JSON.stringify({ rule: "x".repeat(1_000_000) })
    for (let index = 0; index < 300; index++) yield* log.offer(request(10_000 + index, large))
    yield* log.flush
    assert.strictEqual(tables.requests.size - size, 2_256)
  })

  it.effect("keeps of an account that sends more than it may only that it did", function* () {
    const log = yield* RequestLog
    const { tables } = yield* MemoryTables
    yield* log.flush
    tables.requests.clear()
    const body = JSON.stringify({ subscribed_events: Array.from({ length: 1_000 }, () => "invoice.failed") })
    for (let index = 0; index < 4_200; index++) {
      yield* log.offer(request(index, body, startOfTest + 86_400_000))
      if (index % 200 === 0) yield* log.flush
    }
    yield* log.flush
    const bodies = [...tables.requests.values()].map(({ request_body }) => request_body)
    assert.lengthOf(bodies, 4_200)
    assert.strictEqual(
      bodies.findIndex((text) => text === null),
      4_096
    )
  })
})

itOn(limitedTo({ perSecond: 1, burst: 5 })).effect(
  "a flood of refusals leaves one request of a key and second",
  function* () {
    for (let index = 0; index < 30; index++) yield* send({ path: "/v1/customers" })
    const { tables } = yield* MemoryTables
    const before = yield* left("flood")
    yield* (yield* RequestLog).flush
    const statuses = [...tables.requests.values()].map(({ status }) => status)
    assert.deepStrictEqual(statuses, [200, 200, 200, 200, 200, 429])
    assert.isAtLeast(before, 24)
  }
)
