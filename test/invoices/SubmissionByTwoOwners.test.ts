import { assert, describe } from "@effect/vitest"
import { Effect, Fiber, Latch, Queue } from "effect"
import { accepted, FakeAuthority, kindsOf, rejected, Told, unavailable } from "../support/apps/Fakes.ts"
import { addCustomer, addEndpoint, addNumbered } from "../support/apps/MemoryRows.ts"
import { MemoryTables } from "../support/memory/MemoryTables.ts"
import { alone, invoiceOf, invoiceOwner, issuing } from "../support/apps/ActorsAlone.ts"
import { itOn } from "../support/Tests.ts"
import { atCalls, atNoCalls } from "../support/memory/Calls.ts"

const it = itOn(alone)

describe("An invoice with two owners", () => {
  it.effect("concludes once: the owner with the stale version changes nothing", function* () {
    const { tables } = yield* MemoryTables
    const authority = yield* FakeAuthority
    const [first, second] = [yield* invoiceOwner, yield* invoiceOwner]
    yield* addEndpoint()
    const key = yield* addNumbered(yield* addCustomer())
    const answers = yield* Queue.unbounded<typeof accepted>()
    authority.onSubmit = () => Queue.take(answers)
    authority.onVerdict = () => Effect.succeed(accepted)
    const frozen = yield* Effect.forkChild(first(key))
    yield* Queue.take(authority.arrivals)
    yield* second(key)
    const concluded = yield* invoiceOf(key)
    assert.strictEqual(concluded.state, "accepted_by_authority")

    // The first owner wakes up and reads a rejection.
    yield* Queue.offer(answers, rejected)
    yield* Fiber.join(frozen)
    assert.strictEqual(yield* invoiceOf(key), concluded)
    assert.lengthOf(tables.events, 1)
    assert.strictEqual(tables.deliveries.size, 1)
    assert.lengthOf(yield* Queue.clear(yield* Told), 1)
  })

  it.effect.each(["Sign", "Submit", "wait"])("stops when another owner is first to its %s", function* (step) {
    const memory = yield* MemoryTables
    const authority = yield* FakeAuthority
    const [slow, fast] = [yield* invoiceOwner, yield* invoiceOwner]
    const key = yield* addNumbered(yield* addCustomer())
    if (step === "wait") {
      authority.onSubmit = () => unavailable
      yield* slow(key)
      authority.onSubmit = () => Effect.succeed(accepted)
    }
    const [reached, gate] = [Latch.makeUnsafe(), Latch.makeUnsafe()]
    let moves = 0
    memory.onCall = (name) =>
      name === "Transitions.move" && ++moves === (step === "Submit" ? 2 : 1)
        ? Effect.andThen(reached.open, gate.await)
        : Effect.void
    const beaten = yield* Effect.forkChild(slow(key))
    yield* reached.await
    yield* fast(key)
    const calls = authority.calls.length
    const concluded = yield* invoiceOf(key)
    assert.strictEqual(concluded.state, "accepted_by_authority")
    yield* gate.open
    yield* Fiber.join(beaten)
    assert.lengthOf(authority.calls, calls)
    assert.strictEqual(yield* invoiceOf(key), concluded)
  })

  it.effect.each(["before it is sent at all", "while the authority is asked"])(
    "sends nothing if the process was suspended %s, and asks first when it resumes",
    function* (moment) {
      const { authority, key, memory, proceed } = yield* issuing
      const sent = () => authority.calls.filter(({ kind }) => kind === "submit").length
      if (moment !== "before it is sent at all") {
        authority.onSubmit = () => unavailable
        yield* proceed(key)
        authority.onSubmit = () => Effect.succeed(accepted)
        assert.strictEqual(sent(), 1)
      }
      memory.isAlive = false
      const before = sent()
      yield* proceed(key)
      assert.strictEqual(sent(), before)
      const waiting = yield* invoiceOf(key)
      assert.strictEqual(waiting.state, "submitted")
      assert.isNotNull(waiting.next_action_at)

      memory.isAlive = true
      authority.calls.length = 0
      yield* proceed(key)
      assert.deepStrictEqual(kindsOf(authority), ["verdict", "submit"])
      assert.strictEqual((yield* invoiceOf(key)).state, "accepted_by_authority")
    }
  )

  it.effect("does nothing for a document that has ended, or that never existed", function* () {
    const { authority, key, proceed } = yield* issuing
    yield* proceed(key)
    const before = yield* invoiceOf(key)
    yield* proceed(key)
    yield* proceed({ ...key, livemode: true })
    assert.strictEqual(yield* invoiceOf(key), before)
    assert.lengthOf(authority.calls, 1)
  })

  it.effect.each(["Invoices.load", "Accounts.issuer", "Transitions.move", "Invoices.signedDocument"])(
    "loses one tell to a defect in %s, and no more",
    function* (call) {
      const { authority, key, proceed } = yield* issuing
      if (call === "Invoices.signedDocument") {
        authority.onSubmit = () => unavailable
        yield* proceed(key)
        authority.onSubmit = () => Effect.succeed(accepted)
      }
      yield* atCalls(call, Effect.die(`${call} is broken`))
      yield* proceed(key)
      assert.notStrictEqual((yield* invoiceOf(key)).state, "accepted_by_authority")
      yield* atNoCalls
      yield* proceed(key)
      assert.strictEqual((yield* invoiceOf(key)).state, "accepted_by_authority")
    }
  )
})
