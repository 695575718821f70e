import { assert } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { keys } from "../../support/apps/Accounts.ts"
import { layer as app } from "../../support/apps/MemoryApp.ts"
import { addDelivery, addEndpoint } from "../../support/apps/MemoryRows.ts"
import { MemoryTables } from "../../support/memory/MemoryTables.ts"
import { bearer, get } from "../../support/apps/Requests.ts"
import { describeOn } from "../../support/Tests.ts"
import { atCalls, atNoCalls } from "../../support/memory/Calls.ts"

const idsOf = (reply: { readonly json: { readonly data: ReadonlyArray<{ readonly id: string }> } }) =>
  reply.json.data.map(({ id }) => id)

/** An event without a subscriber. */
const happens = Effect.fnUntraced(function* (object_id: string) {
  const { tables } = yield* MemoryTables
  const { event_id, id } = yield* addDelivery(yield* addEndpoint(), object_id)
  tables.deliveries.delete(id)
  return event_id
})

const empty = { object: "list", url: "/v1/events", has_more: false, data: [] }

/** A request that has begun to wait. */
const waits = Effect.fnUntraced(function* (path: string, headers = {}) {
  const { count, until } = yield* MemoryTables
  const before = count("Events.after")
  const request = yield* Effect.forkScoped(get(path, headers))
  yield* until(() => count("Events.after") > before)
  return request
})

describeOn(app)("GET /v1/events with wait", (it) => {
  it.effect("waits for an event that its filters select, and returns it", function* () {
    const { count, until } = yield* MemoryTables
    const last = yield* happens("inv_0")
    const any = yield* waits(`/v1/events?after=${last}&wait=20`)
    const one = yield* waits(`/v1/events?after=${last}&wait=20&object_id=inv_9`)
    const others = yield* waits("/v1/events?wait=20", bearer(keys.live))
    yield* TestClock.adjust("5 seconds")
    assert.isUndefined(any.pollUnsafe())
    const first = yield* happens("inv_1")
    yield* TestClock.adjust("250 millis")
    assert.deepStrictEqual(idsOf(yield* Fiber.join(any)), [first])
    // The event was checked and does not match: no page is read for it.
    const [looks, pages] = [count("Events.news"), count("Events.after")]
    yield* TestClock.adjust("1 second")
    yield* until(() => count("Events.news") > looks)
    yield* happens("inv_2")
    yield* TestClock.adjust("1 second")
    assert.isUndefined(one.pollUnsafe())
    assert.strictEqual(count("Events.after"), pages)
    const wanted = yield* happens("inv_9")
    yield* TestClock.adjust("250 millis")
    assert.deepStrictEqual(idsOf(yield* Fiber.join(one)), [wanted])
    assert.isUndefined(others.pollUnsafe())
    yield* TestClock.adjust("20 seconds")
    assert.deepStrictEqual((yield* Fiber.join(others)).json, empty)
  })

  it.effect(
    "returns an empty list after its time, beyond the database's time-out, and then stops looking",
    function* () {
      const { count } = yield* MemoryTables
      const last = yield* happens("inv_0")
      const request = yield* waits(`/v1/events?after=${last}&wait=20`)
      yield* TestClock.adjust("19900 millis")
      assert.isUndefined(request.pollUnsafe())
      yield* TestClock.adjust("100 millis")
      const reply = yield* Fiber.join(request)
      assert.strictEqual(reply.status, 200)
      assert.deepStrictEqual(reply.json, empty)
      yield* TestClock.adjust("1 second")
      const looks = count("Events.news")
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(count("Events.news"), looks)
    }
  )

  it.effect("continues to wait if the database fails for a moment", function* () {
    const last = yield* happens("inv_0")
    const request = yield* waits(`/v1/events?after=${last}&wait=20`)
    let failed = 0
    yield* atCalls(
      "Events.news",
      Effect.suspend(() => Effect.die(`broken ${++failed}`))
    )
    yield* TestClock.adjust("1 second")
    assert.isAbove(failed, 1)
    yield* atNoCalls
    const next = yield* happens("inv_1")
    yield* TestClock.adjust("500 millis")
    assert.deepStrictEqual(idsOf(yield* Fiber.join(request)), [next])
  })
})
