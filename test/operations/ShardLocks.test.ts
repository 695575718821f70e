import { assert, describe } from "@effect/vitest"
import { Deferred, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Layers from "../../src/service/Layers.ts"
import type { EndpointKey } from "../../src/webhooks/store/WebhookEndpoints.ts"
import { answered, FakeReceiver } from "../support/apps/Fakes.ts"
import { Notify } from "../../src/accounts/Notify.ts"
import { world } from "../support/apps/MemoryApp.ts"
import { addDelivery, addEndpoint } from "../support/apps/MemoryRows.ts"
import { MemoryTables } from "../support/memory/MemoryTables.ts"
import { itOn } from "../support/Tests.ts"
import { Locks, shardsWithLocks } from "./Locks.ts"

const actors = Layers.layerActors.pipe(
  Layer.provideMerge(Layer.mergeAll(Notify.layer, Layers.layerDocuments)),
  Layer.provideMerge(shardsWithLocks),
  Layer.provideMerge(Locks.layer),
  Layer.provideMerge(world)
)

describe("A process that could not keep its shards", () => {
  itOn(actors).effect("takes them again while a receiver has not answered yet", function* () {
    const locks = yield* Locks
    const receiver = yield* FakeReceiver
    const { until } = yield* MemoryTables
    const answer = yield* Deferred.make<void>()
    const arrived = ({ id }: EndpointKey) =>
      receiver.requests.filter(({ headers }) => headers["Svc-Webhook-Id"] === id).length
    const slow = yield* addEndpoint()
    const prompt = yield* addEndpoint()
    receiver.onSend = ({ headers }) =>
      Effect.as(headers["Svc-Webhook-Id"] === slow.id ? Deferred.await(answer) : Effect.void, answered(200))

    yield* TestClock.adjust("2 seconds")
    const held = yield* addDelivery(slow, "inv_1")
    yield* TestClock.adjust("2 seconds")
    assert.strictEqual(arrived(slow), 1)
    locks.answer = false
    yield* TestClock.adjust("4 seconds")
    locks.answer = true
    yield* TestClock.adjust("3 seconds")
    yield* addDelivery(prompt, "inv_2")
    yield* TestClock.adjust("2 seconds")
    const inTime = arrived(prompt)

    // The attempt that was under way meanwhile is recorded, once.
    yield* Deferred.succeed(answer, undefined)
    yield* until(({ deliveries }) => deliveries.get(held.id)?.status === "succeeded")
    assert.strictEqual(arrived(slow), 1)
    assert.strictEqual(inTime, 1)
  })
})
