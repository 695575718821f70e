import { assert, describe } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { Idempotency } from "../../src/accounts/store/Idempotency.ts"
import { testMode } from "../support/apps/Accounts.ts"
import { colombia } from "../support/authority/LiveAccounts.ts"
import * as MemoryStore from "../support/memory/MemoryStore.ts"
import { it } from "../support/Tests.ts"
import { Simulation } from "./worlds/Simulation.ts"

describe("the memory store", () => {
  it.effect("ends the command of a killed machine, as a database ends its session", function* () {
    const store = yield* Layer.build(Layer.provideMerge(MemoryStore.layer, colombia))
    const { once } = Context.get(store, Idempotency)
    const simulation = new Simulation({ now: 0, seed: 0 })
    const [killed, other] = [simulation.start("killed"), simulation.start("other")]
    const runOn = (machine: typeof killed, effect: Parameters<typeof once>[2]) => {
      const fiber = Effect.runForkWith(simulation.context(machine))(once(testMode, null, effect))
      simulation.run()
      return fiber
    }
    runOn(killed, Effect.never)
    const fiber = runOn(other, Effect.succeed({ status: 200, location: null, body: "{}" }))
    assert.isUndefined(fiber.pollUnsafe())
    simulation.kill(killed)
    simulation.run()
    assert.strictEqual(fiber.pollUnsafe()?._tag, "Success")
  })
})
