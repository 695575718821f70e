import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { AuthorityUnavailable } from "../../../src/invoices/authority/Authority.ts"
import { alone, commandsOf, invoiceOf, invoiceOwner, issuing } from "../../support/apps/ActorsAlone.ts"
import { accepted, FakeAuthority, unavailable } from "../../support/apps/Fakes.ts"
import { addCustomer, addNumbered } from "../../support/apps/MemoryRows.ts"
import { itOn } from "../../support/Tests.ts"

const it = itOn(alone)

describe("a document that never left, while calls may reach the authority and get no verdict", () => {
  it.effect("tries the authority when no other document has for a minute", function* () {
    const authority = yield* FakeAuthority
    const proceed = yield* invoiceOwner
    const customer = yield* addCustomer()
    const [odd, other] = [yield* addNumbered(customer), yield* addNumbered(customer)]
    // The authority breaks at one document alone.
    authority.onSubmit = ({ cufe }) => (cufe === authority.calls[0]?.cufe ? unavailable : Effect.succeed(accepted))
    authority.onVerdict = () => unavailable
    yield* proceed(odd)
    yield* TestClock.adjust("61 seconds")
    yield* proceed(odd)
    yield* TestClock.adjust("5 seconds")
    yield* proceed(other)
    assert.deepStrictEqual(yield* commandsOf(other), ["Number", "Sign"])
    yield* TestClock.adjust("61 seconds")
    yield* proceed(other)
    assert.strictEqual((yield* invoiceOf(other)).state, "accepted_by_authority")
  })

  it.effect("does not wait for a document that gets a response without a verdict", function* () {
    const { authority, key, proceed } = yield* issuing
    authority.onSubmit = () => unavailable
    yield* proceed(key)
    const message = "an answer that is no verdict"
    authority.onVerdict = () =>
      Effect.fail(new AuthorityUnavailable({ message, trouble: "no_verdict", of_document: true }))
    authority.onSubmit = () => Effect.succeed(accepted)
    const other = yield* addNumbered(yield* addCustomer())
    yield* TestClock.adjust("61 seconds")
    yield* proceed(key)
    yield* proceed(other)
    assert.strictEqual((yield* invoiceOf(other)).state, "accepted_by_authority")
  })
})
