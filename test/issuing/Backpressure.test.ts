import { assert, describe } from "@effect/vitest"
import { Array, Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Backpressure } from "../../src/issuing/Backpressure.ts"
import { Busyness } from "../../src/protocol/Busyness.ts"
import { it as alone, itOn } from "../support/Tests.ts"

const it = itOn(
  Layer.provide(
    Backpressure.layer,
    Layer.succeed(Busyness, () => 0)
  )
)

/** `count` pieces of work under way, until they are told to end. */
const busy = Effect.fnUntraced(function* (what: "creating" | "signing" | "storing", count: number) {
  const backpressure = yield* Backpressure
  const end = yield* Deferred.make<void>()
  const work = yield* Effect.forEach(Array.range(1, count), () =>
    Effect.forkChild(backpressure[what](Deferred.await(end)), { startImmediately: true })
  )
  return { end: Effect.andThen(Deferred.succeed(end, undefined), Fiber.awaitAll(work)) }
})

const waiting = Effect.gen(function* () {
  const { room } = yield* Backpressure
  return yield* Effect.forkChild(room, { startImmediately: true })
})

const isWaiting = (fiber: Fiber.Fiber<void>) => Effect.sync(() => fiber.pollUnsafe() === undefined)

describe("Workload", () => {
  it.effect("has room until the process is busy, and again when it is not", function* () {
    const few = yield* busy("creating", 47)
    assert.isFalse(yield* isWaiting(yield* waiting))
    const last = yield* busy("creating", 1)
    const held = yield* waiting
    assert.isTrue(yield* isWaiting(held))
    yield* last.end
    yield* Fiber.join(held)
    yield* few.end
  })

  it.effect("is not calm while sixteen documents are being created, though there is room", function* () {
    const { calm, room } = yield* Backpressure
    const few = yield* busy("creating", 15)
    yield* calm
    const last = yield* busy("creating", 1)
    yield* room
    const held = yield* Effect.forkChild(calm, { startImmediately: true })
    assert.isTrue(yield* isWaiting(held))
    yield* last.end
    yield* Fiber.join(held)
    yield* few.end
  })

  it.effect("is calm while little is signed and stored, and lets what was late go on then", function* () {
    const { calm, room } = yield* Backpressure
    yield* busy("signing", 4)
    yield* busy("storing", 3)
    yield* calm
    const last = yield* busy("storing", 1)
    yield* room
    const held = yield* Effect.forkChild(calm, { startImmediately: true })
    assert.isTrue(yield* isWaiting(held))
    yield* last.end
    yield* Fiber.join(held)
    yield* busy("storing", 1)
    const patient = yield* Effect.forkChild(calm, { startImmediately: true })
    yield* TestClock.adjust("99 millis")
    assert.isTrue(yield* isWaiting(patient))
    yield* TestClock.adjust("1 millis")
    yield* Fiber.join(patient)
  })

  alone.effect("lets what was late wait, but not for long, while the process has no time for it", function* () {
    let busyness = 0.9
    const { calm, room } = yield* Backpressure.pipe(
      Effect.provide(Backpressure.layer.pipe(Layer.provide(Layer.succeed(Busyness, () => busyness))))
    )
    yield* room
    const held = yield* Effect.forkChild(calm, { startImmediately: true })
    yield* TestClock.adjust("50 millis")
    assert.isTrue(yield* isWaiting(held))
    busyness = 0.5
    yield* TestClock.adjust("10 millis")
    yield* Fiber.join(held)
    busyness = 0.9
    const patient = yield* Effect.forkChild(calm, { startImmediately: true })
    yield* TestClock.adjust("99 millis")
    assert.isTrue(yield* isWaiting(patient))
    yield* TestClock.adjust("1 millis")
    yield* Fiber.join(patient)
  })

  it.effect("lets nobody wait longer than 100 ms, however busy the process stays", function* () {
    yield* busy("signing", 64)
    const held = yield* waiting
    yield* TestClock.adjust("99 millis")
    assert.isTrue(yield* isWaiting(held))
    yield* TestClock.adjust("1 millis")
    yield* Fiber.join(held)
  })

  it.effect("forgets work that fails or is interrupted", function* () {
    const backpressure = yield* Backpressure
    for (const work of [Effect.fail("broken"), Effect.interrupt]) {
      yield* Effect.forEach(Array.range(1, 48), () => Effect.exit(backpressure.creating(work)), {
        concurrency: "unbounded"
      })
    }
    assert.isFalse(yield* isWaiting(yield* waiting))
  })
})
