import { assert, describe } from "@effect/vitest"
import { Array, Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import type { DocumentKey } from "../../schemas/FiscalDocument.ts"
import { readSignedDocument } from "../../src/documents/signature/SignedDocument.ts"
import { AuthorityRefusal, AuthorityUnavailable } from "../../src/outbound/authority/Authority.ts"
import { invoiceView } from "../../src/store/documents/InvoiceViews.ts"
import { alone, commandsOf, invoiceOf, invoiceOwner, issuing } from "../support/apps/ActorsAlone.ts"
import { accepted, FakeAuthority, rejected, unavailable } from "../support/apps/Fakes.ts"
import { addCustomer, addNumbered, become } from "../support/apps/MemoryRows.ts"
import { MemoryTables } from "../support/memory/MemoryTables.ts"
import { itOn } from "../support/Tests.ts"
import { atNoCalls } from "../support/memory/Calls.ts"

const it = itOn(alone)

const noLinks = { pdf_url: null, xml_url: null, qr_url: null }

const noneForThis = Effect.fail(new AuthorityUnavailable({ message: "503", of_document: true }))
const refusal = Effect.fail(new AuthorityRefusal({ message: "NIT 1 no autorizado." }))

const signedBy = Effect.fnUntraced(function* (key: DocumentKey) {
  const { tables } = yield* MemoryTables
  const { signed } = tables.documents.get(key.id) ?? (yield* Effect.die(`no bytes of ${key.id}`))
  return { hex: Buffer.from(signed).toString("hex"), content: readSignedDocument(signed) }
})

const eventsOf = (id: string) =>
  Effect.map(MemoryTables, ({ tables }) =>
    tables.events.filter(({ object_id }) => object_id === id).map(({ type }) => type)
  )

/** An actor that is told by the test alone, while the authority has been away for 301 s, and what it did with one document. */
const duringOutage = Effect.gen(function* () {
  const authority = yield* FakeAuthority
  const proceed = yield* invoiceOwner
  authority.onSubmit = () => unavailable
  authority.onVerdict = () => unavailable
  const first = yield* addNumbered(yield* addCustomer())
  yield* proceed(first)
  yield* TestClock.adjust("301 seconds")
  // The probe: it finds the authority still away.
  yield* proceed(first)
  return { authority, proceed, first }
})

describe("a document while the authority is away", () => {
  it.effect(
    "that was submitted keeps its bytes, enters contingency, and is asked for before it is sent again",
    function* () {
      const { authority, first, proceed } = yield* duringOutage
      const row = yield* invoiceOf(first)
      assert.strictEqual(row.state, "accepted_contingency")
      const before = yield* signedBy(first)
      assert.strictEqual(before.content?.in_contingency, false)
      assert.deepStrictEqual(yield* commandsOf(first), ["Number", "Sign", "Submit", "EnterContingency"])
      assert.strictEqual(row.next_action_at, Infinity)
      assert.deepInclude(invoiceView({ ...row, email: null }, noLinks).contingency, {
        type: "04",
        transmit_before: null
      })

      authority.calls.length = 0
      authority.onVerdict = () => Effect.succeed(null)
      authority.onSubmit = () => Effect.succeed(accepted)
      yield* TestClock.adjust("30 seconds")
      yield* proceed(first)
      assert.deepStrictEqual(
        authority.calls.map(({ kind, signed }) => [kind, signed]),
        [
          ["verdict", ""],
          ["submit", before.hex]
        ]
      )
      assert.strictEqual((yield* invoiceOf(first)).state, "accepted_by_authority")
      assert.deepStrictEqual(yield* eventsOf(first.id), [
        "invoice.accepted_contingency",
        "invoice.accepted_by_authority"
      ])
      assert.strictEqual(invoiceView({ ...(yield* invoiceOf(first)), email: null }, noLinks).contingency?.type, "04")
    }
  )

  it.effect("that was never submitted is signed as type 04 with the same code, and nobody is called", function* () {
    const { authority, proceed } = yield* duringOutage
    authority.calls.length = 0
    const key = yield* addNumbered(yield* addCustomer())
    const { cufe } = yield* invoiceOf(key)
    yield* proceed(key)
    assert.lengthOf(authority.calls, 0)
    assert.deepStrictEqual(yield* commandsOf(key), ["Number", "EnterContingency"])
    const { content } = yield* signedBy(key)
    assert.deepInclude(Object(content), { in_contingency: true, cufe })

    // It has never left: it is sent without a question, as signed.
    authority.onSubmit = () => Effect.succeed(rejected)
    yield* TestClock.adjust("30 seconds")
    yield* proceed(key)
    assert.deepStrictEqual(
      authority.calls.map(({ kind, signed }) => [kind, signed]),
      [["submit", (yield* signedBy(key)).hex]]
    )
    assert.deepStrictEqual(yield* eventsOf(key.id), ["invoice.accepted_contingency", "invoice.rejected_by_authority"])
  })

  it.effect("that was signed but never submitted is signed once more, as type 04", function* () {
    const { authority, proceed } = yield* duringOutage
    const memory = yield* MemoryTables
    const key = yield* addNumbered(yield* addCustomer())
    // Signed before the outage was known, and then its process died.
    const { circuits } = memory.tables
    const open = new Map(circuits)
    circuits.clear()
    yield* TestClock.adjust("2 seconds")
    memory.onCall = (name) =>
      name === "Transitions.move" && memory.tables.invoices.get(key.id)?.state === "signed"
        ? Effect.interrupt
        : Effect.void
    yield* Effect.exit(Effect.timeout(proceed(key), "1 millis"))
    yield* atNoCalls
    assert.strictEqual((yield* invoiceOf(key)).state, "signed")
    const before = yield* signedBy(key)
    for (const [name, circuit] of open) circuits.set(name, circuit)
    yield* TestClock.adjust("2 seconds")
    authority.calls.length = 0
    // Somebody else has the probe.
    circuits.forEach((circuit, name) => circuits.set(name, { ...circuit, next_probe_at: Infinity }))
    yield* proceed(key)
    assert.lengthOf(authority.calls, 0)
    assert.strictEqual((yield* invoiceOf(key)).state, "accepted_contingency")
    const after = yield* signedBy(key)
    assert.notStrictEqual(after.hex, before.hex)
    assert.deepInclude(Object(after.content), { in_contingency: true, cufe: before.content?.cufe })
  })

  it.effect("is tried by one in half a minute, and by nobody else", function* () {
    const { authority, proceed } = yield* duringOutage
    const keys = yield* Effect.forEach(Array.range(1, 5), () => Effect.flatMap(addCustomer(), addNumbered))
    yield* Effect.forEach(keys, proceed)
    authority.calls.length = 0
    for (const [seconds, calls] of [
      [29, 0],
      [2, 1],
      [1, 1],
      [30, 2]
    ] as const) {
      yield* TestClock.adjust(`${seconds} seconds`)
      yield* Effect.forEach(keys, proceed)
      assert.lengthOf(authority.calls, calls, `${seconds} s later`)
    }
    const states = (yield* Effect.forEach(keys, invoiceOf)).map(({ next_action_at, state }) => [state, next_action_at])
    assert.deepStrictEqual(
      states,
      keys.map(() => ["accepted_contingency", Infinity])
    )
  })

  it.effect("does not enter contingency before five minutes, nor when the authority answered in between", function* () {
    const authority = yield* FakeAuthority
    const proceed = yield* invoiceOwner
    const customer = yield* addCustomer()
    const key = yield* addNumbered(customer)
    authority.onSubmit = () => unavailable
    authority.onVerdict = () => unavailable
    yield* proceed(key)
    yield* TestClock.adjust("299 seconds")
    yield* proceed(key)
    assert.strictEqual((yield* invoiceOf(key)).state, "submitted")
    // Another document gets through, and the count begins anew.
    authority.onSubmit = () => Effect.succeed(accepted)
    yield* proceed(yield* addNumbered(customer))
    authority.onSubmit = () => unavailable
    yield* TestClock.adjust("2 seconds")
    yield* proceed(key)
    assert.strictEqual((yield* invoiceOf(key)).state, "submitted")
    yield* TestClock.adjust("301 seconds")
    yield* proceed(key)
    assert.strictEqual((yield* invoiceOf(key)).state, "accepted_contingency")
  })

  it.effect(
    "which it is for this document alone, enters alone, with 48 h to be transmitted; others are judged",
    function* () {
      const authority = yield* FakeAuthority
      const proceed = yield* invoiceOwner
      const customer = yield* addCustomer()
      const [key, other] = [yield* addNumbered(customer), yield* addNumbered(customer)]
      const { cufe } = yield* invoiceOf(key)
      authority.onSubmit = (sent) => (sent.cufe === cufe ? noneForThis : Effect.succeed(accepted))
      yield* proceed(key)
      yield* TestClock.adjust("301 seconds")
      yield* proceed(key)
      yield* proceed(other)
      const row = yield* invoiceOf(key)
      assert.deepStrictEqual(
        [row.state, (yield* invoiceOf(other)).state],
        ["accepted_contingency", "accepted_by_authority"]
      )
      const now = yield* Clock.currentTimeMillis
      assert.strictEqual(row.transmit_before?.getTime(), now + 48 * 3_600_000)
      assert.strictEqual(row.next_action_at, now + 30_000)

      // Its time runs out: it is tried all the same, and never given up.
      yield* TestClock.adjust("49 hours")
      yield* proceed(key)
      assert.strictEqual((yield* invoiceOf(key)).state, "accepted_contingency")
      authority.onSubmit = () => Effect.succeed(accepted)
      yield* proceed(key)
      assert.strictEqual((yield* invoiceOf(key)).state, "accepted_by_authority")
    }
  )
})

describe("a document that the authority refuses without judging it", () => {
  it.effect("fails and keeps its number; a retry sends the same bytes, and asks first", function* () {
    const { authority, key, proceed } = yield* issuing
    authority.onSubmit = () => refusal
    yield* proceed(key)
    const failed = yield* invoiceOf(key)
    assert.deepInclude(failed, { state: "failed", full_number: "SETP990000000", next_action_at: null })
    assert.deepInclude(Object(failed.failure), { code: "authority_refused", retryable: true })
    assert.include(failed.failure?.message, "NIT 1 no autorizado.")
    assert.deepStrictEqual(yield* eventsOf(key.id), ["invoice.failed"])

    // What a retry makes of it, a day later: it is neither dated nor signed anew.
    const { hex } = yield* signedBy(key)
    yield* TestClock.adjust("24 hours")
    yield* become(key.id, { state: "signed", failure: null, attempts: 0 })
    authority.calls.length = 0
    authority.onSubmit = () => Effect.succeed(accepted)
    yield* proceed(key)
    assert.deepStrictEqual(
      authority.calls.map(({ kind, signed }) => [kind, signed]),
      [
        ["verdict", ""],
        ["submit", hex]
      ]
    )
    assert.deepInclude(yield* invoiceOf(key), { state: "accepted_by_authority", cufe: failed.cufe })
  })

  it.effect("when it is in contingency, waits: it was given to its buyer", function* () {
    const { authority, first, proceed } = yield* duringOutage
    authority.onVerdict = () => refusal
    yield* TestClock.adjust("30 seconds")
    yield* proceed(first)
    const row = yield* invoiceOf(first)
    assert.strictEqual(row.state, "accepted_contingency")
    assert.isTrue(Number.isFinite(row.next_action_at))
    // It has answered: it is not away.
    assert.isNull([...(yield* MemoryTables).tables.circuits.values()][0]?.failing_since)
  })
})
