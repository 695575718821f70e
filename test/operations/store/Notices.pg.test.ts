import { assert } from "@effect/vitest"
import { Context, Duration, Effect } from "effect"
import type { AccountMode } from "../../../schemas/Account.ts"
import { Notices } from "../../../src/operations/store/Notices.ts"
import { Retention } from "../../../src/operations/store/Retention.ts"
import { seedEndpoint } from "../../support/database/Owners.ts"
import { refusal } from "../../support/database/Refusals.ts"
import { onPostgres, twoOwners } from "../../support/database/TwoOwners.ts"

const all = { concurrency: "unbounded" } as const
const hourMs = 3_600_000
const dayMs = 24 * hourMs
const ago = (ms: number) => new Date(Date.now() - ms)

/** Two processes, and an account whose live mode has an endpoint, a range, a certificate and a failed test set. */
const setUp = Effect.gen(function* () {
  const { account, first, second, service, sql } = yield* twoOwners
  const [one, other] = [Context.get(first, Notices), Context.get(second, Notices)]
  const live: AccountMode = { ...account, livemode: true }
  yield* sql`
    insert into account_modes (account_id, livemode, name, issuer, issuer_version, default_version)
    select account_id, true, name, issuer, issuer_version, default_version from account_modes
    where account_id = ${account.account_id} and not livemode on conflict do nothing`
  const openKinds = (mode: AccountMode = live) =>
    Effect.map(one.openOf([mode.account_id], mode.livemode), (rows) => rows.map(({ kind }) => kind).toSorted())
  const failing = (mode: AccountMode, since: Date) =>
    seedEndpoint(mode, { failing_since: since }).pipe(
      Effect.provideContext(first),
      Effect.tap((id) => sql`update webhook_endpoints set failing_since = ${since} where id = ${String(id)}`)
    )
  const certificate = (days: number) =>
    sql`
      insert into certificates ${sql.insert({
        ...live,
        id: `cert_${String(days + 1_000).padStart(26, "0")}`,
        subject: "CN=a",
        not_before: ago(400 * dayMs),
        not_after: ago(-days * dayMs - hourMs),
        sealed: "s",
        created_at: new Date()
      })}`
  const due = sql<{ kind: string }>`select kind from notices where next_email_at is not null order by kind`
  const both = Effect.forEach([one, other, one, other], ({ search }) => search, { ...all, discard: true })
  return { account, live, service, sql, one, other, first, openKinds, failing, certificate, due, both }
})

const testSet = (live: AccountMode, status: "failed" | "passed" | "running") => ({
  ...live,
  id: "set",
  status,
  run: 1,
  wanted: "{}",
  range: "{}",
  technical_key_sealed: "k",
  failure: status === "failed" ? JSON.stringify({ code: "c", message: "m", retryable: false }) : null,
  started_at: new Date(),
  resumed_at: new Date(),
  answering_since: new Date(),
  finished_at: status === "running" ? null : new Date(),
  next_action_at: status === "running" ? new Date() : null
})

onPostgres(
  "A notice that several processes find concurrently opens once, is due to be emailed once, and ends with its cause",
  function* () {
    const { account, both, certificate, due, failing, live, one, openKinds, sql } = yield* setUp
    yield* failing(live, ago(2 * hourMs))
    yield* failing(account, ago(2 * hourMs))
    yield* failing(live, ago(hourMs / 2))
    yield* certificate(20)
    yield* sql`insert into enablements ${sql.insert(testSet(live, "failed"))}`
    yield* sql`update resolutions set next_number = to_number - 1 where document_type = 'invoice' and not livemode`
    yield* both
    const kinds = ["certificate_expiring", "enablement_failed", "endpoint_failing"]
    assert.deepStrictEqual(yield* openKinds(), kinds as never)
    assert.deepStrictEqual(yield* openKinds(account), ["endpoint_failing", "range_filling"])
    // Only the live mode's notices are emailed.
    assert.deepStrictEqual(
      (yield* due).map(({ kind }) => kind),
      kinds
    )
    const [notice] = yield* one.openOf([account.account_id], false)
    assert.match(
      (yield* one.openOf([account.account_id], false)).find(({ kind }) => kind === "range_filling")?.message ?? "",
      /^Range \w+ for invoices has 2 numbers of \d+ left\. Ask the authority for another range/
    )
    assert.isNull(notice?.ended_at)
    // A search that finds nothing new writes nothing.
    const versions = sql`select id, xmin::text, xmax::text from notices order by id`
    const before = yield* versions
    yield* both
    assert.deepStrictEqual(yield* versions, before)

    yield* sql`update webhook_endpoints set failing_since = null`
    yield* sql`update enablements set status = 'running', failure = null, finished_at = null, next_action_at = now()`
    yield* certificate(300)
    yield* sql`update resolutions set is_active = false`
    yield* both
    assert.deepStrictEqual([yield* openKinds(), yield* openKinds(account), yield* due], [[], [], []])
    const [{ count } = { count: 0 }] = yield* sql<{ count: number }>`select count(*)::int from notices`
    assert.strictEqual(count, 5)
  }
)

onPostgres("A more severe notice about an object replaces the less severe one, and is emailed as well", function* () {
  const { both, certificate, one, openKinds, sql } = yield* setUp
  const seen: Array<ReadonlyArray<string>> = []
  yield* certificate(20)
  for (const days of [20, 6, -2]) {
    yield* sql`update certificates set not_after = ${ago(-days * dayMs - hourMs)}`
    yield* both
    seen.push(yield* openKinds())
    const emails = yield* one.take
    yield* Effect.forEach(emails, (email) => one.recordEmail(email, true, null))
    assert.lengthOf(emails, 1)
  }
  assert.deepStrictEqual(seen, [["certificate_expiring"], ["certificate_expiring_soon"], ["certificate_expired"]])
})

onPostgres(
  "A notice that opens again within a day is emailed a day after the last email, if it is still open",
  function* () {
    const { both, due, failing, live, one, openKinds, sql } = yield* setUp
    const id = String(yield* failing(live, ago(2 * hourMs)))
    const flap = (since: Date | null) =>
      Effect.andThen(sql`update webhook_endpoints set failing_since = ${since}`, both)
    yield* both
    const [email] = yield* one.take
    assert.deepInclude(email, { email_attempts: 1, livemode: true })
    yield* one.recordEmail(email!, true, null)
    yield* flap(null)
    yield* flap(ago(2 * hourMs))
    assert.deepStrictEqual([yield* openKinds(), yield* one.take], [["endpoint_failing"], []])
    const [wait] = yield* sql<{ hours: number }>`
    select extract(epoch from next_email_at - now()) / 3600 as hours from notices where next_email_at is not null`
    assert.closeTo(Number(wait?.hours), 24, 0.1)
    yield* flap(null)
    assert.lengthOf(yield* due, 0)
    yield* sql`update notices set emailed_at = now() - interval '25 hours' where emailed_at is not null`
    yield* flap(ago(2 * hourMs))
    assert.lengthOf(yield* one.take, 1)
    const [row] = yield* sql`select count(*)::int as count from notices where object_id = ${id}`
    assert.deepStrictEqual(row, { count: 3 })
  }
)

onPostgres("An email under way in a killed process is due again after its lease, and is recorded once", function* () {
  const { both, due, failing, live, one, other, sql } = yield* setUp
  yield* failing(live, ago(2 * hourMs))
  yield* both
  const taken = (yield* Effect.all([one.take, other.take, one.take], all)).flat()
  assert.lengthOf(taken, 1)
  // The first process is killed. Its lease ends.
  yield* sql`update notices set next_email_at = now() where next_email_at is not null`
  const [again] = yield* other.take
  assert.deepInclude(again, { id: taken[0]!.id, email_attempts: 2 })
  // A late failure of the first attempt changes nothing.
  yield* one.recordEmail(taken[0]!, false, null)
  assert.lengthOf(yield* due, 1)
  yield* other.recordEmail(again!, true, null)
  yield* one.recordEmail(taken[0]!, false, 0)
  const rows = yield* sql`select emailed_at is not null as emailed, next_email_at as next from notices`
  assert.deepStrictEqual(rows, [{ emailed: true, next: null }])
})

onPostgres("A notice whose cause is gone is not emailed any more, also after a failed attempt", function* () {
  const { both, failing, live, one, sql } = yield* setUp
  yield* failing(live, ago(2 * hourMs))
  yield* both
  const [email] = yield* one.take
  yield* sql`update webhook_endpoints set failing_since = null`
  yield* both
  yield* one.recordEmail(email!, false, 0)
  assert.isEmpty(yield* one.take)
})

onPostgres("A closed account has no open notices", function* () {
  const { both, failing, live, openKinds, sql } = yield* setUp
  yield* failing(live, ago(2 * hourMs))
  yield* both
  assert.lengthOf(yield* openKinds(), 1)
  yield* sql`update accounts set status = 'closed'`
  yield* both
  assert.isEmpty(yield* openKinds())
})

onPostgres("A passed test set is reported until the account has a range for invoices", function* () {
  const { account, both, live, openKinds, sql } = yield* setUp
  yield* sql`insert into enablements ${sql.insert(testSet(live, "passed"))}`
  yield* both
  assert.deepStrictEqual(yield* openKinds(), ["enablement_passed"])
  yield* sql`
    insert into resolutions (account_id, livemode, id, number, document_type, prefix, from_number, to_number, valid_from, valid_to,
      technical_key, next_number, created_at)
    select account_id, true, id, number, document_type, prefix, from_number, to_number, valid_from, valid_to, technical_key, next_number, created_at
    from resolutions where account_id = ${account.account_id} and document_type = 'invoice' limit 1`
  yield* both
  assert.isEmpty(yield* openKinds())
})

onPostgres("The message of an open notice follows the facts, and the end of a notice is final", function* () {
  const { account, both, one, sql } = yield* setUp
  const left = Effect.map(
    one.openOf([account.account_id], false),
    ([row]) => /has (\d+) number/.exec(row!.message)?.[1]
  )
  yield* sql`update resolutions set next_number = to_number - 9`
  yield* both
  assert.strictEqual(yield* left, "10")
  yield* sql`update resolutions set next_number = to_number - 1`
  yield* both
  assert.strictEqual(yield* left, "2")
  yield* sql`update notices set ended_at = now()`
  assert.strictEqual(yield* refusal(sql`update notices set ended_at = null`), "a notice that has ended stays ended")
})

onPostgres("The purge removes notices that ended before the days of retention, and no open notice", function* () {
  const { first, live, sql } = yield* setUp
  const row = (id: string, ended_at: Date | null) => ({
    ...live,
    id: `ntc_00${id.repeat(24)}`,
    kind: "endpoint_full",
    object_id: id,
    message: "m",
    message_es: "m",
    opened_at: ago(400 * dayMs),
    ended_at
  })
  yield* sql`insert into notices ${sql.insert([row("a", ago(399 * dayMs)), row("b", null), row("c", ago(dayMs))])}`
  assert.strictEqual(yield* Context.get(first, Retention).notices, 1)
  assert.deepStrictEqual(yield* sql`select object_id from notices order by 1`, [{ object_id: "b" }, { object_id: "c" }])
})

const accountsCount = 5_000

onPostgres("The search of 5,000 accounts takes at most some seconds, and finds every one with a problem", function* () {
  const { one, sql } = yield* setUp
  yield* sql`insert into accounts (id, created_at) select 'ten_' || lpad(n::text, 26, '0'), now() from generate_series(1, ${accountsCount}) n`
  yield* sql`
    insert into account_modes (account_id, livemode, name, issuer, issuer_version, default_version)
    select a.id, livemode, m.name, m.issuer, m.issuer_version, m.default_version
    from accounts a, account_modes m where a.id like 'ten_0000%' and m.account_id not like 'ten_0000%'`
  yield* sql`
    insert into resolutions (account_id, livemode, id, number, document_type, prefix, from_number, to_number, valid_from, valid_to,
      technical_key, next_number, created_at)
    select a.id, m, 'res_' || substr(a.id, 5, 25) || k, '1', 'invoice', 'P' || k, 1, 1000, '2020-01-01',
      case when k = 1 and substr(a.id, 30) = '0' then current_date + 10 else '2090-01-01' end, '', 1, now()
    from accounts a, (values (false), (true)) modes (m), generate_series(1, 3) k where a.id like 'ten_0000%'`
  yield* sql`
    insert into webhook_endpoints (account_id, livemode, id, url, subscribed_events, max_in_flight, metadata, api_version, secret, failing_since,
      created_at, updated_at)
    select a.id, m, 'we_' || substr(a.id, 5), 'https://a.example.com', '{*}', 8, '{}', '2026-01-01', 's',
      case when substr(a.id, 30) = '5' then now() - interval '2 hours' end, now(), now()
    from accounts a, (values (false), (true)) modes (m) where a.id like 'ten_0000%'`
  yield* sql`
    insert into certificates (account_id, livemode, id, subject, not_before, not_after, sealed, created_at)
    select id, true, 'cert_' || substr(id, 5), 's', now(), now() + interval '1 year', 's', now() from accounts where id like 'ten_0000%'`
  yield* sql`analyze`
  yield* one.search
  const [time] = yield* Effect.timed(one.search)
  const found =
    yield* sql`select kind, livemode, count(*)::int as count from notices where ended_at is null group by 1, 2 order by 1, 2`
  const each = accountsCount / 10
  assert.deepStrictEqual(
    found,
    ["endpoint_failing", "range_expiring"].flatMap((kind) =>
      [false, true].map((livemode) => ({ kind, livemode, count: each }))
    )
  )
  assert.isBelow(Duration.toMillis(time), 10_000)
})
