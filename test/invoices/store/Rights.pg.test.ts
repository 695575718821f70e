import { assert } from "@effect/vitest"
import { Effect, Exit } from "effect"
import * as AccountView from "../../../src/database/AccountView.ts"
import { TestDatabase } from "../../support/database/Postgres.ts"
import { oneOwner } from "../../support/database/TwoOwners.ts"
import { describeLive } from "../../support/Tests.ts"

describeLive(TestDatabase.layer)("The rights of a request on test sets", (it) => {
  it.effect("allow it to begin a set and to resume a failed one, but not to end or rename one", function* () {
    const { account, service, sql } = yield* oneOwner
    const { account_id } = account
    const times = "now(), now(), now()"
    const inserted = (status: string, end: string) => `
      insert into enablements (account_id, livemode, id, status, run, wanted, range, technical_key_sealed, started_at, resumed_at, answering_since, ${end})
      values ('${account_id}', true, 'set of ${status}', '${status}', 1, '{}', '{}', '', ${times}, now())`
    yield* sql.unsafe(inserted("failed", "finished_at, failure").replace(/now\(\)\)$/, `now(), '{}')`))
    const isTaken = (statement: string) =>
      AccountView.within(service, { account_id, livemode: true })(service.unsafe(statement)).pipe(
        Effect.exit,
        Effect.map(Exit.isSuccess)
      )
    for (const refused of [
      "update enablements set status = 'passed', failure = null",
      'update enablements set failure = \'{"code": "other"}\'',
      "update enablements set id = 'another'",
      "update enablements set started_at = now() - interval '1 year'",
      "delete from enablements",
      inserted("passed", "finished_at")
    ]) {
      assert.isFalse(yield* isTaken(refused), refused)
    }
    const again = "status = 'running', run = run + 1, failure = null, finished_at = null, next_action_at = now()"
    assert.isTrue(yield* isTaken(`update enablements set ${again}`))
    assert.isTrue(yield* isTaken("update enablements set run = 3"))
  })

  it.effect("forbid it to undo a passed set", function* () {
    const { account, service, sql } = yield* oneOwner
    yield* sql`
      insert into enablements (account_id, livemode, id, status, run, wanted, range, technical_key_sealed, started_at, resumed_at, answering_since, finished_at)
      values (${account.account_id}, true, 'a set', 'passed', 1, '{}', '{}', '', now(), now(), now(), now())`
    const change = service`
      update enablements set status = 'running', finished_at = null, next_action_at = now() where id = 'a set'`
    assert.isTrue(Exit.isFailure(yield* Effect.exit(change)))
  })
})
