import { assert, describe } from "@effect/vitest"
import { Effect, Fiber, Function } from "effect"
import type { AccountMode } from "../../../schemas/Account.ts"
import { AccountId } from "../../../schemas/Id.ts"
import * as EventLoop from "../../../src/runtime/telemetry/EventLoop.ts"
import { inLane } from "../../../src/runtime/turns/AccountLanes.ts"
import * as Batcher from "../../../src/database/Batcher.ts"
import { it } from "../../support/Tests.ts"

const accountOf = (letter: string): AccountMode => ({
  account_id: AccountId.make(`ten_${letter.repeat(26)}`),
  livemode: false
})
const [busy, other] = [accountOf("a"), accountOf("b")]

/** Blocks the event loop for a millisecond, longer than a slice. */
const step = Effect.sync(() => {
  for (const end = performance.now() + 1; performance.now() < end;);
})

/** Takes this many steps, with a turn between two steps. */
const steps = Effect.fnUntraced(function* (count: number, then: () => void = Function.constVoid) {
  for (let taken = 0; taken < count; taken++) {
    yield* step
    then()
    yield* Effect.yieldNow
  }
})

/** The number of turns of the event loop until an effect has ended. */
const turnsUntil = Effect.fnUntraced(function* (effect: Effect.Effect<unknown>) {
  let turns = 0
  let isOver = false
  const count = () => {
    turns += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  yield* effect
  isOver = true
  return turns
})

/** Gives each of two accounts a fiber, so that the process counts as shared. */
const share = Effect.forEach([busy, other, busy], (account) => inLane(account)(Effect.yieldNow), { discard: true })

/** Fifty fibers of the busy account that take steps until their interruption, and the number of their steps. */
const flooded = Effect.gen(function* () {
  let taken = 0
  const fibers = yield* Effect.forEach(Array.from({ length: 50 }), () =>
    Effect.forkChild(inLane(busy)(steps(Infinity, () => (taken += 1))))
  )
  // The forks begin in one task, each with a step.
  yield* Effect.repeat(Effect.yieldNow, { until: () => taken >= 50 })
  return { fibers, taken: () => taken }
})

describe("fibers that share the event loop", () => {
  it.live("wait for one step of each other account, however many fibers the others have", () =>
    Effect.gen(function* () {
      yield* share
      const flood = yield* flooded
      const before = flood.taken()
      yield* inLane(other)(steps(10))
      const meanwhile = flood.taken() - before
      yield* Fiber.interruptAll(flood.fibers)
      assert.isAtMost(meanwhile, 20)
      assert.isAtLeast(meanwhile, 5)
    }).pipe(EventLoop.shared)
  )

  it.live("leave each turn of the event loop after a slice, so that the process reads new input", () =>
    Effect.gen(function* () {
      const fifty = Effect.forEach(Array.from({ length: 50 }), () => Effect.forkChild(inLane(busy)(steps(2))))
      // If only one account is active, it uses whole turns.
      assert.isBelow(yield* turnsUntil(Fiber.joinAll(yield* fifty)), 10)
      yield* share
      const fibers = yield* fifty
      assert.isAtLeast(yield* turnsUntil(Fiber.joinAll(fibers)), 40)
    }).pipe(EventLoop.shared)
  )

  it.live("take longer turns when their accounts are equally busy", () =>
    Effect.gen(function* () {
      yield* share
      const fibers = yield* Effect.forEach([..."abcdefgh"], (letter) =>
        Effect.forkChild(inLane(accountOf(letter))(Effect.andThen(Effect.yieldNow, step)))
      )
      assert.isBelow(yield* turnsUntil(Fiber.joinAll(fibers)), 6)
    }).pipe(EventLoop.shared)
  )

  it.live("leave the turn also between two items of a written batch", () =>
    Effect.gen(function* () {
      yield* share
      const answered = Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))
      const offer = yield* Batcher.make({
        name: "test",
        max: 50,
        run: (items: ReadonlyArray<number>) => Effect.as(answered, items)
      })
      const fibers = yield* Effect.forEach(Array.from({ length: 50 }), (_, item) =>
        Effect.forkChild(Effect.andThen(offer(item), inLane(busy)(step)))
      )
      assert.isAtLeast(yield* turnsUntil(Fiber.joinAll(fibers)), 40)
    }).pipe(Effect.scoped, EventLoop.shared)
  )

  it.live("write their rows together if many fibers are ready, and immediately if few are", () =>
    Effect.gen(function* () {
      const sizes: Array<number> = []
      const offer = yield* Batcher.make({
        name: "test",
        max: 50,
        run: (items: ReadonlyArray<number>) =>
          Effect.as(
            Effect.sync(() => sizes.push(items.length)),
            items
          )
      })
      for (const count of [40, 10]) {
        const fibers = yield* Effect.forEach(Array.from({ length: count }), (_, item) =>
          // The first row is ready a turn before the others.
          Effect.forkChild(
            inLane(busy)(Effect.andThen(Effect.repeat(Effect.yieldNow, { times: item === 0 ? 0 : 1 }), offer(item)))
          )
        )
        yield* Fiber.joinAll(fibers)
      }
      assert.deepStrictEqual(sizes, [40, 1, 9])
    }).pipe(Effect.scoped, EventLoop.shared)
  )

  it.live("write a row for a calm account after a few steps of the busy account", () =>
    Effect.gen(function* () {
      yield* share
      const flood = yield* flooded
      const offer = yield* Batcher.make({
        name: "test",
        max: 50,
        run: (items: ReadonlyArray<number>) => Effect.as(Effect.void, items)
      })
      const before = flood.taken()
      yield* inLane(other)(offer(1))
      const meanwhile = flood.taken() - before
      yield* Fiber.interruptAll(flood.fibers)
      assert.isAtMost(meanwhile, 30)
    }).pipe(Effect.scoped, EventLoop.shared)
  )

  it.live("take every other step if they belong to no account", () =>
    Effect.gen(function* () {
      yield* share
      const order: Array<string> = []
      const fibers = [
        yield* Effect.forkChild(inLane(busy)(steps(3, () => order.push("account")))),
        yield* Effect.forkChild(steps(3, () => order.push("common"))),
        yield* Effect.forkChild(steps(3))
      ]
      yield* Fiber.joinAll(fibers)
      assert.deepStrictEqual(order, ["account", "common", "account", "common", "account", "common"])
    }).pipe(EventLoop.shared)
  )

  it.live("continue after one of them was interrupted before its turn", () =>
    Effect.gen(function* () {
      const waiting = yield* Effect.forkChild(inLane(busy)(Effect.forever(Effect.yieldNow)))
      yield* Fiber.interrupt(waiting)
      yield* inLane(busy)(steps(3))
    }).pipe(EventLoop.shared)
  )
})
