import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Queue, Scope } from "effect"
import { TestClock } from "effect/testing"
import { WebhookEndpoints } from "../../src/store/WebhookEndpoints.ts"
import { answered, FakeReceiver } from "../support/Fakes.ts"
import { startOfTest } from "../support/MemoryApp.ts"
import { addDelivery, addEndpoint } from "../support/MemoryRows.ts"
import { MemoryTables } from "../support/MemoryTables.ts"
import { alone, deliverAll, deliveryOf, endpointOwner } from "../support/ActorsAlone.ts"

const bodies = Effect.map(FakeReceiver, ({ requests }) => requests.map(({ body }) => body))

describe("WebhookEndpoint: which, and when", () => {
  it.effect("keeps the order of a resource while one is retried, and lets other resources go on", () =>
    Effect.gen(function* () {
      const receiver = yield* FakeReceiver
      const deliver = yield* endpointOwner
      const endpoint = yield* addEndpoint()
      const first = yield* addDelivery(endpoint, "inv_1")
      const second = yield* addDelivery(endpoint, "inv_1")
      const other = yield* addDelivery(endpoint, "inv_2")
      const third = yield* addDelivery(endpoint, "inv_1")
      receiver.onSend = ({ body }) => Effect.succeed(answered(body === first.body ? 500 : 200))
      yield* deliverAll(deliver, endpoint)
      assert.deepStrictEqual(yield* bodies, [first.body, other.body])

      receiver.onSend = () => Effect.succeed(answered(200))
      yield* TestClock.setTime((yield* deliveryOf(first.id)).next_attempt_at)
      yield* deliverAll(deliver, endpoint)
      assert.deepStrictEqual((yield* bodies).slice(2), [first.body, second.body, third.body])
    }).pipe(Effect.provide(alone))
  )

  it.effect("goes on with a resource's next event when the one before has failed for good", () =>
    Effect.gen(function* () {
      const receiver = yield* FakeReceiver
      const deliver = yield* endpointOwner
      const endpoint = yield* addEndpoint()
      const first = yield* addDelivery(endpoint, "inv_1")
      const second = yield* addDelivery(endpoint, "inv_1")
      receiver.onSend = ({ body }) => Effect.succeed(answered(body === first.body ? 500 : 200))
      for (let attempt = 0; attempt < 4; attempt++) {
        yield* TestClock.setTime((yield* deliveryOf(first.id)).next_attempt_at)
        yield* deliverAll(deliver, endpoint)
      }
      assert.strictEqual((yield* deliveryOf(first.id)).status, "failed")
      assert.strictEqual((yield* deliveryOf(second.id)).status, "succeeded")
    }).pipe(Effect.provide(alone))
  )

  it.effect("has never more than max_in_flight deliveries under way", () =>
    Effect.gen(function* () {
      const receiver = yield* FakeReceiver
      const deliver = yield* endpointOwner
      const endpoint = yield* addEndpoint({ max_in_flight: 3 })
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
      yield* deliver(endpoint)
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
    }).pipe(Effect.provide(alone))
  )

  it.effect("with max_in_flight 1 starts each first attempt after the end of the one before", () =>
    Effect.gen(function* () {
      const receiver = yield* FakeReceiver
      const deliver = yield* endpointOwner
      const endpoint = yield* addEndpoint({ max_in_flight: 1 })
      const { until } = yield* MemoryTables
      receiver.onSend = () => Effect.delay(Effect.succeed(answered(200)), "1 second")
      for (let index = 0; index < 4; index++) yield* addDelivery(endpoint, `inv_${index}`)
      yield* deliver(endpoint)
      yield* TestClock.adjust("4 seconds")
      yield* until(({ attempts }) => attempts.length === 4)
      assert.deepStrictEqual(
        receiver.requests.map(({ at }) => at - startOfTest),
        [0, 1000, 2000, 3000]
      )
    }).pipe(Effect.provide(alone))
  )

  it.effect("inactive, gets nothing; active again, gets what waited", () =>
    Effect.gen(function* () {
      const receiver = yield* FakeReceiver
      const endpoints = yield* WebhookEndpoints
      const deliver = yield* endpointOwner
      const endpoint = yield* addEndpoint()
      const { id } = yield* addDelivery(endpoint, "inv_1")
      yield* endpoints.update(endpoint, { is_active: false }, new Date(startOfTest))
      yield* deliverAll(deliver, endpoint)
      assert.lengthOf(receiver.requests, 0)
      assert.deepInclude(yield* deliveryOf(id), { status: "pending", next_attempt_at: Infinity, attempts: 0 })
      yield* endpoints.update(endpoint, { is_active: true }, new Date(startOfTest))
      yield* deliverAll(deliver, endpoint)
      assert.strictEqual((yield* deliveryOf(id)).status, "succeeded")
    }).pipe(Effect.provide(alone))
  )

  it.effect("deleted, gets nothing more, not even a retry that was waiting", () =>
    Effect.gen(function* () {
      const receiver = yield* FakeReceiver
      const endpoints = yield* WebhookEndpoints
      const deliver = yield* endpointOwner
      const endpoint = yield* addEndpoint()
      const { id } = yield* addDelivery(endpoint, "inv_1")
      receiver.onSend = () => Effect.succeed(answered(500))
      yield* deliverAll(deliver, endpoint)
      assert.isTrue(yield* endpoints.remove(endpoint))
      assert.strictEqual((yield* deliveryOf(id)).status, "canceled")
      yield* TestClock.adjust("1 day")
      yield* deliverAll(deliver, endpoint)
      assert.lengthOf(receiver.requests, 1)
    }).pipe(Effect.provide(alone))
  )

  it.effect("that moves while deliveries are being taken sends them, and leaves none to the end of its lease", () =>
    Effect.gen(function* () {
      const memory = yield* MemoryTables
      const scope = yield* Scope.make()
      const deliver = yield* Scope.provide(endpointOwner, scope)
      const endpoint = yield* addEndpoint()
      const { id } = yield* addDelivery(endpoint, "inv_1")
      const [taking, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      memory.onCall = (name) =>
        name === "Deliveries.take"
          ? Effect.uninterruptible(Effect.andThen(Deferred.succeed(taking, undefined), Deferred.await(gate)))
          : Effect.void
      yield* deliver(endpoint)
      yield* Deferred.await(taking)
      const moving = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(moving)
      assert.strictEqual((yield* deliveryOf(id)).status, "succeeded")
    }).pipe(Effect.provide(alone))
  )

  it.effect("owned twice, sends each delivery once", () =>
    Effect.gen(function* () {
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
    }).pipe(Effect.provide(alone))
  )
})
