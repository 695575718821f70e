import { assert } from "@effect/vitest"
import { Context, Effect } from "effect"
import { AccountId } from "../../../schemas/Id.ts"
import type { IncidentKind } from "../../../schemas/Incident.ts"
import { causeOf } from "../../../src/operations/rules/Causes.ts"
import { failingEndpoint } from "../../../src/operations/rules/Findings.ts"
import { judge, type Look } from "../../../src/operations/rules/IncidentRules.ts"
import { Incidents } from "../../../src/operations/store/Incidents.ts"
import { Retention } from "../../../src/operations/store/Retention.ts"
import { refusal } from "../../support/database/Refusals.ts"
import { oneOwner, onPostgres, twoOwners } from "../../support/database/TwoOwners.ts"

const all = { concurrency: "unbounded" } as const
const [late, well] = ["b", "c"].map((letter) => AccountId.make(`ten_${letter.repeat(26)}`)) as [AccountId, AccountId]
const kind: IncidentKind = "endpoint_failing"
const since = new Date("2026-11-21T10:00:00Z")

/** Checks and records the incidents in one process. */
const look = (incidents: Incidents["Service"], seen: Look, channels = ["url"]) =>
  Effect.flatMap(incidents.open, (open) => incidents.record(judge(open, [seen]), channels))

const setUp = Effect.gen(function* () {
  const { account, first, second, service, sql } = yield* twoOwners
  const [one, other] = [Context.get(first, Incidents), Context.get(second, Incidents)]
  const causes = failingEndpoint.find({ ...account, issuer: "Café Andino S.A.S.", id: "we_1", since }).map(causeOf)
  const found: Look = { kinds: [kind], causes, isAll: true }
  const nothing: Look = { kinds: [kind], causes: [], isAll: true }
  const counts = sql<{ incidents: number; tellings: number }>`
    select (select count(*) from incidents)::int as incidents, (select count(*) from incident_alerts)::int as tellings`
  const hurry = sql`update incident_alerts set next_attempt_at = now() where next_attempt_at is not null`
  const attempted = { error: null, retryInMs: null, channel: "url" }
  return { service, sql, one, other, found, nothing, counts, hurry, attempted }
})

onPostgres(
  "An incident that two processes notice and end concurrently is opened, ended and reported once",
  function* () {
    const { counts, found, hurry, nothing, one, other, sql, attempted } = yield* setUp
    const both = (seen: Look) => Effect.forEach([one, other, one, other], (process) => look(process, seen), all)
    yield* both(found)
    assert.deepStrictEqual(yield* counts, [{ incidents: 1, tellings: 1 }])
    const taken = (yield* Effect.all([one.take("url"), other.take("url"), one.take("email")], all)).flat()
    assert.deepStrictEqual(
      taken.map(({ attempts, kind: of, state }) => [of, state, attempts]),
      [[kind, "opened", 1]]
    )
    const { id } = taken[0]!

    // It ends before its beginning was reported, so the report of the end waits.
    yield* both(nothing)
    yield* both(nothing)
    assert.lengthOf(yield* one.open, 1)
    yield* sql`update incidents set gone_since = now() - interval '5 minutes 1 second'`
    yield* both(nothing)
    assert.isEmpty(yield* one.open)
    assert.deepStrictEqual(yield* counts, [{ incidents: 1, tellings: 2 }])
    assert.isEmpty(yield* other.take("url"))
    yield* one.recordAttempt({ ...attempted, incident_id: id, state: "opened", attempts: 1 })
    const [end] = (yield* Effect.all([one.take("url"), other.take("url")], all)).flat()
    assert.deepInclude(end, { id, state: "ended" })
    yield* one.recordAttempt({ ...attempted, incident_id: id, state: "ended", attempts: 1 })
    yield* hurry
    assert.isEmpty((yield* Effect.all([one.take("url"), other.take("url")], all)).flat())
    // The next incident is a different one.
    yield* both(found)
    assert.deepStrictEqual(yield* counts, [{ incidents: 2, tellings: 3 }])
  }
)

onPostgres("An interrupted alert is due again after its lease, and a late result changes nothing", function* () {
  const { found, hurry, one, other, attempted } = yield* setUp
  yield* look(one, found)
  const first = (yield* one.take("url"))[0]!
  const about = { ...attempted, incident_id: first.id, state: "opened" as const }
  assert.isEmpty(yield* other.take("url"))
  yield* hurry
  const [again] = yield* other.take("url")
  assert.deepInclude(again, { id: first.id, attempts: 2 })
  yield* one.recordAttempt({ ...about, attempts: 1, error: "late", retryInMs: 0 })
  assert.isEmpty(yield* one.take("url"), "the second attempt is under way")
  yield* other.recordAttempt({ ...about, attempts: 2, error: "no\u0000 answer", retryInMs: 0 })
  assert.deepInclude((yield* one.channels)[0], { channel: "url", waiting: 1, error: "no answer" })
  const [third] = yield* one.take("url")
  yield* one.recordAttempt({ ...about, attempts: third?.attempts ?? 0 })
  assert.deepInclude((yield* one.channels)[0], { channel: "url", waiting: 0, error: null })
})

onPostgres(
  "A channel that is added later reports incidents that are open, and no end of an incident that it never reported",
  function* () {
    const { found, nothing, one, sql } = yield* setUp
    yield* look(one, found, [])
    assert.isEmpty(yield* one.take("url"))
    yield* look(one, found, ["url"])
    assert.lengthOf(yield* one.take("url"), 1)
    yield* look(one, nothing, ["url"])
    yield* sql`update incidents set gone_since = now() - interval '1 hour'`
    yield* look(one, nothing, ["url", "email"])
    const tellings = yield* sql`select channel, state from incident_alerts order by channel, state`
    assert.deepStrictEqual(tellings, [
      { channel: "url", state: "ended" },
      { channel: "url", state: "opened" }
    ])
    const [listed] = yield* one.list
    assert.lengthOf(listed?.alerts ?? [], 2)
    assert.isNotNull(listed?.ended_at)
  }
)

onPostgres("Ended incidents are kept for the days of retention, and never change", function* () {
  const { first, sql, service } = yield* oneOwner
  const { incidents: purgeIncidents } = Context.get(first, Retention)
  const insert = (id: string, ended: string) => sql`
    insert into incidents (id, kind, subject, severity, summary, action, details, since, gone_since, ended_at)
    values (${id}, 'endpoint_failing', ${id}, 'warning', '', '', '{}', now(), now(), now() - ${ended}::interval)`
  yield* insert("inc_old", "31 days")
  yield* insert("inc_new", "29 days")
  yield* sql`insert into incident_alerts (incident_id, channel, state) values ('inc_old', 'url', 'opened')`
  assert.strictEqual(yield* purgeIncidents, 1)
  assert.deepStrictEqual(yield* sql`select id from incidents`, [{ id: "inc_new" }])
  assert.deepStrictEqual(yield* sql`select 1 from incident_alerts`, [])
  assert.include(yield* refusal(service`update incidents set ended_at = null`), "stays ended")
  assert.include(yield* refusal(service`update incidents set kind = 'test'`), "permission denied")
  const view = sql.withTransaction(Effect.andThen(sql`set local role folio_account`, sql`select 1 from incidents`))
  assert.include(yield* refusal(view), "permission denied")
})

onPostgres(
  "The causes of incidents are found, and no others: failing, full, ending, used, in contingency, broken",
  function* () {
    const { account, first, resolution, seed, sql } = yield* oneOwner
    const { sources } = Context.get(first, Incidents)
    const found = (wanted: IncidentKind) =>
      Effect.map(sources.find(({ kinds }) => kinds.includes(wanted))!.search, ({ causes }) => causes)
    const kindsOf = (wanted: IncidentKind) =>
      Effect.map(found(wanted), (causes) => causes.map((cause) => [cause.kind, cause.subject]))
    const { account_id } = account
    const clocked = (yield* seed(3, "accepted_contingency")).slice(1)
    const failed = yield* seed(7, "failed")
    /** As if they had been made with live keys. */
    const makeLive = (ids: ReadonlyArray<string>) =>
      sql.withTransaction(
        Effect.andThen(
          sql`set local session_replication_role = replica`,
          sql`update invoices set livemode = true where id = any(${ids}::text[])`
        )
      )
    const endpoint = (id: string, failing: string | null, full: boolean, active: boolean) => sql`
    insert into webhook_endpoints (account_id, livemode, id, url, subscribed_events, is_active, max_in_flight, metadata, api_version,
      secret, failing_since, full_since, created_at, updated_at)
    values (${account_id}, true, ${id}, 'https://hooks.example.com/secret', '{}', ${active}, 8, '{}', '2026-01-01', 'x',
      now() - ${failing}::interval, ${full ? new Date() : null}::timestamptz, now(), now())`
    yield* endpoint("we_well", null, false, true)
    yield* endpoint("we_early", "59 minutes", false, true)
    yield* endpoint("we_failing", "61 minutes", false, true)
    yield* endpoint("we_paused", "61 minutes", true, false)
    yield* endpoint("we_full", null, true, true)
    assert.deepStrictEqual(yield* kindsOf("endpoint_failing"), [["endpoint_failing", "we_failing"]])
    assert.deepStrictEqual(yield* kindsOf("endpoint_full"), [["endpoint_full", "we_full"]])

    const certificate = (id: string, days: number, owner = account_id) => sql`
    insert into certificates values (${owner}, true, ${id}, 'CN=x', now() - interval '2 years', now() + ${days} * interval '1 day', 'x', now())`
    yield* sql`insert into accounts values (${late}, now()), (${well}, now())`
    yield* certificate("cert_replaced", 3)
    yield* certificate("cert_last", 20)
    yield* certificate("cert_late", -1, late)
    yield* certificate("cert_well", 200, well)
    assert.deepStrictEqual(yield* kindsOf("certificate_expiring"), [
      ["certificate_expiring", "cert_last"],
      ["certificate_expired", "cert_late"]
    ])

    assert.deepStrictEqual(yield* found("range_filling"), [])
    yield* sql`update resolutions set to_number = next_number + 9, from_number = next_number - 90 where id = ${resolution}`
    const [used] = yield* found("range_filling")
    assert.deepInclude(used, {
      kind: "range_filling",
      subject: resolution,
      account: { account_id, livemode: false, issuer: "Folio Sandbox S.A.S." }
    })
    assert.deepInclude(used?.details, { numbers_left: 10, size: 100 })
    yield* sql`
    insert into resolutions select r.* from resolutions o, jsonb_populate_record(o, jsonb_build_object('id', 'res_next', 'next_number', o.from_number)) r
    where o.id = ${resolution}`
    assert.deepStrictEqual(yield* found("range_filling"), [], "it has a successor of the same prefix")
    yield* sql`update resolutions set valid_to = now()::date + 20`
    assert.sameDeepMembers(yield* kindsOf("range_expiring"), [
      ["range_filling", resolution],
      ["range_expiring", resolution],
      ["range_expiring", "res_next"]
    ])
    assert.deepStrictEqual(yield* found("numbering_held"), [])
    yield* sql`update resolutions set held_since = now() where id = ${resolution}`
    assert.deepStrictEqual(yield* kindsOf("numbering_held"), [["numbering_held", resolution]])
    yield* sql`update resolutions set is_active = false`
    assert.deepStrictEqual(yield* found("range_filling"), [])

    assert.deepStrictEqual([yield* found("contingency_entered"), yield* found("authority_unreachable")], [[], []])
    yield* sql`
    insert into authority_circuits (name, failing_since, failed_at, trouble)
    values ('live', now() - interval '16 minutes', now(), 'no_route'), (${account_id}, now() - interval '1 day', now(), 'no_route')`
    assert.deepStrictEqual(
      (yield* found("authority_unreachable")).map(({ details }) => details),
      [{ trouble: "no_route" }]
    )
    yield* makeLive(clocked)
    const [clock] = yield* found("contingency_entered")
    assert.deepInclude(clock?.details, { documents: 2, account_ids: [account_id] })

    const [inTest] = yield* found("documents_failed")
    assert.deepInclude(inTest, { severity: "info", subject: `${account_id} test` })
    assert.deepInclude(inTest?.details, { documents: 7 })
    yield* makeLive(failed)
    const [broken] = yield* found("documents_failed")
    assert.deepInclude(broken, { severity: "critical", subject: `${account_id} live` })
    assert.deepStrictEqual(broken?.details, { documents: 7, document_ids: failed.toSorted().slice(0, 5) })
    assert.notMatch(JSON.stringify(broken), /hooks\.example|secret/)
  }
)
