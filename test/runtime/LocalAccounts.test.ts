import { assert, describe } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { TestClock } from "effect/testing"
import { type AccountCommands, LocalAccounts } from "../../src/accounts/AccountEntity.ts"
import { itOn } from "../support/Tests.ts"

const it = itOn(LocalAccounts.layer)
const [first, second] = [{}, {}] as [AccountCommands, AccountCommands]

/** Offers an account's commands, and returns the end of their actor. */
const offer = Effect.fnUntraced(function* (commands: AccountCommands) {
  const scope = yield* Scope.make()
  yield* Scope.provide((yield* LocalAccounts).offer("a", commands), scope)
  return Scope.close(scope, Exit.void)
})
const found = Effect.flatMap(LocalAccounts, ({ find }) => find("a"))

describe("LocalAccounts", () => {
  it.effect("finds the latest actor of an account until the actor ends", function* () {
    assert.isUndefined(yield* found)
    const endEarlier = yield* offer(first)
    assert.strictEqual(yield* found, first)
    const endLater = yield* offer(second)
    yield* endEarlier
    assert.strictEqual(yield* found, second)
    yield* endLater
    assert.isUndefined(yield* found)
  })

  it.effect("sends a message for one caller in 20 s, without which the actor would end as idle", function* () {
    const end = yield* offer(first)
    yield* TestClock.adjust("19 seconds")
    assert.strictEqual(yield* found, first)
    yield* TestClock.adjust("1 second")
    assert.isUndefined(yield* found)
    assert.strictEqual(yield* found, first)
    yield* end
  })
})
