import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { check, describe as tell } from "./Check.ts"
import { auditLifecycle, commandSequences } from "./Lifecycles.ts"
import * as MemoryWorld from "./MemoryWorld.ts"

// The same sequences each time: `npm run model` looks for new ones.
const seed = "the model"

describe("model", () => {
  it.prop(
    "holds for the lifecycle's table",
    { commands: commandSequences },
    ({ commands }) => {
      assert.deepStrictEqual(auditLifecycle(commands), [])
    },
    { arbitrary: { runs: 5_000, seed, size: 40 } }
  )

  it.live(
    "holds for routes and actors on machines that fail",
    () =>
      Effect.gen(function* () {
        const world = yield* MemoryWorld.make()
        const { failure } = yield* check(({ seed: own }) => Effect.as(world.reset(own), world), { runs: 300, seed })
        if (failure !== null) assert.fail(tell(failure))
      }),
    120_000
  )
})
