import { assert, describe } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Latch, Queue, Scope } from "effect"
import { TestClock } from "effect/testing"
import { Limits } from "../../src/runtime/Limits.ts"
import { ReadyEndpoints } from "../../src/webhooks/store/ReadyEndpoints.ts"
import { accountOwner, alone, delivering, deliveryOf, endpointOwner, issuing } from "../support/apps/ActorsAlone.ts"
import { answered, FakeAuthority, FakeReceiver } from "../support/apps/Fakes.ts"
import { testMode } from "../support/apps/Accounts.ts"
import { addCustomer, addDelivery, addDraft, addEndpoint, signingSecret } from "../support/apps/MemoryRows.ts"
import { patiently } from "../support/apps/Until.ts"
import { MemoryTables } from "../support/memory/MemoryTables.ts"
import { atCalls, atNoCalls, holdCalls } from "../support/memory/Calls.ts"
import { itOn } from "../support/Tests.ts"

const it = itOn(alone)

const withReady = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provide(effect, ReadyEndpoints.layer)

const reserve = Effect.map(ReadyEndpoints, (ready) => ready.reserve(testMode))

/** A place, once the actor has handled its tells. */
const offered = Effect.repeat(Effect.tap(reserve, Effect.yieldNow), {
  until: ([place]) => place !== undefined,
  times: 1_000
})

/** Offers a place of this endpoint to each `reserve`; `out`: places that are neither used nor released. */
const counted = (endpoint_id: string) => {
  const held = { begun: 0, out: 0 }
  const leave = () => void (held.out -= 1)
  const reserveOne = () => {
    held.out += 1
    const begin = () => Effect.sync(() => (leave(), void (held.begun += 1)))
    return [{ endpoint_id, inFlight: 0, begin, release: leave }]
  }
  return { held, ready: { offer: () => Effect.void, reserve: reserveOne } }
}

describe("A place for the first attempt of an event", () => {
  it.effect("comes from a running actor of the endpoint, and from none in the other mode", () =>
    withReady(
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        const endpoint = yield* addEndpoint()
        assert.lengthOf(yield* reserve, 0)
        const deliver = yield* Scope.provide(endpointOwner, scope)
        const { count, until } = yield* MemoryTables
        yield* deliver(endpoint)
        yield* until(() => count("Deliveries.rest") > 0)
        const [place, ...more] = yield* offered
        assert.deepInclude(place, { endpoint_id: endpoint.id, inFlight: 0 })
        assert.lengthOf(more, 0)
        assert.lengthOf((yield* ReadyEndpoints).reserve({ ...testMode, livemode: true }), 0)
        const [beside] = yield* reserve
        assert.strictEqual(beside?.inFlight, 1)
        place?.release()
        beside?.release()
        assert.strictEqual((yield* reserve)[0]?.inFlight, 0)
        yield* Scope.close(scope, Exit.void)
        assert.lengthOf(yield* reserve, 0)
      })
    )
  )

  it.effect("counts as one of the account's places, and returns when its attempt ends", () =>
    withReady(
      Effect.gen(function* () {
        const { deliverAll, endpoint, receiver } = yield* delivering()
        yield* deliverAll
        const [first] = yield* offered
        const [second] = yield* reserve
        assert.isDefined(second)
        assert.lengthOf(yield* reserve, 0)
        second?.release()

        const { tables, until } = yield* MemoryTables
        const { body, event_id, id } = yield* addDelivery(endpoint, "inv_1")
        tables.deliveries.set(id, { ...(yield* deliveryOf(id)), next_attempt_at: Infinity, isUnderWay: true })
        const event_type = "invoice.accepted_by_authority"
        const url = "https://hooks.example.com/folio"
        receiver.onSend = () => Effect.delay(Effect.succeed(answered(200)), "1 second")
        yield* first!.begin({ id, event_id, event_type, body: String(body), url, secret: signingSecret })
        assert.strictEqual((yield* reserve)[0]?.inFlight, 1)
        assert.lengthOf(yield* reserve, 0)
        yield* TestClock.adjust("1 second")
        yield* until(({ deliveries }) => deliveries.get(id)?.status === "succeeded")
        assert.lengthOf(receiver.requests, 1)
        assert.strictEqual((yield* offered)[0]?.inFlight, 1)
      })
    ).pipe(Effect.provide(Limits.layerChanged({ attempts: { ofOwnerAtOnce: 2 } })))
  )

  it.effect("waits while deliveries are being taken, which fill the endpoint", () =>
    withReady(
      Effect.gen(function* () {
        const { endpoint, tell } = yield* delivering({ max_in_flight: 1 })
        const receiver = yield* FakeReceiver
        const answer = yield* Deferred.make<void>()
        receiver.onSend = () => Effect.as(Deferred.await(answer), answered(200))
        const { id } = yield* addDelivery(endpoint, "inv_1")
        const { arrived, open } = yield* holdCalls("Deliveries.take")
        yield* tell
        yield* arrived
        const meanwhile = yield* reserve
        yield* open
        const { until } = yield* MemoryTables
        yield* Queue.take(receiver.arrivals)
        const [afterwards] = yield* offered
        yield* Deferred.succeed(answer, undefined)
        assert.lengthOf(meanwhile, 0)
        // The place counts the attempts that are under way, so the statement takes no delivery for it.
        assert.strictEqual(afterwards?.inFlight, 1)
        yield* until(({ deliveries }) => deliveries.get(id)?.status === "succeeded")
      })
    )
  )

  it.effect("comes from the later of two actors of an endpoint when the earlier one ends", () =>
    withReady(
      Effect.gen(function* () {
        const { offer } = yield* ReadyEndpoints
        const key = yield* addEndpoint()
        const place = (inFlight: number) => () => ({
          endpoint_id: key.id,
          inFlight,
          begin: () => Effect.void,
          release: () => undefined
        })
        const [earlier, later] = [yield* Scope.make(), yield* Scope.make()]
        yield* Scope.provide(offer(key, place(1)), earlier)
        yield* Scope.provide(offer(key, place(2)), later)
        yield* Scope.close(earlier, Exit.void)
        assert.deepStrictEqual(
          (yield* reserve).map(({ inFlight }) => inFlight),
          [2]
        )
        yield* Scope.close(later, Exit.void)
        assert.lengthOf(yield* reserve, 0)
      })
    )
  )

  it.effect("returns when the step is not stored", () => {
    const { held, ready } = counted("we_1")
    return Effect.gen(function* () {
      const { key, proceed } = yield* issuing
      let moves = 0
      // The outcome is the second step.
      yield* atCalls(
        "Transitions.move",
        Effect.suspend(() => (++moves >= 2 ? Effect.die("broken") : Effect.void))
      )
      yield* proceed(key)
      assert.isAtLeast(moves, 2)
      assert.deepStrictEqual(held, { begun: 0, out: 0 })
      yield* atNoCalls
    }).pipe(Effect.provideService(ReadyEndpoints, ready))
  })

  it.effect("returns when the event has no delivery for it", () => {
    const { held, ready } = counted("we_1")
    return Effect.gen(function* () {
      const { key, proceed, tables } = yield* issuing
      yield* proceed(key)
      assert.lengthOf(tables.events, 1)
      assert.deepStrictEqual(held, { begun: 0, out: 0 })
    }).pipe(Effect.provideService(ReadyEndpoints, ready))
  })

  it.effect("serves an outcome that is being stored when the process stops", function* () {
    const { tables } = yield* MemoryTables
    const authority = yield* FakeAuthority
    const endpoint = yield* addEndpoint()
    const customer = yield* addCustomer()
    for (let index = 0; index < 3; index++) yield* addDraft(customer)
    const { held, ready } = counted(endpoint.id)
    const scope = yield* Scope.make()
    const [storing, gate] = [Latch.makeUnsafe(), Latch.makeUnsafe()]
    yield* atCalls(
      "Transitions.move",
      Effect.suspend(() => (authority.calls.length < 3 ? Effect.void : Effect.andThen(storing.open, gate.await)))
    )
    yield* Scope.provide(accountOwner, scope).pipe(Effect.provideService(ReadyEndpoints, ready))
    yield* patiently(storing.await)
    const stopping = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
    yield* Effect.forEach(Array.from({ length: 20 }), () => Effect.yieldNow)
    yield* gate.open
    yield* patiently(Fiber.join(stopping))
    const states = [...tables.invoices.values()].map(({ state }) => state)
    assert.deepStrictEqual(
      states,
      Array.from(states, () => "accepted_by_authority" as const)
    )
    assert.deepStrictEqual(held, { begun: 3, out: 0 })
  })
})
