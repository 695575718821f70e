import { assert } from "@effect/vitest"
import { Effect, Fiber, Latch } from "effect"
import { TestClock } from "effect/testing"
import { customerBody, endpointBody, invoiceBody } from "../../support/apps/Invoices.ts"
import { keys } from "../../support/apps/Accounts.ts"
import { layer as app } from "../../support/apps/MemoryApp.ts"
import { addCustomer } from "../../support/apps/MemoryRows.ts"
import { MemoryTables } from "../../support/memory/MemoryTables.ts"
import { get, post, type Reply, send } from "../../support/apps/Requests.ts"
import { describeOn } from "../../support/Tests.ts"
import { atNoCalls, holdCalls } from "../../support/memory/Calls.ts"

const cached = (reply: Reply) => reply.headers["svc-idempotency-cached"]

const isReplay = (reply: Reply, first: Reply) => {
  assert.strictEqual(reply.text, first.text)
  assert.strictEqual(reply.status, first.status)
  assert.strictEqual(reply.headers.location, first.headers.location)
  assert.strictEqual(reply.headers["content-type"], first.headers["content-type"])
  assert.deepStrictEqual([cached(first), cached(reply)], ["false", "true"])
}

/** A request that is held up at its creation, and its duplicate, which has come to wait for it. */
const heldTwice = Effect.fnUntraced(function* (create: ReturnType<typeof post>) {
  const memory = yield* MemoryTables
  const { arrived, open } = yield* holdCalls("InvoiceCreation.create")
  const { onCall } = memory
  const looked = Latch.makeUnsafe()
  // Each request asks for its key twice: when its headers have come, and when its body has.
  let requests = 0
  memory.onCall = (name) =>
    name === "ApiKeys.authenticate" && ++requests === 4 ? Effect.asVoid(looked.open) : onCall(name)
  const first = yield* Effect.forkChild(create)
  yield* arrived
  const second = yield* Effect.forkChild(create)
  yield* looked.await
  return { first, second, open }
})

const deactivate = (method: string, path = "") =>
  send({ method, path, body: { is_active: false }, headers: { "idempotency-key": "one path" } })

describeOn(app)("Idempotency-Key", (it) => {
  it.effect("replays the same bytes, and repeats no effect", function* () {
    const { tables } = yield* MemoryTables
    const customer = yield* post("/v1/customers", customerBody(), { "idempotency-key": "customer" })
    const invoice = yield* post("/v1/invoices", invoiceBody(customer.json.id), { "idempotency-key": "invoice" })
    const endpoint = yield* post("/v1/webhook-endpoints", endpointBody("https://hooks.example.com"), {
      "idempotency-key": "endpoint"
    })
    const path = `/v1/webhook-endpoints/${endpoint.json.id}`
    const change = { method: "PATCH", path, body: { is_active: false }, headers: { "idempotency-key": "change" } }
    const changed = yield* send(change)
    const rotated = yield* post(`${path}/rotate-secret`, undefined, { "idempotency-key": "rotate" })
    const secret = tables.endpoints.get(endpoint.json.id)?.secret
    yield* TestClock.adjust("1 minute")
    isReplay(yield* post("/v1/customers", customerBody(), { "idempotency-key": "customer" }), customer)
    isReplay(yield* post("/v1/invoices", invoiceBody(customer.json.id), { "idempotency-key": "invoice" }), invoice)
    isReplay(
      yield* post("/v1/webhook-endpoints", endpointBody("https://hooks.example.com"), {
        "idempotency-key": "endpoint"
      }),
      endpoint
    )
    isReplay(yield* send(change), changed)
    isReplay(yield* post(`${path}/rotate-secret`, undefined, { "idempotency-key": "rotate" }), rotated)
    assert.strictEqual(tables.customers.size, 1)
    assert.strictEqual(tables.invoices.size, 1)
    assert.strictEqual(tables.endpoints.size, 1)
    assert.strictEqual(tables.endpoints.get(endpoint.json.id)?.secret, secret)
    assert.strictEqual(rotated.json.secret, secret)
  })

  it.effect("knows a request by what it says: neither white space nor the order of members counts", function* () {
    const headers = { "idempotency-key": "order of members" }
    const first = yield* post("/v1/customers", customerBody(), headers)
    const turned = Object.fromEntries(Object.entries(customerBody()).toReversed())
    isReplay(yield* post("/v1/customers", JSON.stringify(turned, null, 4), headers), first)
    const escaped = JSON.stringify(customerBody()).replaceAll("a", "\\u0061")
    isReplay(yield* post("/v1/customers", escaped, headers), first)
    const withDefault = { ...customerBody(), metadata: {} }
    assert.strictEqual((yield* post("/v1/customers", withDefault, headers)).status, 409, "the body as sent")
  })

  it.effect("belongs to its API key", function* () {
    const headers = { "idempotency-key": "shared" }
    const first = yield* post("/v1/customers", customerBody(), headers)
    const other = yield* post("/v1/customers", customerBody(), {
      ...headers,
      authorization: `Bearer ${keys.secondTest}`
    })
    assert.strictEqual(cached(other), "false")
    assert.notStrictEqual(other.json.id, first.json.id)
  })

  it.effect("is compared to the byte", function* () {
    const first = yield* post("/v1/customers", customerBody(), { "idempotency-key": "Case" })
    const second = yield* post("/v1/customers", customerBody(), { "idempotency-key": "case" })
    assert.strictEqual(cached(second), "false")
    assert.notStrictEqual(second.json.id, first.json.id)
    const longest = { "idempotency-key": "~".repeat(128) }
    const third = yield* post("/v1/customers", customerBody(), longest)
    isReplay(yield* post("/v1/customers", customerBody(), longest), third)
  })

  it.effect("is for one method and one path", function* () {
    const make = post("/v1/webhook-endpoints", endpointBody("https://hooks.example.com"))
    const [one, other] = [yield* make, yield* make].map(({ json }) => `/v1/webhook-endpoints/${json.id}`)
    assert.strictEqual((yield* deactivate("PATCH", one)).status, 200)
    assert.strictEqual((yield* deactivate("PATCH", other)).status, 409)
    assert.strictEqual((yield* deactivate("POST", one)).status, 409)
    assert.strictEqual(cached(yield* deactivate("PATCH", one)), "true")
  })

  it.effect("of a refused request is as good as new", function* () {
    const headers = { "idempotency-key": "corrected" }
    for (const [body, status] of [
      ["{", 400],
      [{}, 400],
      [{ ...customerBody(), identification: { type: "31", number: "1", check_digit: "0" } }, 400],
      [customerBody(), 201]
    ] as const) {
      const reply = yield* post("/v1/customers", body, headers)
      assert.strictEqual(reply.status, status, reply.text)
      assert.strictEqual(cached(reply), status === 201 ? "false" : undefined)
    }
  })

  it.effect("is not needed on commands that it is honoured on, and not answered where it is not sent", function* () {
    const headers = { "idempotency-key": undefined }
    const body = endpointBody("https://hooks.example.com")
    const [one, two] = [
      yield* post("/v1/webhook-endpoints", body, headers),
      yield* post("/v1/webhook-endpoints", body, headers)
    ]
    assert.notStrictEqual(one.json.id, two.json.id)
    assert.deepStrictEqual([cached(one), cached(two)], [undefined, undefined])
  })

  it.effect("is ignored on GET and DELETE", function* () {
    const headers = { "idempotency-key": "x".repeat(500) }
    const { json } = yield* post("/v1/webhook-endpoints", endpointBody("https://hooks.example.com"))
    const path = `/v1/webhook-endpoints/${json.id}`
    const read = yield* get(path, headers)
    assert.strictEqual(read.status, 200)
    assert.strictEqual(cached(read), undefined)
    const gone = yield* send({ method: "DELETE", path, headers })
    assert.strictEqual(gone.status, 200)
    assert.strictEqual(cached(gone), undefined)
    assert.strictEqual((yield* send({ method: "DELETE", path, headers })).status, 404)
  })

  it.effect("of a request that is still being executed waits, and then says so", function* () {
    const customer = yield* addCustomer()
    const create = post("/v1/invoices", invoiceBody(customer), { "idempotency-key": "slow" })
    const { first, open, second } = yield* heldTwice(create)
    const conflict = yield* post("/v1/invoices", invoiceBody(customer, { a: "b" }), { "idempotency-key": "slow" })
    assert.strictEqual(conflict.status, 409, "at once, without the clock")
    yield* TestClock.adjust("250 millis")
    const waiting = yield* Fiber.join(second)
    assert.strictEqual(waiting.status, 202)
    assert.deepStrictEqual(waiting.json, { object: "idempotent_request", status: "in_progress" })
    assert.strictEqual(cached(waiting), "false")
    assert.strictEqual(waiting.headers["retry-after"], "1")
    yield* open
    isReplay(yield* create, yield* Fiber.join(first))
    yield* atNoCalls
  })

  it.effect("of a request that ends while a duplicate waits gives it the answer, be that a refusal", function* () {
    const customer = yield* addCustomer()
    for (const [key, body, status] of [
      ["in time", invoiceBody(customer), 202],
      ["in vain", invoiceBody("cust_1"), 404]
    ] as const) {
      const { first, open, second } = yield* heldTwice(post("/v1/invoices", body, { "idempotency-key": key }))
      yield* TestClock.adjust("249 millis")
      yield* open
      const [original, duplicate] = [yield* Fiber.join(first), yield* Fiber.join(second)]
      assert.deepStrictEqual([original.status, duplicate.status], [status, status])
      if (status === 202) isReplay(duplicate, original)
      else assert.deepStrictEqual([cached(original), cached(duplicate)], [undefined, undefined])
    }
    yield* atNoCalls
  })

  it.effect("finds the answer of a request that took longer than its client was made to wait", function* () {
    const { until } = yield* MemoryTables
    const customer = yield* addCustomer()
    const { arrived, open } = yield* holdCalls("InvoiceCreation.create")
    const create = post("/v1/invoices", invoiceBody(customer), { "idempotency-key": "very slow" })
    const first = yield* Effect.forkChild(create)
    yield* arrived
    yield* TestClock.adjust("12 seconds")
    const given = yield* Fiber.join(first)
    assert.strictEqual(given.status, 503)
    assert.strictEqual(given.json.error.code, "service_unavailable")
    assert.deepInclude(given.headers, { "retry-after": "1", "svc-should-retry": "true" })
    yield* open
    yield* until(({ invoices }) => [...invoices.values()].some((row) => row.customer_id === customer))
    const retried = yield* create
    assert.strictEqual(retried.status, 202)
    assert.strictEqual(cached(retried), "true")
    yield* atNoCalls
  })
})
