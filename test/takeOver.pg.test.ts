import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Crashing, insist, post } from "./support/Crashing.ts"
import { until } from "./support/Until.ts"

const states = "select state, count(*)::int as count from invoices group by state"

layer(Crashing.layer([undefined]), { excludeTestServices: true, timeout: "30 seconds" })("After a kill", (it) => {
  it.effect(
    "the next start does not wait for the lease of what had been submitted",
    () =>
      Effect.gen(function* () {
        const { service } = yield* Crashing
        yield* service.signal("SIGTERM")
        yield* service.ended
        yield* service.start({ point: "after-submit", hit: 1 })
        yield* Effect.ignore(post("submitted 0"))
        yield* service.ended
        yield* service.start()
        yield* insist("submitted 0")
        // The lease is of 75 seconds.
        const seen = yield* until(
          service.rows<{ state: string; count: number }>(states),
          (rows) => rows.every(({ state }) => state === "accepted_by_authority"),
          "15 seconds"
        )
        assert.deepStrictEqual(seen, [{ state: "accepted_by_authority", count: 1 }])
      }),
    60_000
  )
})
