import { assert } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { keys } from "../../support/apps/Accounts.ts"
import { layer as service, serviceWith } from "../../support/apps/MemoryApp.ts"
import { MemoryTables } from "../../support/memory/MemoryTables.ts"
import { eventually, type Line, open, requestOf, statusesOf } from "../../support/processes/Sockets.ts"
import { bearer, get, post, type Reply, send } from "../../support/apps/Requests.ts"
import { patiently } from "../../support/apps/Until.ts"
import { describeOn } from "../../support/Tests.ts"
import { atNoCalls, holdCalls } from "../../support/memory/Calls.ts"
import { Limits, type LimitValues } from "../../../src/runtime/Limits.ts"

const limitedTo = (concurrency: Partial<LimitValues["concurrency"]>) =>
  serviceWith(Limits.layerChanged({ concurrency }))

const isLimited = ({ headers, json, status }: Reply, message: RegExp) => {
  assert.deepStrictEqual([status, json.error.type, json.error.code], [429, "rate_limit_error", "rate_limited"])
  assert.match(json.error.message, message)
  assert.strictEqual(headers["retry-after"], "1")
}

/** A number of requests with a key that wait for events. */
const waiting = Effect.fnUntraced(function* (key: string, count: number) {
  const { count: calls, until } = yield* MemoryTables
  return yield* Effect.forEach(
    Array.from({ length: count }),
    Effect.fnUntraced(function* () {
      const before = calls("Events.after")
      const request = yield* Effect.forkChild(get("/v1/events?wait=20", bearer(key)))
      yield* until(() => calls("Events.after") > before)
      return request
    })
  )
})

describeOn(limitedTo({ requests: 100, waiting: 2 }))("one key", (it) => {
  it.effect("has at most its number of waiting requests, and leaves other keys unaffected", function* () {
    const requests = yield* waiting(keys.test, 2)
    isLimited(yield* patiently(get("/v1/events?wait=20")), /^This API key has 2 requests that wait for events/)
    // A request without a wait gets a response, and other keys may wait.
    assert.strictEqual((yield* get("/v1/events?wait=0")).status, 200)
    assert.strictEqual((yield* get("/v1/account")).status, 200)
    requests.push(...(yield* waiting(keys.secondTest, 1)), ...(yield* waiting(keys.otherAccount, 1)))
    yield* TestClock.adjust("20 seconds")
    for (const request of requests) assert.strictEqual((yield* Fiber.join(request)).status, 200)
  })

  it.effect("gets its places back after the client disconnects", function* () {
    const { count, until } = yield* MemoryTables
    const lines = [yield* open(), yield* open()]
    for (const { socket } of lines) {
      const before = count("Events.after")
      socket.write(requestOf("/v1/events?wait=20"))
      yield* until(() => count("Events.after") > before)
    }
    isLimited(yield* patiently(get("/v1/events?wait=20")), /^This API key has 2/)
    for (const { socket } of lines) socket.destroy()
    // The service notices the disconnection a moment later.
    const before = count("Events.after")
    const waits = until(() => count("Events.after") > before)
    const asked = Effect.asVoid(get("/v1/events?wait=20"))
    yield* patiently(Effect.repeat(Effect.raceFirst(asked, waits), { until: () => count("Events.after") > before }))
    yield* TestClock.adjust("20 seconds")
  })

  it.effect("has at most 256 requests under way, 64 of them waiting and 16 with a large body", () =>
    Effect.sync(() => {
      assert.deepStrictEqual(Limits.defaults.concurrency, { requests: 256, waiting: 64, large: 16 })
    })
  )
})

describeOn(limitedTo({ requests: 100, waiting: 1 }))("one account", (it) => {
  it.effect("has four times the limit of a key, for any number of keys, in each mode", function* () {
    const made: Array<string> = []
    for (const _ of Array.from({ length: 4 })) made.push((yield* post("/v1/api-keys", {})).json.key)
    const requests = []
    for (const key of made) requests.push(...(yield* waiting(key, 1)))
    isLimited(yield* patiently(get("/v1/events?wait=20")), /^This account has 4 requests that wait for events/)
    requests.push(...(yield* waiting(keys.live, 1)), ...(yield* waiting(keys.otherAccount, 1)))
    yield* TestClock.adjust("20 seconds")
    for (const request of requests) assert.strictEqual((yield* Fiber.join(request)).status, 200)
  })
})

describeOn(limitedTo({ requests: 1, waiting: 1 }))("one key", (it) => {
  it.effect("has at most its number of requests under way, and leaves other keys unaffected", function* () {
    const listing = yield* holdCalls("Invoices.list")
    const request = yield* Effect.forkChild(get("/v1/invoices"))
    yield* listing.arrived
    isLimited(yield* get("/v1/account"), /^This API key has 1 requests in progress/)
    isLimited(yield* post("/v1/customers", {}), /^This API key has 1 requests in progress/)
    assert.strictEqual((yield* get("/v1/account", bearer(keys.secondTest))).status, 200)
    yield* listing.open
    assert.strictEqual((yield* Fiber.join(request)).status, 200)
    yield* atNoCalls
    assert.strictEqual((yield* get("/v1/account")).status, 200)
  })
})

const head = (more: string) =>
  `POST /v1/invoices/validate HTTP/1.1\r\nHost: folio.test\r\nAuthorization: Bearer ${keys.test}\r\nContent-Type: application/json\r\n${more}\r\n\r\n`

const isRefused = (line: Line) =>
  eventually(() =>
    /^HTTP\/1\.1 429 [^]*This API key has 2 requests with large bodies in progress/.test(line.received())
  )

describeOn(limitedTo({ large: 2 }))("one key", (it) => {
  it.effect(
    "gets an error for a third large body before it sends a byte of it, and can send small bodies",
    function* () {
      const { count, until } = yield* MemoryTables
      const sending = [yield* open(), yield* open()]
      const calls = count("ApiKeys.authenticate")
      for (const { socket } of sending) socket.write(head("Content-Length: 200000"))
      yield* until(() => count("ApiKeys.authenticate") >= calls + 2)
      const third = yield* open()
      yield* patiently(Effect.suspend(() => (third.socket.write(head("Content-Length: 200000")), isRefused(third))))
      const chunked = yield* open()
      chunked.socket.write(head("Transfer-Encoding: chunked"))
      yield* isRefused(chunked)
      assert.strictEqual((yield* post("/v1/invoices/validate", {})).status, 200)
      assert.strictEqual(
        (yield* post("/v1/invoices/validate", { a: "x".repeat(20_000) }, bearer(keys.otherAccount))).status,
        200
      )
      // The first two get their turn when their bodies have arrived.
      const whole = JSON.stringify({ a: "x".repeat(199_992) })
      sending[0]!.socket.write(whole)
      yield* eventually(() => statusesOf(sending[0]!).length === 1)
      assert.deepStrictEqual(statusesOf(sending[0]!), [200])
    }
  )
})

describeOn(service)("a request that waits", (it) => {
  it.effect("ends when its key is revoked", function* () {
    const { json } = yield* post("/v1/api-keys", {})
    const [ends] = yield* waiting(json.key, 1)
    const [goesOn] = yield* waiting(keys.test, 1)
    yield* TestClock.adjust("1 second")
    assert.isUndefined(ends!.pollUnsafe())
    yield* send({ method: "DELETE", path: `/v1/api-keys/${json.id}` })
    yield* TestClock.adjust("1 second")
    const { headers, json: refused, status } = yield* Fiber.join(ends!)
    assert.deepStrictEqual([status, refused.error.code], [401, "invalid_api_key"])
    assert.strictEqual(headers["www-authenticate"], "Bearer")
    assert.isUndefined(goesOn!.pollUnsafe())
    yield* TestClock.adjust("20 seconds")
    yield* Fiber.join(goesOn!)
  })
})
