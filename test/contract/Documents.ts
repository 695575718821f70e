import { assert } from "@effect/vitest"
import { Array, Effect, Option } from "effect"
import type { DocumentKey } from "../../schemas/FiscalDocument.ts"
import { Idempotency } from "../../src/accounts/store/Idempotency.ts"
import { Resolutions } from "../../src/accounts/store/Resolutions.ts"
import { Invoices } from "../../src/invoices/store/Invoices.ts"
import { type DraftToNumber, Numbering } from "../../src/invoices/store/Numbering.ts"
import type { Step } from "../../src/invoices/store/Transitions.ts"
import { Emails } from "../../src/invoices/store/Emails.ts"
import { Events } from "../../src/webhooks/store/Events.ts"
import { answered } from "../support/database/Refusals.ts"
import { Contract, type Promises, step, type World, world } from "./World.ts"

const page = { limit: 100, cursor: null }
const everything = { types: null, object_id: null, from: null, to: null }

/** The events of the account, newest first. */
const eventsOf = ({ account }: World) =>
  Effect.map(
    Effect.flatMap(Events, ({ list }) => list(account, page, everything)),
    ({ rows }) => rows.map(({ id }) => id)
  )

const emailsOf = (key: DocumentKey) =>
  Effect.map(
    Effect.flatMap(Emails, ({ list }) => list(key, key.id, page)),
    ({ rows }) => rows.map(({ document_state, recipient, status }) => ({ document_state, recipient, status }))
  )

export const keysAndCreation: Promises = (test) => {
  test.effect("replays the answer of a key for a day, and rejects the key of another request", function* () {
    const { answer, claim, create } = yield* world
    const { pass } = yield* Contract
    const { outcome: first } = yield* create(claim("key"))
    assert.isFalse(first.replayed)
    const replay = yield* create(claim("key"))
    assert.deepStrictEqual(replay, { outcome: { answer: first.answer, replayed: true }, acquirer: Option.none() })
    assert.strictEqual((yield* Effect.flip(create(claim("key", "another body")))).code, "idempotency_conflict")
    yield* pass(24 * 3_600 - 60)
    assert.isTrue((yield* create(claim("key"))).outcome.replayed)
    yield* pass(120)
    const { outcome: next } = yield* create(claim("key", "another body"))
    assert.isFalse(next.replayed)
    assert.notDeepEqual(next.answer, answer(first.answer.body))
  })

  test.effect("runs a request once for its key, and every time without a key", function* () {
    const { account, answer, claim } = yield* world
    const { lookup, once } = yield* Idempotency
    let times = 0
    const run = Effect.sync(() => answer(`${++times}`))
    const repeated = yield* Effect.replicateEffect(once(account, claim("key"), run), 3)
    assert.deepStrictEqual(
      repeated.map(({ answer: { body }, replayed }) => `${body} ${replayed}`),
      ["1 false", "1 true", "1 true"]
    )
    assert.deepStrictEqual(yield* lookup(claim("key")), Option.some(answer("1")))
    assert.strictEqual((yield* Effect.flip(lookup(claim("key", "another body")))).code, "idempotency_conflict")
    yield* once(account, null, run)
    assert.strictEqual((yield* once(account, null, run)).answer.body, "3")
  })

  test.effect("creates a draft with a copy of the buyer", function* () {
    const { account, claim, create, customer, document } = yield* world
    const { acquirer, outcome } = yield* create(claim("key"))
    assert.deepStrictEqual(acquirer, Option.some(customer.acquirer))
    const row = yield* document({ ...account, id: outcome.answer.body as never })
    assert.deepInclude(row, { state: "queued", version: 1, full_number: null, acquirer: customer.acquirer })
  })

  test.effect("creates nothing for an unknown customer, and leaves the key free", function* () {
    const { claim, create } = yield* world
    const refused = yield* Effect.flip(create(claim("key"), "cust_unknown"))
    assert.deepInclude(refused, { code: "resource_missing", param: "customer_id" })
    assert.isFalse((yield* create(claim("key", "another body"))).outcome.replayed)
  })
}

const numberAll = (drafts: ReadonlyArray<DraftToNumber>) =>
  Effect.flatMap(Numbering, ({ number }) =>
    Effect.forEach(drafts, (draft) => Effect.map(number(draft), ({ result }) => result), { concurrency: "unbounded" })
  )

/** The numbers of the drafts, counted from the first of the range, and the next number of the range. */
const numbersOf = Effect.fnUntraced(function* (
  { account, document, range }: World,
  drafts: ReadonlyArray<DraftToNumber>
) {
  const rows = yield* Effect.forEach(drafts, ({ key }) => document(key))
  const next = Option.getOrThrow(yield* (yield* Resolutions).find(account, range.id)).next_number
  return {
    numbers: rows.flatMap(({ full_number }) =>
      full_number === null ? [] : [Number(full_number.slice(range.prefix.length)) - Number(range.from_number)]
    ),
    next: Number(next - range.from_number)
  }
})

export const numbering: Promises = (test) => {
  test.effect("numbers the drafts of a batch without a gap, each once, in the order of their ids", function* () {
    const it = yield* world
    const drafts = (yield* Effect.replicateEffect(it.draft, 6)).map(it.toNumber)
    const results = yield* numberAll([...drafts, ...drafts])
    assert.deepStrictEqual(results.toSorted(), [
      ...Array.replicate("not_a_draft", 6),
      ...Array.replicate("numbered", 6)
    ])
    assert.deepStrictEqual(yield* numbersOf(it, drafts), { numbers: [0, 1, 2, 3, 4, 5], next: 6 })
    assert.deepStrictEqual(yield* it.log(drafts[0]!.key), ["2 Number"])
  })

  test.effect("gives each range its own numbers", function* () {
    const [one, other] = [yield* world, yield* world]
    const [first, second] = [one.toNumber(yield* one.draft), other.toNumber(yield* other.draft)]
    assert.deepStrictEqual(yield* numberAll([first, second]), ["numbered", "numbered"])
    assert.deepStrictEqual(yield* numbersOf(one, [first]), { numbers: [0], next: 1 })
    assert.deepStrictEqual(yield* numbersOf(other, [second]), { numbers: [0], next: 1 })
    const foreign = { ...one.toNumber(yield* one.draft), resolution_id: other.range.id }
    assert.deepStrictEqual(yield* numberAll([foreign]), ["no_number_left"])
  })

  test.effect("gives no number beyond the last of a range, outside its days or while it is inactive", function* () {
    const it = yield* world
    const { update } = yield* Resolutions
    const drafts = (yield* Effect.replicateEffect(it.draft, 5)).map(it.toNumber)
    for (const issue_date of ["2019-01-18", "2030-01-20"]) {
      assert.deepStrictEqual(yield* numberAll([{ ...drafts[0]!, issue_date }]), ["no_number_left"])
    }
    yield* it.asked(update({ ...it.account, id: it.range.id }, { is_active: false }))
    assert.deepStrictEqual(yield* numberAll(drafts), Array.replicate("no_number_left", 5))
    yield* it.asked(update({ ...it.account, id: it.range.id }, { is_active: true }))
    const last = { ...it.range, id: yield* it.nextId, prefix: "LAST", to_number: it.range.from_number + 2n }
    yield* (yield* Resolutions).insert(last)
    const ofLast = drafts.map((draft) => ({ ...draft, resolution_id: last.id }))
    assert.deepStrictEqual(yield* numberAll(ofLast), [
      ...Array.replicate("numbered", 3),
      ...Array.replicate("no_number_left", 2)
    ])
    assert.deepStrictEqual(yield* numbersOf({ ...it, range: last }, ofLast), { numbers: [0, 1, 2], next: 3 })
  })

  test.effect(
    "changes the date of a numbered or signed document once, under its number, while it is unsent",
    function* () {
      const it = yield* world
      const { redate } = yield* Numbering
      const date = { issue_date: "2026-12-24", issue_time: "00:00:01-05:00" }
      for (const [key, version] of [[yield* it.numbered, 2] as const, [yield* it.signed, 3] as const]) {
        const { full_number } = yield* it.document(key)
        const renewed = { key, version, ...date, cufe: `another code of ${key.id}` }
        assert.strictEqual(yield* redate({ ...renewed, issue_date: "2031-01-01" }), "out_of_range")
        const results = yield* Effect.all([redate(renewed), redate(renewed)], { concurrency: 2 })
        assert.sameMembers(results, ["redated", "too_late"])
        const { cufe } = renewed
        assert.deepInclude(yield* it.document(key), {
          ...date,
          cufe,
          full_number,
          state: "numbered",
          version: version + 1
        })
        assert.strictEqual((yield* it.log(key)).at(-1), `${version + 1} Redate`)
      }
      // After a submission the date stays, whatever the document's state is now.
      const sent = yield* it.signed
      yield* it.move(step(sent, 3, "signed", "Submit", "submitted"))
      const late = { key: sent, ...date, cufe: "code" }
      assert.strictEqual(yield* answered(redate({ ...late, version: 4 })), "too_late")
      yield* it.move(step(sent, 4, "submitted", "Fail", "failed"))
      yield* it.move(step(sent, 5, "failed", "Retry", "signed"))
      const before = yield* it.document(sent)
      assert.strictEqual(yield* answered(redate({ ...late, version: 6 })), "too_late")
      assert.deepStrictEqual(yield* it.document(sent), before)
    }
  )

  test.effect("gives due documents once, drafts and numbered ones alike", function* () {
    const it = yield* world
    const { pass } = yield* Contract
    const { takeDue } = yield* Invoices
    const due = Effect.map(takeDue(10_000, []), (all) =>
      all.flatMap(({ account_id, id, queued }) => (account_id === it.account.account_id ? [`${id} ${queued}`] : []))
    )
    const drafts = yield* Effect.replicateEffect(it.draft, 2)
    const numbers = yield* Effect.replicateEffect(it.numbered, 2)
    assert.deepStrictEqual(yield* due, [])
    yield* pass(10)
    const expected = [...drafts.map(({ id }) => `${id} true`), ...numbers.map(({ id }) => `${id} false`)]
    assert.sameMembers(yield* due, expected)
    assert.deepStrictEqual(yield* due, [])
  })
}

const nothing = { moved: false, endpoints: [], taken: null, emailed: false }

export const transitions: Promises = (test) => {
  test.effect("writes a step with its event, its email and a delivery to each endpoint that wants it", function* () {
    const it = yield* world
    const { shows } = yield* Contract
    const wanted = yield* Effect.all([it.endpoint(), it.endpoint({ subscribed_events: ["*"] })])
    yield* it.endpoint({ is_active: false })
    yield* it.endpoint({ subscribed_events: ["invoice.failed"] })
    yield* it.endpoint({ livemode: true })
    yield* (yield* world).endpoint()
    const key = yield* it.signed
    const { emailed, endpoints, event, moved, taken } = yield* it.enter(key)
    assert.deepStrictEqual({ emailed, moved, taken }, { emailed: true, moved: true, taken: null })
    assert.sameMembers(
      [...endpoints],
      wanted.map(({ id }) => id)
    )
    yield* shows(eventsOf(it), [event.id])
    assert.deepStrictEqual(yield* emailsOf(key), [
      { document_state: "accepted_contingency", recipient: "buyer@example.com", status: "pending" }
    ])
    const row = yield* it.document(key)
    assert.deepInclude(row, { state: "accepted_contingency", version: 4, of_type_04: true })
    assert.isNotNull(row.contingency_since)
    assert.deepStrictEqual(yield* it.log(key), ["2 Number", "3 Sign", "4 EnterContingency"])
  })

  test.effect("signs and submits in one step of two versions, with the bytes", function* () {
    const it = yield* world
    const key = yield* it.numbered
    const signed = new TextEncoder().encode("<signed/>")
    const submit = { ...step(key, 2, "numbered", "Submit", "submitted"), signs: true, signed, attempt: true }
    assert.isTrue((yield* it.move(submit)).moved)
    assert.deepStrictEqual(yield* it.move(submit), nothing)
    const row = Option.getOrThrow(yield* (yield* Invoices).load(key))
    assert.deepInclude(row, { state: "submitted", version: 4, attempts: 1 })
    assert.isNotNull(row.submitted_at)
    assert.deepStrictEqual(yield* (yield* Invoices).signedDocument(key), Option.some(signed))
    assert.deepStrictEqual(yield* it.log(key), ["2 Number", "3 Sign", "4 Submit"])
  })

  test.effect("changes nothing for a step from an older version or another state", function* () {
    const it = yield* world
    const { shows } = yield* Contract
    yield* it.endpoint()
    const key = yield* it.signed
    const { event } = yield* it.enter(key)
    const before = yield* it.document(key)
    const stale: ReadonlyArray<Step> = [
      step(key, 3, "signed", "Submit", "submitted"),
      step(key, 3, "accepted_contingency", "Accept", "accepted_by_authority"),
      step(key, 4, "submitted", "Accept", "accepted_by_authority"),
      step({ ...key, livemode: true }, 4, "accepted_contingency", "Accept", "accepted_by_authority")
    ]
    for (const one of stale) {
      const late = { ...one, event: yield* it.newEvent("invoice.accepted_by_authority") }
      assert.deepStrictEqual(yield* it.move(late), nothing)
    }
    assert.deepStrictEqual(yield* it.document(key), before)
    yield* shows(eventsOf(it), [event.id])
    assert.lengthOf(yield* emailsOf(key), 1)
  })

  test.effect(
    "writes one event of a step that a batch holds twice, and events in the order of the batch",
    function* () {
      const it = yield* world
      const { shows } = yield* Contract
      const keys = yield* Effect.replicateEffect(it.signed, 10)
      const steps = [...keys.toReversed(), keys[0]!]
      const moves = yield* Effect.forEach(steps, (key) => it.enter(key), { concurrency: "unbounded" })
      const written = moves.filter(({ moved }) => moved)
      assert.lengthOf(written, 10)
      const { after } = yield* Events
      const events = after(it.account, { tx: "0", seq: 0n }, everything, 100)
      yield* shows(
        Effect.map(events, ({ rows }) => rows.map(({ id }) => id)),
        written.map(({ event }) => event.id)
      )
    }
  )

  test.effect("stores for each step of a batch its own content", function* () {
    const it = yield* world
    const [waits, ends] = [yield* it.signed, yield* it.signed]
    const waiting = { code: "no_answer", message: "No response." } as const
    const errors = [{ rule: "FAD06", severity: "rejection", message: "Wrong.", path: null, hint: null }] as const
    const steps: ReadonlyArray<Step> = [
      { ...step(waits, 3, "signed", null, "signed"), waiting, attempt: true },
      { ...step(ends, 3, "signed", "Submit", "submitted"), errors }
    ]
    const moves = yield* Effect.forEach(steps, (one) => it.move(one), { concurrency: "unbounded" })
    assert.deepStrictEqual(moves, [
      { ...nothing, moved: true },
      { ...nothing, moved: true }
    ])
    const row = yield* it.document(waits)
    assert.deepInclude(row, { state: "signed", version: 4, submitted_at: null, authority_errors: [] })
    assert.deepStrictEqual(row.waiting, waiting)
    assert.deepInclude(yield* it.document(ends), {
      state: "submitted",
      version: 4,
      waiting: null,
      authority_errors: errors
    })
    // The wait of a document counts from the first step with this reason.
    yield* it.move({ ...step(waits, 4, "signed", null, "signed"), waiting: { ...waiting, message: "Again." } })
    assert.deepStrictEqual((yield* it.document(waits)).waiting_since, row.waiting_since)
    yield* it.move({ ...step(waits, 5, "signed", null, "signed"), waiting: null })
    assert.deepInclude(yield* it.document(waits), { waiting: null, waiting_since: null })
  })
}
