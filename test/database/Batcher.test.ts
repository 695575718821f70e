import { assert, describe } from "@effect/vitest"
import { Effect, Exit, Fiber, References, Scheduler } from "effect"
import { SqlError } from "effect/sql"
import * as Batcher from "../../src/database/Batcher.ts"
import { it } from "../support/Tests.ts"

const fails = (reason: SqlError.SqlErrorReason) => Effect.die(new SqlError.SqlError({ reason }))

const lost = fails(new SqlError.ConnectionError({ cause: new Error("gone"), operation: "query" }))
const refused = fails(new SqlError.ConstraintError({ cause: new Error("refused"), operation: "query" }))

/**
 * Offers three items concurrently, and writes them with the result of `run` for each try, counted from 0.
 * Returns the sizes of the tried batches, and the number of items that succeeded.
 */
const writeThree = Effect.fnUntraced(
  function* (
    run: (items: ReadonlyArray<number>, tried: number) => Effect.Effect<unknown>,
    options: { readonly blind?: boolean } = {}
  ) {
    const tried: Array<number> = []
    const offer = yield* Batcher.make({
      name: "test",
      max: 10,
      ...options,
      run: (items: ReadonlyArray<number>) => Effect.as(run(items, tried.push(items.length) - 1), items)
    })
    const written = yield* Effect.forEach([1, 2, 3], (item) => Effect.isSuccess(Effect.sandbox(offer(item))), {
      concurrency: "unbounded"
    })
    return { tried, written: written.filter((success) => success).length }
  },
  Effect.provideService(References.MinimumLogLevel, "None")
)

describe("A batch", () => {
  it.effect("repeats its items one by one if one item fails", function* () {
    const { tried, written } = yield* writeThree((items) => (items.includes(2) ? refused : Effect.void))
    assert.deepStrictEqual([tried, written], [[3, 1, 1, 1], 2])
  })

  it.effect("repeats all its items on another connection if it loses its own", function* () {
    const { tried, written } = yield* writeThree((_, times) => (times === 0 ? lost : Effect.void))
    assert.deepStrictEqual([tried, written], [[3, 3], 3])
  })

  it.effect("fails completely if there is no other connection", function* () {
    const { tried, written } = yield* writeThree(() => lost)
    assert.deepStrictEqual([tried, written], [[3, 3], 0])
  })

  it.effect("fails after a lost connection if it cannot recognize its own work", function* () {
    const { tried, written } = yield* writeThree((_, times) => (times === 0 ? lost : Effect.void), { blind: true })
    assert.deepStrictEqual([tried, written], [[3], 0])
  })

  it.live("writes an item whose caller was interrupted, and completes later items", function* () {
    for (const everySo of [2, 3, 4, 5, 6, 7]) {
      for (let steps = 0; steps < 12; steps++) {
        const offer = yield* Batcher.make({
          name: "test",
          max: 10,
          run: (items: ReadonlyArray<number>) => Effect.succeed(items)
        })
        // The offer yields after this many operations, and one of the other fibers interrupts it.
        const first = yield* offer(1).pipe(
          Effect.provideService(Scheduler.MaxOpsBeforeYield, everySo),
          Effect.forkChild
        )
        for (let step = 0; step < steps; step++) yield* Effect.yieldNow
        yield* Fiber.interrupt(first)
        assert.strictEqual(yield* Effect.timeout(offer(2), "30 seconds"), 2, `${steps} times ${everySo}`)
      }
    }
  })

  it.effect("fails its callers, but no later ones, if its `run` throws", function* () {
    const offer = yield* Batcher.make({
      name: "test",
      max: 10,
      run: (items: ReadonlyArray<number>) => {
        if (items.includes(1)) throw new Error("no statement can be made of it")
        return Effect.succeed(items)
      }
    })
    assert.isTrue(Exit.isFailure(yield* Effect.exit(offer(1))))
    assert.strictEqual(yield* offer(2), 2)
  })
})
