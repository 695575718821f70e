import { assert, describe } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { TestClock } from "effect/testing"
import { type AccountCommands, LocalAccounts } from "../../src/protocol/LocalAccounts.ts"
import { itOn } from "../support/Tests.ts"

const it = itOn(LocalAccounts.layer)
const [first, second] = [{}, {}] as [AccountCommands, AccountCommands]

const offered = Effect.fnUntraced(function* (commands: AccountCommands) {
  const scope = yield* Scope.make()
  const noteMessage = yield* Scope.provide((yield* LocalAccounts).offer("a", commands), scope)
  return { noteMessage, end: Scope.close(scope, Exit.void) }
})
const found = Effect.flatMap(LocalAccounts, ({ find }) => find("a"))

describe("LocalAccounts", () => {
  it.effect("knows an account's actor until it ends, and a later one after an earlier one", function* () {
    assert.isUndefined(yield* found)
    const earlier = yield* offered(first)
    assert.strictEqual(yield* found, first)
    const later = yield* offered(second)
    yield* earlier.end
    assert.strictEqual(yield* found, second)
    yield* later.end
    assert.isUndefined(yield* found)
  })

  it.effect("lets an actor get a message every 20 s, without which it would end as idle", function* () {
    const { noteMessage } = yield* offered(first)
    yield* TestClock.adjust("19 seconds")
    assert.strictEqual(yield* found, first)
    yield* TestClock.adjust("1 second")
    assert.isUndefined(yield* found)
    yield* noteMessage
    assert.strictEqual(yield* found, first)
  })
})
