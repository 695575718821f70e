import { assert, describe } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { ApiError } from "../../../schemas/ApiError.ts"
import * as Turns from "../../../src/runtime/turns/AccountTurns.ts"
import { patiently } from "../../support/apps/Until.ts"
import { it } from "../../support/Tests.ts"

const limits = {
  what: "document",
  atOnce: 2,
  ofOwnerAtOnce: 1,
  waiting: { ofAsker: 3, ofOwner: 5, inAll: 8 },
  maxWait: "10 seconds"
} as const

/** Work that starts in its turn and ends when the test ends it; `begun` lists the order. */
const make = (change: Partial<Turns.TurnOptions> = {}) => {
  const inTurn = Turns.make({ ...limits, ...change })
  const begun: Array<string> = []
  const ends = new Map<string, Deferred.Deferred<void>>()
  const ask = Effect.fnUntraced(function* (owner: string, asker: string, name: string) {
    const end = yield* Deferred.make<void>()
    ends.set(name, end)
    const fiber = yield* inTurn(
      { owner, asker },
      Effect.andThen(
        Effect.sync(() => begun.push(name)),
        Deferred.await(end)
      )
    ).pipe(Effect.exit, Effect.forkChild)
    yield* Effect.yieldNow
    return fiber
  })
  const end = Effect.fnUntraced(function* (name: string) {
    yield* Deferred.succeed(ends.get(name)!, undefined)
    for (let turn = 0; turn < 10; turn++) yield* Effect.yieldNow
  })
  return { inTurn, begun, ask, end }
}

/** The error that one more request gets. */
const refusal = (inTurn: ReturnType<typeof Turns.make>, owner: string, asker: string) =>
  Effect.map(patiently(Effect.flip(inTurn({ owner, asker }, Effect.void))), (error) => {
    assert.instanceOf(error, ApiError)
    return error as ApiError
  })

describe("turns", () => {
  it.effect("reach one account although another account floods the queue", function* () {
    const { ask, begun, end } = make()
    for (const name of ["a1", "a2", "a3"]) yield* ask("a", "key", name)
    assert.deepStrictEqual(begun, ["a1"], "one of an account at a time")
    yield* ask("b", "key", "b1")
    assert.deepStrictEqual(begun, ["a1", "b1"])
    yield* ask("c", "key", "c1")
    yield* ask("b", "key", "b2")
    // The next turn goes to the account that has waited the longest, not to the oldest request.
    yield* end("a1")
    assert.deepStrictEqual(begun, ["a1", "b1", "a2"])
    yield* end("a2")
    assert.deepStrictEqual(begun, ["a1", "b1", "a2", "c1"], "before a3, which came earlier")
    yield* end("b1")
    assert.deepStrictEqual(begun.slice(4), ["b2"], "before a3 as well: a has had two turns")
    yield* end("c1")
    assert.deepStrictEqual(begun.slice(5), ["a3"])
  })

  it.effect("alternate between the keys and addresses of one account as well", function* () {
    const { ask, begun, end } = make()
    for (const name of ["l1", "l2", "l3", "l4"]) yield* ask("a", "192.0.2.1", name)
    yield* ask("a", "key", "k1")
    for (const name of ["l1", "l2", "k1", "l3", "l4"]) {
      assert.strictEqual(begun.at(-1), name)
      yield* end(name)
    }
  })

  it.effect(
    "have bounded queues for a key or address, for an account and in all, and each error names its bound",
    function* () {
      const { ask, inTurn } = make()
      for (const name of ["1", "2", "3", "4"]) yield* ask("a", "x", name)
      const mine = yield* refusal(inTurn, "a", "x")
      assert.deepInclude(mine, { code: "rate_limited", headers: { "Retry-After": "2" } })
      assert.match(mine.message, /^This key or address has 3 documents waiting already/)
      for (const name of ["5", "6"]) yield* ask("a", "y", name)
      const ours = yield* refusal(inTurn, "a", "z")
      assert.match(ours.message, /^This account has 5 documents waiting already/)
      for (const name of ["7", "8", "9", "10"]) yield* ask("b", "x", name)
      // Each account may have one request waiting, whatever the other accounts do.
      yield* ask("c", "x", "11")
      const everybody = yield* refusal(inTurn, "c", "x")
      assert.deepInclude(everybody, { code: "service_unavailable" })
      assert.match(everybody.message, /overloaded: 8 documents of all accounts are waiting/)
      assert.notMatch(everybody.message, /database/)
    }
  )

  it.effect("admit a limited queue in all, and always one request of an account that has none waiting", function* () {
    const { ask, inTurn } = make()
    for (const owner of ["a", "b"]) for (const index of [1, 2, 3, 4]) yield* ask(owner, "key", `${owner}${index}`)
    for (const index of [1, 2]) yield* ask("c", "key", `c${index}`)
    const { code, message } = yield* refusal(inTurn, "c", "other key")
    assert.deepStrictEqual([code, /8 documents of all accounts/.test(message)], ["service_unavailable", true], message)
    const first = yield* ask("d", "key", "d1")
    assert.isUndefined(first.pollUnsafe(), "waits")
  })

  it.effect("time out, and skip requests that were interrupted", function* () {
    const { ask, begun, end } = make()
    yield* ask("a", "key", "a1")
    const late = yield* ask("a", "key", "a2")
    yield* TestClock.adjust("10 seconds")
    const exit = yield* Fiber.join(late)
    assert.isTrue(
      exit._tag === "Failure" && String(exit.cause).includes("other documents, this one could not start within 10 s")
    )
    const gone = yield* ask("a", "key", "a3")
    yield* ask("a", "key", "a4")
    yield* Fiber.interrupt(gone)
    yield* end("a1")
    assert.deepStrictEqual(begun, ["a1", "a4"])
    yield* end("a4")
    yield* ask("a", "key", "a5")
    assert.deepStrictEqual(begun, ["a1", "a4", "a5"], "every turn was given back")
  })

  it.effect("return after a failure or an interruption", function* () {
    const { ask, begun, inTurn } = make({ atOnce: 1 })
    yield* Effect.ignore(inTurn({ owner: "a", asker: "key" }, Effect.fail("broken")))
    const first = yield* ask("a", "key", "a1")
    yield* ask("a", "key", "a2")
    yield* Fiber.interrupt(first)
    for (let turn = 0; turn < 10; turn++) yield* Effect.yieldNow
    assert.deepStrictEqual(begun, ["a1", "a2"])
  })

  it.effect("leave an account that has worked for a rest, in which other accounts go first", function* () {
    const inTurn = Turns.make({ ...limits, atOnce: 4, ofOwnerAtOnce: 2 })
    const begun: Array<string> = []
    const take = (owner: string, name: string, takes: number, rest: number) =>
      inTurn(
        { owner, asker: "key" },
        Effect.andThen(
          Effect.sync(() => begun.push(name)),
          Effect.sleep(takes)
        ),
        () => rest
      ).pipe(Effect.forkChild({ startImmediately: true }))
    yield* take("a", "a1", 100, 300)
    yield* take("a", "a2", 150, 50)
    yield* take("a", "a3", 10, 0)
    yield* TestClock.adjust("100 millis")
    yield* take("b", "b1", 10, 0)
    assert.deepStrictEqual(begun, ["a1", "a2", "b1"])
    yield* TestClock.adjust("349 millis")
    assert.deepStrictEqual(begun, ["a1", "a2", "b1"], "a rests for both, one after the other")
    yield* TestClock.adjust("1 millis")
    assert.deepStrictEqual(begun, ["a1", "a2", "b1", "a3"])
  })

  it.effect("blame a time-out on the account's own requests, or on all requests", function* () {
    const inTurn = Turns.make({ ...limits, atOnce: 1, ofOwnerAtOnce: 1 })
    const take = (owner: string) => inTurn({ owner, asker: "key" }, Effect.never).pipe(Effect.flip, Effect.forkChild)
    yield* take("a")
    yield* Effect.yieldNow
    const [own, other] = [yield* take("a"), yield* take("b")]
    yield* TestClock.adjust("10 seconds")
    assert.include(yield* Fiber.join(own), { code: "rate_limited" })
    assert.include(yield* Fiber.join(other), { code: "service_unavailable" })
  })

  it.effect("reject a request immediately if its turn would come too late, and blame its account", function* () {
    const waiting = { ofAsker: 99, ofOwner: 99, inAll: 99 }
    const { ask, end, inTurn } = make({
      atOnce: 3,
      ofOwnerAtOnce: 2,
      waiting,
      maxWait: "1 minute",
      maxDelay: "1 second"
    })
    let [asked, ended] = [0, 0]
    const askMany = (count: number) =>
      Effect.forEach(Array.from({ length: count }), () => ask("a", "key", `a${++asked}`), { discard: true })
    // A turn comes every 100 ms: 26 wait for more than two seconds.
    const endMany = (count: number) =>
      Effect.forEach(
        Array.from({ length: count }),
        () =>
          Effect.andThen(
            TestClock.adjust("100 millis"),
            Effect.suspend(() => end(`a${++ended}`))
          ),
        { discard: true }
      )
    yield* askMany(98)
    yield* endMany(70)
    const own = yield* refusal(inTurn, "a", "key")
    assert.deepInclude(own, { code: "rate_limited", headers: { "Retry-After": "2" } })
    assert.match(own.message, /^Because of this account's other documents, this one would wait longer than 1000 ms/)
    assert.strictEqual(yield* inTurn({ owner: "b", asker: "key" }, Effect.succeed("b's")), "b's")
    // A stall does not change the rate: a request for a turn after the stall waits.
    yield* endMany(19)
    yield* TestClock.adjust("5 seconds")
    yield* endMany(1)
    yield* askMany(3)
    assert.isUndefined((yield* ask("a", "key", "patient")).pollUnsafe(), "nine wait for less than a second")
  })

  it.effect(
    "reject a request immediately if its turn would come too late because turns have become slower",
    function* () {
      const waiting = { ofAsker: 199, ofOwner: 199, inAll: 199 }
      const { ask, end } = make({ atOnce: 3, ofOwnerAtOnce: 2, waiting, maxWait: "1 minute", maxDelay: "1 second" })
      for (let index = 0; index < 106; index += 1) yield* ask("a", "key", `a${index}`)
      for (let index = 0; index < 74; index += 1) {
        yield* TestClock.adjust("20 millis")
        yield* end(`a${index}`)
      }
      assert.isUndefined((yield* ask("a", "key", "before")).pollUnsafe(), "31 wait for 0.6 s")
      yield* TestClock.adjust("900 millis")
      assert.isDefined((yield* ask("a", "key", "after")).pollUnsafe(), "32 would wait for more than a second")
    }
  )

  it.effect("reject a request immediately if many accounts wait before it, and blame all requests", function* () {
    const waiting = { ofAsker: 99, ofOwner: 99, inAll: 999 }
    const { ask, begun, end } = make({
      atOnce: 3,
      ofOwnerAtOnce: 2,
      waiting,
      maxWait: "1 minute",
      maxDelay: "1 second"
    })
    const owners = [..."abcdefghij"]
    for (let index = 0; index < 15; index += 1) {
      for (const owner of owners) yield* ask(owner, "key", `${owner}${index}`)
    }
    // A turn comes every 20 ms, and one of each account every 200 ms.
    for (let ended = 0; ended < 70; ended += 1) {
      yield* TestClock.adjust("20 millis")
      yield* end(begun[ended]!)
    }
    const exit = (yield* ask("a", "key", "eighth")).pollUnsafe()
    assert.include(String(exit), "The service is overloaded", "seventy turns before it would take 1.4 s")
    for (let ended = 70; ended < 110; ended += 1) {
      yield* TestClock.adjust("20 millis")
      yield* end(begun[ended]!)
    }
    assert.isUndefined((yield* ask("a", "key", "fourth")).pollUnsafe(), "thirty turns before it take 0.6 s")
  })
})
