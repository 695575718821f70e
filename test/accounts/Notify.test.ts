import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestRunner } from "effect/cluster"
import { InvoiceId } from "../../schemas/Id.ts"
import { Notify } from "../../src/accounts/Notify.ts"
import { testMode } from "../support/apps/Accounts.ts"

describe("Notify", () => {
  // Actors without a place: the actors of a process that has died, until its shards have moved.
  it.live("does not wait for actors that cannot be reached", () =>
    Effect.gen(function* () {
      const notify = yield* Notify
      const id = InvoiceId.make("inv_01k0000000000000000000000a")
      const told = notify.proceed({ ...testMode, id }).pipe(Effect.as("told"), Effect.timeout("1 second"))
      assert.strictEqual(yield* told, "told")
    }).pipe(Effect.provide(Notify.layer.pipe(Layer.provide(TestRunner.layer))))
  )
})
