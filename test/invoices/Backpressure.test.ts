import { assert, describe } from "@effect/vitest"
import { Array, Deferred, Effect, Fiber, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import { AccountId } from "../../schemas/Id.ts"
import { Backpressure } from "../../src/invoices/Backpressure.ts"
import { Busyness } from "../../src/runtime/turns/Busyness.ts"
import { it as alone, itOn } from "../support/Tests.ts"

const it = itOn(
  Layer.provide(
    Backpressure.layer,
    Layer.succeed(Busyness, () => 0)
  )
)

const account = { account_id: AccountId.make(`ten_${"a".repeat(26)}`), livemode: false }
const other = { account_id: AccountId.make(`ten_${"b".repeat(26)}`), livemode: false }

/** `count` pieces of an account's work under way, until the test ends them. */
const busy = Effect.fnUntraced(function* (what: "creating" | "signing" | "storing", count: number, of = account) {
  const backpressure = yield* Backpressure
  const end = yield* Deferred.make<void>()
  const work = yield* Effect.forEach(Array.range(1, count), () =>
    Effect.forkChild(backpressure[what](of, Deferred.await(end)), { startImmediately: true })
  )
  return { end: Effect.andThen(Deferred.succeed(end, undefined), Fiber.awaitAll(work)) }
})

const waitingOf = (of: typeof account) =>
  Effect.flatMap(Backpressure, ({ capacity }) => Effect.forkChild(capacity(of), { startImmediately: true }))
const waiting = waitingOf(account)

const isWaiting = (fiber: Fiber.Fiber<void>) => Effect.sync(() => fiber.pollUnsafe() === undefined)

describe("Workload", () => {
  it.effect(
    "has capacity for an account until eight of its documents are in work, and always for every other account",
    function* () {
      const few = yield* busy("signing", 4)
      yield* busy("storing", 3)
      assert.isFalse(yield* isWaiting(yield* waiting))
      const last = yield* busy("storing", 1)
      const held = yield* waiting
      assert.isTrue(yield* isWaiting(held))
      assert.isFalse(yield* isWaiting(yield* waitingOf(other)))
      assert.isFalse(yield* isWaiting(yield* waitingOf({ ...account, livemode: true })))
      yield* last.end
      yield* Fiber.join(held)
      yield* few.end
    }
  )

  it.effect("rejects a creation if the account's oldest draft has waited for more than five seconds", function* () {
    const { admit, reportLateness } = yield* Backpressure
    let ms = 5_000
    const told = Effect.gen(function* () {
      yield* reportLateness(account, () => ms)
      yield* admit(account)
      ms = 5_001
      const refused = yield* Effect.result(admit(account))
      assert.isTrue(Result.isFailure(refused))
      assert.deepInclude(Result.merge(refused), { code: "rate_limited", headers: { "Retry-After": "2" } })
      yield* admit(other)
    })
    yield* Effect.scoped(told)
    yield* admit(account)
  })

  it.effect("holds a creation while its account's drafts are late, for a second at most", function* () {
    const { caughtUp, reportLateness } = yield* Backpressure
    let ms = 100
    yield* reportLateness(account, () => ms)
    yield* caughtUp(account)
    ms = 101
    yield* caughtUp(other)
    const work = yield* busy("storing", 2)
    const held = yield* Effect.forkChild(caughtUp(account), { startImmediately: true })
    const late = yield* Effect.forkChild(caughtUp(account), { startImmediately: true })
    assert.isTrue(yield* isWaiting(held))
    ms = 0
    yield* work.end
    yield* Fiber.join(held)
    yield* Fiber.join(late)
    ms = 101
    const patient = yield* Effect.forkChild(caughtUp(account), { startImmediately: true })
    yield* TestClock.adjust("999 millis")
    assert.isTrue(yield* isWaiting(patient))
    yield* TestClock.adjust("1 millis")
    yield* Fiber.join(patient)
  })

  it.effect("has capacity until the process is busy, and again afterwards", function* () {
    yield* busy("storing", 1)
    const few = yield* busy("creating", 47)
    assert.isFalse(yield* isWaiting(yield* waiting))
    const last = yield* busy("creating", 1)
    const held = yield* waiting
    assert.isTrue(yield* isWaiting(held))
    // An account without work under way never waits.
    assert.isFalse(yield* isWaiting(yield* waitingOf(other)))
    yield* last.end
    yield* Fiber.join(held)
    yield* few.end
  })

  it.effect(
    "holds late work while sixteen documents are being created, although creations have capacity",
    function* () {
      const { idle, capacity } = yield* Backpressure
      const few = yield* busy("creating", 15)
      yield* idle
      const last = yield* busy("creating", 1)
      yield* capacity(account)
      const held = yield* Effect.forkChild(idle, { startImmediately: true })
      assert.isTrue(yield* isWaiting(held))
      yield* last.end
      yield* Fiber.join(held)
      yield* few.end
    }
  )

  it.effect("resumes late work while little is signed and stored", function* () {
    const { idle, capacity } = yield* Backpressure
    yield* busy("signing", 4)
    yield* busy("storing", 3)
    yield* idle
    const last = yield* busy("storing", 1, other)
    yield* capacity(account)
    const held = yield* Effect.forkChild(idle, { startImmediately: true })
    assert.isTrue(yield* isWaiting(held))
    yield* last.end
    yield* Fiber.join(held)
    yield* busy("storing", 1)
    const patient = yield* Effect.forkChild(idle, { startImmediately: true })
    yield* TestClock.adjust("99 millis")
    assert.isTrue(yield* isWaiting(patient))
    yield* TestClock.adjust("1 millis")
    yield* Fiber.join(patient)
  })

  alone.effect("holds late work while the process is busy, for 100 ms at most", function* () {
    let busyness = 0.9
    const { idle, capacity } = yield* Backpressure.pipe(
      Effect.provide(Backpressure.layer.pipe(Layer.provide(Layer.succeed(Busyness, () => busyness))))
    )
    yield* capacity(account)
    const held = yield* Effect.forkChild(idle, { startImmediately: true })
    yield* TestClock.adjust("50 millis")
    assert.isTrue(yield* isWaiting(held))
    busyness = 0.5
    yield* TestClock.adjust("10 millis")
    yield* Fiber.join(held)
    busyness = 0.9
    const patient = yield* Effect.forkChild(idle, { startImmediately: true })
    yield* TestClock.adjust("99 millis")
    assert.isTrue(yield* isWaiting(patient))
    yield* TestClock.adjust("1 millis")
    yield* Fiber.join(patient)
  })

  it.effect("holds a creation for 100 ms at most, however busy the process stays", function* () {
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
      yield* Effect.forEach(Array.range(1, 48), () => Effect.exit(backpressure.signing(account, work)), {
        concurrency: "unbounded"
      })
    }
    assert.isFalse(yield* isWaiting(yield* waiting))
  })
})
