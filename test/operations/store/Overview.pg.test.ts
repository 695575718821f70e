import { assert, describe } from "@effect/vitest"
import { Context, Effect } from "effect"
import type { AccountMode } from "../../../schemas/Account.ts"
import { idOf } from "../../../src/database/Ids.ts"
import { Overview } from "../../../src/operations/store/Overview.ts"
import { troubledMax } from "../../../src/operations/store/OverviewRows.ts"
import { until } from "../../support/apps/Until.ts"
import { copyAccount, seedEndpoint } from "../../support/database/Owners.ts"
import { onPostgres, oneOwner } from "../../support/database/TwoOwners.ts"

const dayMs = 86_400_000

/** An owner with a document in each state, made now, and a way to copy one of these into the past. */
const arranged = Effect.gen(function* () {
  const owner = yield* oneOwner
  const { first, seed, sql } = owner
  const { read } = Context.get(first, Overview)
  const model: Record<string, string> = {}
  for (const state of [
    "accepted_by_authority",
    "failed",
    "rejected_by_authority",
    "accepted_contingency",
    "numbered"
  ] as const) {
    model[state] = (yield* seed(1, state))[0]!
  }
  let copies = 0
  /** `count` documents in this state, made `ago` milliseconds before now. */
  const copy = (state: string, count: number, ago: number, changes = "'{}'::jsonb") => {
    const made = Date.now() - ago
    const from = (copies += count) - count
    return sql`
      insert into invoices
      select c.* from invoices r, generate_series(${from + 1}::integer, ${from + count}::integer) n,
        jsonb_populate_record(r, jsonb_build_object('id', ${idOf("inv", made)} || lpad(n::text, 16, '0'),
          'number', n, 'full_number', 'N' || n, 'cufe', 'cufe ' || n, 'created_at', ${new Date(made)}::timestamptz)
          || ${sql.literal(changes)}) c
      where r.id = ${model[state]}`
  }
  return { ...owner, copy, read, model }
})

const counted = (rows: ReadonlyArray<{ readonly state: string; readonly count: number }>) =>
  Object.fromEntries(rows.map(({ count, state }) => [state, count]))

describe("The overview of an account", () => {
  onPostgres("counts the documents of today and of each day, and names the oldest with a problem", function* () {
    const { account, copy, model, read } = yield* arranged
    yield* copy("accepted_by_authority", 7, dayMs)
    yield* copy("accepted_by_authority", 3, 29 * dayMs)
    yield* copy("accepted_by_authority", 5, 31 * dayMs)
    yield* copy("failed", 2, 2 * dayMs)
    yield* copy("failed", 4, 40 * dayMs)
    yield* copy("accepted_contingency", 2, 3 * dayMs, `'{"transmit_before": "2026-01-02T00:00:00Z"}'`)
    yield* copy(
      "numbered",
      3,
      dayMs,
      `'{"waiting": {"code": "certificate_missing", "message": "None."}, "waiting_since": "2026-01-01T00:00:00Z"}'`
    )
    const seen = yield* read(account)
    assert.deepStrictEqual(counted(seen.today), {
      accepted_by_authority: 1,
      accepted_contingency: 1,
      failed: 1,
      numbered: 1,
      rejected_by_authority: 1
    })
    assert.strictEqual(seen.days.length, 30)
    assert.deepStrictEqual(
      [-1, -2, -3, -4, -30].map((index) => seen.days.at(index)?.count),
      [5, 10, 2, 2, 3]
    )
    const [failed, rejected] = seen.unaccepted.toSorted((a, b) => (a.state < b.state ? -1 : 1))
    assert.deepStrictEqual([failed?.count, failed?.full_number], [3, "N16"])
    assert.deepStrictEqual([rejected?.count, rejected?.id], [1, model["rejected_by_authority"]])
    assert.deepStrictEqual(
      seen.waiting.map(({ code, count, is_contingency, transmit_before }) => ({
        code,
        count,
        is_contingency,
        before: transmit_before?.getTime() ?? null
      })),
      [
        { code: null, count: 3, is_contingency: true, before: Date.parse("2026-01-02T00:00:00Z") },
        { code: "certificate_missing", count: 3, is_contingency: false, before: null }
      ]
    )
    assert.strictEqual(seen.latest.length, 5)
    const [newest] = seen.latest
    assert.deepStrictEqual([newest?.id, newest?.state, newest?.currency], [model["numbered"], "numbered", "COP"])
    // The overview caches the earlier days, and counts today again.
    yield* copy("accepted_by_authority", 1, 0)
    yield* copy("accepted_by_authority", 1, dayMs)
    const again = yield* read(account)
    assert.strictEqual(again.days.at(-1)?.count, 6)
  })

  onPostgres("reports endpoints, ranges, certificates, customers and returned emails", function* () {
    const { account, first, model, read, sql } = yield* arranged
    const failing_since = new Date(Date.now() - dayMs)
    const hook = yield* seedEndpoint(account, { failing_since }).pipe(Effect.provideContext(first))
    const event = (id: string, type: string, object: string) => sql`
      insert into events (account_id, livemode, id, type, object_id, object_version, body, created_at)
      values (${account.account_id}, false, ${id}, ${type}, ${object}, 1, '{}', now())`
    const delivery = (id: string, status: string, at: number) => sql`
      insert into deliveries (account_id, livemode, id, endpoint_id, event_id, object_id, seq, status, created_at, updated_at)
      values (${account.account_id}, false, ${`${idOf("whd", at)}${id}`}, ${hook}, ${`evt_${id}`}, 'o', 1, ${status}, now(), now())`
    for (const id of ["a", "b", "c"]) yield* event(`evt_${id}`, "invoice.failed", id)
    yield* delivery("a", "failed", Date.now())
    yield* delivery("b", "failed", Date.now() - 2 * dayMs)
    yield* delivery("c", "pending", Date.now())
    const mail = (id: string, invoice: string, status: string) => sql`
      insert into emails (account_id, livemode, id, invoice_id, document_state, recipient, status, next_attempt_at)
      values (${account.account_id}, false, ${id}, ${invoice}, 'accepted_by_authority', 'a@b.test', ${status}, null)`
    const now = Date.now()
    const bounced = model["accepted_by_authority"]!
    const resent = model["failed"]!
    yield* event(`${idOf("evt", now)}1`, "invoice.email.bounced", bounced)
    yield* event(`${idOf("evt", now)}2`, "invoice.email.bounced", resent)
    yield* event(`${idOf("evt", now - 8 * dayMs)}3`, "invoice.email.bounced", "inv_old")
    yield* mail("em_1", bounced, "bounced")
    yield* mail("em_2", resent, "bounced")
    yield* mail("em_3", resent, "delivered")
    yield* mail("em_4", "inv_old", "bounced")
    const seen = yield* read(account)
    assert.deepInclude(seen.endpoints[0], { id: hook, is_active: true, failing_since, failed: 1, pending: 1 })
    assert.deepStrictEqual(seen.bounced, { count: 1, id: bounced })
    assert.deepInclude(seen.ranges[0], { document_type: "invoice", is_active: true })
    assert.deepStrictEqual([seen.certificate, seen.test_set, seen.customers], [null, null, 0])
  })

  onPostgres("excludes the rows of other accounts and of the other mode", function* () {
    const { account, copy, first, read, sql } = yield* arranged
    yield* seedEndpoint(account, {}).pipe(Effect.provideContext(first))
    yield* copy("failed", 2, dayMs)
    yield* copyAccount(account.account_id, "ten_other")
    yield* sql`insert into account_modes (account_id, livemode, name, issuer_version, default_version) values (${account.account_id}, true, 'a', 0, '2026-01-01') on conflict do nothing`
    for (const one of [
      { account_id: "ten_other" as AccountMode["account_id"], livemode: false },
      { ...account, livemode: true }
    ]) {
      const { days, ...seen } = yield* read(one)
      assert.deepStrictEqual(seen, {
        today: [],
        unaccepted: [],
        waiting: [],
        endpoints: [],
        ranges: [],
        certificate: null,
        test_set: null,
        bounced: { count: 0, id: null },
        latest: [],
        customers: 0
      })
      assert.isTrue(days.every(({ count }) => count === 0))
    }
  })

  onPostgres("finds the few documents with problems by indexes, among any number", function* () {
    const { account, copy, read, sql } = yield* arranged
    yield* copy("accepted_by_authority", 5_000, dayMs)
    yield* copy("failed", 3, dayMs)
    yield* copy("accepted_contingency", 3, dayMs)
    yield* sql`analyze invoices`
    const scans = Effect.map(
      sql<{ name: string; count: bigint }>`
        select indexrelname as name, idx_scan as count from pg_stat_user_indexes where relname = 'invoices'`,
      (rows) => new Map(rows.map((row) => [row.name, row.count]))
    )
    const before = yield* scans
    const times = 8
    for (let asked = 0; asked < times; asked++) yield* read(account)
    for (const name of ["invoices_unaccepted", "invoices_waiting"]) {
      yield* until(scans, (after) => (after.get(name) ?? 0n) >= (before.get(name) ?? 0n) + BigInt(times))
    }
  })

  onPostgres("counts no further than its stated limit", function* () {
    const { account, copy, read } = yield* arranged
    yield* copy("failed", troubledMax + 1, dayMs)
    yield* copy("accepted_contingency", troubledMax + 1, dayMs)
    const { unaccepted, waiting } = yield* read(account)
    assert.strictEqual(unaccepted.find(({ state }) => state === "failed")?.count, troubledMax)
    assert.strictEqual(waiting.find(({ is_contingency }) => is_contingency)?.count, troubledMax)
  })
})
