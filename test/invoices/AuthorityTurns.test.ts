import { assert, describe } from "@effect/vitest"
import { Array, Clock, Deferred, Effect, Fiber, Option, Queue } from "effect"
import { TestClock } from "effect/testing"
import { AuthorityTurns } from "../../src/invoices/AuthorityCalls.ts"
import { Limits } from "../../src/runtime/Limits.ts"
import { alone, invoiceOf, invoiceOwner } from "../support/apps/ActorsAlone.ts"
import { accepted, FakeAuthority } from "../support/apps/Fakes.ts"
import { account, otherAccount } from "../support/apps/Accounts.ts"
import { addCustomer, addNumbered } from "../support/apps/MemoryRows.ts"
import { MemoryTables } from "../support/memory/MemoryTables.ts"
import { it, itOn } from "../support/Tests.ts"

const one = { account_id: account, livemode: false }
const other = { account_id: otherAccount, livemode: false }

/** The turns, and calls that take as long as the test wants. */
const turns = Effect.gen(function* () {
  const { inTurn, withFree } = yield* AuthorityTurns.make
  const under = new Map<string, number>()
  let peak = 0
  const change = (id: string, by: number) =>
    Effect.sync(() => {
      under.set(id, (under.get(id) ?? 0) + by)
      peak = Math.max(
        peak,
        [...under.values()].reduce((sum, count) => sum + count, 0)
      )
    })
  /** Whether a call that ends with `end` got its turn. */
  const call = (owner: typeof one, end: Effect.Effect<void>) =>
    Effect.map(
      inTurn(
        owner,
        Effect.acquireUseRelease(
          change(owner.account_id, 1),
          () => end,
          () => change(owner.account_id, -1)
        )
      ),
      Option.isSome
    )
  return {
    call,
    withFree,
    begin: (owner: typeof one, end: Effect.Effect<void>) =>
      Effect.forkChild(call(owner, end), { startImmediately: true }),
    under: (owner: typeof one) => under.get(owner.account_id) ?? 0,
    peak: () => peak
  }
}).pipe(Effect.provide(Limits.layer({ authority: { atOnce: 6, ofOwnerAtOnce: 4 } })))

const results = (fibers: ReadonlyArray<Fiber.Fiber<boolean>>) => Effect.forEach(fibers, (fiber) => Fiber.join(fiber))
const isOver = <A>(fiber: Fiber.Fiber<A>) => fiber.pollUnsafe() !== undefined
const times = (count: number) => Array.range(1, count)

describe("Turns at the authority", () => {
  it.effect("go to as many calls as the limits allow, and to all calls in the end", function* () {
    const { begin, peak, under } = yield* turns
    const short = Effect.sleep("100 millis")
    const fibers = yield* Effect.forEach(times(60), (index) => begin(index % 2 === 0 ? one : other, short))
    assert.deepStrictEqual([under(one) <= 4, under(other) <= 4, peak()], [true, true, 6])
    yield* TestClock.adjust("2 seconds")
    assert.deepStrictEqual(new Set(yield* results(fibers)), new Set([true]))
    assert.strictEqual(peak(), 6)
  })

  it.effect("stay free for another account while calls of one account never end", function* () {
    const { begin, call, under } = yield* turns
    yield* Effect.forEach(times(50), () => begin(one, Effect.never))
    assert.strictEqual(under(one), 4)
    assert.isTrue(yield* call(other, Effect.void))
  })

  it.effect("alternate between accounts, however long the queue of one account is", function* () {
    const { begin, under } = yield* turns
    const ends = yield* Effect.forEach(times(4), () => Deferred.make<void>())
    // Modes do not share their limits: this call does not take a turn from the others.
    yield* begin({ account_id: account, livemode: true }, Effect.never)
    yield* Effect.forEach(ends, (end) => begin(one, Deferred.await(end)))
    yield* Effect.forEach(times(2), () => begin(other, Effect.never))
    yield* Effect.forEach(times(20), () => begin(one, Effect.never))
    const last = yield* begin(other, Effect.void)
    assert.isFalse(isOver(last))
    yield* Effect.forEach(ends.slice(0, 2), (end) => Deferred.succeed(end, undefined))
    yield* TestClock.adjust(0)
    assert.isTrue(isOver(last))
    assert.strictEqual(under(other), 2)
  })

  it.effect("time out after 3 s, and never come later", function* () {
    const { begin, under } = yield* turns
    const ends = yield* Effect.forEach(times(4), () => Deferred.make<void>())
    yield* Effect.forEach(ends, (end) => begin(one, Deferred.await(end)))
    const waiting = yield* Effect.forEach(times(200), () => begin(one, Effect.never))
    yield* TestClock.adjust("2999 millis")
    assert.isFalse(waiting.some(isOver))
    yield* TestClock.adjust("1 millis")
    assert.deepStrictEqual(new Set(yield* results(waiting)), new Set([false]))
    yield* Effect.forEach(ends, (end) => Deferred.succeed(end, undefined))
    yield* TestClock.adjust("1 second")
    assert.strictEqual(under(one), 0)
  })

  it.effect("do not limit the duration of a call that has begun", function* () {
    const { begin } = yield* turns
    yield* Effect.forEach(times(4), () => begin(one, Effect.sleep("2 seconds")))
    const slow = yield* begin(one, Effect.sleep("10 seconds"))
    yield* TestClock.adjust("11 seconds")
    assert.isFalse(isOver(slow))
    yield* TestClock.adjust("1 second")
    assert.isTrue(yield* Fiber.join(slow))
  })

  it.effect("return after a failure, after an interruption, and when a caller stops waiting", function* () {
    const { begin, call, under } = yield* turns
    const failing = yield* Effect.forEach(times(4), () => begin(one, Effect.die("broken")))
    yield* Effect.forEach(failing, Fiber.await)
    const running = yield* Effect.forEach(times(4), () => begin(one, Effect.never))
    const waiting = yield* Effect.forEach(times(4), () => begin(one, Effect.never))
    yield* Fiber.interruptAll(waiting)
    yield* Fiber.interruptAll(running)
    assert.strictEqual(under(one), 0)
    yield* Effect.forEach(times(3), () => begin(one, Effect.never))
    assert.isTrue(yield* call(one, Effect.void))
  })

  it.effect("go to a group as far as they are free, and each of them returns once", function* () {
    const { begin, peak, under, withFree } = yield* turns
    const ends = Deferred.makeUnsafe<void>()
    const others = yield* Effect.forEach(times(3), () => begin(other, Deferred.await(ends)))
    // Three of six are free in all: the group does not wait for the fourth of its account.
    const taking = yield* Effect.forkChild(withFree(one, 32, Effect.succeed))
    yield* TestClock.adjust(0)
    assert.isTrue(isOver(taking))
    const waiting = yield* withFree(one, 32, (free, giveBack) =>
      Effect.gen(function* () {
        assert.strictEqual(free, 3)
        assert.strictEqual(yield* withFree(one, 32, Effect.succeed), 0)
        yield* giveBack
        const calls = yield* Effect.forEach(times(2), () => begin(one, Effect.never))
        yield* TestClock.adjust(0)
        assert.strictEqual(under(one), 1)
        yield* Effect.all([giveBack, giveBack, giveBack, giveBack])
        const more = yield* Effect.forEach(times(2), () => begin(one, Effect.never))
        yield* TestClock.adjust(0)
        assert.strictEqual(under(one), 3, "a turn that is returned twice is one turn")
        return [...calls, ...more]
      })
    )
    yield* Effect.forEach(times(4), () => begin(one, Effect.never))
    yield* TestClock.adjust(0)
    assert.strictEqual(under(one), 3)
    assert.strictEqual(peak(), 6)
    yield* Deferred.succeed(ends, undefined)
    yield* results(others)
    yield* Fiber.interruptAll(waiting)
  })

  it.effect("count for a group's account as well, and return when the group's work breaks", function* () {
    const { begin, under, withFree } = yield* turns
    const seen: Array<number | boolean> = []
    const work = withFree(one, 32, (free) =>
      Effect.gen(function* () {
        const call = yield* begin(one, Effect.void)
        yield* TestClock.adjust(0)
        seen.push(free, isOver(call))
        return yield* Effect.die("broken")
      })
    )
    yield* Effect.exit(work)
    assert.deepStrictEqual(seen, [4, false])
    yield* Effect.forEach(times(4), () => begin(one, Effect.never))
    yield* TestClock.adjust(0)
    assert.strictEqual(under(one), 4)
  })

  itOn(alone).effect("limit the calls of a slow authority: the other documents wait for their alarms", function* () {
    const authority = yield* FakeAuthority
    const proceed = yield* invoiceOwner.pipe(
      Effect.provide(Limits.layerChanged({ authority: { atOnce: 2, ofOwnerAtOnce: 2 } }))
    )
    const customer = yield* addCustomer()
    const held = yield* Deferred.make<void>()
    authority.onSubmit = () => Effect.as(Deferred.await(held), accepted)
    const keys = yield* Effect.forEach([1, 2, 3, 4, 5], () => addNumbered(customer))
    const work = yield* Effect.forEach(keys, (key) => Effect.forkChild(proceed(key)))
    const states = Effect.map(Effect.forEach(keys, invoiceOf), (rows) => rows.map(({ state }) => state).toSorted())
    yield* Queue.takeN(authority.arrivals, 2)
    // Signing runs in threads and takes its own time.
    const { until } = yield* MemoryTables
    yield* until(({ invoices }) => [...invoices.values()].filter(({ state }) => state === "signed").length === 3)
    yield* TestClock.adjust("3 seconds")
    assert.lengthOf(authority.calls, 2)
    assert.deepStrictEqual(yield* states, ["signed", "signed", "signed", "submitted", "submitted"])
    // No call was tried, so no attempt is counted, and the alarms of the documents are set.
    const waiting = (yield* Effect.forEach(keys, invoiceOf)).filter(({ state }) => state === "signed")
    assert.deepStrictEqual(new Set(waiting.map(({ attempts }) => attempts)), new Set([0]))
    const now = yield* Clock.currentTimeMillis
    for (const { next_action_at } of waiting) assert.isBelow((next_action_at ?? Infinity) - now, 5_000)

    yield* Deferred.succeed(held, undefined)
    yield* Effect.forEach(work, Fiber.join)
    yield* Effect.forEach(keys, proceed)
    assert.deepStrictEqual(new Set(yield* states), new Set(["accepted_by_authority"]))
    assert.lengthOf(authority.calls, 5)
  })
})
