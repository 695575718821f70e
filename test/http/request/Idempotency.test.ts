import { assert } from "@effect/vitest"
import { Effect, Fiber, Latch } from "effect"
import { TestClock } from "effect/testing"
import { invoiceBody } from "../../support/apps/Invoices.ts"
import { layer as app } from "../../support/apps/MemoryApp.ts"
import { addCustomer } from "../../support/apps/MemoryRows.ts"
import { MemoryTables } from "../../support/memory/MemoryTables.ts"
import { post, type Reply } from "../../support/apps/Requests.ts"
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

/** A request that is paused at its creation, and its duplicate, which waits for it. */
const heldTwice = Effect.fnUntraced(function* (create: ReturnType<typeof post>) {
  const memory = yield* MemoryTables
  const { arrived, open } = yield* holdCalls("InvoiceCreation.create")
  const { onCall } = memory
  const looked = Latch.makeUnsafe()
  // Each request looks up its key twice: after its headers, and after its body.
  let requests = 0
  memory.onCall = (name) =>
    name === "ApiKeys.authenticate" && ++requests === 4 ? Effect.asVoid(looked.open) : onCall(name)
  const first = yield* Effect.forkChild(create)
  yield* arrived
  const second = yield* Effect.forkChild(create)
  yield* looked.await
  return { first, second, open }
})

describeOn(app)("Idempotency-Key", (it) => {
  it.effect("lets a duplicate wait for a request under way, and then reports it as in progress", function* () {
    const customer = yield* addCustomer()
    const create = post("/v1/invoices", invoiceBody(customer), { "idempotency-key": "slow" })
    const { first, open, second } = yield* heldTwice(create)
    const conflict = yield* post("/v1/invoices", invoiceBody(customer, { a: "b" }), { "idempotency-key": "slow" })
    assert.strictEqual(conflict.status, 409, "immediately, without the clock")
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

  it.effect("gives a waiting duplicate the response of the first request, even an error", function* () {
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

  it.effect("returns the response of a request that took longer than its client waited", function* () {
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
