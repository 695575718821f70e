import { assert } from "@effect/vitest"
import { Array, Effect, Fiber } from "effect"
import { Crashing, insist, settleAndReconcile } from "../../support/processes/Crashing.ts"
import { scripted } from "../../support/apps/Invoices.ts"
import { signedBytes } from "../../support/database/Reconcile.ts"
import { until } from "../../support/apps/Until.ts"
import { describeLive } from "../../support/Tests.ts"

const customers = [...Array.makeBy(7, () => undefined), scripted.rejected, scripted.lost, scripted.flaky]

/** Issues `count` invoices, 50 at a time, each until it is acknowledged. */
const issue = (name: string, count: number) =>
  Effect.forkScoped(
    Effect.forEach(
      Array.makeBy(count, (index) => `${name} ${index}`),
      insist,
      { concurrency: 50 }
    )
  )

/** Waits until the client holds `count` acknowledgements. */
const acknowledged = (count: number) =>
  Effect.flatMap(Crashing, ({ journal }) =>
    until(
      Effect.sync(() => journal.size),
      (size) => size >= count,
      "30 seconds"
    )
  )

describeLive(Crashing.layer(customers))("In the middle of the work", (it) => {
  it.effect("kill -9 of the service and then of its database lose and double nothing of 250 invoices", function* () {
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
    // At most what the endpoint had in flight, at each of the two kills.
    assert.isAtMost(doubled, 16)
  })

  it.effect("SIGTERM ends the service and its database in time, and neither loses nor doubles anything", function* () {
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

  it.effect("a database that kill -9 of the service has left behind is adopted", function* () {
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
