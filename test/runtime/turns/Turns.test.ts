import { assert, describe } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as Turns from "../../../src/runtime/turns/Turns.ts"
import { it } from "../../support/Tests.ts"

const limits = { atOnce: 6, ofOwnerAtOnce: 4 }

/** Turns, and the names of the askers that took one after a wait, in order. */
const make = (atOnce = limits) => {
  const turns = Turns.make(atOnce)
  const taken: Array<string> = []
  const wait = (owner: string, asker = owner) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.map(turns.take({ owner, asker }, restore), () => taken.push(asker))
    ).pipe(Effect.forkChild({ startImmediately: true }))
  return { ...turns, taken, wait }
}

const settle = Effect.repeat(Effect.yieldNow, { times: 20 })

describe("Turns", () => {
  it.effect("gives an owner turns up to its own limit, and all owners turns up to the common limit", function* () {
    const { end, taken, takeFree, wait } = make()
    const free = (owner: string) => takeFree(owner, 3)
    assert.deepStrictEqual(
      ["a", "a", "a", "b", "b", "c"].map((owner) => free(owner)),
      [3, 1, 0, 2, 0, 0]
    )
    for (const owner of ["a", "b", "c"]) yield* wait(owner)
    // The first owner in the queue has all its turns, so the next owner gets this turn.
    end("b")
    yield* settle
    assert.deepStrictEqual(taken, ["b"])
    end("a")
    yield* settle
    assert.deepStrictEqual(taken, ["b", "a"])
    end("b")
    yield* settle
    assert.deepStrictEqual(taken, ["b", "a", "c"])
  })

  it.effect("gives no turn to an asker that was interrupted", function* () {
    const { end, taken, takeFree, wait } = make({ atOnce: 1, ofOwnerAtOnce: 1 })
    assert.strictEqual(takeFree("a"), 1)
    const gone = yield* wait("a", "first")
    yield* wait("b", "second")
    yield* Fiber.interrupt(gone)
    end("a")
    yield* settle
    assert.deepStrictEqual(taken, ["second"])
  })

  it.effect(
    "takes a free turn while other owners wait at their own limit, and none while another owner waits for that turn",
    function* () {
      const { end, taken, takeFree, wait } = make()
      assert.strictEqual(takeFree("a", 4), 4)
      // This asker waits because its owner has all of its four turns.
      yield* wait("a")
      assert.strictEqual(takeFree("a"), 0)
      assert.deepStrictEqual([takeFree("b"), takeFree("b"), takeFree("b")], [1, 1, 0])
      yield* wait("c")
      yield* wait("d")
      // This turn is for the first of the two owners that wait; the second one precedes owners that have not waited.
      end("b")
      assert.strictEqual(takeFree("b"), 0)
      yield* settle
      assert.deepStrictEqual(taken, ["c"])
      end("b")
      assert.strictEqual(takeFree("b"), 0)
      yield* settle
      assert.deepStrictEqual(taken, ["c", "d"])
    }
  )

  it.effect("returns a turn that comes at the moment at which its asker is interrupted", function* () {
    const { end, inTurn, takeFree } = make({ atOnce: 1, ofOwnerAtOnce: 1 })
    assert.strictEqual(takeFree("a"), 1)
    const interrupted = yield* Effect.forkChild(inTurn({ owner: "a", asker: "a" }, Effect.never), {
      startImmediately: true
    })
    end("a")
    yield* Fiber.interrupt(interrupted)
    assert.strictEqual(takeFree("a"), 1)
  })

  it.effect(
    "stops the wait for a turn after the longest wait, and does not time out work that has begun",
    function* () {
      const { inTurn } = make({ atOnce: 1, ofOwnerAtOnce: 1 })
      const wait = { maxWait: "3 seconds", late: () => Effect.succeed("late") } as const
      const ask = (seconds: number) =>
        inTurn({ owner: "a", asker: "a" }, Effect.delay(Effect.succeed("done"), seconds * 1_000), wait).pipe(
          Effect.forkChild({ startImmediately: true })
        )
      const [first, second, third] = [yield* ask(2), yield* ask(10), yield* ask(1)]
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual(yield* Fiber.join(first), "done")
      assert.strictEqual(yield* Fiber.join(third), "late")
      yield* TestClock.adjust("9 seconds")
      assert.strictEqual(yield* Fiber.join(second), "done")
    }
  )
})
