import { assert } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { againAfterMove, answerOf } from "../../../src/http/request/Ask.ts"
import { LocalAccounts } from "../../../src/protocol/LocalAccounts.ts"
import { customerBody } from "../../support/apps/Invoices.ts"
import { layer as app } from "../../support/apps/MemoryApp.ts"
import { post } from "../../support/apps/Requests.ts"
import { describeOn, it as alone } from "../../support/Tests.ts"

alone.effect("An actor that moves is asked again, at its new place", function* () {
  let asked = 0
  const actor = Effect.suspend(() => (++asked < 3 ? Effect.interrupt : Effect.succeed("done")))
  const answer = yield* Effect.forkChild(answerOf(againAfterMove(actor), "Retry."))
  yield* TestClock.adjust("1 second")
  assert.strictEqual(yield* Fiber.join(answer), "done")
  assert.strictEqual(asked, 3)
})

alone.effect("An actor that moves for longer than a command may take is not waited for", function* () {
  const answer = yield* Effect.forkChild(Effect.flip(answerOf(againAfterMove(Effect.interrupt), "Retry.")))
  yield* TestClock.adjust("12 seconds")
  assert.strictEqual((yield* Fiber.join(answer)).code, "service_unavailable")
})

describeOn(Layer.merge(app, LocalAccounts.layer))("The actor of an account in this process", (it) => {
  it.effect("is handed commands as values after its first message, and gets a message every 20 s", function* () {
    const local = yield* LocalAccounts
    const found: Array<boolean> = []
    const { find } = local
    const noting: typeof find = (address) =>
      Effect.map(find(address), (actor) => {
        found.push(actor !== undefined)
        return actor
      })
    yield* Effect.acquireRelease(
      Effect.sync(() => Object.assign(local, { find: noting })),
      () => Effect.sync(() => Object.assign(local, { find }))
    )
    const create = post("/v1/customers", customerBody(), {})
    for (const wait of ["0 seconds", "0 seconds", "19 seconds", "1 second", "0 seconds"] as const) {
      yield* TestClock.adjust(wait)
      assert.strictEqual((yield* create).status, 201)
    }
    assert.deepStrictEqual(found, [false, true, true, false, true])
  })
})
