import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { actors } from "../support/apps/MemoryApp.ts"
import { MemoryTables } from "../support/memory/MemoryTables.ts"
import { itOn } from "../support/Tests.ts"
import { atCalls, atNoCalls } from "../support/memory/Calls.ts"

const purges = ["Retention.idempotency_keys", "Retention.deliveries", "Retention.events"] as const

describe("Housekeeping", () => {
  itOn(actors).effect("looks at each table once a minute, and at the others when one cannot be purged", function* () {
    const memory = yield* MemoryTables
    const counts = () => purges.map(memory.count)
    assert.deepStrictEqual(counts(), [1, 1, 1])
    yield* atCalls(purges[0], Effect.die("broken"))
    yield* TestClock.adjust("58 seconds")
    assert.deepStrictEqual(counts(), [1, 1, 1])
    yield* TestClock.adjust("2 seconds")
    assert.deepStrictEqual(counts(), [1, 2, 2])
    yield* atNoCalls
    yield* TestClock.adjust("1 minute")
    assert.deepStrictEqual(counts(), [2, 3, 3])
  })
})
