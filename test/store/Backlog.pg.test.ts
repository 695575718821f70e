import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { AccountId } from "../../schemas/Id.ts"
import { Backlog } from "../../src/store/Backlog.ts"
import { Invoices } from "../../src/store/Invoices.ts"
import { copyAccount, ownerLayer, seedAccount, seedDrafts } from "../support/Owners.ts"
import { TestDatabase } from "../support/Postgres.ts"

const waiting = Effect.flatMap(Backlog, (backlog) => backlog.waiting)

layer(TestDatabase.layer, { excludeTestServices: true })("Backlog", (it) => {
  it.effect("tells how old the oldest work is, and how much waits at each stage", () =>
    Effect.gen(function* () {
      const { url } = yield* TestDatabase
      const sql = yield* SqlClient.SqlClient
      yield* Effect.gen(function* () {
        const { of } = yield* seedAccount
        assert.deepStrictEqual(yield* waiting, {
          oldest_invoice: 0,
          oldest_delivery: 0,
          invoices: {},
          deliveries: {},
          in_contingency: 0,
          contingency_overdue: 0,
          oldest_contingency: 0,
          circuits: { live_failing: 0, live_open: 0, test_failing: 0, test_open: 0 }
        })

        const drafts = yield* seedDrafts(of.account_id, 2)
        const numbered = yield* seedDrafts(of.account_id, 1, "numbered")
        yield* sql`
          update invoices set created_at = now() - interval '90 seconds', next_action_at = now() + interval '1 hour'
          where id = any(${[...drafts, ...numbered]})`
        yield* sql`update invoices set created_at = now() - interval '200 seconds' where id = any(${numbered})`
        // Older, and done.
        const accepted = yield* seedDrafts(of.account_id, 3, "accepted_by_authority")
        yield* sql`update invoices set created_at = now() - interval '1 day' where id = any(${accepted})`
        const times = ["-1 hour", "-1 minute", "1 minute", "infinity"]
        yield* sql`
          insert into events (account_id, livemode, id, type, object_id, object_version, body, created_at)
          select ${of.account_id}, false, 'evt_' || n, 'invoice.failed', 'inv_' || n, 1, '{}', now() from generate_series(1, 5) n`
        yield* sql`
          insert into deliveries (account_id, livemode, id, endpoint_id, event_id, object_id, seq, status, next_attempt_at,
            created_at, updated_at)
          select ${of.account_id}, false, 'whd_' || n, 'we_1', 'evt_' || n, 'inv_' || n, n,
            case when n > 4 then 'failed' else 'pending' end,
            case when n = 4 then 'infinity' when n > 4 then now() - interval '1 day' else now() + (${times}::text[])[n]::interval
            end, now(), now()
          from generate_series(1, 5) n`

        const { deliveries, invoices, oldest_delivery, oldest_invoice } = yield* waiting
        assert.deepStrictEqual(invoices, { queued: 2, numbered: 1 })
        assert.deepStrictEqual(deliveries, { due: 2, scheduled: 1, resting: 1 })
        assert.isTrue(oldest_invoice >= 200 && oldest_invoice < 260, `${oldest_invoice} s`)
        const late = yield* seedDrafts(of.account_id, 2, "accepted_contingency")
        yield* sql`
          update invoices set contingency_since = now() - interval '50 hours',
            transmit_before = case when id = ${late[0]!} then now() - interval '1 hour' end
          where id = any(${late})`
        yield* sql`insert into authority_circuits (name, failing_since) values ('live', now()), (${of.account_id}, null)`
        const trouble = yield* waiting
        assert.deepInclude(trouble, {
          in_contingency: 2,
          contingency_overdue: 1,
          circuits: { live_failing: 1, live_open: 0, test_failing: 0, test_open: 0 }
        })
        assert.closeTo(trouble.oldest_contingency, 50 * 3_600, 60)
        assert.isTrue(oldest_delivery >= 3_600 && oldest_delivery < 3_660, `${oldest_delivery} s`)
      }).pipe(Effect.provide(ownerLayer(url)))
    })
  )

  it.effect("gives what is due of the accounts that are not left out, in order, once", () =>
    Effect.gen(function* () {
      const { url } = yield* TestDatabase
      const admin = yield* SqlClient.SqlClient
      yield* Effect.gen(function* () {
        const { of } = yield* seedAccount
        const other = AccountId.make(`ten_${"0".repeat(26)}`)
        yield* copyAccount(of.account_id, other)
        const invoices = yield* Invoices
        const own = yield* seedDrafts(of.account_id, 3)
        const others = yield* seedDrafts(other, 2)
        // The last is due for the longest time.
        yield* admin`
          update invoices i set next_action_at = now() - n.age * interval '1 second'
          from unnest(${[...others, ...own]}::text[]) with ordinality as n (id, age) where i.id = n.id`
        const take = (limit: number, without: ReadonlyArray<AccountId>) =>
          Effect.map(invoices.takeDue(limit, without), (due) => due.map(({ id }) => id as string))
        assert.sameMembers(yield* take(2, []), own.slice(1))
        assert.sameMembers(yield* take(2, [of.account_id]), others)
        assert.sameMembers(yield* take(2, [of.account_id]), [])
        assert.sameMembers(yield* take(2, [other]), own.slice(0, 1))
      }).pipe(Effect.provide(ownerLayer(url)))
    })
  )
})
