import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { FaultPoint } from "../../../src/runtime/Fault.ts"
import { isDone, openWork } from "../../support/database/Reconcile.ts"
import { Crashing, insist, post } from "../../support/processes/Crashing.ts"
import { never } from "../../support/processes/ServiceProcess.ts"
import { until } from "../../support/apps/Until.ts"
import { describeLive } from "../../support/Tests.ts"

/** The points where a kill leaves a lease of 75 seconds on a document, and one of 20 seconds on a delivery. */
const points: ReadonlyArray<FaultPoint> = ["after-submit", "before-send"]

// Extends the leases and the last sign of life of the dead, so that even on a slow machine nothing can wait for their
// ends.
const outlasting = [
  "update workers set seen_at = now() + interval '1 hour'",
  "update invoices set next_action_at = now() + interval '1 hour' where next_action_at > now()",
  "update deliveries set next_attempt_at = now() + interval '1 hour' where status = 'pending' and next_attempt_at > now()"
]

describeLive(Crashing.layer([undefined]))("The next start after a kill", (it) => {
  it.effect.each(points)("takes over the leases of dead processes without a wait: %s", function* (point) {
    const { journal, receiver, service } = yield* Crashing
    yield* service.arm({ point, hit: 1 })
    yield* Effect.ignore(post(`${point} 0`))
    yield* service.ended
    for (const statement of outlasting) yield* service.rows(statement)
    yield* service.start(never)
    yield* insist(`${point} 0`)
    yield* until(openWork(service), isDone)
    assert.strictEqual(receiver.received.at(-1)?.event.data.object.id, journal.get(`${point} 0`)?.json.id)
  })
})
