import { assert } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { customerBody } from "../../support/apps/Invoices.ts"
import { layer as app } from "../../support/apps/MemoryApp.ts"
import { get, post } from "../../support/apps/Requests.ts"
import { describeOn } from "../../support/Tests.ts"
import { atNoCalls, holdCalls } from "../../support/memory/Calls.ts"

describeOn(app)("a database that does not answer", (it) => {
  it.effect.each([
    ["a request's look-up of its key", "ApiKeys.authenticate", get("/v1/account"), 15],
    ["a read", "Invoices.list", get("/v1/invoices"), 15],
    ["a write", "Customers.create", post("/v1/customers", customerBody()), 12]
  ] as const)("delays %s no longer than its limit", function* ([, call, request, seconds]) {
    const { arrived, open } = yield* holdCalls(call)
    const waiting = yield* Effect.forkChild(request)
    yield* arrived
    yield* TestClock.adjust(`${seconds} seconds`)
    const reply = yield* Fiber.join(waiting)
    assert.deepStrictEqual([reply.status, reply.json.error.code], [503, "service_unavailable"])
    assert.strictEqual(reply.headers["retry-after"], "1")
    assert.strictEqual(reply.headers["svc-should-retry"], "true")
    yield* atNoCalls
    yield* open
  })
})
