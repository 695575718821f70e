import { assert, describe, it } from "@effect/vitest"
import { Array, Deferred, Effect, Layer, Queue } from "effect"
import * as AttemptPlaces from "../../src/actors/AttemptPlaces.ts"
import { alone, endpointOwner } from "../support/apps/ActorsAlone.ts"
import { answered, FakeReceiver } from "../support/apps/Fakes.ts"
import { addDelivery, addEndpoint } from "../support/apps/MemoryRows.ts"
import { MemoryTables } from "../support/memory/MemoryTables.ts"
import { Limits } from "../../src/settings/Limits.ts"

const limits = { inAll: 6, ofOwner: 4, atOnce: 2 }

describe("places of webhook attempts", () => {
  it("are an account's own up to its number, and everybody's up to theirs", () => {
    const places = AttemptPlaces.make(limits)
    const woken: Array<string> = []
    const take = (owner: string, asker = owner) => places.take(owner, asker, () => woken.push(asker))
    assert.deepStrictEqual(
      ["a", "a", "a", "b", "b", "c"].map((owner) => take(owner)),
      [2, 2, 0, 2, 0, 0]
    )
    // The first in line has as many as it may: the next has its turn.
    places.free("b", 1)
    assert.deepStrictEqual(woken, ["b"])
    assert.strictEqual(take("b"), 1)
    places.free("a", 1)
    assert.deepStrictEqual(woken, ["b", "a"])
    assert.strictEqual(take("a"), 1)
    places.free("b", 1)
    assert.deepStrictEqual(woken, ["b", "a", "c"])
  })

  it("are given to nobody who has gone", () => {
    const places = AttemptPlaces.make({ inAll: 1, ofOwner: 1, atOnce: 1 })
    const woken: Array<string> = []
    const wakes = Array.map(["first", "second"], (name) => () => woken.push(name))
    assert.strictEqual(
      places.take("a", "busy", () => {}),
      1
    )
    places.take("a", "first", wakes[0]!)
    places.take("b", "second", wakes[1]!)
    places.leave("a", "first", wakes[0]!)
    places.free("a", 1)
    assert.deepStrictEqual(woken, ["second"])
  })

  it("are given alone to an account while others wait for places of their own, and not while others wait for these", () => {
    const places = AttemptPlaces.make(limits)
    const take = (owner: string, asker = owner) => places.take(owner, asker, () => undefined)
    // The third endpoint waits, because its account has all of its four places.
    assert.deepStrictEqual([take("a", "first"), take("a", "second"), take("a", "third")], [2, 2, 0])
    assert.isFalse(places.takeOne("a"))
    assert.deepStrictEqual([places.takeOne("b"), places.takeOne("b"), places.takeOne("b")], [true, true, false])
    assert.deepStrictEqual([take("c"), take("d")], [0, 0])
    // This place is for the first of the two that wait for it; the other one goes before an account that has not waited.
    places.free("b", 1)
    assert.isFalse(places.takeOne("b"))
    assert.strictEqual(take("c"), 1)
  })

  it.effect("of one account that hang leave others theirs, and are all used in the end", () =>
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
      yield* Effect.forEach(Array.range(1, limits.ofOwner), () => Queue.take(receiver.arrivals))
      yield* deliver(live)
      yield* Queue.take(receiver.arrivals)
      assert.lengthOf(receiver.requests, limits.ofOwner + 1)
      assert.strictEqual(receiver.requests.at(-1)?.headers["Svc-Webhook-Id"], live.id)

      yield* Deferred.succeed(answers, undefined)
      yield* until(({ attempts }) => attempts.length === 11)
    }).pipe(Effect.provide(Layer.provideMerge(Limits.layerChanged({ attempts: limits }), alone)))
  )
})
