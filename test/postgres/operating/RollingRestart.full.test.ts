import { assert } from "@effect/vitest"
import { refused, rollingRestart } from "../../support/traffic/RollingRestart.ts"
import { freshDatabase } from "../../support/database/Postgres.ts"
import { SeveralProcesses } from "../../support/processes/SeveralProcesses.ts"
import { describeLive } from "../../support/Tests.ts"

// `npm run rolling` measures response times, with three processes and more load.
describeLive(SeveralProcesses.layerOn(freshDatabase, 2, { env: { DRAIN_SECONDS: "600" } }))(
  "Processes behind a balancer",
  (it) => {
    it.effect("restart in turn without a lost or duplicated request, even for clients that never retry", function* () {
      const { invoices, repeatedPosts, sent } = yield* rollingRestart({
        rate: 10,
        accounts: 4,
        rounds: 1,
        endsDrain: true
      })
      assert.deepStrictEqual(refused(sent), [])
      assert.strictEqual(invoices, sent.length)
      assert.strictEqual(repeatedPosts, 0)
    })
  }
)
