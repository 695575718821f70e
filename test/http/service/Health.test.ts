import { assert } from "@effect/vitest"
import { Deferred, Effect, Fiber, Latch } from "effect"
import { TestClock } from "effect/testing"
import { layer as app } from "../../support/apps/MemoryApp.ts"
import { MemoryTables } from "../../support/memory/MemoryTables.ts"
import { get } from "../../support/apps/Requests.ts"
import { describeOn } from "../../support/Tests.ts"

const ready = get("/health/ready", { authorization: undefined })

describeOn(app)("GET /health/ready", (it) => {
  it.effect("asks the database once for all who ask within a quarter of a second", function* () {
    const memory = yield* MemoryTables
    const asked = yield* Deferred.make<void>()
    const answers = Latch.makeUnsafe()
    let probes = 0
    const onProbe = (effect: Effect.Effect<unknown>) => {
      memory.onCall = (name) => {
        if (name !== "Database.answers") return Effect.void
        probes++
        return Effect.asVoid(effect)
      }
    }
    onProbe(Effect.andThen(Deferred.succeed(asked, undefined), answers.await))
    const asking = yield* Effect.forkChild(
      Effect.forEach(Array.from({ length: 10 }), () => ready, { concurrency: "unbounded" })
    )
    yield* Deferred.await(asked)
    yield* answers.open
    for (const { status } of yield* Fiber.join(asking)) assert.strictEqual(status, 200)
    assert.strictEqual(probes, 1)

    onProbe(Effect.die("no database"))
    assert.strictEqual((yield* ready).status, 200)
    yield* TestClock.adjust("250 millis")
    assert.strictEqual((yield* ready).status, 503)
    onProbe(Effect.void)
    assert.strictEqual((yield* ready).status, 503)
    yield* TestClock.adjust("250 millis")
    assert.strictEqual((yield* ready).status, 200)
    assert.strictEqual(probes, 3)
  })
})
