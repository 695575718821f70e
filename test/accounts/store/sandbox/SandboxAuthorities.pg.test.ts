import { assert } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Metric } from "effect"
import { AccountId } from "../../../../schemas/Id.ts"
import type { AuthorityScript } from "../../../../schemas/TestHelper.ts"
import * as Metrics from "../../../../src/runtime/Metrics.ts"
import * as AccountView from "../../../../src/database/AccountView.ts"
import { AuthorityCircuits } from "../../../../src/invoices/store/AuthorityCircuits.ts"
import { portionMax } from "../../../../src/accounts/store/sandbox/ClockJumps.ts"
import { SandboxAuthorities } from "../../../../src/accounts/store/sandbox/SandboxAuthorities.ts"
import { TestDatabase } from "../../../support/database/Postgres.ts"
import { describeLive } from "../../../support/Tests.ts"
import { refusedIn } from "../../../support/database/Refusals.ts"
import { blocked } from "../../../support/database/Owners.ts"
import { anotherOwner, endedOr, lockRows, oneOwner, paused } from "../../../support/database/TwoOwners.ts"

const refused = {
  account_id: "ten_1",
  trouble: "connection_refused",
  message: "it accepts no connections",
  is_authoritys: true,
  of_all: true
} as const

const setUp = Effect.gen(function* () {
  const { account, first, seed, service, sql } = yield* oneOwner
  return {
    account,
    sql,
    service,
    circuits: Context.get(first, AuthorityCircuits),
    sandbox: Context.get(first, SandboxAuthorities),
    seed: (count: number) => seed(count, "submitted")
  }
})

const delays = (count: number) => Array.from({ length: count }, (_, index) => ({ delay: index + 1 }))

describeLive(TestDatabase.layer)("SandboxAuthorities", (it) => {
  it.effect("keeps the authority's mode of each account, only for its own tests", function* () {
    const { account, sandbox, service, sql } = yield* setUp
    const other = AccountId.make(`ten_${"z".repeat(26)}`)
    yield* sql`insert into accounts (id, created_at) values (${other}, now())`
    const mine = AccountView.within(service, account)
    const modes = Effect.forEach([account.account_id, other], sandbox.modeOf, { concurrency: "unbounded" })
    assert.deepStrictEqual(yield* modes, ["up", "up"])
    yield* mine(sandbox.set(account.account_id, { mode: "flaky" }, "0"))
    yield* mine(sandbox.set(account.account_id, { mode: "down" }, "0"))
    assert.deepStrictEqual(yield* modes, ["down", "up"])

    const set = (accountId: string, livemode: boolean) =>
      service`insert into sandbox_authorities (account_id, livemode, mode) values (${accountId}, ${livemode}, 'down')`
    const live = AccountView.within(service, { ...account, livemode: true })
    assert.include(yield* refusedIn(mine, set(other, false)), "row-level security")
    assert.include(yield* refusedIn(live, set(account.account_id, false)), "row-level security")
    assert.include(yield* refusedIn(live, set(account.account_id, true)), "violates check constraint")
  })

  it.effect("looks for scripts in the statement that reads the modes while there are none", function* () {
    const { account, sandbox, seed, sql } = yield* setUp
    const [id = ""] = yield* seed(1)
    const [row] = yield* sql<{ full_number: string }>`select full_number from invoices where id = ${id}`
    const document = { account_id: account.account_id, kind: "invoice", full_number: row?.full_number ?? "" } as const
    const statements = Effect.map(Metric.value(Metrics.batchSizes("SandboxAuthorities.statusOf")), ({ count }) => count)
    const before = yield* statements
    const both = Effect.all([sandbox.modeOf(account.account_id), sandbox.scriptOf(document)], { concurrency: 2 })
    assert.deepStrictEqual((yield* both)[1], null)
    assert.strictEqual(yield* statements, before + 1)
  })

  it.effect("gives two processes each script once, in the order in which the documents were created", function* () {
    const { account, sandbox, seed, service, sql } = yield* setUp
    const others = Context.get(yield* anotherOwner, SandboxAuthorities)
    const mine = AccountView.within(service, account)
    const set = (next: ReadonlyArray<AuthorityScript>, after: string) =>
      Effect.map(mine(sandbox.set(account.account_id, { next }, after.slice(4))), (kept) => kept.next)
    const numbered = (ids: ReadonlyArray<string>) =>
      Effect.forEach(ids, (id) =>
        Effect.map(
          sql<{ full_number: string }>`select full_number from invoices where id = ${id}`,
          ([row]): Parameters<typeof sandbox.scriptOf>[0] => ({
            account_id: account.account_id,
            kind: "invoice",
            full_number: row?.full_number ?? ""
          })
        )
      )

    const before = yield* seed(2)
    assert.deepStrictEqual(yield* set(delays(20), before.at(-1)!), delays(20))
    const made = yield* seed(25)
    const documents = yield* numbered([...before, ...made])
    // Requested from the last to the first, by both processes concurrently.
    const given = yield* Effect.forEach(
      documents.toReversed(),
      (document) => Effect.all([sandbox.scriptOf(document), others.scriptOf(document)], { concurrency: 2 }),
      { concurrency: 10 }
    )
    assert.deepStrictEqual(
      given.toReversed().map(([one, other]) => [one?.delay, other?.delay]),
      [...before.map(() => undefined), ...delays(25).map(({ delay }) => (delay > 20 ? undefined : delay))].map(
        (delay) => [delay, delay]
      )
    )

    // New scripts replace the unused scripts, but not those due for documents created before them.
    yield* set([{ accept: true }, { lose: true }, { fail: true }], made.at(-1)!)
    const [due = ""] = yield* seed(1)
    assert.deepStrictEqual(yield* set([{ contingency: true }], due), [{ contingency: true }])
    const late = yield* numbered([due, ...(yield* seed(2))])
    const scripts = yield* Effect.forEach(late, others.scriptOf)
    assert.deepStrictEqual(scripts, [{ accept: true }, { contingency: true }, null])
    assert.deepStrictEqual(yield* set([], "inv_z"), [])
    assert.deepStrictEqual(yield* Effect.forEach(late, sandbox.scriptOf), scripts)
  })

  it.effect("waits for another process that distributes the account's scripts, and repeats none of them", function* () {
    const { account, sandbox, seed, service, sql } = yield* setUp
    const [before = "", id = ""] = yield* seed(2)
    yield* AccountView.within(
      service,
      account
    )(sandbox.set(account.account_id, { next: [{ fail: true }, { lose: true }] }, before.slice(4)))
    const [row] = yield* sql<{ full_number: string }>`select full_number from invoices where id = ${id}`
    const document = { account_id: account.account_id, kind: "invoice", full_number: row?.full_number ?? "" } as const
    const own = sql`account_id = ${account.account_id} and not livemode`
    const other = yield* paused((pause) =>
      sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`select from sandbox_authorities where ${own} for update`
          yield* pause
          yield* sql`update sandbox_authorities set next = next - 0 where ${own}`
        })
      )
    )
    const asked = yield* Effect.forkChild(sandbox.scriptOf(document))
    yield* endedOr(asked, blocked("sandbox_authorities"))
    yield* other.goOn
    assert.deepStrictEqual(yield* Fiber.join(asked), { lose: true })
  })

  it.effect("gives notes their scripts in one order with invoices", function* () {
    const { account, sandbox, seed, service, sql } = yield* setUp
    const mine = AccountView.within(service, account)
    const [before = "", first = "", second = ""] = yield* seed(3)
    // Their ids sort after those of the two invoices, apart from the prefix.
    for (const [kind, id, invoice] of [
      ["debit_note", `dn_${first.slice(4)}0`, first],
      ["credit_note", `cn_${second.slice(4)}0`, second]
    ]) {
      yield* sql`
        insert into invoices
        select (jsonb_populate_record(i, jsonb_build_object('id', ${id}::text, 'kind', ${kind}::text, 'invoice_id', id,
          'correction_code', '1', 'reason', 'x', 'cufe', ${id}::text))).*
        from invoices i where id = ${invoice}`
    }
    const next = [1, 2, 3, 4].map((delay) => ({ delay }))
    yield* mine(sandbox.set(account.account_id, { next }, before.slice(4)))
    assert.deepStrictEqual((yield* mine(sandbox.set(account.account_id, { mode: "up" }, ""))).next, [])
    const given = yield* sql<{ document_id: string; delay: number }>`
      select document_id, (script ->> 'delay')::integer as delay from sandbox_scripts
      where document_id > ${before} or document_id < 'inv' order by 2`
    assert.deepStrictEqual(
      given.map(({ document_id }) => document_id),
      [first, `dn_${first.slice(4)}0`, second, `cn_${second.slice(4)}0`]
    )
  })

  it.effect("advances the tests of one account only, and no document that a worker holds", function* () {
    const { circuits, account, sandbox, seed, service, sql } = yield* setUp
    yield* seed(3)
    const rows = yield* sql<{ id: string }>`select id from invoices order by id limit 3`
    const [waits, held, resting] = rows.map(({ id }) => id)
    yield* sql`update invoices set next_action_at = now() + interval '1 hour', worker = null`
    yield* sql`update invoices set worker = 'somebody' where id = ${held!}`
    yield* sql`update invoices set next_action_at = 'infinity' where id = ${resting!}`
    yield* circuits.failed(account.account_id, refused, 300_000, 390_000)
    yield* circuits.failed("live", refused, 300_000, 390_000)
    const dueIn = sql<{ id: string; minutes: number | null }>`
      select id, case when next_action_at < 'infinity'
        then round(extract(epoch from next_action_at - now()) / 60)::float8 end as minutes from invoices`
    const before = new Map((yield* dueIn).map((row) => [row.id, row.minutes]))
    yield* AccountView.within(service, account)(sandbox.advance(account.account_id, 1_800))
    const after = new Map((yield* dueIn).map((row) => [row.id, row.minutes]))
    const modes = yield* sql<{
      id: string
    }>`select id from invoices where livemode or account_id <> ${account.account_id}`
    for (const { id } of modes) assert.strictEqual(after.get(id), before.get(id))
    assert.deepStrictEqual([after.get(waits!), after.get(held!), after.get(resting!)], [30, 60, null])
    const failing = yield* Effect.forEach([account.account_id, "live"], circuits.read)
    const ages = failing.map(({ failing_ms }) => Math.round((failing_ms ?? 0) / 60_000))
    assert.deepStrictEqual(ages, [30, 0])
  })

  it.effect("advances only deliveries that wait for their time", function* () {
    const { account, sandbox, service, sql } = yield* setUp
    const kinds = ["waits", "rests", "held", "done"]
    for (const [index, id] of kinds.entries()) {
      yield* sql`
        insert into events (account_id, livemode, id, type, object_id, object_version, body, created_at)
        values (${account.account_id}, false, ${id}, 'invoice.failed', 'inv_1', ${index}, '', now())`
      yield* sql`
        insert into deliveries (account_id, livemode, id, endpoint_id, event_id, object_id, seq, status, worker,
          next_attempt_at, created_at, updated_at)
        values (${account.account_id}, false, ${id}, 'we_1', ${id}, 'inv_1', ${index},
          ${id === "done" ? "succeeded" : "pending"}, ${id === "held" ? "somebody" : null},
          ${id === "rests" ? "infinity" : "2130-01-01T01:00:00Z"}::text::timestamptz, now(), now())`
    }
    const rows = sql<{ id: string; xmin: string; minutes: number | null }>`
      select id, xmin::text, case when next_attempt_at < 'infinity'
        then extract(epoch from next_attempt_at - '2130-01-01T00:00:00Z')::integer / 60 end as minutes
      from deliveries order by seq`
    const before = yield* rows
    yield* AccountView.within(service, account)(sandbox.advance(account.account_id, 1_800))
    const [waits, ...others] = yield* rows
    assert.deepInclude(waits, { id: "waits", minutes: 30 })
    assert.deepStrictEqual(others, before.slice(1))
  })

  it.effect("advances many rows in portions, waits for no lock, and does not rewrite resting rows", function* () {
    const { account, sandbox, seed, sql } = yield* setUp
    yield* sql`truncate invoices cascade`
    assert.isFalse(yield* sandbox.isMuchToAdvance(account.account_id))
    const ids = yield* seed(2 * portionMax + 2)
    const [locked = "", resting = ""] = ids
    yield* sql`update invoices set next_action_at = '2130-01-01T00:00:00Z', worker = null`
    yield* sql`update invoices set next_action_at = 'infinity' where id = ${resting}`
    assert.isTrue(yield* sandbox.isMuchToAdvance(account.account_id))
    const version = sql<{ xmin: string }>`select xmin::text from invoices where id = ${resting}`
    const before = yield* version
    const { release } = yield* lockRows(sql`invoices where id = ${locked}`)
    // Two concurrent calls: each moves all rows that the other does not hold.
    const advance = Effect.exit(sandbox.advance(account.account_id, 3_600))
    const exits = yield* Effect.all([advance, advance], { concurrency: 2 })
    yield* release
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
})
