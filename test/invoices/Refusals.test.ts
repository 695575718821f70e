import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { AuthorityRefusal, AuthorityUnavailable } from "../../src/invoices/authority/Authority.ts"
import { alone, eventsOf, invoiceOf, issuing, shown, signedBy } from "../support/apps/ActorsAlone.ts"
import { accepted, unavailable, unreachable } from "../support/apps/Fakes.ts"
import { become } from "../support/apps/MemoryRows.ts"
import { MemoryTables } from "../support/memory/MemoryTables.ts"
import { itOn } from "../support/Tests.ts"

const it = itOn(alone)

const refusal = Effect.fail(new AuthorityRefusal({ message: "NIT 1 no autorizado." }))

describe("a document that the authority refuses without a verdict", () => {
  it.effect("fails and keeps its number; a retry asks first and sends the same bytes", function* () {
    const { authority, key, proceed } = yield* issuing
    authority.onSubmit = () => refusal
    yield* proceed(key)
    const failed = yield* invoiceOf(key)
    assert.deepInclude(failed, { state: "failed", full_number: "SETP990000000", next_action_at: null })
    assert.deepInclude(Object(failed.failure), { code: "authority_refused", retryable: true })
    assert.include(failed.failure?.message, "NIT 1 no autorizado.")
    assert.deepStrictEqual(yield* eventsOf(key.id), ["invoice.failed"])

    // A retry a day later neither dates nor signs the document again.
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

  it.effect("names what to fix, and a retry asks first", function* () {
    const { authority, key, proceed } = yield* issuing
    const fault = new AuthorityRefusal({ message: "a fault (s:Client)", trouble: "certificate_refused" })
    authority.onSubmit = () => Effect.fail(fault)
    yield* proceed(key)
    const { failure, state } = yield* invoiceOf(key)
    assert.strictEqual(state, "failed")
    assert.deepInclude(failure, { code: "authority_refused", retryable: true })
    assert.match(failure?.message ?? "", /does not trust the account's certificate.*POST \/v1\/account\/certificate/)
    // Accounts with a valid certificate can still call.
    assert.deepStrictEqual([...(yield* MemoryTables).tables.circuits.values()], [])
  })

  it.effect("waits and names what to fix, if it may have left and the question is refused", function* () {
    const { authority, key, proceed } = yield* issuing
    authority.onSubmit = () => unavailable
    yield* proceed(key)
    const fault = new AuthorityRefusal({ message: "a fault (s:Client)", trouble: "certificate_refused" })
    authority.onVerdict = () => Effect.fail(fault)
    yield* TestClock.adjust("5 seconds")
    yield* proceed(key)
    assert.strictEqual((yield* invoiceOf(key)).state, "submitted")
    const { waiting } = yield* shown(key)
    assert.strictEqual(waiting?.code, "certificate_refused")
    assert.match(waiting?.message ?? "", /queries the authority.*Upload a valid certificate/)
  })

  it.effect("waits if it is in contingency, because it was given to its buyer", function* () {
    const { authority, key, proceed } = yield* issuing
    authority.onSubmit = () => unreachable
    yield* proceed(key)
    yield* TestClock.adjust("331 seconds")
    yield* proceed(key)
    assert.strictEqual((yield* invoiceOf(key)).state, "accepted_contingency")
    authority.onSubmit = () => refusal
    yield* TestClock.adjust("31 seconds")
    yield* proceed(key)
    const row = yield* invoiceOf(key)
    assert.strictEqual(row.state, "accepted_contingency")
    assert.isTrue(Number.isFinite(row.next_action_at))
    assert.deepInclude((yield* shown(key)).waiting, { code: "sender_refused" })
    // The authority has answered, so there is no outage.
    assert.isNull([...(yield* MemoryTables).tables.circuits.values()][0]?.failing_since)
  })
})

describe("a document", () => {
  it.effect(
    "asks for its verdict, however often it is unknown, and is not sent again once the authority has received it",
    function* () {
      const { authority, key, proceed } = yield* issuing
      const received = new AuthorityUnavailable({ message: "98: En Proceso", trouble: "in_process", of_document: true })
      authority.onSubmit = () => Effect.fail(received)
      authority.onVerdict = () => Effect.succeed(null)
      yield* proceed(key)
      for (const minutes of [1, 10, 60, 12 * 60]) {
        yield* TestClock.adjust(`${minutes} minutes`)
        yield* proceed(key)
      }
      assert.deepInclude(yield* invoiceOf(key), { state: "submitted", contingency_since: null })
      assert.match((yield* shown(key)).waiting?.message ?? "", /received the document.*transmits nothing a second time/)
      assert.deepStrictEqual(
        authority.calls.map(({ kind }) => kind),
        ["submit", "verdict", "verdict", "verdict", "verdict"]
      )
      authority.onVerdict = () => Effect.succeed(accepted)
      yield* TestClock.adjust("5 minutes")
      yield* proceed(key)
      assert.strictEqual((yield* invoiceOf(key)).state, "accepted_by_authority")
    }
  )

  it.effect.each(["an error", "a refused connection", "no answer for longer", "a refusal"] as const)(
    "stays sent once, if the authority has received it, after %s",
    function* (what) {
      const { authority, key, proceed } = yield* issuing
      const received = new AuthorityUnavailable({ message: "98: En Proceso", trouble: "in_process", of_document: true })
      authority.onSubmit = () => Effect.fail(received)
      yield* proceed(key)
      authority.onVerdict = () =>
        what === "a refusal" ? refusal : what === "a refused connection" ? unreachable : unavailable
      yield* TestClock.adjust("1 minute")
      yield* proceed(key)
      if (what === "no answer for longer") {
        yield* TestClock.adjust("302 seconds")
        yield* proceed(key)
        yield* proceed(key)
      }
      const { waiting } = yield* shown(key)
      assert.strictEqual(waiting?.code, "in_process")
      assert.match(waiting?.message ?? "", /has received the document/)
      if (what === "a refusal") assert.match(waiting?.message ?? "", /NIT 1 no autorizado.*associate the software/)
      authority.onVerdict = () => Effect.succeed(null)
      yield* TestClock.adjust("31 seconds")
      yield* proceed(key)
      assert.lengthOf(
        authority.calls.filter(({ kind }) => kind === "submit"),
        1
      )
      assert.strictEqual((yield* invoiceOf(key)).state, "submitted")
    }
  )
})
