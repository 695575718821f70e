import { assert, describe } from "@effect/vitest"
import { Effect, Fiber, Latch } from "effect"
import { TestClock } from "effect/testing"
import type { ApiError } from "../../schemas/ApiError.ts"
import { makeTurns } from "../../src/accounts/Command.ts"
import { makeInFlight, type Outcome } from "../../src/accounts/store/Idempotency.ts"
import { apiKeyIds, testMode } from "../support/apps/Accounts.ts"
import { itOn } from "../support/Tests.ts"
import { Limits } from "../../src/runtime/Limits.ts"

const one = Limits.layer({ commands: { ofOwnerAtOnce: 1 } })

const it = itOn(one)

const outcome: Outcome = { answer: { status: 200, location: null, body: "{}" }, replayed: false }

/** Runs commands as an account's actor does, and lists the completed ones. */
const actor = Effect.gen(function* () {
  const turns = yield* makeTurns
  const once = makeInFlight(() => Effect.succeedNone)
  const done: Array<string> = []
  const ask = (name: string, work: Effect.Effect<void, ApiError> = Effect.void) => {
    const idempotency = { key: name, fingerprint: name }
    const context = { api_key_id: apiKeyIds.test, version: "2026-01-01", idempotency } as const
    const command = Effect.as(
      Effect.andThen(
        work,
        Effect.sync(() => done.push(name))
      ),
      outcome
    )
    return Effect.forkChild(once(context, turns.inTurn(testMode, context, command)), { startImmediately: true })
  }
  return { ask, done }
})

describe("a command that waits for its turn", () => {
  it.effect("runs after its client has gone, and its retry replays the response", function* () {
    const { ask, done } = yield* actor
    const goesOn = Latch.makeUnsafe()
    const first = yield* ask("first", goesOn.await)
    const second = yield* ask("second")
    const leaving = yield* Effect.forkChild(Fiber.interrupt(second), { startImmediately: true })
    const repeated = yield* ask("second")
    assert.deepStrictEqual(done, [])
    yield* goesOn.open
    assert.strictEqual((yield* Fiber.join(first)).kind, "first")
    assert.strictEqual((yield* Fiber.join(repeated)).kind, "replayed")
    yield* Fiber.join(leaving)
    assert.deepStrictEqual(done, ["first", "second"])
  })

  it.effect("fails after eight seconds, and does not run", function* () {
    const { ask, done } = yield* actor
    const goesOn = Latch.makeUnsafe()
    const first = yield* ask("first", goesOn.await)
    const second = yield* ask("second")
    yield* TestClock.adjust("7999 millis")
    assert.isUndefined(second.pollUnsafe())
    yield* TestClock.adjust(1)
    const refused = yield* Effect.flip(Fiber.join(second))
    assert.strictEqual(refused.code, "rate_limited")
    assert.match(refused.message, /other commands, this one could not start within 8 s\. Retry in 2 s/)
    yield* goesOn.open
    yield* Fiber.join(first)
    const again = yield* ask("second")
    assert.strictEqual((yield* Fiber.join(again)).kind, "first")
    assert.deepStrictEqual(done, ["first", "second"])
  })
})
