import { assert, describe } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Latch, Queue, Scope } from "effect"
import { TestClock } from "effect/testing"
import { WebhookEndpoints } from "../../src/webhooks/store/WebhookEndpoints.ts"
import { answered, FakeReceiver } from "../support/apps/Fakes.ts"
import { startOfTest } from "../support/apps/Accounts.ts"
import { addDelivery, addEndpoint } from "../support/apps/MemoryRows.ts"
import { MemoryTables } from "../support/memory/MemoryTables.ts"
import { alone, delivering, deliveryOf, endpointOwner } from "../support/apps/ActorsAlone.ts"
import { itOn } from "../support/Tests.ts"
import { atCalls } from "../support/memory/Calls.ts"

const it = itOn(alone)

const bodies = Effect.map(FakeReceiver, ({ requests }) => requests.map(({ body }) => body))

describe("WebhookEndpoint: order and concurrency", () => {
  it.effect(
    "keeps the order of a resource while one of its events is retried, and sends events of other resources",
    function* () {
      const { deliverAll, endpoint, goOn, receiver } = yield* delivering()
      const first = yield* addDelivery(endpoint, "inv_1")
      const second = yield* addDelivery(endpoint, "inv_1")
      const other = yield* addDelivery(endpoint, "inv_2")
      const third = yield* addDelivery(endpoint, "inv_1")
      receiver.onSend = ({ body }) => Effect.succeed(answered(body === first.body ? 500 : 200))
      yield* deliverAll
      assert.deepStrictEqual(yield* bodies, [first.body, other.body])

      receiver.onSend = () => Effect.succeed(answered(200))
      yield* goOn(first.id)
      assert.deepStrictEqual((yield* bodies).slice(2), [first.body, second.body, third.body])
    }
  )

  it.effect("continues with a resource's next event when the one before has failed for good", function* () {
    const { endpoint, goOn, receiver } = yield* delivering()
    const first = yield* addDelivery(endpoint, "inv_1")
    const second = yield* addDelivery(endpoint, "inv_1")
    receiver.onSend = ({ body }) => Effect.succeed(answered(body === first.body ? 500 : 200))
    for (let attempt = 0; attempt < 4; attempt++) {
      yield* goOn(first.id)
    }
    assert.strictEqual((yield* deliveryOf(first.id)).status, "failed")
    assert.strictEqual((yield* deliveryOf(second.id)).status, "succeeded")
  })

  it.effect("has at most max_in_flight deliveries under way", function* () {
    const { endpoint, receiver, tell } = yield* delivering({ max_in_flight: 3 })
    const held = yield* Queue.unbounded<Deferred.Deferred<void>>()
    let underWay = 0
    let most = 0
    receiver.onSend = () =>
      Effect.gen(function* () {
        underWay += 1
        most = Math.max(most, underWay)
        const gate = yield* Deferred.make<void>()
        yield* Queue.offer(held, gate)
        yield* Deferred.await(gate)
        underWay -= 1
        return answered(200)
      })
    const { until } = yield* MemoryTables
    for (let index = 0; index < 10; index++) yield* addDelivery(endpoint, `inv_${index}`)
    yield* tell
    const gates = yield* Queue.takeN(held, 3)
    for (let index = 0; index < 7; index++) {
      yield* Deferred.succeed(gates[index]!, undefined)
      gates.push(yield* Queue.take(held))
    }
    for (const gate of gates.slice(7)) yield* Deferred.succeed(gate, undefined)
    yield* until(({ attempts }) => attempts.length === 10)
    assert.strictEqual(most, 3)
    assert.deepStrictEqual(
      receiver.requests.map(({ body }) => JSON.parse(String(body)).seq),
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    )
  })

  it.effect("starts each first attempt after the end of the one before, with max_in_flight 1", function* () {
    const { endpoint, receiver, tell } = yield* delivering({ max_in_flight: 1 })
    const { until } = yield* MemoryTables
    receiver.onSend = () => Effect.delay(Effect.succeed(answered(200)), "1 second")
    for (let index = 0; index < 4; index++) yield* addDelivery(endpoint, `inv_${index}`)
    yield* tell
    yield* TestClock.adjust("4 seconds")
    yield* until(({ attempts }) => attempts.length === 4)
    assert.deepStrictEqual(
      receiver.requests.map(({ at }) => at - startOfTest),
      [0, 1000, 2000, 3000]
    )
  })

  it.effect("gets nothing while it is inactive, and the waiting deliveries once it is active", function* () {
    const endpoints = yield* WebhookEndpoints
    const { deliverAll, endpoint, receiver } = yield* delivering()
    const { id } = yield* addDelivery(endpoint, "inv_1")
    yield* endpoints.update(endpoint, { is_active: false }, new Date(startOfTest))
    yield* deliverAll
    assert.lengthOf(receiver.requests, 0)
    assert.deepInclude(yield* deliveryOf(id), { status: "pending", next_attempt_at: Infinity, attempts: 0 })
    yield* endpoints.update(endpoint, { is_active: true }, new Date(startOfTest))
    yield* deliverAll
    assert.strictEqual((yield* deliveryOf(id)).status, "succeeded")
  })

  it.effect("gets nothing more after its deletion, not even a retry that was waiting", function* () {
    const endpoints = yield* WebhookEndpoints
    const { deliverAll, endpoint, receiver } = yield* delivering()
    const { id } = yield* addDelivery(endpoint, "inv_1")
    receiver.onSend = () => Effect.succeed(answered(500))
    yield* deliverAll
    assert.isTrue(yield* endpoints.remove(endpoint))
    assert.strictEqual((yield* deliveryOf(id)).status, "canceled")
    yield* TestClock.adjust("1 day")
    yield* deliverAll
    assert.lengthOf(receiver.requests, 1)
  })

  it.effect(
    "sends deliveries that were being taken while its actor moved, before the end of their lease",
    function* () {
      const scope = yield* Scope.make()
      const deliver = yield* Scope.provide(endpointOwner, scope)
      const endpoint = yield* addEndpoint()
      const { id } = yield* addDelivery(endpoint, "inv_1")
      const [taking, gate] = [Latch.makeUnsafe(), Latch.makeUnsafe()]
      yield* atCalls("Deliveries.take", Effect.uninterruptible(Effect.andThen(taking.open, gate.await)))
      yield* deliver(endpoint)
      yield* taking.await
      const moving = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      yield* gate.open
      yield* Fiber.join(moving)
      assert.strictEqual((yield* deliveryOf(id)).status, "succeeded")
    }
  )

  it.effect("sends each delivery once if it has two owners", function* () {
    const receiver = yield* FakeReceiver
    const { until } = yield* MemoryTables
    const [first, second] = [yield* endpointOwner, yield* endpointOwner]
    const endpoint = yield* addEndpoint()
    receiver.onSend = () => Effect.delay(Effect.succeed(answered(200)), "1 second")
    for (let index = 0; index < 20; index++) yield* addDelivery(endpoint, `inv_${index}`)
    yield* Effect.all([first(endpoint), second(endpoint)], { concurrency: 2 })
    yield* TestClock.adjust("10 seconds")
    yield* until(({ attempts }) => attempts.length === 20)
    assert.lengthOf(receiver.requests, 20)
    assert.strictEqual(new Set(yield* bodies).size, 20)
  })
})
