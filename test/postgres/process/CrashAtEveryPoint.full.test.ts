import { assert } from "@effect/vitest"
import { Array, Effect } from "effect"
import type { FaultPoint } from "../../../src/runtime/Fault.ts"
import { Crashing, insist, post, settleAndReconcile } from "../../support/processes/Crashing.ts"
import { scripted } from "../../support/apps/Invoices.ts"
import { never } from "../../support/processes/ServiceProcess.ts"
import { signedBytes } from "../../support/database/Reconcile.ts"
import { describeLive } from "../../support/Tests.ts"

/**
 * Every fault point, with the number of the pass that kills, so that work of other requests lies before and after it.
 */
const points: ReadonlyArray<readonly [FaultPoint, number]> = [
  ["before-create", 6],
  ["after-create", 6],
  ["before-number", 1],
  ["after-number", 1],
  ["before-sign", 6],
  ["after-sign", 6],
  ["after-submit", 6],
  ["after-verdict", 6],
  ["after-outcome", 6],
  ["before-send", 6],
  ["after-send", 6],
  ["after-record", 6]
]

describeLive(Crashing.layer([undefined, undefined, scripted.rejected]))("A crash", (it) => {
  it.effect.each(points)("loses and duplicates nothing: %s", function* ([point, hit]) {
    const { journal, service } = yield* Crashing
    yield* service.arm({ point, hit })
    const keys = Array.makeBy(20, (index) => `${point} ${index}`)
    yield* Effect.forEach(keys, (key) => Effect.exit(post(key)), { concurrency: "unbounded" })
    assert.deepStrictEqual(yield* service.ended, { code: null, signal: "SIGKILL" })

    const acknowledged = new Map(journal)
    const before = yield* signedBytes(service)
    yield* service.start(never)
    yield* Effect.forEach(keys, insist, { concurrency: "unbounded" })
    const { doubled, invoices } = yield* settleAndReconcile(before)
    assert.strictEqual(invoices, journal.size)
    for (const [key, answer] of acknowledged) assert.strictEqual(journal.get(key)?.text, answer.text)
    // At most the deliveries that one endpoint had in flight, at each of the kills so far.
    assert.isAtMost(doubled, 8 * (points.findIndex(([name]) => name === point) + 1))
  })
})
