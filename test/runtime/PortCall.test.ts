import { assert, describe } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { withDeadline } from "../../src/runtime/PortCall.ts"
import { it } from "../support/Tests.ts"

/** An effect that waits for `end`, and whether it was interrupted. */
const waiting = Effect.gen(function* () {
  const end = yield* Deferred.make<string>()
  let isInterrupted = false
  const effect = Effect.onInterrupt(Deferred.await(end), () => Effect.sync(() => void (isInterrupted = true)))
  return { end, effect, isInterrupted: () => isInterrupted }
})

const inASecond = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.forkChild(
    withDeadline(effect, 1_000, () => Effect.fail("late")),
    { startImmediately: true }
  )

describe("PortCall", () => {
  it.effect("returns the result of an effect that ends in time, and does not interrupt it later", function* () {
    const { effect, end, isInterrupted } = yield* waiting
    const fiber = yield* inASecond(effect)
    yield* TestClock.adjust("999 millis")
    yield* Deferred.succeed(end, "made")
    assert.strictEqual(yield* Fiber.join(fiber), "made")
    yield* TestClock.adjust("1 second")
    assert.isFalse(isInterrupted())
    assert.strictEqual(yield* Effect.flip(Fiber.join(yield* inASecond(Effect.fail("no")))), "no")
  })

  it.effect("interrupts an effect that does not end in time, and no other effect", function* () {
    const [early, late] = [yield* waiting, yield* waiting]
    const first = yield* inASecond(early.effect)
    yield* TestClock.adjust("500 millis")
    const second = yield* inASecond(late.effect)
    yield* TestClock.adjust("499 millis")
    assert.isUndefined(first.pollUnsafe())
    yield* TestClock.adjust("1 millis")
    assert.strictEqual(yield* Effect.flip(Fiber.join(first)), "late")
    assert.deepStrictEqual([early.isInterrupted(), late.isInterrupted()], [true, false])
    yield* Deferred.succeed(late.end, "made")
    assert.strictEqual(yield* Fiber.join(second), "made")
  })

  it.effect("does not wait for an effect that cannot be interrupted", function* () {
    const fiber = yield* inASecond(Effect.uninterruptible(Effect.never))
    yield* TestClock.adjust("1 second")
    assert.strictEqual(yield* Effect.flip(Fiber.join(fiber)), "late")
  })

  it.effect("interrupts the effect of an interrupted caller, and does not wait for its end", function* () {
    const cleaned = yield* Deferred.make<void>()
    let isInterrupted = false
    const fiber = yield* inASecond(
      Effect.onInterrupt(Effect.never, () => {
        isInterrupted = true
        return Deferred.await(cleaned)
      })
    )
    yield* Fiber.interrupt(fiber)
    assert.isTrue(isInterrupted)
    yield* Deferred.succeed(cleaned, undefined)
  })
})
