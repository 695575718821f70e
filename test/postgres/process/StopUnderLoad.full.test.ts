import { assert } from "@effect/vitest"
import { Fiber } from "effect"
import { signedBytes } from "../../support/database/Reconcile.ts"
import {
  acknowledged,
  Crashing,
  insist,
  issue,
  mixedCustomers,
  settleAndReconcile
} from "../../support/processes/Crashing.ts"
import { describeLive } from "../../support/Tests.ts"

describeLive(Crashing.layer(mixedCustomers))("A service under load", (it) => {
  it.effect("ends with its database in time after SIGTERM, without loss or duplicates", function* () {
    const { journal, service } = yield* Crashing
    const before = yield* signedBytes(service)
    const earlier = yield* settleAndReconcile(before)
    const client = yield* issue("asked to stop", 150)
    yield* acknowledged(journal.size + 50)
    const asked = performance.now()
    yield* service.signal("SIGTERM")
    const exit = yield* service.ended
    const seconds = (performance.now() - asked) / 1000
    assert.deepStrictEqual(exit, { code: 0, signal: null })
    assert.isBelow(seconds, 20)
    assert.strictEqual(yield* service.postmaster, 0)
    yield* service.start()
    yield* Fiber.join(client)
    const { doubled, invoices } = yield* settleAndReconcile(before)
    assert.strictEqual(invoices, earlier.invoices + 150)
    assert.strictEqual(doubled, earlier.doubled)
  })

  it.effect("adopts a database that a kill -9 has left behind", function* () {
    const { service } = yield* Crashing
    const orphan = yield* service.postmaster
    yield* service.signal("SIGKILL")
    yield* service.ended
    assert.strictEqual(yield* service.postmaster, orphan)
    yield* service.start()
    assert.strictEqual(yield* service.postmaster, orphan)
    yield* insist("adopted 0")
    yield* settleAndReconcile(new Map())
  })
})
