import { assert } from "@effect/vitest"
import { Array, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import type { Answer } from "../../support/apps/Client.ts"
import { customerBody, endpointBody, resolutionBody, invoiceBody } from "../../support/apps/Invoices.ts"
import { blocked, holdTable, rowCount } from "../../support/database/Owners.ts"
import * as TestApp from "../../support/apps/TestApp.ts"
import { until } from "../../support/apps/Until.ts"
import { describeLive } from "../../support/Tests.ts"

const cached = (answer: Answer) => answer.headers.get("svc-idempotency-cached")
const inProgress = (answer: Answer) => answer.json.status === "in_progress"
const location = (answer: Answer) => answer.headers.get("location")
const type = (answer: Answer) => answer.headers.get("content-type")
const code = (answer: Answer) => answer.json.error?.code

/** The same as `answer`, as a replay. */
const assertReplay = (replay: Answer, answer: Answer) => {
  assert.deepStrictEqual(
    [replay.status, replay.text, type(replay), location(replay), cached(replay)],
    [answer.status, answer.text, type(answer), location(answer), "true"]
  )
}

const assertConflict = (answer: Answer) => {
  assert.deepStrictEqual([answer.status, code(answer)], [409, "idempotency_conflict"])
  assert.strictEqual(answer.headers.get("svc-should-retry"), "false")
  assert.strictEqual(answer.headers.get("stripe-should-retry"), "false")
}

/**
 * Asserts that one response is the first and that the others replay it, and returns the first.
 * A response may also ask the client to retry later.
 */
const assertOnce = (answers: ReadonlyArray<Answer>, status: number) => {
  const first = answers.find((answer) => cached(answer) === "false" && !inProgress(answer))
  if (first === undefined) return assert.fail("none of the answers is the first")
  assert.strictEqual(first.status, status)
  for (const answer of answers.filter((other) => other !== first)) {
    if (inProgress(answer)) assert.strictEqual(answer.status, 202)
    else assertReplay(answer, first)
  }
  return first
}

const setUp = Effect.gen(function* () {
  const app = yield* TestApp.TestApp
  const customer = yield* TestApp.newCustomer(app.client)
  return { ...app, customer, invoices: yield* rowCount("invoices"), customers: yield* rowCount("customers") }
})

const repeated = <A, E, R>(times: number, effect: Effect.Effect<A, E, R>) =>
  Effect.all(
    Array.makeBy(times, () => effect),
    { concurrency: "unbounded" }
  )

describeLive(TestApp.layer())("Idempotency", (it) => {
  it.effect("makes one invoice from 200 parallel requests, and replays its response byte for byte", function* () {
    const { client, customer, invoices } = yield* setUp
    const post = client.post("/v1/invoices", invoiceBody(customer), { key: "same" })
    const first = assertOnce(yield* repeated(200, post), 202)
    yield* until(client.get(`/v1/invoices/${first.json.id}`), ({ json }) => json.status === "accepted_by_authority")
    assertReplay(yield* post, first)
    assert.strictEqual(yield* rowCount("invoices"), invoices + 1)
  })

  it.effect("makes one customer from 200 parallel requests", function* () {
    const { client, customers } = yield* setUp
    const post = client.post("/v1/customers", customerBody(), { key: "same customer" })
    const first = assertOnce(yield* repeated(200, post), 201)
    assertReplay(yield* post, first)
    assert.strictEqual(yield* rowCount("customers"), customers + 1)
  })

  it.effect(
    "rejects another body or another path with a used key, and accepts the same body in another form",
    function* () {
      const { client, customer, invoices } = yield* setUp
      const body = invoiceBody(customer)
      const options = { key: "of one request" }
      const first = yield* client.post("/v1/invoices", body, options)
      assertConflict(yield* client.post("/v1/invoices", invoiceBody(customer, { other: "yes" }), options))
      assertConflict(yield* client.post("/v1/customers", customerBody(), options))
      const reordered = Object.fromEntries(Object.entries(body).toReversed())
      assertReplay(yield* client.post("/v1/invoices", JSON.stringify(reordered, null, 2), options), first)
      const escaped = JSON.stringify(body).replaceAll("a", "\\u0061")
      assertReplay(yield* client.post("/v1/invoices", escaped, options), first)
      const { metadata: _default, ...without } = body
      assertConflict(yield* client.post("/v1/invoices", without, options))
      assert.strictEqual(yield* rowCount("invoices"), invoices + 1)
    }
  )

  it.effect("separates the keys of each API key", function* () {
    const { client, customer, withNewKey } = yield* setUp
    const other = yield* withNewKey("test")
    const ours = client.post("/v1/invoices", invoiceBody(customer), { key: "of two" })
    const theirs = other.post("/v1/invoices", invoiceBody(customer, { other: "yes" }), { key: "of two" })
    const [first, second] = yield* Effect.all([ours, theirs])
    assert.deepStrictEqual([second.status, cached(second)], [202, "false"])
    assert.notStrictEqual(second.json.id, first.json.id)
    assertReplay(yield* ours, first)
    assertReplay(yield* theirs, second)
  })

  it.effect("stores nothing of a rejected request, so its corrected request counts as the first", function* () {
    const { client, customer } = yield* setUp
    const options = { key: "corrected" }
    const keys = yield* rowCount("idempotency_keys")
    const body = invoiceBody(customer)
    const wrong = ["{", {}, { ...body, lines: [] }, { ...body, currency: "USD" }, invoiceBody("cust_unknown")]
    for (const refused of wrong) {
      const answer = yield* client.post("/v1/invoices", refused, options)
      assert.include([400, 404], answer.status)
      assert.isNull(cached(answer))
    }
    assert.strictEqual(yield* rowCount("idempotency_keys"), keys)
    const corrected = yield* client.post("/v1/invoices", body, options)
    assert.deepStrictEqual([corrected.status, cached(corrected)], [202, "false"])
  })

  it.effect("replays for 24 hours by the database's clock, and a replay does not extend them", function* () {
    const { client, customer, invoices } = yield* setUp
    const sql = yield* SqlClient.SqlClient
    const post = client.post("/v1/invoices", invoiceBody(customer), { key: "a day" })
    const aged = (interval: string) =>
      sql`update idempotency_keys set completed_at = now() - ${interval}::interval where value = 'a day'`
    const stored = sql`select completed_at from idempotency_keys where value = 'a day'`

    const first = yield* post
    yield* aged("23 hours 55 minutes")
    const before = yield* stored
    assertReplay(yield* post, first)
    assert.deepStrictEqual(yield* stored, before)

    yield* aged("24 hours")
    const again = assertOnce(yield* repeated(20, post), 202)
    assert.notStrictEqual(again.json.id, first.json.id)
    assert.strictEqual(yield* rowCount("invoices"), invoices + 2)

    yield* aged("24 hours")
    const other = yield* client.post("/v1/invoices", invoiceBody(customer, { other: "yes" }), { key: "a day" })
    assert.deepStrictEqual([other.status, cached(other)], [202, "false"])
  })

  it.effect(
    "reports a duplicate of a slow request as in progress, and another body immediately as a conflict",
    function* () {
      const { client, customer, invoices } = yield* setUp
      const { release } = yield* holdTable("invoices")
      const post = client.post("/v1/invoices", invoiceBody(customer), { key: "slow" })
      const slow = yield* Effect.forkScoped(post)
      yield* until(blocked("payment_means, lines"), (pids) => pids.length === 1)
      const duplicate = yield* post
      assert.deepStrictEqual([duplicate.status, cached(duplicate)], [202, "false"])
      assert.deepStrictEqual(duplicate.json, { object: "idempotent_request", status: "in_progress" })
      assert.strictEqual(duplicate.headers.get("retry-after"), "1")
      assertConflict(yield* client.post("/v1/invoices", invoiceBody(customer, { other: "yes" }), { key: "slow" }))
      yield* release
      const first = yield* Fiber.join(slow)
      assert.deepStrictEqual([first.status, first.json.status, cached(first)], [202, "draft", "false"])
      assertReplay(yield* post, first)
      assert.strictEqual(yield* rowCount("invoices"), invoices + 1)
    }
  )

  it.effect("responds 503 to an unknown outcome, and a retry does nothing twice", function* () {
    const { client, customer, invoices } = yield* setUp
    const sql = yield* SqlClient.SqlClient
    const { release } = yield* holdTable("invoices")
    const post = client.post("/v1/invoices", invoiceBody(customer), { key: "cut" })
    const cut = yield* Effect.forkScoped(post)
    const [pid] = yield* until(blocked("payment_means, lines"), (pids) => pids.length === 1)
    yield* sql`select pg_terminate_backend(${pid!})`
    const answer = yield* Fiber.join(cut)
    assert.deepStrictEqual([answer.status, code(answer)], [503, "service_unavailable"])
    assert.strictEqual(answer.headers.get("svc-should-retry"), "true")
    yield* release
    const retried = yield* post
    assert.deepStrictEqual([retried.status, cached(retried)], [202, "false"])
    assert.strictEqual(yield* rowCount("invoices"), invoices + 1)
  })

  it.effect("replays the technical key of a range, sealed at rest", function* () {
    const { client } = yield* setUp
    const sql = yield* SqlClient.SqlClient
    const body = resolutionBody({ prefix: "TK" })
    const create = client.post("/v1/resolutions", body, { key: "range" })
    const range = assertOnce(yield* repeated(5, create), 201)
    assert.strictEqual(range.json.technical_key, body.technical_key)
    const update = client.request("PATCH", `/v1/resolutions/${range.json.id}`, {
      body: { is_active: false },
      key: "off"
    })
    const off = yield* update
    assertReplay(yield* update, off)
    const rows = yield* sql<{ row: string }>`
      select k::text as row from idempotency_keys k where value in ('range', 'off')`
    assert.lengthOf(rows, 2)
    for (const { row } of rows) assert.notInclude(row, body.technical_key)
  })

  it.effect("replays a signing secret, sealed at rest, and does not rotate it again", function* () {
    const { client } = yield* setUp
    const sql = yield* SqlClient.SqlClient
    const create = client.post("/v1/webhook-endpoints", endpointBody("https://example.com/hooks"), {
      key: "endpoint"
    })
    const endpoint = assertOnce(yield* repeated(20, create), 201)
    assert.match(endpoint.json.secret, /^whsec_/)
    assertReplay(yield* create, endpoint)
    assert.strictEqual(yield* rowCount("webhook_endpoints"), 1)

    const path = `/v1/webhook-endpoints/${endpoint.json.id}/rotate-secret`
    const rotate = client.request("POST", path, { key: "rotate" })
    const rotated = yield* rotate
    assert.notStrictEqual(rotated.json.secret, endpoint.json.secret)
    const stored = sql`select secret from webhook_endpoints`
    const sealed = yield* stored
    assertReplay(yield* rotate, rotated)
    assert.deepStrictEqual(yield* stored, sealed)

    const rows = yield* sql<{ row: string }>`
      select k::text as row from idempotency_keys k where value in ('endpoint', 'rotate')
      union all select w::text from webhook_endpoints w`
    assert.strictEqual(rows.length, 3)
    for (const { row } of rows) assert.notInclude(row, "whsec_")
  })

  it.effect("compares a key byte by byte", function* () {
    const { client } = yield* setUp
    const create = (key: string) => client.post("/v1/customers", customerBody(), { key })
    const [first, second] = [yield* create("Case"), yield* create("case")]
    assert.strictEqual(cached(second), "false")
    assert.notStrictEqual(second.json.id, first.json.id)
    const longest = create("~".repeat(128))
    const third = yield* longest
    assertReplay(yield* longest, third)
  })

  it.effect("requires no key for a command, and ignores one on GET and DELETE", function* () {
    const { client } = yield* setUp
    const create = client.post("/v1/webhook-endpoints", endpointBody("https://example.com/hooks"))
    const [one, two] = [yield* create, yield* create]
    assert.notStrictEqual(one.json.id, two.json.id)
    assert.deepStrictEqual([cached(one), cached(two)], [null, null])
    const [path, other] = [`/v1/webhook-endpoints/${one.json.id}`, `/v1/webhook-endpoints/${two.json.id}`]
    const deactivate = (method: string, of: string) =>
      client.request(method, of, { body: { is_active: false }, key: "one path" })
    assert.strictEqual((yield* deactivate("PATCH", path)).status, 200)
    assertConflict(yield* deactivate("PATCH", other))
    assertConflict(yield* deactivate("POST", path))
    assert.strictEqual(cached(yield* deactivate("PATCH", path)), "true")
    const key = "x".repeat(500)
    for (const [method, status] of [
      ["GET", 200],
      ["DELETE", 200],
      ["DELETE", 404]
    ] as const) {
      const answer = yield* client.request(method, path, { key })
      assert.deepStrictEqual([answer.status, cached(answer)], [status, null])
    }
  })

  it.effect("stores nothing of a request that fails in its own transaction", function* () {
    const { client } = yield* setUp
    const create = (key: string) =>
      client.post("/v1/webhook-endpoints", endpointBody("https://example.com/hooks"), { key })
    const answers = yield* Effect.forEach(Array.range(1, 20), (index) => create(`endpoint ${index}`), {
      concurrency: "unbounded"
    })
    const made = answers.filter((answer) => answer.status === 201)
    assert.strictEqual(yield* rowCount("webhook_endpoints"), 16)
    const index = answers.findIndex((answer) => answer.status === 409)
    assert.strictEqual(code(answers[index]!), "endpoint_limit_reached")
    yield* client.request("DELETE", `/v1/webhook-endpoints/${made[0]?.json.id}`)
    const again = yield* create(`endpoint ${index + 1}`)
    assert.deepStrictEqual([again.status, cached(again)], [201, "false"])
  })
})
