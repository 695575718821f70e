import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { check, describe as tell } from "./checks/Check.ts"
import * as PostgresWorld from "./worlds/PostgresWorld.ts"
import { politeSequences } from "./steps/Steps.ts"

/** Gives each sequence its own database. The previous database is abandoned when the next sequence begins. */
const makeFresh = Effect.gen(function* () {
  let scope = yield* Scope.make()
  const leave = Effect.suspend(() => Scope.close(scope, Exit.void))
  yield* Effect.addFinalizer(() => leave)
  const fresh = Effect.gen(function* () {
    yield* leave
    scope = yield* Scope.make()
    return yield* Scope.provide(PostgresWorld.make, scope)
  })
  return () => fresh
})

describe("model on PostgreSQL", () => {
  it.live(
    "holds for two owners of everything behind real servers",
    () =>
      Effect.gen(function* () {
        const fresh = yield* makeFresh
        const { failure } = yield* check(fresh, { runs: 4, seed: "postgres", sequences: politeSequences })
        if (failure !== null) assert.fail(tell(failure))
      }),
    120_000
  )
})
