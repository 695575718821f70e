import { assert, describe } from "@effect/vitest"
import { Effect, Fiber, Latch, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { TestClock } from "effect/testing"
import { request as httpRequest } from "node:http"
import * as Layers from "../../../src/service/Layers.ts"
import { Locks, shardsWithLocks } from "../../operations/Locks.ts"
import { customerBody, invoiceBody } from "../../support/apps/Invoices.ts"
import { serving, world } from "../../support/apps/MemoryApp.ts"
import { get, post, type Reply } from "../../support/apps/Requests.ts"
import { patiently, until } from "../../support/apps/Until.ts"
import { atCalls, holdCalls } from "../../support/memory/Calls.ts"
import { itOn } from "../../support/Tests.ts"

const begun = Latch.makeUnsafe()
const own = Layer.mergeAll(
  HttpRouter.add("GET", "/own/interrupted", Effect.interrupt),
  HttpRouter.add("GET", "/own/never", Effect.andThen(begun.open, Effect.never))
)
const it = itOn(serving(Layer.mergeAll(Layers.routes, own), Layer.empty))

/** The whole response that asks for a retry in a second. */
const isForLater = ({ headers, json, status, text }: Reply) => {
  assert.strictEqual(status, 503)
  assert.isNotEmpty(text)
  const { doc_url, message, ...error } = json.error
  const request_id = headers["request-id"]
  assert.deepStrictEqual(error, { type: "api_error", code: "service_unavailable", request_id })
  assert.match(String(request_id), /^req_/)
  assert.match(message, /Retry with the same Idempotency-Key/)
  assert.match(doc_url, /\/docs\/errors\/service_unavailable$/)
  assert.deepStrictEqual(
    ["retry-after", "svc-should-retry", "svc-version", "cache-control"].map((name) => headers[name]),
    ["1", "true", "2026-01-01", "no-store"]
  )
}

/** The result of an effect, while the clock of the test advances. */
const waitedFor = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const asked = yield* Effect.forkChild(effect)
  const tick = Effect.andThen(TestClock.adjust("1 second"), TestClock.withLive(Effect.sleep("5 millis")))
  yield* patiently(Effect.repeat(tick, { until: () => asked.pollUnsafe() !== undefined }))
  return yield* Fiber.join(asked)
})

describe("a request that the service interrupts", () => {
  it.effect("gets an error envelope from a team's own route", function* () {
    isForLater(yield* get("/own/interrupted"))
    const { text } = yield* get("/metrics")
    assert.include(text, `route="/own/interrupted",status="5xx"`)
  })

  it.effect.each([
    ["a read", "Invoices.list", get("/v1/invoices")],
    ["a write", "Customers.create", post("/v1/customers", customerBody())]
  ] as const)("gets an error envelope if %s is interrupted", function* ([, call, request]) {
    yield* atCalls(call, Effect.interrupt)
    isForLater(yield* waitedFor(request))
  })

  it.effect("ends if its client has disconnected", function* () {
    const { address } = yield* HttpServer.HttpServer
    const request = httpRequest(`${HttpServer.formatAddress(address)}/own/never`)
    request.on("error", () => undefined)
    request.end()
    yield* patiently(begun.await)
    request.destroy()
    const aborted = `route="/own/never",status="aborted"`
    yield* patiently(until(get("/metrics"), ({ text }) => text.includes(aborted)).pipe(TestClock.withLive))
  })
})

const shifting = itOn(serving(Layers.routes, Locks.layer, world, shardsWithLocks))

describe("an account whose process loses its shards", () => {
  shifting.effect("gets an error envelope for its request", function* () {
    const locks = yield* Locks
    const { json } = yield* post("/v1/customers", customerBody())
    const asked = (order: string) => post("/v1/invoices", invoiceBody(json.id, { order }), { "idempotency-key": "one" })
    // An actor completes a creation. The look-up of its key, for another request, ends with the actor.
    const creation = yield* holdCalls("InvoiceCreation.create")
    const first = yield* Effect.forkChild(asked("1"))
    yield* patiently(creation.arrived)
    const lookup = yield* holdCalls("Idempotency.lookup")
    const other = yield* Effect.forkChild(asked("2"))
    yield* patiently(lookup.arrived)
    locks.answer = false
    const answer = yield* waitedFor(Fiber.join(other))
    locks.answer = true
    yield* lookup.open
    yield* creation.open
    yield* TestClock.adjust("3 seconds")
    yield* patiently(Fiber.join(first))
    isForLater(answer)
  })
})
