import { assert, describe } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import * as Deadline from "../../src/protocol/Deadline.ts"
import { it } from "../support/Tests.ts"

/** An effect that waits for `end`, and notes that it was interrupted. */
const waiting = Effect.gen(function* () {
  const end = yield* Deferred.make<string>()
  let isInterrupted = false
  const effect = Effect.onInterrupt(Deferred.await(end), () => Effect.sync(() => void (isInterrupted = true)))
  return { end, effect, isInterrupted: () => isInterrupted }
})

describe("Deadline", () => {
  it.effect("gives the exit of what ends before its deadline, and never interrupts it later", function* () {
    const { effect, end, isInterrupted } = yield* waiting
    const fiber = yield* Effect.forkChild(Deadline.within(effect, 1_000), { startImmediately: true })
    yield* TestClock.adjust("999 millis")
    yield* Deferred.succeed(end, "made")
    assert.deepStrictEqual(yield* Fiber.join(fiber), Option.some(Exit.succeed("made")))
    yield* TestClock.adjust("1 second")
    assert.isFalse(isInterrupted())
    assert.deepStrictEqual(yield* Deadline.within(Effect.fail("no"), 1_000), Option.some(Exit.fail("no")))
  })

  it.effect("interrupts what does not end in time, and nothing else", function* () {
    const [early, late] = [yield* waiting, yield* waiting]
    const fiber = yield* Effect.forkChild(Deadline.within(early.effect, 1_000), { startImmediately: true })
    const other = yield* Effect.forkChild(Deadline.within(late.effect, 980), { startImmediately: true })
    yield* TestClock.adjust("900 millis")
    yield* Deferred.succeed(late.end, "made")
    assert.deepStrictEqual(yield* Fiber.join(other), Option.some(Exit.succeed("made")))
    assert.isUndefined(fiber.pollUnsafe())
    yield* TestClock.adjust("100 millis")
    assert.deepStrictEqual(yield* Fiber.join(fiber), Option.none())
    assert.deepStrictEqual([early.isInterrupted(), late.isInterrupted()], [true, false])
  })

  it.effect("does not wait for what cannot be interrupted", function* () {
    const fiber = yield* Effect.forkChild(Deadline.within(Effect.uninterruptible(Effect.never), 1_000))
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(yield* Fiber.join(fiber), Option.none())
  })

  it.effect("interrupts its work with its caller, and does not wait for the end of it", function* () {
    const cleaned = yield* Deferred.make<void>()
    let isInterrupted = false
    const effect = Effect.onInterrupt(Effect.never, () => {
      isInterrupted = true
      return Deferred.await(cleaned)
    })
    const fiber = yield* Effect.forkChild(Deadline.within(effect, 1_000), { startImmediately: true })
    yield* Fiber.interrupt(fiber)
    assert.isTrue(isInterrupted)
    yield* Deferred.succeed(cleaned, undefined)
  })
})
