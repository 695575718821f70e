import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { FaultPoint } from "../src/protocol/Fault.ts"
import { Crashing, insist, post } from "./support/Crashing.ts"
import { until } from "./support/Until.ts"

/** Where a kill leaves a lease of 75 seconds on a document, and one of 20 seconds on a delivery. */
const points: ReadonlyArray<FaultPoint> = ["after-submit", "before-send"]

const open = `
  select (select count(*)::int from invoices where next_action_at is not null) as invoices,
    (select count(*)::int from deliveries where status = 'pending') as deliveries`

layer(Crashing.layer([undefined]), { excludeTestServices: true, timeout: "180 seconds" })("After a kill", (it) => {
  it.effect.each(points)(
    "the next start does not wait for the leases of the dead: %s",
    (point) =>
      Effect.gen(function* () {
        const { journal, receiver, service } = yield* Crashing
        yield* service.signal("SIGTERM")
        yield* service.ended
        yield* service.start({ point, hit: 1 })
        yield* Effect.ignore(post(`${point} 0`))
        yield* service.ended
        yield* service.start()
        yield* insist(`${point} 0`)
        const seen = yield* until(
          service.rows<{ invoices: number; deliveries: number }>(open),
          ([row]) => row?.invoices === 0 && row.deliveries === 0,
          "6 seconds"
        )
        assert.deepStrictEqual(seen, [{ invoices: 0, deliveries: 0 }])
        assert.strictEqual(receiver.received.at(-1)?.event.data.object.id, journal.get(`${point} 0`)?.json.id)
      }),
    180_000
  )
})
