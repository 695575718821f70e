import { assert, describe } from "@effect/vitest"
import { Deferred, Effect, Queue } from "effect"
import { TestClock } from "effect/testing"
import type { DocumentKey } from "../../schemas/FiscalDocument.ts"
import { InvoiceId } from "../../schemas/Id.ts"
import { NationalProfile } from "../../src/documents/NationalProfile.ts"
import { Limits } from "../../src/runtime/Limits.ts"
import { breakable, installed } from "../ports/Faults.ts"
import { accountOwner, alone, commandsOf, invoiceOf, invoiceOwner } from "../support/apps/ActorsAlone.ts"
import { accepted, FakeAuthority, kindsOf, Told, unavailable } from "../support/apps/Fakes.ts"
import { testMode } from "../support/apps/Accounts.ts"
import { addCustomer, addNumbered, context, requestFor } from "../support/apps/MemoryRows.ts"
import { targetOf } from "../support/LateBound.ts"
import { MemoryTables } from "../support/memory/MemoryTables.ts"
import { itOn } from "../support/Tests.ts"
import { atCalls, atNoCalls } from "../support/memory/Calls.ts"

const it = itOn(alone)

/** An account's actor, which numbers drafts. No actor of a document runs: their tells stay in `Told`. */
const numbering = Effect.fnUntraced(function* () {
  const memory = yield* MemoryTables
  const authority = yield* FakeAuthority
  const account = yield* accountOwner
  const request = requestFor(yield* addCustomer())
  let requests = 0
  const create = Effect.gen(function* () {
    const answer = yield* account.CreateInvoice({ context: context(`key ${requests++}`), request })
    const key: DocumentKey = { ...testMode, id: InvoiceId.make(answer.location?.split("/").at(-1) ?? "") }
    return key
  })
  const is = (key: DocumentKey, state: string) => memory.until(({ invoices }) => invoices.get(key.id)?.state === state)
  return { ...memory, authority, create, is }
})

const throughAll = ["Number", "Sign", "Submit", "Accept"]

describe("A document that was numbered just now", () => {
  it.effect("goes from numbering to submission in one step, without a read and without a tell", function* () {
    const { authority, count, create, is, tables } = yield* numbering()
    const moves = count("Transitions.move")
    authority.onSubmit = ({ signed }) =>
      Effect.sync(() => {
        const [row] = tables.invoices.values()
        assert.deepInclude(row, { state: "submitted", version: 4, attempts: 1 })
        assert.deepStrictEqual(tables.documents.get(row!.id)?.signed, signed)
        return accepted
      })
    const key = yield* create
    yield* is(key, "accepted_by_authority")
    assert.deepStrictEqual(yield* commandsOf(key), throughAll)
    assert.strictEqual((yield* invoiceOf(key)).version, 5)
    assert.strictEqual(count("Invoices.load"), 0)
    assert.strictEqual(count("Transitions.move") - moves, 2)
    assert.deepStrictEqual(kindsOf(authority), ["submit"])
    assert.deepStrictEqual(yield* Queue.clear(yield* Told), [])
  })

  it.effect("stops at its signature while other documents fill the authority's turns", function* () {
    const { authority, create, is } = yield* numbering().pipe(
      Effect.provide(Limits.layerChanged({ authority: { atOnce: 1, ofOwnerAtOnce: 1 } }))
    )
    const held = yield* Deferred.make<void>()
    authority.onSubmit = () => Effect.as(Deferred.await(held), accepted)
    const first = yield* create
    yield* Queue.take(authority.arrivals)
    const second = yield* create
    yield* is(second, "signed")
    assert.lengthOf(authority.calls, 1)
    yield* Deferred.succeed(held, undefined)
    for (const key of [first, second]) {
      yield* is(key, "accepted_by_authority")
      assert.deepStrictEqual(yield* commandsOf(key), throughAll)
    }
  })

  it.effect("stops at its signature, unsent, while the authority may be unreachable", function* () {
    const { authority, create, is } = yield* numbering().pipe(
      Effect.provide(Limits.layerChanged({ contingencyAfter: 300 }))
    )
    authority.onSubmit = () => unavailable
    authority.onVerdict = () => unavailable
    const proceed = yield* invoiceOwner.pipe(Effect.provide(Limits.layerChanged({ contingencyAfter: 300 })))
    const tried = yield* addNumbered(yield* addCustomer())
    yield* proceed(tried)
    // A fifth of the time after which documents are issued in contingency.
    yield* TestClock.adjust("61 seconds")
    yield* proceed(tried)
    authority.calls.length = 0
    const key = yield* create
    yield* is(key, "signed")
    assert.deepStrictEqual(yield* commandsOf(key), ["Number", "Sign"])
    assert.deepInclude(yield* invoiceOf(key), { attempts: 0, submitted_at: null })
    assert.lengthOf(authority.calls, 0)
  })

  it.effect("stays unsent if its submission could not be stored", function* () {
    const { authority, create, until, count } = yield* numbering()
    yield* atCalls("Transitions.move", Effect.die("the disk is full"))
    const key = yield* create
    yield* until(() => count("Invoices.vitals") > 0 || count("Transitions.move") > 1)
    assert.deepStrictEqual(kindsOf(authority), [])
    yield* atNoCalls
    assert.strictEqual((yield* invoiceOf(key)).submitted_at, null)
  })

  it.effect("waits for its alarm if the service breaks before its signature, and is issued then", function* () {
    const { authority, count, create, is, tables, until } = yield* numbering()
    const profile = yield* NationalProfile
    const switched = breakable()
    const { localDate } = targetOf(profile)
    yield* installed(profile, "localDate", switched)
    switched.fault = (at: number) => {
      if (count("Numbering.number") > 0) throw new Error("a bug of the profile")
      return localDate(at)
    }
    const key = yield* create
    yield* until(() => tables.invoices.get(key.id)?.attempts === 1)
    assert.deepInclude(yield* invoiceOf(key), { state: "numbered", version: 3 })
    assert.isFinite((yield* invoiceOf(key)).next_action_at)
    switched.fault = null
    yield* Effect.flatMap(invoiceOwner, (proceed) => proceed(key))
    yield* is(key, "accepted_by_authority")
    assert.deepStrictEqual(kindsOf(authority), ["submit"])
  })
})
