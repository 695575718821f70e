import { assert } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { againAfterMove, answerOf } from "../../../src/http/request/Ask.ts"
import { LocalAccounts } from "../../../src/accounts/AccountEntity.ts"
import { customerBody } from "../../support/apps/Invoices.ts"
import { layer as app } from "../../support/apps/MemoryApp.ts"
import { post } from "../../support/apps/Requests.ts"
import { describeOn, it as alone } from "../../support/Tests.ts"

alone.effect("An actor that moves gets the command again, at its new place", function* () {
  let asked = 0
  const actor = Effect.suspend(() => (++asked < 3 ? Effect.interrupt : Effect.succeed("done")))
  const answer = yield* Effect.forkChild(answerOf(againAfterMove(actor), "Retry."))
  yield* TestClock.adjust("1 second")
  assert.strictEqual(yield* Fiber.join(answer), "done")
  assert.strictEqual(asked, 3)
})

alone.effect("A command does not wait for an actor that moves for longer than the command may take", function* () {
  const answer = yield* Effect.forkChild(Effect.flip(answerOf(againAfterMove(Effect.interrupt), "Retry.")))
  yield* TestClock.adjust("12 seconds")
  assert.strictEqual((yield* Fiber.join(answer)).code, "service_unavailable")
})

describeOn(Layer.merge(app, LocalAccounts.layer))("The actor of an account in this process", (it) => {
  it.effect("executes commands by direct calls, after a first message and with one message every 20 s", function* () {
    const local = yield* LocalAccounts
    let calls = 0
    const { find } = local
    const counting: typeof find = (address) =>
      Effect.map(
        find(address),
        (actor) => actor && { ...actor, CreateCustomer: (payload) => (calls++, actor.CreateCustomer(payload)) }
      )
    yield* Effect.acquireRelease(
      Effect.sync(() => Object.assign(local, { find: counting })),
      () => Effect.sync(() => Object.assign(local, { find }))
    )
    const direct: Array<number> = []
    for (const wait of ["0 seconds", "0 seconds", "19 seconds", "1 second", "0 seconds"] as const) {
      yield* TestClock.adjust(wait)
      assert.strictEqual((yield* post("/v1/customers", customerBody())).status, 201)
      direct.push(calls)
    }
    assert.deepStrictEqual(direct, [0, 1, 2, 2, 3])
  })
})
