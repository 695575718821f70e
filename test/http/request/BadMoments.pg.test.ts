import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { send } from "../../support/apps/Requests.ts"
import { describeLive } from "../../support/Tests.ts"
import { badStoredMoments } from "../inputs/badStoredMoments.ts"
import { badEnablementMoments } from "../inputs/badEnablements.ts"
import { badSessionMoments } from "../inputs/badSessions.ts"
import { assertRefused } from "../inputs/Refused.ts"

const stored = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select to_jsonb(e) as row from enablements e
    union all select to_jsonb(s) from portal_sessions s
    union all select to_jsonb(c) from customers c
    union all select to_jsonb(w) from webhook_endpoints w
    union all select to_jsonb(d) from deliveries d
    union all select to_jsonb(e) from events e
    union all select to_jsonb(k) - 'last_used_at' from api_keys k
    order by 1`
})

describeLive(app)("a bad moment", (it) => {
  it.effect.each([...badSessionMoments, ...badEnablementMoments, ...badStoredMoments])(
    "$code: $name gets its error and stores nothing",
    function* ({ given, ...bad }) {
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from enablements`
      yield* given
      const before = yield* stored
      const reply = yield* send(bad.sent)
      assert.deepStrictEqual(yield* stored, before)
      yield* assertRefused(reply, bad)
    }
  )
})
