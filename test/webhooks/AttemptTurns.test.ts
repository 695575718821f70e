import { assert, describe, it } from "@effect/vitest"
import { Array, Deferred, Effect, Layer, Queue } from "effect"
import { alone, endpointOwner } from "../support/apps/ActorsAlone.ts"
import { answered, FakeReceiver } from "../support/apps/Fakes.ts"
import { addDelivery, addEndpoint } from "../support/apps/MemoryRows.ts"
import { MemoryTables } from "../support/memory/MemoryTables.ts"
import { Limits } from "../../src/runtime/Limits.ts"

const limits = { atOnce: 6, ofOwnerAtOnce: 4, ofEndpointAtOnce: 2 }
const limited = Layer.provideMerge(Limits.layerChanged({ attempts: limits }), alone)

describe("WebhookEndpoint", () => {
  it.effect("leaves turns to other accounts while one account's attempts hang, and uses all turns afterwards", () =>
    Effect.gen(function* () {
      const { tables, until } = yield* MemoryTables
      const receiver = yield* FakeReceiver
      const deliver = yield* endpointOwner
      const answers = yield* Deferred.make<void>()
      receiver.onSend = () => Effect.as(Deferred.await(answers), answered(200))
      const endpoints = yield* Effect.all([addEndpoint(), addEndpoint()])
      for (const endpoint of endpoints) {
        for (let index = 0; index < 5; index++) yield* addDelivery(endpoint, `inv_${endpoint.id}_${index}`)
      }
      const test = yield* addEndpoint()
      const live = { ...test, livemode: true }
      tables.endpoints.set(test.id, { ...tables.endpoints.get(test.id)!, livemode: true })
      yield* addDelivery(live, "inv_live")

      yield* Effect.forEach(endpoints, deliver)
      yield* Effect.forEach(Array.range(1, limits.ofOwnerAtOnce), () => Queue.take(receiver.arrivals))
      yield* deliver(live)
      yield* Queue.take(receiver.arrivals)
      assert.lengthOf(receiver.requests, limits.ofOwnerAtOnce + 1)
      assert.strictEqual(receiver.requests.at(-1)?.headers["Svc-Webhook-Id"], live.id)

      yield* Deferred.succeed(answers, undefined)
      yield* until(({ attempts }) => attempts.length === 11)
    }).pipe(Effect.provide(limited))
  )

  it.effect("returns the turns for which no delivery is due", () =>
    Effect.gen(function* () {
      const { count, until } = yield* MemoryTables
      const deliver = yield* endpointOwner
      const endpoint = yield* addEndpoint()
      for (let looks = 1; looks <= limits.ofOwnerAtOnce; looks++) {
        yield* deliver(endpoint)
        yield* until(() => count("Deliveries.rest") === looks)
      }
      yield* addDelivery(endpoint, "inv_1")
      yield* deliver(endpoint)
      yield* until(({ attempts }) => attempts.length === 1)
    }).pipe(Effect.provide(limited))
  )
})
