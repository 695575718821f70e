import { assert, describe } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { TestClock } from "effect/testing"
import { sampleEvent } from "../../src/webhooks/rules/SampleEvent.ts"
import { Ids } from "../../src/database/Ids.ts"
import { Redelivery } from "../../src/webhooks/store/Redelivery.ts"
import { alone, delivering, deliveryOf } from "../support/apps/ActorsAlone.ts"
import { answered } from "../support/apps/Fakes.ts"
import { startOfTest, testMode } from "../support/apps/Accounts.ts"
import { addDelivery } from "../support/apps/MemoryRows.ts"
import { MemoryTables } from "../support/memory/MemoryTables.ts"
import { itOn } from "../support/Tests.ts"

const it = itOn(alone)

const triggers = Effect.map(MemoryTables, ({ tables }) => tables.attempts.map(({ trigger }) => trigger))

describe("WebhookEndpoint: redeliveries, recoveries and samples", () => {
  it.effect("tries a redelivery once, and leaves the schedule unchanged", function* () {
    const redelivery = yield* Redelivery
    const { deliverAll, endpoint, goOn, receiver } = yield* delivering()
    const { id } = yield* addDelivery(endpoint, "inv_1")
    receiver.onSend = () => Effect.succeed(answered(500))
    yield* deliverAll
    const { next_attempt_at: planned } = yield* deliveryOf(id)
    yield* redelivery.redeliver({ ...testMode, id })
    yield* deliverAll
    assert.deepInclude(yield* deliveryOf(id), { status: "pending", next_attempt_at: planned, attempts: 2 })
    for (const _ of [1, 2, 3]) yield* goOn(id)
    assert.deepInclude(yield* deliveryOf(id), { status: "failed", attempts: 5 })
    yield* redelivery.redeliver({ ...testMode, id })
    yield* deliverAll
    assert.deepInclude(yield* deliveryOf(id), { status: "failed", attempts: 6 })
    yield* TestClock.adjust("1 day")
    yield* deliverAll
    assert.deepStrictEqual(yield* triggers, ["auto", "manual", "auto", "auto", "auto", "manual"])
    assert.strictEqual(new Set(receiver.requests.map(({ body }) => body)).size, 1)
  })

  it.effect(
    "keeps the order of its resource: a redelivery waits for earlier events, and later events wait for it",
    function* () {
      const redelivery = yield* Redelivery
      const { deliverAll, endpoint, goOn, receiver } = yield* delivering()
      const first = yield* addDelivery(endpoint, "inv_1")
      const second = yield* addDelivery(endpoint, "inv_1")
      const sent = () => receiver.requests.splice(0).map(({ body }) => (body === first.body ? "first" : "second"))
      receiver.onSend = () => Effect.succeed(answered(500))
      yield* deliverAll
      yield* redelivery.redeliver({ ...testMode, id: second.id })
      yield* deliverAll
      assert.deepStrictEqual(sent(), ["first"])
      receiver.onSend = () => Effect.succeed(answered(200))
      yield* goOn(first.id)
      assert.deepStrictEqual(sent(), ["first", "second"])
      yield* redelivery.redeliver({ ...testMode, id: second.id })
      yield* redelivery.redeliver({ ...testMode, id: first.id })
      yield* deliverAll
      assert.deepStrictEqual(sent(), ["first", "second"])
    }
  )

  it.effect("starts the schedule again for a recovery", function* () {
    const redelivery = yield* Redelivery
    const { endpoint, goOn, receiver } = yield* delivering()
    const { id } = yield* addDelivery(endpoint, "inv_1")
    receiver.onSend = () => Effect.succeed(answered(500))
    for (const _ of [1, 2, 3, 4]) yield* goOn(id)
    assert.strictEqual((yield* deliveryOf(id)).status, "failed")
    yield* redelivery.recover(endpoint, new Date(startOfTest))
    for (const _ of [1, 2, 3, 4]) {
      assert.strictEqual((yield* deliveryOf(id)).status, "pending")
      yield* goOn(id)
    }
    assert.deepInclude(yield* deliveryOf(id), { status: "failed", attempts: 8 })
    const again = ["recover", "auto", "auto", "auto"]
    assert.deepStrictEqual(yield* triggers, ["auto", "auto", "auto", "auto", ...again])
  })

  it.effect("sends a sample once, whatever the response", function* () {
    const redelivery = yield* Redelivery
    const ids = yield* Ids
    const { deliverAll, endpoint, receiver } = yield* delivering()
    receiver.onSend = () => Effect.succeed(answered(500))
    const event = yield* ids.event
    const account = { account_id: endpoint.account_id, livemode: false, created: "", ulid: event.slice(4) }
    const id = yield* redelivery.test(endpoint, ([type = "invoice.failed"]) => ({
      id: event,
      type,
      created_at: new Date(startOfTest),
      ...sampleEvent({ ...account, id: event, type })
    }))
    yield* deliverAll
    assert.strictEqual(JSON.parse(String((yield* Queue.take(receiver.arrivals)).body)).id, event)
    assert.deepInclude(yield* deliveryOf(id), { status: "failed", attempts: 1 })
    assert.deepStrictEqual(yield* triggers, ["test"])
  })
})
