import { assert, describe, it } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { TestClock } from "effect/testing"
import { sampleEvent } from "../../src/domain/SampleEvent.ts"
import { Ids } from "../../src/store/Ids.ts"
import { Redelivery } from "../../src/store/Redelivery.ts"
import type { EndpointKey } from "../../src/store/WebhookEndpoints.ts"
import { alone, deliverAll, deliveryOf, endpointOwner } from "../support/ActorsAlone.ts"
import { answered, FakeReceiver } from "../support/Fakes.ts"
import { startOfTest, testMode } from "../support/MemoryApp.ts"
import { addDelivery, addEndpoint } from "../support/MemoryRows.ts"
import { MemoryTables } from "../support/MemoryTables.ts"

/** Lets the time come for a delivery's next attempt, and makes it. */
const goOn = Effect.fnUntraced(function* (
  deliver: (key: EndpointKey) => Effect.Effect<void>,
  endpoint: EndpointKey,
  id: string
) {
  yield* TestClock.setTime((yield* deliveryOf(id)).next_attempt_at)
  yield* deliverAll(deliver, endpoint)
})

const triggers = Effect.map(MemoryTables, ({ tables }) => tables.attempts.map(({ trigger }) => trigger))

describe("WebhookEndpoint: what was asked for", () => {
  it.effect("an attempt by hand is tried once beside the schedule, which goes on as if there had been none", () =>
    Effect.gen(function* () {
      const receiver = yield* FakeReceiver
      const redelivery = yield* Redelivery
      const deliver = yield* endpointOwner
      const endpoint = yield* addEndpoint()
      const { id } = yield* addDelivery(endpoint, "inv_1")
      receiver.onSend = () => Effect.succeed(answered(500))
      yield* deliverAll(deliver, endpoint)
      const { next_attempt_at: planned } = yield* deliveryOf(id)
      yield* redelivery.redeliver({ ...testMode, id })
      yield* deliverAll(deliver, endpoint)
      assert.deepInclude(yield* deliveryOf(id), { status: "pending", next_attempt_at: planned, attempts: 2 })
      for (const _ of [1, 2, 3]) yield* goOn(deliver, endpoint, id)
      assert.deepInclude(yield* deliveryOf(id), { status: "failed", attempts: 5 })
      yield* redelivery.redeliver({ ...testMode, id })
      yield* deliverAll(deliver, endpoint)
      assert.deepInclude(yield* deliveryOf(id), { status: "failed", attempts: 6 })
      yield* TestClock.adjust("1 day")
      yield* deliverAll(deliver, endpoint)
      assert.deepStrictEqual(yield* triggers, ["auto", "manual", "auto", "auto", "auto", "manual"])
      assert.strictEqual(new Set(receiver.requests.map(({ body }) => body)).size, 1)
    }).pipe(Effect.provide(alone))
  )

  it.effect(
    "keeps the order of its resource: what is redelivered waits for what is before it, and holds up what follows",
    () =>
      Effect.gen(function* () {
        const receiver = yield* FakeReceiver
        const redelivery = yield* Redelivery
        const deliver = yield* endpointOwner
        const endpoint = yield* addEndpoint()
        const first = yield* addDelivery(endpoint, "inv_1")
        const second = yield* addDelivery(endpoint, "inv_1")
        const sent = () => receiver.requests.splice(0).map(({ body }) => (body === first.body ? "first" : "second"))
        receiver.onSend = () => Effect.succeed(answered(500))
        yield* deliverAll(deliver, endpoint)
        yield* redelivery.redeliver({ ...testMode, id: second.id })
        yield* deliverAll(deliver, endpoint)
        assert.deepStrictEqual(sent(), ["first"])
        receiver.onSend = () => Effect.succeed(answered(200))
        yield* goOn(deliver, endpoint, first.id)
        assert.deepStrictEqual(sent(), ["first", "second"])
        yield* redelivery.redeliver({ ...testMode, id: second.id })
        yield* redelivery.redeliver({ ...testMode, id: first.id })
        yield* deliverAll(deliver, endpoint)
        assert.deepStrictEqual(sent(), ["first", "second"])
      }).pipe(Effect.provide(alone))
  )

  it.effect("a recovery begins the schedule anew", () =>
    Effect.gen(function* () {
      const receiver = yield* FakeReceiver
      const redelivery = yield* Redelivery
      const deliver = yield* endpointOwner
      const endpoint = yield* addEndpoint()
      const { id } = yield* addDelivery(endpoint, "inv_1")
      receiver.onSend = () => Effect.succeed(answered(500))
      for (const _ of [1, 2, 3, 4]) yield* goOn(deliver, endpoint, id)
      assert.strictEqual((yield* deliveryOf(id)).status, "failed")
      yield* redelivery.recover(endpoint, new Date(startOfTest))
      for (const _ of [1, 2, 3, 4]) {
        assert.strictEqual((yield* deliveryOf(id)).status, "pending")
        yield* goOn(deliver, endpoint, id)
      }
      assert.deepInclude(yield* deliveryOf(id), { status: "failed", attempts: 8 })
      const again = ["recover", "auto", "auto", "auto"]
      assert.deepStrictEqual(yield* triggers, ["auto", "auto", "auto", "auto", ...again])
    }).pipe(Effect.provide(alone))
  )

  it.effect("a sample is sent once, whatever is answered", () =>
    Effect.gen(function* () {
      const receiver = yield* FakeReceiver
      const redelivery = yield* Redelivery
      const ids = yield* Ids
      const deliver = yield* endpointOwner
      const endpoint = yield* addEndpoint()
      receiver.onSend = () => Effect.succeed(answered(500))
      const event = yield* ids.event
      const of = { account_id: endpoint.account_id, livemode: false, created: "", ulid: event.slice(4) }
      const id = yield* redelivery.test(endpoint, ([type = "invoice.failed"]) => ({
        id: event,
        type,
        created_at: new Date(startOfTest),
        ...sampleEvent({ ...of, id: event, type })
      }))
      yield* deliverAll(deliver, endpoint)
      assert.strictEqual(JSON.parse(String((yield* Queue.take(receiver.arrivals)).body)).id, event)
      assert.deepInclude(yield* deliveryOf(id), { status: "failed", attempts: 1 })
      assert.deepStrictEqual(yield* triggers, ["test"])
    }).pipe(Effect.provide(alone))
  )
})
