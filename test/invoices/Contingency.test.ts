import { assert, describe } from "@effect/vitest"
import { Array, Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { AuthorityTrouble } from "../../schemas/AuthorityTrouble.ts"
import { AuthorityUnavailable } from "../../src/invoices/authority/Authority.ts"
import {
  alone,
  commandsOf,
  eventsOf,
  invoiceOf,
  invoiceOwner,
  issuing,
  shown,
  signedBy
} from "../support/apps/ActorsAlone.ts"
import { accepted, FakeAuthority, rejected, unavailable, unreachable } from "../support/apps/Fakes.ts"
import { addCustomer, addNumbered } from "../support/apps/MemoryRows.ts"
import { MemoryTables } from "../support/memory/MemoryTables.ts"
import { itOn } from "../support/Tests.ts"
import { Limits } from "../../src/runtime/Limits.ts"

const it = itOn(alone)

const notThis = (trouble: AuthorityTrouble) =>
  Effect.fail(new AuthorityUnavailable({ message: "nothing for this", trouble, of_document: true }))
const lasting = (trouble: AuthorityTrouble) => () =>
  Effect.fail(new AuthorityUnavailable({ message: "no way", trouble, of_document: true, lasts: true }))
/** An actor that only the test wakes, 301 s into an outage of the authority, and its first document. */
const duringOutage = Effect.gen(function* () {
  const authority = yield* FakeAuthority
  const proceed = yield* invoiceOwner
  authority.onSubmit = () => unavailable
  authority.onVerdict = () => unavailable
  const first = yield* addNumbered(yield* addCustomer())
  yield* proceed(first)
  yield* TestClock.adjust("301 seconds")
  // The probe finds the outage unchanged.
  yield* proceed(first)
  return { authority, proceed, first }
})

describe("a document while the authority is unreachable", () => {
  it.effect(
    "never enters contingency if it may have left, and asks for its verdict before it is sent again",
    function* () {
      const { authority, first, proceed } = yield* duringOutage
      const before = yield* signedBy(first)
      for (const minutes of [0, 1, 60, 60 * 48]) {
        yield* TestClock.adjust(`${minutes} minutes`)
        yield* proceed(first)
        const row = yield* invoiceOf(first)
        assert.deepInclude(row, { state: "submitted", contingency_since: null, of_type_04: false })
        assert.strictEqual(row.next_action_at, Infinity)
      }
      assert.deepStrictEqual(yield* commandsOf(first), ["Number", "Sign", "Submit"])
      assert.deepStrictEqual(yield* eventsOf(first.id), [])
      const { contingency, status, waiting } = yield* shown(first)
      assert.deepStrictEqual([contingency, status], [null, "draft"])
      assert.strictEqual(waiting?.code, "server_error")
      assert.match(
        waiting?.message ?? "",
        /error of its own server.*queries the authority.*transmits the document again only if/
      )
      assert.deepStrictEqual((yield* shown(first)).stage, "submitted")

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
      assert.deepStrictEqual(yield* eventsOf(first.id), ["invoice.accepted_by_authority"])
      assert.notProperty(yield* shown(first), "waiting")
    }
  )

  it.effect("returns to signed if nothing left, and enters contingency when the outage continues", function* () {
    const { authority, key, proceed } = yield* issuing
    authority.onSubmit = () => unreachable
    yield* proceed(key)
    const row = yield* invoiceOf(key)
    assert.deepInclude(row, { state: "signed", submitted_at: null, contingency_since: null })
    const before = yield* signedBy(key)
    assert.deepInclude((yield* shown(key)).waiting, { code: "connection_refused" })
    assert.deepStrictEqual(yield* commandsOf(key), ["Number", "Sign", "Submit", "Return"])
    yield* TestClock.adjust("299 seconds")
    yield* proceed(key)
    assert.strictEqual((yield* invoiceOf(key)).state, "signed")
    yield* TestClock.adjust("32 seconds")
    yield* proceed(key)
    const entered = yield* invoiceOf(key)
    assert.deepInclude(entered, { state: "accepted_contingency", of_type_04: true, submitted_at: null })
    const after = yield* signedBy(key)
    assert.notStrictEqual(after.hex, before.hex)
    assert.deepInclude(Object(after.content), { in_contingency: true, cufe: before.content?.cufe })
    assert.notInclude(
      authority.calls.map(({ kind }) => kind),
      "verdict"
    )
    assert.deepInclude((yield* shown(key)).contingency, { type: "04", transmit_before: null })
  })

  it.effect.each(["name_not_found", "no_route", "tls_failed"] as const)(
    "waits signed, however long, if the cause is ours (%s), and is sent by itself afterwards",
    function* (trouble) {
      const { authority, key, proceed } = yield* issuing
      authority.onSubmit = () => Effect.fail(new AuthorityUnavailable({ message: "no way", trouble }))
      for (const minutes of [0, 4, 2, 60, 60 * 24]) {
        yield* TestClock.adjust(`${minutes} minutes`)
        yield* proceed(key)
        assert.deepInclude(yield* invoiceOf(key), { state: "signed", submitted_at: null, of_type_04: false })
      }
      const { waiting } = yield* shown(key)
      assert.strictEqual(waiting?.code, trouble)
      assert.match(waiting?.message ?? "", /none is issued in contingency/)
      // The time that was not the authority's fault does not count towards contingency.
      authority.onSubmit = () => unreachable
      yield* TestClock.adjust("31 seconds")
      yield* proceed(key)
      assert.strictEqual((yield* invoiceOf(key)).state, "signed")
      authority.onSubmit = () => Effect.succeed(accepted)
      yield* TestClock.adjust("31 seconds")
      yield* proceed(key)
      assert.strictEqual((yield* invoiceOf(key)).state, "accepted_by_authority")
      assert.deepStrictEqual(yield* eventsOf(key.id), ["invoice.accepted_by_authority"])
    }
  )

  it.effect(
    "waits while other documents that were sent may have left, because it can still enter contingency",
    function* () {
      const authority = yield* FakeAuthority
      const proceed = yield* invoiceOwner
      const customer = yield* addCustomer()
      const [first, second] = [yield* addNumbered(customer), yield* addNumbered(customer)]
      authority.onSubmit = () => unavailable
      authority.onVerdict = () => unavailable
      yield* proceed(first)
      // Another document has just tried. This one does not: the authority may keep a document without a response.
      yield* TestClock.adjust("61 seconds")
      yield* proceed(first)
      authority.calls.length = 0
      yield* proceed(second)
      assert.deepStrictEqual(authority.calls, [])
      const row = yield* invoiceOf(second)
      assert.deepInclude(row, { state: "signed", submitted_at: null, next_action_at: Infinity })
      const { waiting } = yield* shown(second)
      assert.strictEqual(waiting?.code, "server_error")
      assert.match(waiting?.message ?? "", /This document has not left.*issued in contingency/)
    }
  )

  it.effect("signs as type 04 under the same code, without a call, if it was never submitted", function* () {
    const { authority, proceed } = yield* duringOutage
    authority.calls.length = 0
    const key = yield* addNumbered(yield* addCustomer())
    const { cufe } = yield* invoiceOf(key)
    yield* proceed(key)
    assert.lengthOf(authority.calls, 0)
    assert.deepStrictEqual(yield* commandsOf(key), ["Number", "EnterContingency"])
    const { content } = yield* signedBy(key)
    assert.deepInclude(Object(content), { in_contingency: true, cufe })

    // It has never left, so it is sent as signed, without a question for its verdict.
    authority.onSubmit = () => Effect.succeed(rejected)
    yield* TestClock.adjust("30 seconds")
    yield* proceed(key)
    assert.deepStrictEqual(
      authority.calls.map(({ kind, signed }) => [kind, signed]),
      [["submit", (yield* signedBy(key)).hex]]
    )
    assert.deepStrictEqual(yield* eventsOf(key.id), ["invoice.accepted_contingency", "invoice.rejected_by_authority"])
  })

  it.effect("signs again as type 04 if it was signed but never submitted", function* () {
    const { authority, proceed } = yield* duringOutage
    const memory = yield* MemoryTables
    const key = yield* addNumbered(yield* addCustomer())
    // It was signed before the outage was detected, and then its process died.
    const { circuits } = memory.tables
    const open = new Map(circuits)
    circuits.clear()
    yield* TestClock.adjust("2 seconds")
    const withoutTurns = Limits.layerChanged({ authority: { atOnce: 0, ofOwnerAtOnce: 0 } })
    const signer = yield* Effect.forkChild(
      Effect.flatMap(Effect.provide(invoiceOwner, withoutTurns), (proceedUnsent) => proceedUnsent(key))
    )
    yield* memory.until(({ invoices }) => invoices.get(key.id)?.state === "signed")
    yield* Fiber.interrupt(signer)
    assert.strictEqual((yield* invoiceOf(key)).state, "signed")
    const before = yield* signedBy(key)
    for (const [name, circuit] of open) circuits.set(name, circuit)
    yield* TestClock.adjust("2 seconds")
    authority.calls.length = 0
    // Another process has the probe.
    circuits.forEach((circuit, name) => circuits.set(name, { ...circuit, next_probe_at: Infinity }))
    yield* proceed(key)
    assert.lengthOf(authority.calls, 0)
    assert.strictEqual((yield* invoiceOf(key)).state, "accepted_contingency")
    const after = yield* signedBy(key)
    assert.notStrictEqual(after.hex, before.hex)
    assert.deepInclude(Object(after.content), { in_contingency: true, cufe: before.content?.cufe })
  })

  it.effect("sends one probe in half a minute, and makes no other call", function* () {
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
    authority.onSubmit = () => unreachable
    yield* proceed(key)
    yield* TestClock.adjust("299 seconds")
    yield* proceed(key)
    assert.strictEqual((yield* invoiceOf(key)).state, "signed")
    // Another document gets through, and the count starts again.
    authority.onSubmit = () => Effect.succeed(accepted)
    yield* TestClock.adjust("1 seconds")
    yield* proceed(yield* addNumbered(customer))
    authority.onSubmit = () => unreachable
    yield* TestClock.adjust("2 seconds")
    yield* proceed(key)
    assert.strictEqual((yield* invoiceOf(key)).state, "signed")
    yield* TestClock.adjust("301 seconds")
    yield* proceed(key)
    assert.strictEqual((yield* invoiceOf(key)).state, "accepted_contingency")
  })

  it.effect("enters contingency at the first call if the outage lasts, unless it may have left", function* () {
    const authority = yield* FakeAuthority
    const proceed = yield* invoiceOwner
    const customer = yield* addCustomer()
    const [unsent, sent] = [yield* addNumbered(customer), yield* addNumbered(customer)]
    authority.onSubmit = lasting("connection_refused")
    yield* proceed(unsent)
    assert.deepStrictEqual(yield* commandsOf(unsent), ["Number", "Sign", "Submit", "Return", "EnterContingency"])
    assert.deepInclude(yield* invoiceOf(unsent), { state: "accepted_contingency", submitted_at: null })
    authority.onSubmit = lasting("no_answer")
    authority.onVerdict = lasting("no_answer")
    for (const seconds of [0, 301]) {
      yield* TestClock.adjust(`${seconds} seconds`)
      yield* proceed(sent)
      assert.deepInclude(yield* invoiceOf(sent), { state: "submitted", contingency_since: null })
    }
  })

  it.effect(
    "enters contingency alone if the outage is its own, with 48 h to transmit it, and others are judged",
    function* () {
      const authority = yield* FakeAuthority
      const proceed = yield* invoiceOwner
      const customer = yield* addCustomer()
      const [key, other] = [yield* addNumbered(customer), yield* addNumbered(customer)]
      const { cufe } = yield* invoiceOf(key)
      authority.onSubmit = (sent) => (sent.cufe === cufe ? notThis("connection_refused") : Effect.succeed(accepted))
      yield* proceed(key)
      yield* TestClock.adjust("301 seconds")
      yield* proceed(key)
      yield* proceed(other)
      const row = yield* invoiceOf(key)
      assert.deepStrictEqual(
        [row.state, (yield* invoiceOf(other)).state],
        ["accepted_contingency", "accepted_by_authority"]
      )
      assert.isTrue(row.of_type_04)
      const now = yield* Clock.currentTimeMillis
      assert.strictEqual(row.transmit_before?.getTime(), now + 48 * 3_600_000)
      assert.strictEqual(row.next_action_at, now + 30_000)

      // The deadline passes: Folio still sends the document, and never drops it.
      yield* TestClock.adjust("49 hours")
      yield* proceed(key)
      assert.strictEqual((yield* invoiceOf(key)).state, "accepted_contingency")
      authority.onSubmit = () => Effect.succeed(accepted)
      yield* proceed(key)
      assert.strictEqual((yield* invoiceOf(key)).state, "accepted_by_authority")
    }
  )

  it.effect("waits signed, however long, if the outage is its own and the cause is ours", function* () {
    const { authority, key, proceed } = yield* issuing
    authority.onSubmit = () => notThis("name_not_found")
    for (const minutes of [0, 6, 60]) {
      yield* TestClock.adjust(`${minutes} minutes`)
      yield* proceed(key)
      assert.deepInclude(yield* invoiceOf(key), { state: "signed", submitted_at: null, contingency_since: null })
    }
  })

  it.effect("waits for its verdict, however long, if the outage is its own and it may have left", function* () {
    const { authority, key, proceed } = yield* issuing
    authority.onSubmit = () => notThis("no_answer")
    authority.onVerdict = () => notThis("no_verdict")
    for (const minutes of [0, 6, 60, 60 * 48]) {
      yield* TestClock.adjust(`${minutes} minutes`)
      yield* proceed(key)
      assert.deepInclude(yield* invoiceOf(key), { state: "submitted", contingency_since: null })
    }
    assert.deepStrictEqual([...(yield* MemoryTables).tables.circuits.values()], [])
  })
})
