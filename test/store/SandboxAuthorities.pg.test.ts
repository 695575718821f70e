import { assert, layer } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { AccountId } from "../../schemas/Id.ts"
import * as AccountView from "../../src/store/AccountView.ts"
import { AuthorityCircuits } from "../../src/store/AuthorityCircuits.ts"
import { portionMax, SandboxAuthorities } from "../../src/store/SandboxAuthorities.ts"
import { ownerLayer, seedAccount, seedDrafts } from "../support/Owners.ts"
import { TestDatabase } from "../support/Postgres.ts"
import { refusal } from "../support/Refusals.ts"
import { until } from "../support/Until.ts"

const setUp = Effect.gen(function* () {
  const { url } = yield* TestDatabase
  const store = yield* Layer.build(ownerLayer(url))
  const { of } = yield* seedAccount.pipe(Effect.provideContext(store))
  const sql = yield* SqlClient.SqlClient
  return {
    of,
    sql,
    service: Context.get(store, SqlClient.SqlClient),
    circuits: Context.get(store, AuthorityCircuits),
    sandbox: Context.get(store, SandboxAuthorities),
    seed: (count: number) => seedDrafts(of.account_id, count, "submitted").pipe(Effect.provideContext(store))
  }
})

layer(TestDatabase.layer, { excludeTestServices: true })("SandboxAuthorities", (it) => {
  it.effect("keeps how each account wants its authority, for its own tests alone", () =>
    Effect.gen(function* () {
      const { of, sandbox, service, sql } = yield* setUp
      const other = AccountId.make(`ten_${"z".repeat(26)}`)
      yield* sql`insert into accounts (id, created_at) values (${other}, now())`
      const mine = AccountView.within(service, of)
      const modes = Effect.forEach([of.account_id, other], sandbox.modeOf, { concurrency: "unbounded" })
      assert.deepStrictEqual(yield* modes, ["up", "up"])
      yield* mine(sandbox.setMode(of.account_id, "flaky"))
      yield* mine(sandbox.setMode(of.account_id, "down"))
      assert.deepStrictEqual(yield* modes, ["down", "up"])

      const set = (account: string, livemode: boolean) =>
        service`insert into sandbox_authorities (account_id, livemode, mode) values (${account}, ${livemode}, 'down')`
      const refusedIn = (livemode: boolean, statement: ReturnType<typeof set>) =>
        Effect.flip(AccountView.within(service, { ...of, livemode })(Effect.flatMap(refusal(statement), Effect.fail)))
      assert.include(yield* refusedIn(false, set(other, false)), "row-level security")
      assert.include(yield* refusedIn(true, set(of.account_id, false)), "row-level security")
      assert.include(yield* refusedIn(true, set(of.account_id, true)), "violates check constraint")
    })
  )

  it.effect("advances the tests of one account alone, and nothing that somebody is at work on", () =>
    Effect.gen(function* () {
      const { circuits, of, sandbox, seed, service, sql } = yield* setUp
      yield* seed(3)
      const rows = yield* sql<{ id: string }>`select id from invoices order by id limit 3`
      const [waits, held, resting] = rows.map(({ id }) => id)
      yield* sql`update invoices set next_action_at = now() + interval '1 hour', worker = null`
      yield* sql`update invoices set worker = 'somebody' where id = ${held!}`
      yield* sql`update invoices set next_action_at = 'infinity' where id = ${resting!}`
      yield* circuits.failed(of.account_id, 300_000, 390_000)
      yield* circuits.failed("live", 300_000, 390_000)
      const dueIn = sql<{ id: string; minutes: number | null }>`
        select id, case when next_action_at < 'infinity'
          then round(extract(epoch from next_action_at - now()) / 60)::float8 end as minutes from invoices`
      const before = new Map((yield* dueIn).map((row) => [row.id, row.minutes]))
      yield* AccountView.within(service, of)(sandbox.advance(of.account_id, 1_800))
      const after = new Map((yield* dueIn).map((row) => [row.id, row.minutes]))
      const modes = yield* sql<{ id: string }>`select id from invoices where livemode or account_id <> ${of.account_id}`
      for (const { id } of modes) assert.strictEqual(after.get(id), before.get(id))
      assert.deepStrictEqual([after.get(waits!), after.get(held!), after.get(resting!)], [30, 60, null])
      const failing = yield* Effect.forEach([of.account_id, "live"], circuits.read)
      const ages = failing.map(({ failing_ms }) => Math.round((failing_ms ?? 0) / 60_000))
      assert.deepStrictEqual(ages, [30, 0])
    })
  )

  it.effect("advances deliveries that wait for their time, and no others", () =>
    Effect.gen(function* () {
      const { of, sandbox, service, sql } = yield* setUp
      const kinds = ["waits", "rests", "held", "done"]
      for (const [index, id] of kinds.entries()) {
        yield* sql`
          insert into events (account_id, livemode, id, type, object_id, object_version, body, created_at)
          values (${of.account_id}, false, ${id}, 'invoice.failed', 'inv_1', ${index}, '', now())`
        yield* sql`
          insert into deliveries (account_id, livemode, id, endpoint_id, event_id, object_id, seq, status, worker,
            next_attempt_at, created_at, updated_at)
          values (${of.account_id}, false, ${id}, 'we_1', ${id}, 'inv_1', ${index},
            ${id === "done" ? "succeeded" : "pending"}, ${id === "held" ? "somebody" : null},
            ${id === "rests" ? "infinity" : "2130-01-01T01:00:00Z"}::text::timestamptz, now(), now())`
      }
      const rows = sql<{ id: string; xmin: string; minutes: number | null }>`
        select id, xmin::text, case when next_attempt_at < 'infinity'
          then extract(epoch from next_attempt_at - '2130-01-01T00:00:00Z')::integer / 60 end as minutes
        from deliveries order by seq`
      const before = yield* rows
      yield* AccountView.within(service, of)(sandbox.advance(of.account_id, 1_800))
      const [waits, ...others] = yield* rows
      assert.deepInclude(waits, { id: "waits", minutes: 30 })
      assert.deepStrictEqual(others, before.slice(1))
    })
  )

  it.effect("advances much in portions, waits for no lock, and does not rewrite what rests", () =>
    Effect.gen(function* () {
      const { of, sandbox, seed, sql } = yield* setUp
      yield* sql`truncate invoices cascade`
      assert.isFalse(yield* sandbox.isMuchToAdvance(of.account_id))
      const ids = yield* seed(2 * portionMax + 2)
      const [locked = "", resting = ""] = ids
      yield* sql`update invoices set next_action_at = '2130-01-01T00:00:00Z', worker = null`
      yield* sql`update invoices set next_action_at = 'infinity' where id = ${resting}`
      assert.isTrue(yield* sandbox.isMuchToAdvance(of.account_id))
      const version = sql<{ xmin: string }>`select xmin::text from invoices where id = ${resting}`
      const before = yield* version
      const holder = yield* Effect.forkScoped(
        sql.withTransaction(Effect.andThen(sql`select 1 from invoices where id = ${locked} for update`, Effect.never))
      )
      yield* until(sql`select 1 from invoices where id = ${locked} for update skip locked`, (free) => free.length === 0)
      // Two at once: each moves all that nobody else works at.
      const advance = Effect.exit(sandbox.advance(of.account_id, 3_600))
      const exits = yield* Effect.all([advance, advance], { concurrency: 2 })
      yield* Fiber.interrupt(holder)
      assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, true])
      const rows = yield* sql<{ hours: number; count: number; transactions: number }>`
        select extract(epoch from '2130-01-01T00:00:00Z' - next_action_at)::integer / 3600 as hours,
          count(*)::integer as count, count(distinct xmin::text)::integer as transactions
        from invoices where id <> ${resting} group by 1 order by 1`
      assert.deepStrictEqual(
        rows.map(({ count, hours }) => [hours, count]),
        [
          [0, 1],
          [2, 2 * portionMax]
        ]
      )
      assert.isAtLeast(rows[1]?.transactions ?? 0, 3, "no more than a portion is locked at a time")
      assert.deepStrictEqual(yield* version, before)
    })
  )
})
