import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestRunner } from "effect/cluster"
import { TestClock } from "effect/testing"
import * as Purger from "../../src/operations/Purger.ts"
import { Retention } from "../../src/operations/store/Retention.ts"
import { itOn } from "../support/Tests.ts"

const counts = [0, 0, 0]
let isBroken = false
const purge = (table: number) => Effect.sync(() => (counts[table]! += 1) * 0)

const housekeeping = Purger.layer.pipe(
  Layer.provide(
    Layer.mock(Retention)({
      idempotency_keys: Effect.suspend(() => (isBroken ? Effect.die("broken") : purge(0))),
      deliveries: purge(1),
      events: purge(2)
    })
  ),
  Layer.provide(TestRunner.layer)
)

itOn(housekeeping).effect(
  "Housekeeping checks each table once a minute, and at the other tables when one cannot be purged",
  function* () {
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(counts, [1, 1, 1])
    isBroken = true
    yield* TestClock.adjust("58 seconds")
    assert.deepStrictEqual(counts, [1, 1, 1])
    yield* TestClock.adjust("2 seconds")
    assert.deepStrictEqual(counts, [1, 2, 2])
    isBroken = false
    yield* TestClock.adjust("1 minute")
    assert.deepStrictEqual(counts, [2, 3, 3])
  }
)
