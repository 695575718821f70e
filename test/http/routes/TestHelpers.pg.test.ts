import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { portionMax } from "../../../src/accounts/store/sandbox/ClockJumps.ts"
import { account } from "../../support/apps/Accounts.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { addResting } from "../../support/apps/PostgresRows.ts"
import { post } from "../../support/apps/Requests.ts"
import { seedDrafts } from "../../support/database/Owners.ts"
import { describeLive } from "../../support/Tests.ts"

const later = new Date("2130-01-01T00:00:00Z")
const hourBefore = new Date(later.getTime() - 3_600_000)

const advance = (seconds: number) => post("/v1/test-helpers/advance", { seconds }, { "idempotency-key": "an hour" })

const set = (body: object) => Effect.map(post("/v1/test-helpers/authority", body), ({ json }) => json)
const answer = (mode: string, next: ReadonlyArray<object>) => ({ object: "sandbox_authority", mode, next })

describeLive(app)("Test helpers", (it) => {
  it.effect(
    "advance the clock of a busy account once for a key, and not with the key of another request",
    function* () {
      const sql = yield* SqlClient.SqlClient
      const ids = yield* seedDrafts(account, portionMax + 1, "submitted")
      yield* sql`update invoices set next_action_at = ${later} where id = any(${ids})`
      const due = sql`select distinct next_action_at as at from invoices where id = any(${ids})`
      assert.strictEqual((yield* advance(3_600)).status, 200)
      assert.deepStrictEqual(yield* due, [{ at: hourBefore }])
      const again = yield* advance(3_600)
      assert.deepStrictEqual([again.status, again.headers["svc-idempotency-cached"]], [200, "true"])
      assert.strictEqual((yield* advance(60)).json.error.code, "idempotency_conflict")
      assert.deepStrictEqual(yield* due, [{ at: hourBefore }])
    }
  )

  it.effect("keep the sandbox's scripts and mode until the next change", function* () {
    const [rejection, delay] = [{ reject: ["CBF03a", "FAD06"] }, { delay: 60, accept: true }]
    assert.deepStrictEqual(yield* set({ next: [rejection, delay] }), answer("up", [rejection, delay]))
    assert.deepStrictEqual(yield* set({ mode: "slow" }), answer("slow", [rejection, delay]))
    assert.deepStrictEqual(yield* set({ next: [delay] }), answer("slow", [delay]))
    yield* addResting()
    assert.deepStrictEqual(yield* set({ mode: "up" }), answer("up", []))
    assert.deepStrictEqual(yield* set({ mode: "down", next: [{ lose: true }] }), answer("down", [{ lose: true }]))
    assert.deepStrictEqual(yield* set({ next: [] }), answer("down", []))
  })
})
