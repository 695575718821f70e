import { assert } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { againAfterMove, answerOf } from "../../../src/http/request/Ask.ts"
import { it } from "../../support/Tests.ts"

it.effect("An actor that moves is asked again, at its new place", function* () {
  let asked = 0
  const actor = Effect.suspend(() => (++asked < 3 ? Effect.interrupt : Effect.succeed("done")))
  const answer = yield* Effect.forkChild(answerOf(againAfterMove(actor), "Retry."))
  yield* TestClock.adjust("1 second")
  assert.strictEqual(yield* Fiber.join(answer), "done")
  assert.strictEqual(asked, 3)
})

it.effect("An actor that moves for longer than a command may take is not waited for", function* () {
  const answer = yield* Effect.forkChild(Effect.flip(answerOf(againAfterMove(Effect.interrupt), "Retry.")))
  yield* TestClock.adjust("12 seconds")
  assert.strictEqual((yield* Fiber.join(answer)).code, "service_unavailable")
})
