import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { assert } from "@effect/vitest"
import { type Context, Effect, Layer } from "effect"
import { colombia } from "../../support/authority/LiveAccounts.ts"
import * as MemoryStore from "../../support/memory/MemoryStore.ts"
import { describeOn } from "../../support/Tests.ts"
import { calls } from "../steps/FaultSteps.ts"
import { Faults } from "./Faults.ts"

const layer = MemoryStore.layer.pipe(Layer.provide(Layer.mergeAll(colombia, NodeCrypto.layer)))

const serviceOf = (context: Context.Context<never>, name: string) => {
  const found = [...context.mapUnsafe].find(([key]) => key.endsWith(`/${name}`))
  return Object(found?.[1]) as Readonly<Record<string, unknown>>
}

describeOn(layer)("The faults of a store's statements", (it) => {
  it.effect.each(calls.filter((call) => call !== "any"))("strike %s", function* (call) {
    const store = yield* Effect.context<never>()
    const [service = "", member = ""] = call.split(".")
    const own = serviceOf(store, service)[member]
    assert.isDefined(own)
    assert.notStrictEqual(serviceOf(new Faults().disturb(store), service)[member], own)
  })
})
