import { assert } from "@effect/vitest"
import { Context, Effect, Exit, Scope } from "effect"
import { AccountId } from "../../../schemas/Id.ts"
import { Incidents } from "../../../src/operations/store/Incidents.ts"
import { Backlog } from "../../../src/operations/store/Backlog.ts"
import { Invoices } from "../../../src/invoices/store/Invoices.ts"
import { copyAccount, seedDrafts } from "../../support/database/Owners.ts"
import { until } from "../../support/apps/Until.ts"
import { TestDatabase } from "../../support/database/Postgres.ts"
import { describeLive } from "../../support/Tests.ts"
import { oneOwner } from "../../support/database/TwoOwners.ts"

describeLive(TestDatabase.layer)("Backlog", (it) => {
  it.effect("reports the age of the oldest work, and the number of waiting items at each stage", function* () {
    const { account, first, seed, sql } = yield* oneOwner
    const { waiting } = Context.get(first, Backlog)
    assert.deepStrictEqual(yield* waiting, {
      oldest_invoice: 0,
      oldest_delivery: 0,
      oldest_unsettled_event: 0,
      invoices: {},
      deliveries: {},
      in_contingency: 0,
      contingency_overdue: 0,
      oldest_contingency: 0,
      ranges_held: 0,
      circuits: { live_failing: 0, live_open: 0, test_failing: 0, test_open: 0 },
      troubles: { live: {}, test: {} },
      incidents: {}
    })

    const drafts = yield* seed(2)
    const numbered = yield* seed(1, "numbered")
    yield* sql`
      update invoices set created_at = now() - interval '90 seconds', next_action_at = now() + interval '1 hour'
      where id = any(${[...drafts, ...numbered]})`
    yield* sql`update invoices set created_at = now() - interval '200 seconds' where id = any(${numbered})`
    // Older, but finished.
    const accepted = yield* seed(3, "accepted_by_authority")
    yield* sql`update invoices set created_at = now() - interval '1 day' where id = any(${accepted})`
    const times = ["-1 hour", "-1 minute", "1 minute", "infinity"]
    yield* sql`
      insert into events (account_id, livemode, id, type, object_id, object_version, body, created_at)
      select ${account.account_id}, false, 'evt_' || n, 'invoice.failed', 'inv_' || n, 1, '{}', now() from generate_series(1, 5) n`
    yield* sql`
      insert into deliveries (account_id, livemode, id, endpoint_id, event_id, object_id, seq, status, next_attempt_at,
        created_at, updated_at)
      select ${account.account_id}, false, 'whd_' || n, 'we_1', 'evt_' || n, 'inv_' || n, n,
        case when n > 4 then 'failed' else 'pending' end,
        case when n = 4 then 'infinity' when n > 4 then now() - interval '1 day' else now() + (${times}::text[])[n]::interval
        end, now(), now()
      from generate_series(1, 5) n`

    const { deliveries, invoices, oldest_delivery, oldest_invoice } = yield* waiting
    assert.deepStrictEqual(invoices, { queued: 2, numbered: 1 })
    assert.deepStrictEqual(deliveries, { due: 2, scheduled: 1, resting: 1 })
    assert.isTrue(oldest_invoice >= 200 && oldest_invoice < 260, `${oldest_invoice} s`)
    const late = yield* seed(2, "accepted_contingency")
    const overdue = sql`
      update invoices set contingency_since = now() - interval '50 hours',
        transmit_before = case when id = ${late[0]!} then now() - interval '1 hour' end
      where id = any(${late})`
    // Disables the guard that keeps the submission time of a document.
    yield* sql.withTransaction(Effect.andThen(sql`set local session_replication_role = replica`, overdue))
    yield* sql`insert into authority_circuits (name, failing_since, trouble)
      values ('live', now(), 'tls_failed'), (${account.account_id}, null, null)`
    const trouble = yield* waiting
    assert.deepInclude(trouble, {
      in_contingency: 2,
      contingency_overdue: 1,
      circuits: { live_failing: 1, live_open: 0, test_failing: 0, test_open: 0 },
      troubles: { live: { tls_failed: 1 }, test: {} }
    })
    assert.closeTo(trouble.oldest_contingency, 50 * 3_600, 60)
    assert.isTrue(oldest_delivery >= 3_600 && oldest_delivery < 3_660, `${oldest_delivery} s`)
  })

  it.effect("reports how long a transaction has delayed events", function* () {
    const { account, first, sql } = yield* oneOwner
    const { waiting } = Context.get(first, Backlog)
    const { search } = Context.get(first, Incidents).sources.find(({ kinds }) => kinds.includes("events_held"))!
    const open = yield* Scope.make()
    const other = yield* Scope.provide(sql.reserve, open)
    yield* other.executeUnprepared("begin", [], undefined)
    yield* other.executeUnprepared("select pg_current_xact_id()::text", [], undefined)
    yield* sql`
      insert into events (account_id, livemode, id, type, object_id, object_version, body, created_at)
      values (${account.account_id}, false, 'evt_held', 'invoice.failed', 'inv_held', 1, '{}', now() - interval '2 minutes')`
    const { oldest_unsettled_event } = yield* waiting
    assert.closeTo(oldest_unsettled_event, 120, 30)
    const [cause] = (yield* search).causes
    assert.deepInclude(cause, { kind: "events_held", severity: "warning" })
    yield* other.executeUnprepared("rollback", [], undefined)
    yield* Scope.close(open, Exit.void)
    assert.strictEqual((yield* until(waiting, (now) => now.oldest_unsettled_event === 0)).oldest_unsettled_event, 0)
    assert.deepStrictEqual(yield* search, { causes: [], isAll: true })
  })

  it.effect("returns the due items of the accounts that are not excluded, in order, once", function* () {
    const { account, first, seed, sql: admin } = yield* oneOwner
    const invoices = Context.get(first, Invoices)
    const other = AccountId.make(`ten_${"0".repeat(26)}`)
    yield* copyAccount(account.account_id, other)
    const own = yield* seed(3)
    const others = yield* seedDrafts(other, 2).pipe(Effect.provideContext(first))
    // The last item is due for the longest time.
    yield* admin`
      update invoices i set next_action_at = now() - n.age * interval '1 second'
      from unnest(${[...others, ...own]}::text[]) with ordinality as n (id, age) where i.id = n.id`
    const take = (limit: number, without: ReadonlyArray<AccountId>) =>
      Effect.map(invoices.takeDue(limit, without), (due) => due.map(({ id }) => id as string))
    assert.sameMembers(yield* take(2, []), own.slice(1))
    assert.sameMembers(yield* take(2, [account.account_id]), others)
    assert.sameMembers(yield* take(2, [account.account_id]), [])
    assert.sameMembers(yield* take(2, [other]), own.slice(0, 1))
  })
})
