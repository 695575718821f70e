import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { customerBody, invoiceBody } from "../../support/apps/Invoices.ts"
import { layer as app } from "../../support/apps/MemoryApp.ts"
import { atCalls, atNoCalls } from "../../support/memory/Calls.ts"
import { post } from "../../support/apps/Requests.ts"
import { describeOn } from "../../support/Tests.ts"

describeOn(app)("A numbering range", (it) => {
  it.effect("needs a single read for many invoices", function* () {
    let looks = 0
    const count = Effect.sync(() => void looks++)
    yield* atCalls("Resolutions.current", count)
    const customer = yield* post("/v1/customers", customerBody())
    yield* Effect.forEach(Array.from({ length: 40 }), () => post("/v1/invoices", invoiceBody(customer.json.id)))
    yield* atCalls("Resolutions.all", count)
    yield* post("/v1/invoices", invoiceBody(customer.json.id))
    yield* atNoCalls
    assert.isAtMost(looks, 1)
  })
})
