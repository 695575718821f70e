import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Latch } from "effect"
import { TestClock } from "effect/testing"
import { customerBody } from "../support/Invoices.ts"
import { layer as app } from "../support/MemoryApp.ts"
import { MemoryTables } from "../support/MemoryTables.ts"
import { get, post } from "../support/Requests.ts"

layer(app)("a database that does not answer", (it) => {
  it.effect.each([
    ["a request whose key it is asked for", "ApiKeys.authenticate", get("/v1/account"), 15],
    ["a read", "Invoices.list", get("/v1/invoices"), 15],
    ["a write", "Customers.create", post("/v1/customers", customerBody()), 12]
  ] as const)("holds up %s no longer than said", ([, call, request, seconds]) =>
    Effect.gen(function* () {
      const memory = yield* MemoryTables
      const arrived = yield* Deferred.make<void>()
      const answers = Latch.makeUnsafe()
      memory.onCall = (name) =>
        name === call ? Effect.andThen(Deferred.succeed(arrived, undefined), answers.await) : Effect.void
      const waiting = yield* Effect.forkChild(request)
      yield* Deferred.await(arrived)
      yield* TestClock.adjust(`${seconds} seconds`)
      const reply = yield* Fiber.join(waiting)
      assert.deepStrictEqual([reply.status, reply.json.error.code], [503, "service_unavailable"])
      assert.strictEqual(reply.headers["retry-after"], "1")
      assert.strictEqual(reply.headers["svc-should-retry"], "true")
      memory.onCall = () => Effect.void
      yield* answers.open
    })
  )
})
