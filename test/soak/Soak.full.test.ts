import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { hostileKinds } from "./parties/HostileInputs.ts"
import { brokenPromises, show } from "./checks/Scoreboard.ts"
import { faultsOf, soak, type SoakOptions } from "./Soak.ts"
import { quiet } from "../support/database/Postgres.ts"

const options: SoakOptions = {
  seed: "1",
  seconds: 20,
  rate: 12,
  faultEveryMs: 1_700,
  // This test checks only that no promise is broken. `npm run soak` and `npm run overload` measure the neighbours'
  // latencies and rejections, on an idle machine: beside other tests, the neighbours' own orders can wait too long.
  hostile: {
    spellMs: 2_000,
    rate: 10,
    invoices: 4,
    hoard: 200,
    kinds: { timed: hostileKinds, later: hostileKinds },
    bounds: { p50: Infinity, p99Ms: Infinity, limited: Infinity, turnMs: 1_000, answerBytes: 1_000_000 }
  },
  say: () => {}
}

describe("The soak", () => {
  it.live(
    "finds no broken promise while processes, database and authority fail",
    () =>
      Effect.gen(function* () {
        const { faults, ledger, lines } = yield* soak(options)
        assert.deepStrictEqual(brokenPromises(lines), [], show(lines))
        // The run was not idle.
        assert.isAbove(ledger.acknowledged.size, 30)
        assert.isAbove(ledger.requested.size, 0)
        for (const kind of ["kill", "long freeze", "stop", "database kill", "authority down"] as const) {
          assert.isTrue(
            faults.some((fault) => fault.kind === kind),
            kind
          )
        }
      }).pipe(Effect.provide(quiet)),
    420_000
  )

  it.effect("injects the faults that its seed determines", () =>
    Effect.gen(function* () {
      const faults = yield* faultsOf(options)
      assert.isAbove(faults.length, 8)
      assert.deepStrictEqual(yield* faultsOf(options), faults)
      assert.notDeepEqual(yield* faultsOf({ ...options, seed: "2" }), faults)
    })
  )
})
