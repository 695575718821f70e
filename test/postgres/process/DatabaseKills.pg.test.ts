import { assert } from "@effect/vitest"
import { Fiber } from "effect"
import { signedBytes } from "../../support/database/Reconcile.ts"
import { acknowledged, Crashing, issue, mixedCustomers, settleAndReconcile } from "../../support/processes/Crashing.ts"
import { describeLive } from "../../support/Tests.ts"

describeLive(Crashing.layer(mixedCustomers))("kill -9 during the work", (it) => {
  it.effect(
    "loses and duplicates nothing among 250 invoices when it hits the service and then its database",
    function* () {
      const { service } = yield* Crashing
      const client = yield* issue("killed", 250)

      yield* acknowledged(75)
      yield* service.signal("SIGKILL")
      yield* service.ended
      const before = yield* signedBytes(service)
      yield* service.start()

      yield* acknowledged(160)
      process.kill(yield* service.postmaster, "SIGKILL")
      yield* Fiber.join(client)
      const { doubled, invoices } = yield* settleAndReconcile(before)
      assert.strictEqual(invoices, 250)
      // At most the deliveries that the endpoint had in flight, at each of the two kills.
      assert.isAtMost(doubled, 16)
    }
  )
})
