import { assert } from "@effect/vitest"
import { Context, Effect, Fiber, Option } from "effect"
import type { InvoiceId } from "../../../schemas/Id.ts"
import { event } from "../../support/authority/AuthorityEvents.ts"
import { Acceptances, questionLeaseSeconds } from "../../../src/invoices/store/Acceptances.ts"
import { Invoices } from "../../../src/invoices/store/Invoices.ts"
import { invoiceView } from "../../../src/invoices/store/InvoiceViews.ts"
import { type Step, Transitions } from "../../../src/invoices/store/Transitions.ts"
import { SandboxAuthorities } from "../../../src/accounts/store/sandbox/SandboxAuthorities.ts"
import { Ids } from "../../../src/database/Ids.ts"
import { everyInvoice, restingAt } from "../../support/database/Owners.ts"
import { TestDatabase } from "../../support/database/Postgres.ts"
import { refusal } from "../../support/database/Refusals.ts"
import { lockRows, twoOwners } from "../../support/database/TwoOwners.ts"
import { describeLive } from "../../support/Tests.ts"

const noLinks = { pdf_url: null, xml_url: null, qr_url: null }
const page = { limit: 100, cursor: null }

/** Two owners, submitted invoices on credit terms, and a helper that accepts them. */
const setUp = Effect.gen(function* () {
  const { account, first, second, seed, service, sql } = yield* twoOwners
  const ids = Context.get(first, Ids)
  const transitions = Context.get(first, Transitions)
  const accept = Effect.fnUntraced(function* (id: InvoiceId, change: Partial<Step> = {}) {
    const step: Step = {
      key: { ...account, id },
      version: 1,
      from: "submitted",
      command: "Accept",
      to: "accepted_by_authority",
      ...restingAt("accepted_by_authority"),
      asksBuyer: true,
      event: {
        id: yield* ids.event,
        type: "invoice.accepted_by_authority",
        body: "{}",
        created_at: new Date()
      },
      ...change
    }
    return yield* transitions.move(step)
  })
  const submitted = Effect.fnUntraced(function* (count: number) {
    const made = yield* seed(count, "submitted")
    yield* sql`
      update invoices set payment_means = '{"code": "31", "type": "2", "due_date": "2026-12-31"}'
      where id = any(${made}::text[])`
    return made
  })
  const accepted = Effect.fnUntraced(function* (count: number) {
    const made = yield* submitted(count)
    yield* Effect.forEach(made, (id) => accept(id), { concurrency: "unbounded" })
    return made.map((id) => ({ ...account, id }))
  })
  const questions = Effect.map(
    sql<{ id: string; in_seconds: number | null; until_seconds: number; events: object }>`
      select id, extract(epoch from next_question_at - now())::float8 as in_seconds,
        extract(epoch from ask_until - now())::float8 as until_seconds, events
      from acceptances order by id`,
    (rows) => rows
  )
  const shown = (id: string) =>
    Effect.map(Context.get(first, Invoices).find(account, id), (row) =>
      Option.isSome(row) ? invoiceView(row.value, noLinks).acceptance : undefined
    )
  yield* sql`delete from acceptances`
  return {
    account,
    accept,
    accepted,
    first: Context.get(first, Acceptances),
    invoices: Context.get(first, Invoices),
    questions,
    sandbox: Context.get(first, SandboxAuthorities),
    second: Context.get(second, Acceptances),
    seed,
    service,
    shown,
    sql,
    submitted
  }
})

const daySeconds = 86_400
const isAround = (value: number | null | undefined, from: number, to: number) =>
  assert.isTrue(value !== null && value !== undefined && value >= from - 5 && value <= to + 5, `${value}`)

describeLive(TestDatabase.layer)("The store of acceptances", (it) => {
  it.effect(
    "plans a question for each accepted invoice that wants one, at a different time within a day",
    function* () {
      const { accept, questions, submitted } = yield* setUp
      const made = yield* submitted(41)
      // Only one invoice wants no question, in the same statement as the others.
      yield* Effect.forEach(made, (id, index) => accept(id, { asksBuyer: index !== 20 }), { concurrency: "unbounded" })
      const rows = yield* questions
      assert.sameMembers(
        rows.map(({ id }) => id),
        made.filter((_, index) => index !== 20)
      )
      for (const { in_seconds, until_seconds } of rows) {
        isAround(in_seconds, 0, daySeconds)
        isAround(until_seconds, 30 * daySeconds, 30 * daySeconds)
      }
      const hours = rows.map(({ in_seconds }) => Math.floor((in_seconds ?? 0) / 3_600))
      assert.isAbove(new Set(hours).size, 8)
    }
  )

  it.effect("plans no question if another owner moved the invoice first", function* () {
    const { accept, questions, submitted } = yield* setUp
    const [id] = yield* submitted(1)
    const { moved } = yield* accept(id!, { version: 7 })
    assert.isFalse(moved)
    assert.lengthOf(yield* questions, 0)
  })

  it.effect("gives each due question to one owner, longest due first, and again after its lease", function* () {
    const { account, accepted, first, questions, second, sql } = yield* setUp
    const made = yield* accepted(7)
    assert.deepStrictEqual(yield* first.take(9, []), [])
    yield* sql`
      update acceptances a set next_question_at = now() - (select count(*) from acceptances b where b.id < a.id) * interval '1 s'`
    assert.deepStrictEqual(yield* first.take(9, [account.account_id]), [])
    const [oldest] = yield* first.take(1, [])
    assert.strictEqual(oldest?.id, made.at(-1)?.id)
    const [left, right] = yield* Effect.all([first.take(3, []), second.take(9, [])], { concurrency: 2 })
    assert.sameMembers(
      [oldest, ...left, ...right].map((question) => question?.id),
      made.map(({ id }) => id)
    )
    assert.deepStrictEqual(yield* second.take(9, []), [])
    for (const { in_seconds } of yield* questions) isAround(in_seconds, questionLeaseSeconds, questionLeaseSeconds)
    // The owner dies: no question is lost, and each is due again.
    yield* sql`update acceptances set next_question_at = next_question_at - ${questionLeaseSeconds} * interval '1 s'`
    assert.lengthOf(yield* second.take(9, []), 7)
  })

  it.effect("gives the other questions if one has an invalid document id", function* () {
    const { account, accepted, first, sql } = yield* setUp
    const [key] = yield* accepted(1)
    yield* sql.withTransaction(
      sql`set local session_replication_role = replica`.pipe(
        Effect.andThen(sql`insert into acceptances ${sql.insert({ ...account, id: "strange" })}`),
        Effect.andThen(sql`update acceptances set next_question_at = now() - interval '1 s'`)
      )
    )
    assert.deepStrictEqual(yield* first.take(9, []), [key!])
  })

  it.effect("keeps the answers of both owners, and plans no question after an acceptance", function* () {
    const { accepted, first, questions, second, shown, sql } = yield* setUp
    const [key] = yield* accepted(1)
    const { release } = yield* lockRows(sql`acceptances where id = ${key!.id}`)
    const both = yield* Effect.forkScoped(
      Effect.all(
        [
          first.keep(key!, [event("030", { by: "Ana" }), event("031", { claim: "03" })]),
          second.keep(key!, [event("030", { by: "Ana" }), event("033", { at: Date.parse("2026-11-25T15:00:00Z") })]),
          first.keep(key!, [])
        ],
        { concurrency: 3 }
      )
    )
    yield* release
    yield* Fiber.join(both)
    assert.deepStrictEqual(
      (yield* questions).map(({ events, in_seconds }) => [Object.keys(events), in_seconds]),
      [[["030", "031", "033"], null]]
    )
    const acceptance = yield* shown(key!.id)
    assert.deepInclude(acceptance, { status: "accepted", at: "2026-11-25T10:00:00.000-05:00" })
    assert.deepStrictEqual(
      acceptance?.events.map(({ by, code, reason_code }) => [code, by, reason_code]),
      [
        ["030", "Ana", undefined],
        ["031", undefined, "03"],
        ["033", undefined, undefined]
      ]
    )
    // A registered answer stays.
    yield* first.keep(key!, [event("030", { by: "Luis" })])
    assert.strictEqual((yield* shown(key!.id))?.events[0]?.by, "Ana")
    assert.isNull((yield* questions)[0]?.in_seconds)
  })

  it.effect("plans a question within a day, the last after 30 days, and stops two days later", function* () {
    const { accepted, first, questions, shown, sql } = yield* setUp
    const [key] = yield* accepted(1)
    const inSeconds = Effect.map(questions, (rows) => rows[0]?.in_seconds)
    yield* first.keep(key!, [event("032")])
    isAround(yield* inSeconds, daySeconds - 3_600, daySeconds)
    yield* sql`update acceptances set ask_until = now() + interval '2 hours'`
    yield* first.keep(key!, [])
    isAround(yield* inSeconds, 7_200, 7_200)
    yield* sql`update acceptances set ask_until = now() - interval '1 hour'`
    yield* first.postpone([key!], 3_600)
    isAround(yield* inSeconds, 2_700, 4_500)
    assert.deepInclude(yield* shown(key!.id), { status: "received" })
    yield* first.keep(key!, [])
    assert.isNull(yield* inSeconds)
    yield* first.postpone([key!], 3_600)
    assert.isNull(yield* inSeconds)
    const [silent] = yield* accepted(1)
    yield* sql`update acceptances set ask_until = now() - interval '49 hours' where id = ${silent!.id}`
    yield* first.postpone([silent!], 3_600)
    assert.deepStrictEqual(yield* shown(silent!.id), { status: "unanswered", at: null, events: [] })
  })

  it.effect("shows the acceptance in lists and in the timeline, only for invoices on credit terms", function* () {
    const { account, accepted, first, invoices, seed } = yield* setUp
    const [key] = yield* accepted(1)
    const [cash] = yield* seed(1, "accepted_by_authority")
    yield* first.keep(key!, [
      event("030", { at: Date.parse("2020-11-25T15:00:00Z"), by: "Ana" }),
      event("033", { at: Date.parse("2036-11-25T15:00:00Z") })
    ])
    const { rows } = yield* invoices.list(account, page, everyInvoice)
    const views = new Map(rows.map((row) => [row.id as string, invoiceView(row, noLinks)]))
    assert.strictEqual(views.get(key!.id)?.acceptance?.status, "accepted")
    assert.isFalse(Object.hasOwn(views.get(cash!) ?? {}, "acceptance"))
    const { rows: entries } = yield* invoices.timeline(account, key!.id)
    assert.deepStrictEqual(
      entries.map((entry) => entry.type),
      ["acceptance", "transition", "transition", "event", "acceptance"].slice(0, entries.length)
    )
    assert.deepStrictEqual(entries.at(-1), {
      object: "timeline_entry",
      type: "acceptance",
      code: "033",
      name: "Aceptación expresa",
      name_en: "Express acceptance",
      at: "2036-11-25T10:00:00.000-05:00"
    })
    assert.deepInclude(entries[0], { code: "030", by: "Ana" })
  })

  it.effect("makes questions due sooner when a test advances the account's clock", function* () {
    const { account, accepted, first, questions, sandbox, sql } = yield* setUp
    yield* accepted(3)
    yield* sql`update acceptances set next_question_at = null where id = (select min(id) from acceptances)`
    yield* sandbox.advance(account.account_id, daySeconds)
    assert.lengthOf(yield* first.take(9, []), 2)
    for (const { in_seconds, until_seconds } of (yield* questions).slice(1)) {
      isAround(in_seconds, questionLeaseSeconds, questionLeaseSeconds)
      isAround(until_seconds, 29 * daySeconds, 29 * daySeconds)
    }
    yield* sandbox.advance(account.account_id, 29 * daySeconds)
    for (const key of yield* first.take(9, [])) yield* first.keep(key, [])
    assert.deepStrictEqual(
      (yield* questions).map(({ in_seconds }) => in_seconds),
      [null, null, null]
    )
  })

  it.effect("lets no statement remove or invent registered answers", function* () {
    const { accepted, first, service } = yield* setUp
    const [key] = yield* accepted(1)
    yield* first.keep(key!, [event("030")])
    for (const [statement, stoppedBy] of [
      [service`update acceptances set events = '{}'`, "a registered event stays"],
      [service`update acceptances set events = events || '{"035": {}}'`, "known_events"],
      [service`update acceptances set events = '[]'`, "known_events"],
      [service`update acceptances set id = 'inv_1'`, "permission denied"],
      [service`delete from acceptances`, "permission denied"]
    ] as const) {
      assert.include(yield* refusal(statement), stoppedBy)
    }
  })

  it.effect("finds due questions by their index among any number of rows", function* () {
    const { accepted, service, sql } = yield* setUp
    yield* accepted(1)
    yield* sql`analyze acceptances`
    const plan = yield* service.withTransaction(
      service`set local enable_seqscan = off`.pipe(
        Effect.andThen(
          service<{ "QUERY PLAN": string }>`
            explain select account_id, livemode, id from acceptances
            where next_question_at <= now() order by next_question_at limit 64`
        )
      )
    )
    assert.include(plan.map((row) => row["QUERY PLAN"]).join("\n"), "acceptances_due")
  })
})
