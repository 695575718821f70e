import { assert, describe } from "@effect/vitest"
import { Effect, Fiber, Queue, Schema } from "effect"
import { SqlError } from "effect/sql"
import { TestClock } from "effect/testing"
import { Event } from "../../schemas/Event.ts"
import type { DocumentKey } from "../../schemas/FiscalDocument.ts"
import { readSignedDocument } from "../../src/documents/signature/SignedDocument.ts"
import { memberAddress } from "../../src/runtime/Address.ts"
import { accepted, FakeAuthority, kindsOf, rejected, Told, unavailable } from "../support/apps/Fakes.ts"
import { addCustomer, addEndpoint, addNumbered } from "../support/apps/MemoryRows.ts"
import { MemoryTables } from "../support/memory/MemoryTables.ts"
import { alone, invoiceOf, invoiceOwner, isAbout, issuing, waitOf } from "../support/apps/ActorsAlone.ts"
import { itOn } from "../support/Tests.ts"
import { typesOf } from "../support/mail/Mailed.ts"
import { atNoCalls } from "../support/memory/Calls.ts"
import { Limits } from "../../src/runtime/Limits.ts"

const it = itOn(alone)

const stepsOf = (key: DocumentKey) =>
  Effect.map(MemoryTables, ({ tables }) =>
    tables.transitions.filter((row) => row.invoice_id === key.id).map(({ command, from, to }) => [command, from, to])
  )

describe("Invoice", () => {
  it.effect("takes exactly these steps from its number to acceptance, with one event", function* () {
    const endpoint = yield* addEndpoint()
    const { authority, key, proceed, tables } = yield* issuing
    yield* proceed(key)

    assert.deepStrictEqual(yield* stepsOf(key), [
      ["Number", "queued", "numbered"],
      ["Sign", "numbered", "signed"],
      ["Submit", "signed", "submitted"],
      ["Accept", "submitted", "accepted_by_authority"]
    ])
    const row = yield* invoiceOf(key)
    assert.strictEqual(row.next_action_at, null)
    assert.strictEqual(row.attempts, 1)
    assert.deepStrictEqual(tables.documents.get(key.id)?.authority_answer, accepted.answer)

    const [event, ...more] = tables.events
    assert.lengthOf(more, 0)
    const body = yield* Schema.decodeUnknownEffect(Schema.fromJsonString(Event))(event?.body)
    assert.strictEqual(body.type, "invoice.accepted_by_authority")
    assert.strictEqual(body.account, key.account_id)
    assert.strictEqual(body.livemode, false)
    assert.strictEqual(body.created, "2026-11-21T10:00:00.000-05:00")
    assert.deepInclude(body.data.object as object, {
      id: key.id,
      status: "accepted_by_authority",
      cufe: row.cufe,
      full_number: "SETP990000000",
      version: row.version
    })
    assert.deepStrictEqual(
      [...tables.deliveries.values()].map((delivery) => [delivery.endpoint_id, delivery.status]),
      [[endpoint.id, "pending"]]
    )
    assert.deepStrictEqual(yield* Queue.clear(yield* Told), [{ tell: "Deliver", to: memberAddress(endpoint) }])
    assert.deepStrictEqual(kindsOf(authority), ["submit"])
  })

  it.effect("signs the content of its row, and stores the signature before it is sent", function* () {
    const { authority, key, proceed, tables } = yield* issuing
    authority.onSubmit = ({ signed }) => {
      assert.deepStrictEqual(tables.documents.get(key.id)?.signed, signed)
      assert.deepStrictEqual(tables.invoices.get(key.id)?.state, "submitted")
      return Effect.succeed(accepted)
    }
    yield* proceed(key)
    const { acquirer, cufe, full_number, state, totals } = yield* invoiceOf(key)
    assert.strictEqual(state, "accepted_by_authority")
    const document = readSignedDocument(tables.documents.get(key.id)?.signed ?? new Uint8Array())
    assert.deepInclude(Object(document), { acquirer, cufe, full_number, totals, environment: "2" })
  })

  it.effect("ends rejected with the authority's reasons in its row and its event", function* () {
    const { authority, key, proceed, tables } = yield* issuing
    authority.onSubmit = () => Effect.succeed(rejected)
    yield* proceed(key)
    const row = yield* invoiceOf(key)
    assert.strictEqual(row.state, "rejected_by_authority")
    assert.strictEqual(row.next_action_at, null)
    assert.deepStrictEqual(row.authority_errors, rejected.errors)
    assert.deepStrictEqual(typesOf(tables.events), ["invoice.rejected_by_authority"])
    assert.deepStrictEqual(JSON.parse(tables.events[0]?.body ?? "").data.object.authority_errors, rejected.errors)
  })

  it.effect(
    "waits longer each time while the authority is unavailable, asks before it is sent again, and sends the same bytes",
    function* () {
      const authority = yield* FakeAuthority
      const proceed = yield* invoiceOwner.pipe(Effect.provide(Limits.layerChanged({ contingencyAfter: 86_400 })))
      const key = yield* addNumbered(yield* addCustomer())
      authority.onSubmit = () => unavailable
      for (const seconds of [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]) {
        yield* proceed(key)
        const wait = yield* waitOf(key)
        isAbout(wait, seconds * 1000)
        assert.strictEqual((yield* invoiceOf(key)).state, "submitted")
        yield* TestClock.adjust(wait)
      }
      authority.onSubmit = () => Effect.succeed(accepted)
      yield* proceed(key)
      assert.strictEqual((yield* invoiceOf(key)).state, "accepted_by_authority")

      const kinds = authority.calls.map(({ kind }) => kind)
      assert.deepStrictEqual(kinds, ["submit", ...Array.from({ length: 11 }, () => ["verdict", "submit"]).flat()])
      const sent = authority.calls.filter(({ kind }) => kind === "submit")
      assert.strictEqual(new Set(sent.map(({ signed }) => signed)).size, 1)
      assert.strictEqual(new Set(authority.calls.map(({ cufe }) => cufe)).size, 1)
      assert.strictEqual((yield* invoiceOf(key)).attempts, sent.length)
    }
  )

  it.effect("does not send while the authority cannot even be asked", function* () {
    const { authority, key, proceed } = yield* issuing
    authority.onSubmit = () => unavailable
    authority.onVerdict = () => unavailable
    yield* proceed(key)
    yield* proceed(key)
    yield* proceed(key)
    assert.deepStrictEqual(kindsOf(authority), ["submit", "verdict", "verdict"])
  })

  it.effect("finds out that a response was lost, without a second submission", function* () {
    const { authority, key, proceed, tables } = yield* issuing
    authority.onSubmit = () => unavailable
    authority.onVerdict = () => Effect.succeed(accepted)
    yield* proceed(key)
    yield* proceed(key)
    assert.strictEqual((yield* invoiceOf(key)).state, "accepted_by_authority")
    assert.deepStrictEqual(kindsOf(authority), ["submit", "verdict"])
    assert.lengthOf(tables.events, 1)
  })

  it.effect("cuts a call without a response at 60 s, and asks the authority later", function* () {
    const { authority, key, proceed } = yield* issuing
    let given = false
    authority.onSubmit = () => Effect.onInterrupt(Effect.never, () => Effect.sync(() => void (given = true)))
    const waiting = yield* Effect.forkChild(proceed(key))
    yield* Queue.take(authority.arrivals)
    // Until then no other process takes it for lost.
    assert.isAbove(yield* waitOf(key), 60_000)
    yield* TestClock.adjust(59_999)
    assert.isUndefined(waiting.pollUnsafe())
    assert.isFalse(given)
    yield* TestClock.adjust(1)
    yield* Fiber.join(waiting)
    assert.isTrue(given)
    assert.strictEqual((yield* invoiceOf(key)).state, "submitted")
    isAbout(yield* waitOf(key), 1_000)

    authority.onVerdict = () => Effect.succeed(accepted)
    yield* proceed(key)
    assert.strictEqual((yield* invoiceOf(key)).state, "accepted_by_authority")
    assert.deepStrictEqual(kindsOf(authority), ["submit", "verdict"])
  })

  it.effect("fails after five attempts if it cannot be signed, with an event, and keeps its number", function* () {
    const { tables } = yield* MemoryTables
    const authority = yield* FakeAuthority
    const proceed = yield* invoiceOwner
    const key = yield* addNumbered(yield* addCustomer({ unsignable: true }))
    for (const seconds of [1, 2, 4, 8]) {
      yield* proceed(key)
      assert.strictEqual((yield* invoiceOf(key)).state, "numbered")
      isAbout(yield* waitOf(key), seconds * 1000)
    }
    yield* proceed(key)
    const row = yield* invoiceOf(key)
    assert.strictEqual(row.state, "failed")
    assert.strictEqual(row.full_number, "SETP990000000")
    assert.strictEqual(row.next_action_at, null)
    assert.deepInclude(Object(row.failure), { code: "internal_error", retryable: true })
    assert.deepStrictEqual(
      tables.events.map((event) => event.type),
      ["invoice.failed"]
    )
    assert.lengthOf(authority.calls, 0)
  })

  it.effect("asks for its verdict later and later if its submission breaks", function* () {
    const { authority, key, proceed } = yield* issuing
    authority.onSubmit = () => Effect.die("a bug of ours")
    authority.onVerdict = () => Effect.die("a bug of ours")
    for (const seconds of [1, 2, 4, 8, 16, 32]) {
      yield* proceed(key)
      assert.strictEqual((yield* invoiceOf(key)).state, "submitted")
      isAbout(yield* waitOf(key), seconds * 1000)
    }
    authority.onVerdict = () => Effect.succeed(accepted)
    yield* proceed(key)
    assert.strictEqual((yield* invoiceOf(key)).state, "accepted_by_authority")
  })

  it.effect("concludes when the database is back, seconds later, if the verdict could not be stored", function* () {
    const { authority, key, memory, proceed } = yield* issuing
    const reason = new SqlError.ConnectionError({ cause: new Error("gone"), operation: "query" })
    const refused = yield* Queue.unbounded<string>()
    memory.onCall = (name) =>
      name === "Transitions.move" && authority.calls.length === 1
        ? Effect.andThen(Queue.offer(refused, name), Effect.die(new SqlError.SqlError({ reason })))
        : Effect.void
    authority.onVerdict = () => Effect.succeed(accepted)
    const working = yield* Effect.forkChild(proceed(key))
    yield* Queue.take(refused)
    yield* TestClock.adjust("1 second")
    yield* Queue.take(refused)
    assert.strictEqual((yield* invoiceOf(key)).state, "submitted")
    yield* atNoCalls
    yield* TestClock.adjust("2 seconds")
    yield* Fiber.join(working)
    assert.strictEqual((yield* invoiceOf(key)).state, "accepted_by_authority")
    assert.deepStrictEqual(kindsOf(authority), ["submit", "verdict"])
  })
})
