import { assert } from "@effect/vitest"
import { Array, Context, Effect, Fiber, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountMode } from "../../../schemas/Account.ts"
import { Acquirers } from "../../../src/accounts/store/Acquirers.ts"
import { Customers } from "../../../src/accounts/store/Customers.ts"
import { Idempotency } from "../../../src/accounts/store/Idempotency.ts"
import { purgeBatchMax, Retention } from "../../../src/operations/store/Retention.ts"
import { TestDatabase } from "../../support/database/Postgres.ts"
import { until } from "../../support/apps/Until.ts"
import { describeLive } from "../../support/Tests.ts"
import { blocked, newCustomer } from "../../support/database/Owners.ts"
import { paused, twoOwners } from "../../support/database/TwoOwners.ts"

/** Two owners of an empty database. */
const setUp = Effect.tap(twoOwners, ({ sql }) => sql`truncate idempotency_keys, attempts, deliveries, events`)

const retention = (owner: Context.Context<Retention>) => Context.get(owner, Retention)

const seedKeys = Effect.fnUntraced(function* (apiKey: string, ages: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(
    ages,
    (age) => sql`
      insert into idempotency_keys (api_key_id, value, fingerprint, status, body, completed_at)
      values (${apiKey}, ${age}, 'f', 201, '{}', now() - ${age}::interval)`
  )
})

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

/** The body of an id made `days` ago. */
const bodyOf = (days: number, index: number) => {
  const millis = Math.floor(Date.now() - days * 86_400_000)
  const time = Array.makeBy(10, (place) => alphabet[Math.floor(millis / 32 ** (9 - place)) % 32]).join("")
  return time + String(index).padStart(16, "0")
}

interface Delivery {
  readonly name: string
  readonly made: number
  readonly status: string
  /** Days since its last change. */
  readonly touched: number
}

/** Events and a delivery with two attempts for each, named by their bodies. */
const seedDeliveries = Effect.fnUntraced(function* (account: AccountMode, list: Array.NonEmptyReadonlyArray<Delivery>) {
  const sql = yield* SqlClient.SqlClient
  const rows = Array.map(list, (row, index) => ({ ...row, id: bodyOf(row.made, index) }))
  yield* sql`insert into events ${sql.insert(
    Array.map(rows, ({ id, made, name }) => ({
      ...account,
      id: `evt_${id}`,
      type: "invoice.failed",
      object_id: name,
      object_version: 1,
      body: "{}",
      created_at: new Date(Date.now() - made * 86_400_000)
    }))
  )}`
  const delivered = Array.filter(rows, ({ status }) => status !== "none")
  if (!Array.isArrayNonEmpty(delivered)) return
  yield* sql`insert into deliveries ${sql.insert(
    Array.map(delivered, ({ id, made, name, status, touched }) => ({
      ...account,
      id: `whd_${id}`,
      endpoint_id: "we_1",
      event_id: `evt_${id}`,
      object_id: name,
      seq: 1,
      status,
      created_at: new Date(Date.now() - made * 86_400_000),
      updated_at: new Date(Date.now() - touched * 86_400_000)
    }))
  )}`
  yield* sql`
    insert into attempts (account_id, livemode, delivery_id, number, trigger, started_at, duration_ms, response_headers, response_body)
    select account_id, livemode, id, n, 'auto', now(), 1, '{}', '' from deliveries, generate_series(1, 2) n
    where livemode = ${account.livemode}`
})

const names = (table: "deliveries" | "events") =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ object_id: string }>`select object_id from ${sql(table)} order by object_id`
    return rows.map((row) => row.object_id)
  })

const initials = (all: ReadonlyArray<string>) => all.map((name) => name[0]).join("")

const drain = (purge: Effect.Effect<number>) =>
  Effect.gen(function* () {
    let total = 0
    for (let removed = -1; removed !== 0; total += removed) removed = yield* purge
    return total
  })

/** A request with the only key, whose response has expired. */
const create = (owner: Context.Context<Customers>, account: AccountMode, apiKey: string, id: string) =>
  Context.get(owner, Customers).create(
    newCustomer(account, `cust_${id.repeat(26)}`, { api_key_id: apiKey, value: "26:00", fingerprint: id }, id)
  )

const stored = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ body: string; fresh: boolean }>`
    select body, completed_at > now() - interval '1 minute' as fresh from idempotency_keys`
})

describeLive(TestDatabase.layer)("Retention", (it) => {
  it.effect("removes idempotency keys an hour after their window, and no others", function* () {
    const { apiKey, first, sql } = yield* setUp
    const kept = ["0", "23:59:59", "24:00:01", "24:59:30"]
    yield* seedKeys(apiKey, [...kept, "25:00:01", "26:00", "400 days"])
    assert.strictEqual(yield* retention(first).idempotency_keys, 3)
    assert.strictEqual(yield* retention(first).idempotency_keys, 0)
    const left = yield* sql<{ value: string }>`select value from idempotency_keys`
    assert.deepStrictEqual(left.map((row) => row.value).toSorted(), kept.toSorted())
  })

  it.effect("removes the authority's answers about acquirers after a day, and not earlier", function* () {
    const { account, first, sql } = yield* setUp
    const acquirers = Context.get(first, Acquirers)
    const said = { found: true, name: "Ana", email: null }
    for (const number of ["1", "2"]) yield* acquirers.keep(account, { type: "13", number }, said)
    yield* acquirers.keep(account, { type: "13", number: "3" }, { found: false, name: null, email: null })
    const knows = (number: string) => Effect.map(acquirers.find(account, { type: "13", number }), Option.isSome)
    const ages = (number: string, age: string) =>
      sql`update acquirers set asked_at = now() - ${age}::interval where identification_number = ${number}`
    yield* ages("1", "24:00:01")
    yield* ages("2", "23:59:00")
    yield* ages("3", "00:59:00")
    assert.deepStrictEqual([yield* knows("1"), yield* knows("2"), yield* knows("3")], [false, true, true])
    yield* ages("3", "01:00:01")
    assert.isFalse(yield* knows("3"))
    assert.deepStrictEqual([yield* retention(first).acquirers, yield* retention(first).acquirers], [1, 0])
    const left = yield* sql`select identification_number as number from acquirers order by 1`
    assert.deepStrictEqual(left, [{ number: "2" }, { number: "3" }])
  })

  it.effect("removes the bytes of test documents 30 days after their outcome, and keeps their numbers", function* () {
    const { account, first, sql } = yield* setUp
    const live = { ...account, livemode: true }
    const times = { started_at: new Date(), resumed_at: new Date(), answering_since: new Date() }
    const ended = {
      ...times,
      finished_at: new Date(),
      status: "passed",
      run: 1,
      wanted: "{}",
      range: "{}",
      technical_key_sealed: ""
    }
    yield* sql`insert into enablements ${sql.insert({ ...live, id: "set", ...ended })}`
    const ages = ["31 days", "29 days"]
    for (const [index, age] of ages.entries()) {
      yield* sql`
        insert into enablement_documents (account_id, livemode, enablement_id, prefix, number, full_number, kind, place, run, state, cufe,
          issue_date, issuer_nit, signed, attempts, sent_at, judged_at)
        values (${account.account_id}, true, 'set', 'SETP', ${index + 1}, ${age}, 'invoice', 1, 1, 'accepted', '', '', '', 'x', 1,
          now(), now() - ${age}::interval)`
    }
    assert.strictEqual(yield* retention(first).enablement_documents, 1)
    assert.strictEqual(yield* retention(first).enablement_documents, 0)
    const left = yield* sql`select full_number, signed is null as gone from enablement_documents order by number`
    assert.deepStrictEqual(left, [
      { full_number: "31 days", gone: true },
      { full_number: "29 days", gone: false }
    ])
  })

  it.effect(
    "removes finished deliveries after 30 days with their attempts, then their events, and no rows still needed",
    function* () {
      const { account, first, seed, sql } = yield* setUp
      const drafts = yield* seed(3)
      yield* sql`update invoices set created_at = now() - interval '400 days', updated_at = now() - interval '400 days'`
      yield* sql`
    insert into transitions select account_id, livemode, id, 2, 'Number', 'queued', 'numbered', now() - interval '400 days'
    from invoices`
      yield* sql`
    insert into invoice_documents select account_id, livemode, id, '\\x00', null, now() - interval '400 days' from invoices`
      yield* seedDeliveries(account, [
        { name: "a done long ago", made: 31, status: "succeeded", touched: 30.01 },
        { name: "b failed long ago", made: 90, status: "failed", touched: 89 },
        { name: "c canceled long ago", made: 35, status: "canceled", touched: 31 },
        { name: "d old, sent again lately", made: 40, status: "succeeded", touched: 29.99 },
        { name: "e old, waits for its endpoint", made: 400, status: "pending", touched: 400 },
        { name: "f new", made: 29, status: "succeeded", touched: 29 },
        { name: "g old, of no endpoint", made: 31, status: "none", touched: 31 },
        { name: "h new, of no endpoint", made: 29, status: "none", touched: 29 }
      ])
      yield* seedDeliveries({ ...account, livemode: true }, [
        { name: "i of the live mode", made: 60, status: "succeeded", touched: 60 }
      ])
      assert.strictEqual(yield* retention(first).deliveries, 4)
      assert.strictEqual(yield* retention(first).deliveries, 0)
      assert.strictEqual(initials(yield* names("deliveries")), "def")
      assert.deepStrictEqual(yield* sql`select count(*)::integer as count from attempts`, [{ count: 6 }])
      assert.strictEqual(yield* retention(first).events, 5)
      assert.strictEqual(initials(yield* names("events")), "defh")
      for (const table of ["invoices", "transitions", "invoice_documents"]) {
        const rows = yield* sql`select count(*)::integer as count from ${sql(table)}`
        assert.deepStrictEqual(rows, [{ count: drafts.length }], table)
      }
      yield* sql`truncate invoice_documents, transitions, invoices cascade`
    }
  )

  it.effect(
    "removes each row once when two run concurrently in small batches, and neither waits for the other",
    function* () {
      const { account, apiKey, first, second, service, sql } = yield* setUp
      const count = purgeBatchMax * 3
      yield* sql`
      insert into idempotency_keys (api_key_id, value, fingerprint, status, body, completed_at)
      select ${apiKey}, n::text, 'f', 201, '{}', now() - interval '2 days' from generate_series(1, ${count}) n`
      yield* seedDeliveries(
        account,
        Array.makeBy(count, (index) => ({ name: `${index}`, made: 40, status: "succeeded", touched: 40 }))
      )
      const both = [retention(first), retention(second)]
      for (const purge of ["idempotency_keys", "deliveries", "events"] as const) {
        // The second skips rows that a transaction of the first has removed but not committed.
        const [own, other] = yield* service.withTransaction(
          Effect.zip(retention(first)[purge], retention(second)[purge])
        )
        assert.deepStrictEqual([own, other], [purgeBatchMax, purgeBatchMax])
        const totals = yield* Effect.forEach(both, (owner) => drain(owner[purge]), { concurrency: 2 })
        assert.strictEqual(own + other + Array.reduce(totals, 0, (sum, total) => sum + total), count, purge)
      }
      for (const table of ["idempotency_keys", "attempts", "deliveries", "events"]) {
        assert.lengthOf(yield* sql`select 1 from ${sql(table)} limit 1`, 0, table)
      }
    }
  )

  it.effect("lets a request with the same key wait for it and count as a first request", function* () {
    const { account, apiKey, first, second, service } = yield* setUp
    yield* seedKeys(apiKey, ["26:00"])
    const purge = yield* paused((pause) =>
      service.withTransaction(Effect.tap(retention(first).idempotency_keys, () => pause))
    )
    const request = yield* Effect.forkScoped(create(second, account, apiKey, "a"))
    yield* until(blocked("acquirer, metadata"), (pids) => pids.length === 1)
    assert.strictEqual(yield* purge.goOn, 1)
    const result = yield* Fiber.join(request)
    assert.deepStrictEqual([result.replayed, result.answer.body], [false, "a"])
    assert.deepStrictEqual(yield* stored, [{ body: "a", fresh: true }])
  })

  it.effect("skips a key that a request is claiming again, and keeps the request's response afterwards", function* () {
    const { apiKey, first, account, second } = yield* setUp
    yield* seedKeys(apiKey, ["26:00"])
    const claim = { api_key_id: apiKey, value: "26:00", fingerprint: "b" }
    const request = yield* paused((pause) =>
      Context.get(second, Idempotency).once(
        account,
        claim,
        Effect.as(pause, { status: 200, location: null, body: "b" })
      )
    )
    assert.strictEqual(yield* retention(first).idempotency_keys, 0)
    assert.strictEqual((yield* request.goOn).replayed, false)
    assert.strictEqual(yield* retention(first).idempotency_keys, 0)
    assert.deepStrictEqual(yield* stored, [{ body: "b", fresh: true }])
  })

  it.effect("leaves one response for each expired key that concurrent requests claim again", function* () {
    const { account, apiKey, first, second, sql } = yield* setUp
    const keys = Array.makeBy(300, (index) => `k${index}`)
    yield* sql`
      insert into idempotency_keys (api_key_id, value, fingerprint, status, body, completed_at)
      select ${apiKey}, value, 'old', 201, 'old', now() - interval '26 hours' from unnest(${keys}::text[]) value`
    const request = (owner: typeof first) => (value: string, index: number) =>
      Context.get(owner, Idempotency).once(
        account,
        { api_key_id: apiKey, value, fingerprint: "new" },
        Effect.succeed({ status: 200, location: null, body: `${index}` })
      )
    const answers = yield* Effect.all(
      [
        Effect.forEach(keys, request(first), { concurrency: 5 }),
        Effect.forEach(keys, request(second), { concurrency: 5 }),
        Effect.as(Effect.repeat(retention(first).idempotency_keys, { times: 50 }), [])
      ],
      { concurrency: 3 }
    )
    const outcomes = answers.flat()
    assert.lengthOf(outcomes, 600)
    assert.lengthOf(
      outcomes.filter(({ replayed }) => !replayed),
      300
    )
    assert.isTrue(outcomes.every(({ answer }) => answer.body !== "old"))
    assert.strictEqual((yield* stored).filter(({ fresh }) => fresh).length, 300)
  })
})
