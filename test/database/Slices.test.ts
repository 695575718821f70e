import { assert, describe, it, vi } from "@effect/vitest"
import { Effect } from "effect"
import { inSlices } from "../../src/database/Slices.ts"

const work = (ms: number) =>
  Effect.sync(() => {
    for (const until = performance.now() + ms; performance.now() < until;);
  })

describe("inSlices", () => {
  it.live("releases the event loop between two items, and keeps the order", () =>
    Effect.gen(function* () {
      let turns = 0
      const count = () => {
        turns += 1
        timer = setImmediate(count)
      }
      let timer = setImmediate(count)
      const doubled = yield* inSlices([1, 2, 3, 4, 5, 6], (item) => Effect.as(work(6), item * 2))
      clearImmediate(timer)
      assert.deepStrictEqual(doubled, [2, 4, 6, 8, 10, 12])
      assert.isAtLeast(turns, 4)
    })
  )

  it.live("keeps the event loop for short work", () =>
    Effect.gen(function* () {
      let turns = 0
      // The clock is stopped, because three short items may take long on a busy machine.
      const clock = vi.spyOn(performance, "now").mockReturnValue(0)
      yield* Effect.addFinalizer(() => Effect.sync(() => clock.mockRestore()))
      const timer = setImmediate(() => (turns += 1))
      yield* inSlices([1, 2, 3], Effect.succeed)
      clearImmediate(timer)
      assert.strictEqual(turns, 0)
    })
  )
})
