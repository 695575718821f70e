import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { actors } from "../support/MemoryApp.ts"
import { MemoryTables } from "../support/MemoryTables.ts"

const purges = ["Retention.purgeIdempotencyKeys", "Retention.purgeDeliveries", "Retention.purgeEvents"]

describe("Housekeeping", () => {
  it.effect("looks at each table once a minute, and at the others when one cannot be purged", () =>
    Effect.gen(function* () {
      const memory = yield* MemoryTables
      const counts = () => purges.map(memory.count)
      assert.deepStrictEqual(counts(), [1, 1, 1])
      memory.onCall = (name) => (name === purges[0] ? Effect.die("broken") : Effect.void)
      yield* TestClock.adjust("58 seconds")
      assert.deepStrictEqual(counts(), [1, 1, 1])
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(counts(), [1, 2, 2])
      memory.onCall = () => Effect.void
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(counts(), [2, 3, 3])
    }).pipe(Effect.provide(actors))
  )
})
