import { assert, describe } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { DocumentKey } from "../../schemas/FiscalDocument.ts"
import { layerWork } from "../../src/service/Layers.ts"
import type { AuthorityEvent } from "../../src/invoices/rules/AcceptanceRules.ts"
import * as BuyersAnswers from "../../src/invoices/BuyersAnswers.ts"
import { Authority, AuthorityRefusal, AuthorityUnavailable } from "../../src/invoices/authority/Authority.ts"
import { AuthorityCircuits } from "../../src/invoices/store/AuthorityCircuits.ts"
import { Invoices } from "../../src/invoices/store/Invoices.ts"
import { invoiceView } from "../../src/invoices/store/InvoiceViews.ts"
import { alone, invoiceOf, invoiceOwner } from "../support/apps/ActorsAlone.ts"
import { account, otherAccount, testMode } from "../support/apps/Accounts.ts"
import { addCustomer, addNumbered, become } from "../support/apps/MemoryRows.ts"
import { patiently } from "../support/apps/Until.ts"
import { existing, MemoryTables } from "../support/memory/MemoryTables.ts"
import { itOn } from "../support/Tests.ts"
import { faultOf } from "../ports/Faults.ts"
import { authority as rows } from "../ports/PortTable.ts"
import { Limits, type LimitsChange } from "../../src/runtime/Limits.ts"

const it = itOn(alone)

const noLinks = { pdf_url: null, xml_url: null, qr_url: null }
const credit = { payment_means: { code: "31", type: "2", due_date: "2026-12-31" } } as const
const dayMs = 86_400_000

const event = (code: AuthorityEvent["code"], change: Partial<AuthorityEvent> = {}): AuthorityEvent => ({
  code,
  at: Date.parse("2026-11-23T15:00:00Z"),
  by: null,
  claim: null,
  ...change
})

/** An accepted invoice on these terms. */
const addAccepted = Effect.fnUntraced(function* (terms: object = credit) {
  const proceed = yield* invoiceOwner
  const key = yield* addNumbered(yield* addCustomer())
  yield* become(key.id, terms)
  yield* proceed(key)
  assert.strictEqual((yield* invoiceOf(key)).state, "accepted_by_authority")
  return key
})

type Events = NonNullable<Authority["Service"]["events"]>

/** An authority with these events, and the process that asks for them. */
const asking = Effect.fnUntraced(function* (limits: LimitsChange["authority"] = {}) {
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
  const work = yield* Layer.build(Layer.provideMerge(layerWork, own))
  const askAll = yield* Effect.provide(BuyersAnswers.make, work)
  return { authority, asked, askAll: askAll ?? assert.fail("it cannot be asked") }
})

const acceptanceOf = Effect.fnUntraced(function* (key: DocumentKey) {
  const row = yield* Effect.flatMap((yield* Invoices).find(key, key.id), Effect.fromOption)
  return invoiceView(row, noLinks).acceptance
})

const nextQuestion = ({ id }: DocumentKey) =>
  Effect.map(MemoryTables, ({ tables }) => existing(tables.acceptances, id).next_question_at)

describe("The acceptance of an invoice", () => {
  it.effect("ignores an invoice in cash, which shows no acceptance", function* () {
    const { asked, askAll } = yield* asking()
    const key = yield* addAccepted({})
    yield* TestClock.adjust("31 days")
    yield* askAll
    assert.deepStrictEqual(asked, [])
    assert.isUndefined(yield* acceptanceOf(key))
    assert.strictEqual((yield* MemoryTables).tables.acceptances.size, 0)
  })

  it.effect("asks once a day for 30 days, and is unanswered then", function* () {
    const { asked, askAll } = yield* asking()
    const key = yield* addAccepted()
    assert.deepStrictEqual(yield* acceptanceOf(key), { status: "pending", at: null, events: [] })
    for (let hour = 0; hour < 30 * 24; hour++) {
      yield* askAll
      yield* TestClock.adjust("1 hour")
    }
    assert.isTrue(asked.length >= 30 && asked.length <= 31, `asked ${asked.length} times`)
    assert.deepInclude(yield* acceptanceOf(key), { status: "pending" })
    yield* askAll
    assert.deepStrictEqual(yield* acceptanceOf(key), { status: "unanswered", at: null, events: [] })
    const before = asked.length
    yield* TestClock.adjust("30 days")
    yield* askAll
    assert.lengthOf(asked, before)
    const { full_number, version } = yield* invoiceOf(key)
    assert.deepStrictEqual([full_number, version], ["SETP990000000", 5])
  })

  it.effect(
    "keeps and shows each event in the invoice and its timeline, and asks nothing after an acceptance",
    function* () {
      const { asked, askAll, authority } = yield* asking()
      const key = yield* addAccepted()
      const day = Effect.andThen(TestClock.adjust("1 day"), askAll)
      authority.events = () => Effect.succeed([event("030", { by: "Ana\u0000" })])
      yield* day
      assert.deepInclude(yield* acceptanceOf(key), { status: "acknowledged" })
      // A registered event stays, although the authority changes or withdraws it.
      authority.events = () => Effect.succeed([event("031", { claim: "01" }), event("030", { by: "Luis" })])
      yield* day
      assert.deepInclude(yield* acceptanceOf(key), { status: "claimed" })
      authority.events = () => Effect.succeed([event("033", { at: Date.parse("2026-11-25T15:00:00Z") })])
      yield* day
      assert.deepInclude(yield* acceptanceOf(key), { status: "accepted", at: "2026-11-25T10:00:00.000-05:00" })
      yield* TestClock.adjust("40 days")
      yield* askAll
      assert.lengthOf(asked, 3)
      const { rows: entries } = yield* (yield* Invoices).timeline(testMode, key.id)
      assert.deepStrictEqual(
        entries.flatMap((entry) => (entry.type === "acceptance" ? [[entry.code, entry.by, entry.reason_code]] : [])),
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
      const key = yield* addAccepted()
      const before = yield* invoiceOf(key)
      const failures = {
        AuthorityUnavailable: new AuthorityUnavailable({ message: "503" }),
        AuthorityRefusal: new AuthorityRefusal({ message: "unknown sender" })
      }
      const nonsense = [undefined, {}, [null], [{}], [event("035" as "030")], [event("030", { at: Number.NaN })]]
      authority.events = faultOf(fault, failures, nonsense) as unknown as Events
      yield* TestClock.adjust("1 day")
      for (let times = 1; times <= nonsense.length; times++) {
        const asks = yield* Effect.forkScoped(askAll, { startImmediately: true })
        yield* patiently(Effect.repeat(Effect.yieldNow, { until: () => asked.length === times }))
        if (fault.startsWith("hangs")) yield* TestClock.adjust("61 seconds")
        yield* patiently(Fiber.join(asks))
        yield* askAll
        assert.lengthOf(asked, times)
        if (outcome === "asked the next day") {
          yield* TestClock.adjust("10 hours")
          yield* askAll
          assert.lengthOf(asked, times)
          yield* TestClock.adjust("9 hours")
        }
        yield* TestClock.adjust("1 hour")
      }
      assert.deepStrictEqual(yield* invoiceOf(key), before)
      assert.deepStrictEqual(yield* acceptanceOf(key), { status: "pending", at: null, events: [] })
      // Failed questions are no outage.
      assert.isNull((yield* (yield* AuthorityCircuits).read(account)).failing_ms)
      authority.events = () => Effect.succeed([event("034")])
      yield* askAll
      assert.deepInclude(yield* acceptanceOf(key), { status: "accepted_tacitly" })
    }
  )

  it.effect("asks the next day for a live account without a valid certificate", function* () {
    const { asked, askAll } = yield* asking()
    const { tables } = yield* MemoryTables
    const key = yield* addAccepted()
    const live = { account_id: otherAccount, livemode: true }
    yield* become(key.id, live)
    tables.acceptances.set(key.id, { ...existing(tables.acceptances, key.id), ...live })
    yield* TestClock.adjust("1 day")
    yield* askAll
    assert.lengthOf(asked, 0)
    const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
    assert.strictEqual(yield* nextQuestion(key), now + 72_000_000)
  })

  it.effect("stops when no question was answered for two days after the last one was due", function* () {
    const { askAll, authority } = yield* asking()
    const key = yield* addAccepted()
    authority.events = () => Effect.fail(new AuthorityUnavailable({ message: "503" }))
    yield* TestClock.adjust("31 days")
    yield* askAll
    assert.isNotNull(yield* nextQuestion(key))
    yield* TestClock.adjust("2 days")
    yield* askAll
    assert.isNull(yield* nextQuestion(key))
  })

  it.effect("asks nothing while the authority does not answer", function* () {
    const { asked, askAll } = yield* asking()
    const key = yield* addAccepted()
    const circuits = yield* AuthorityCircuits
    yield* TestClock.adjust("1 day")
    const call = { account_id: account, trouble: "no_answer", message: "", is_authoritys: true, of_all: false } as const
    yield* circuits.failed(account, call, 300_000, 390_000)
    yield* askAll
    assert.lengthOf(asked, 0)
    assert.strictEqual(
      yield* nextQuestion(key),
      (yield* Effect.clockWith((clock) => clock.currentTimeMillis)) + 900_000
    )
    yield* circuits.succeeded(account)
    yield* TestClock.adjust("15 minutes")
    yield* askAll
    assert.lengthOf(asked, 1)
  })

  it.effect("asks few questions concurrently, and the invoices of one account delay no other account", function* () {
    const { asked, askAll, authority } = yield* asking({ atOnce: 40 })
    const { tables } = yield* MemoryTables
    const key = yield* addAccepted()
    const invoice = yield* invoiceOf(key)
    const question = existing(tables.acceptances, key.id)
    const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
    const add = (id: string, account_id: typeof account, next_question_at: number) => {
      tables.invoices.set(id, { ...invoice, id: id as typeof invoice.id, account_id, cufe: id })
      tables.acceptances.set(id, { ...question, id, account_id, next_question_at })
    }
    for (let index = 0; index < 300; index++) add(`inv_${index}`, account, now)
    add("inv_other", otherAccount, now + 1)
    let underWay = 0
    let most = 0
    authority.events = () =>
      Effect.acquireUseRelease(
        Effect.sync(() => void (most = Math.max(most, ++underWay))),
        () => Effect.as(Effect.yieldNow, []),
        () => Effect.sync(() => underWay--)
      )
    yield* TestClock.adjust("1 second")
    yield* patiently(askAll)
    assert.lengthOf(asked, 301)
    assert.strictEqual(most, 5)
    assert.isBelow(asked.indexOf("inv_other"), 66)
    assert.isTrue((yield* nextQuestion({ ...key, id: invoice.id }))! <= now + dayMs)
  })

  it.effect("asks nothing of an authority without buyers' events", function* () {
    assert.isNull(yield* Effect.provide(BuyersAnswers.make, yield* Layer.build(layerWork)))
  })
})
