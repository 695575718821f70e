import { assert } from "@effect/vitest"
import { Clock, Effect, Fiber, Latch, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { layerWork } from "../../src/service/Layers.ts"
import { event } from "../support/authority/AuthorityEvents.ts"
import * as BuyersAnswers from "../../src/invoices/BuyersAnswers.ts"
import { Authority, AuthorityRefusal, AuthorityUnavailable } from "../../src/invoices/authority/Authority.ts"
import { AuthorityCircuits } from "../../src/invoices/store/AuthorityCircuits.ts"
import { Backpressure } from "../../src/invoices/Backpressure.ts"
import { account, otherAccount } from "../support/apps/Accounts.ts"
import { settled } from "../support/apps/Correcting.ts"
import { invoiceBody } from "../support/apps/Invoices.ts"
import { layer as app } from "../support/apps/PostgresApp.ts"
import { addCustomer, pastGuards } from "../support/apps/PostgresRows.ts"
import { get, post } from "../support/apps/Requests.ts"
import { patiently, until } from "../support/apps/Until.ts"
import { seedDrafts } from "../support/database/Owners.ts"
import { describeLive } from "../support/Tests.ts"
import { faultOf } from "../ports/Faults.ts"
import { authority as rows } from "../ports/PortTable.ts"
import { Limits, type LimitsChange } from "../../src/runtime/Limits.ts"

const hour = 3_600
const day = 24 * hour

const credit = { payment_means: { code: "31", type: "2", due_date: "2099-12-31" } }

/** The id of an accepted invoice on these terms. */
const addAccepted = Effect.fnUntraced(function* (terms: object = credit) {
  const { json, text } = yield* post("/v1/invoices", { ...invoiceBody(yield* addCustomer()), ...terms })
  assert.isString(json.id, text)
  assert.strictEqual((yield* settled(`/v1/invoices/${json.id}`)).status, "accepted_by_authority")
  return String(json.id)
})

type Events = NonNullable<Authority["Service"]["events"]>

const work = Layer.provideMerge(layerWork, Backpressure.layer)

/** An authority with these events, and the process that asks for them. Only this test's invoices have questions. */
const asking = Effect.fnUntraced(function* (limits: LimitsChange["authority"] = {}) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from acceptances`
  const asked: Array<string> = []
  const authority = {
    asked,
    events: (() => Effect.succeed([])) as (...args: Parameters<Events>) => ReturnType<Events>
  }
  const port = Authority.of({
    ...(yield* Authority),
    events: (document) =>
      Effect.suspend(() => {
        asked.push(document.cufe)
        return authority.events(document)
      })
  })
  const own = Layer.merge(Layer.succeed(Authority, port), Limits.layerChanged({ authority: limits }))
  const services = yield* Layer.build(Layer.provideMerge(work, own))
  const askAll = yield* Effect.provide(BuyersAnswers.make, services)
  return { authority, asked, askAll: askAll ?? assert.fail("it cannot be asked") }
})

/** Lets time pass for all questions. */
const pass = Effect.fnUntraced(function* (seconds: number) {
  const sql = yield* SqlClient.SqlClient
  const earlier = (column: string) => sql`${sql(column)} = ${sql(column)} - ${seconds} * interval '1 second'`
  yield* pastGuards(sql`update acceptances set ${earlier("next_question_at")}, ${earlier("ask_until")}`)
})

const reaches = (look: () => number, count: number) =>
  until(Effect.sync(look), (seen) => seen >= count, "180 seconds", "1 millis")

const acceptanceOf = (id: string) => Effect.map(get(`/v1/invoices/${id}`), ({ json }) => json.acceptance)

/** Seconds until the next question; null if there is none. */
const untilQuestion = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ seconds: number | null }>`
    select extract(epoch from next_question_at - now())::float8 as seconds from acceptances where id = ${id}`
  return row?.seconds ?? null
})

/** Waits vary by a quarter. */
const isAbout = (seconds: number | null, expected: number) =>
  assert.isTrue(seconds !== null && seconds > 0.7 * expected && seconds < 1.3 * expected, `${seconds} s`)

const rowOf = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`select to_jsonb(i) from invoices i where id = ${id}`
})

/** Questions that are due now about invoices without an actor. */
const addQuestions = Effect.fnUntraced(function* (of: typeof account, count: number, livemode = false) {
  const sql = yield* SqlClient.SqlClient
  const ids = yield* seedDrafts(of, count, "accepted_by_authority", livemode)
  yield* sql`
    insert into acceptances (account_id, livemode, id, next_question_at)
    select account_id, livemode, id, now() from invoices where id = any(${ids})`
  return ids
})

describeLive(app)("The acceptance of an invoice", (it) => {
  it.effect("ignores an invoice in cash, which shows no acceptance", function* () {
    const { asked, askAll } = yield* asking()
    const sql = yield* SqlClient.SqlClient
    const id = yield* addAccepted({})
    yield* pass(31 * day)
    yield* askAll
    assert.deepStrictEqual(asked, [])
    assert.isUndefined(yield* acceptanceOf(id))
    assert.deepStrictEqual(yield* sql`select 1 from acceptances`, [])
  })

  it.effect("asks once a day for 30 days, and is unanswered then", function* () {
    const { asked, askAll } = yield* asking()
    const id = yield* addAccepted()
    const before = yield* rowOf(id)
    assert.deepStrictEqual(yield* acceptanceOf(id), { status: "pending", at: null, events: [] })
    for (let hours = 0; hours < 30 * 24; hours += 6) {
      yield* askAll
      yield* pass(6 * hour)
    }
    // The first question is due at any time of the first day.
    assert.isTrue(asked.length >= 29 && asked.length <= 31, `asked ${asked.length} times`)
    assert.deepInclude(yield* acceptanceOf(id), { status: "pending" })
    yield* askAll
    assert.deepStrictEqual(yield* acceptanceOf(id), { status: "unanswered", at: null, events: [] })
    const { length } = asked
    yield* pass(30 * day)
    yield* askAll
    assert.lengthOf(asked, length)
    assert.deepStrictEqual(yield* rowOf(id), before)
  })

  it.effect(
    "keeps and shows each event in the invoice and its timeline, and asks nothing after an acceptance",
    function* () {
      const { asked, askAll, authority } = yield* asking()
      const id = yield* addAccepted()
      const nextDay = Effect.andThen(pass(day), askAll)
      authority.events = () => Effect.succeed([event("030", { by: "Ana\u0000" })])
      yield* nextDay
      assert.deepInclude(yield* acceptanceOf(id), { status: "acknowledged" })
      // A registered event stays, although the authority changes or withdraws it.
      authority.events = () => Effect.succeed([event("031", { claim: "01" }), event("030", { by: "Luis" })])
      yield* nextDay
      assert.deepInclude(yield* acceptanceOf(id), { status: "claimed" })
      authority.events = () => Effect.succeed([event("033", { at: Date.parse("2026-11-25T15:00:00Z") })])
      yield* nextDay
      assert.deepInclude(yield* acceptanceOf(id), { status: "accepted", at: "2026-11-25T10:00:00.000-05:00" })
      yield* pass(40 * day)
      yield* askAll
      assert.lengthOf(asked, 3)
      const entries: ReadonlyArray<Record<string, unknown>> = (yield* get(`/v1/invoices/${id}/timeline`)).json.data
      assert.deepStrictEqual(
        entries.flatMap(({ by, code, reason_code, type }) => (type === "acceptance" ? [[code, by, reason_code]] : [])),
        [
          ["030", "Ana", undefined],
          ["031", undefined, "01"],
          ["033", undefined, undefined]
        ]
      )
    }
  )

  it.effect.each(Object.entries(rows.events))(
    "leaves the acceptance pending after a fault (%s): %s",
    function* ([fault, outcome]) {
      const { asked, askAll, authority } = yield* asking()
      const clock = yield* TestClock.make()
      const id = yield* addAccepted()
      const before = yield* rowOf(id)
      const failures = {
        AuthorityUnavailable: new AuthorityUnavailable({ message: "503" }),
        AuthorityRefusal: new AuthorityRefusal({ message: "unknown sender" })
      }
      const nonsense = [undefined, {}, [null], [{}], [event("035" as "030")], [event("030", { at: Number.NaN })]]
      authority.events = faultOf(fault, failures, nonsense) as unknown as Events
      yield* pass(day)
      for (let times = 1; times <= nonsense.length; times++) {
        const asks = yield* Effect.forkScoped(Effect.provideService(askAll, Clock.Clock, clock))
        yield* reaches(() => asked.length, times)
        if (fault.startsWith("hangs")) yield* clock.adjust("61 seconds")
        yield* patiently(Fiber.join(asks))
        const isNextDay = outcome === "asked the next day"
        yield* pass(isNextDay ? 14 * hour : 0.7 * hour)
        yield* askAll
        assert.lengthOf(asked, times)
        yield* pass(isNextDay ? 12 * hour : 0.6 * hour)
      }
      assert.deepStrictEqual(yield* rowOf(id), before)
      assert.deepStrictEqual(yield* acceptanceOf(id), { status: "pending", at: null, events: [] })
      // Failed questions are no outage.
      assert.isNull((yield* (yield* AuthorityCircuits).read(account)).failing_ms)
      authority.events = () => Effect.succeed([event("034")])
      yield* askAll
      assert.deepInclude(yield* acceptanceOf(id), { status: "accepted_tacitly" })
    }
  )

  it.effect("asks the next day for a live account without a valid certificate", function* () {
    const { asked, askAll } = yield* asking()
    const [id] = yield* addQuestions(otherAccount, 1, true)
    yield* askAll
    assert.lengthOf(asked, 0)
    isAbout(yield* untilQuestion(id), 72_000)
  })

  it.effect("stops when no question was answered for two days after the last one was due", function* () {
    const { askAll, authority } = yield* asking()
    const id = yield* addAccepted()
    authority.events = () => Effect.fail(new AuthorityUnavailable({ message: "503" }))
    yield* pass(31 * day)
    yield* askAll
    assert.isNotNull(yield* untilQuestion(id))
    yield* pass(2 * day)
    yield* askAll
    assert.isNull(yield* untilQuestion(id))
  })

  it.effect("asks nothing while the authority does not answer", function* () {
    const { asked, askAll } = yield* asking()
    const clock = yield* TestClock.make()
    const ask = Effect.provideService(askAll, Clock.Clock, clock)
    const id = yield* addAccepted()
    const circuits = yield* AuthorityCircuits
    yield* pass(day)
    const call = { account_id: account, trouble: "no_answer", message: "", is_authoritys: true, of_all: false } as const
    yield* circuits.failed(account, call, 300_000, 390_000)
    yield* ask
    assert.lengthOf(asked, 0)
    isAbout(yield* untilQuestion(id), 900)
    yield* circuits.succeeded(account)
    yield* pass(1_125)
    // The state of the circuit is read again.
    yield* clock.adjust("15 minutes")
    yield* ask
    assert.lengthOf(asked, 1)
  })

  it.effect("asks few questions concurrently, and the invoices of one account delay no other account", function* () {
    const { asked, askAll, authority } = yield* asking({ atOnce: 40 })
    yield* addQuestions(account, 300)
    const [other] = yield* addQuestions(otherAccount, 1)
    const gate = Latch.makeUnsafe()
    let underWay = 0
    let most = 0
    authority.events = () =>
      Effect.acquireUseRelease(
        Effect.sync(() => void (most = Math.max(most, ++underWay))),
        () => Effect.as(gate.await, []),
        () => Effect.sync(() => underWay--)
      )
    const asks = yield* Effect.forkScoped(askAll)
    yield* reaches(() => underWay, 5)
    yield* gate.open
    yield* patiently(Fiber.join(asks))
    assert.lengthOf(asked, 301)
    assert.strictEqual(most, 5)
    assert.isBelow(asked.indexOf(`cufe of ${other}`), 66)
    assert.isAtMost((yield* untilQuestion(other)) ?? Infinity, day)
  })

  it.effect("asks nothing of an authority without buyers' events", function* () {
    assert.isNull(yield* Effect.provide(BuyersAnswers.make, yield* Layer.build(work)))
  })
})
