import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Queue } from "effect"
import { AuthorityUnavailable } from "../../src/outbound/Authority.ts"
import { accepted, FakeAuthority, rejected, Told } from "../support/Fakes.ts"
import { addCustomer, addEndpoint, addNumbered } from "../support/MemoryRows.ts"
import { MemoryTables } from "../support/MemoryTables.ts"
import { alone, invoiceOf, invoiceOwner } from "../support/ActorsAlone.ts"

const unavailable = Effect.fail(new AuthorityUnavailable({ message: "503" }))

describe("Invoice: what only one of its owners may do", () => {
  it.effect("owned twice, is concluded once: the owner with the stale version changes nothing", () =>
    Effect.gen(function* () {
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

      // The first one wakes up and believes it has been rejected.
      yield* Queue.offer(answers, rejected)
      yield* Fiber.join(frozen)
      assert.strictEqual(yield* invoiceOf(key), concluded)
      assert.lengthOf(tables.events, 1)
      assert.strictEqual(tables.deliveries.size, 1)
      assert.lengthOf(yield* Queue.clear(yield* Told), 1)
    }).pipe(Effect.provide(alone))
  )

  it.effect.each(["Sign", "Submit", "wait"])("beaten to its %s by another owner, stops there", (step) =>
    Effect.gen(function* () {
      const memory = yield* MemoryTables
      const authority = yield* FakeAuthority
      const [slow, fast] = [yield* invoiceOwner, yield* invoiceOwner]
      const key = yield* addNumbered(yield* addCustomer())
      if (step === "wait") {
        authority.onSubmit = () => unavailable
        yield* slow(key)
        authority.onSubmit = () => Effect.succeed(accepted)
      }
      const [reached, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      let moves = 0
      memory.onCall = (name) =>
        name === "Transitions.move" && ++moves === (step === "Submit" ? 2 : 1)
          ? Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(gate))
          : Effect.void
      const beaten = yield* Effect.forkChild(slow(key))
      yield* Deferred.await(reached)
      yield* fast(key)
      const calls = authority.calls.length
      const concluded = yield* invoiceOf(key)
      assert.strictEqual(concluded.state, "accepted_by_authority")
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(beaten)
      assert.lengthOf(authority.calls, calls)
      assert.strictEqual(yield* invoiceOf(key), concluded)
    }).pipe(Effect.provide(alone))
  )

  it.effect.each(["before it is sent at all", "while the authority is asked"])(
    "sends nothing when the process was away %s, and asks first when it is back",
    (moment) =>
      Effect.gen(function* () {
        const memory = yield* MemoryTables
        const authority = yield* FakeAuthority
        const proceed = yield* invoiceOwner
        const key = yield* addNumbered(yield* addCustomer())
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
        assert.deepStrictEqual(
          authority.calls.map(({ kind }) => kind),
          ["verdict", "submit"]
        )
        assert.strictEqual((yield* invoiceOf(key)).state, "accepted_by_authority")
      }).pipe(Effect.provide(alone))
  )

  it.effect("told again after its end, or never created, does nothing", () =>
    Effect.gen(function* () {
      const authority = yield* FakeAuthority
      const proceed = yield* invoiceOwner
      const key = yield* addNumbered(yield* addCustomer())
      yield* proceed(key)
      const before = yield* invoiceOf(key)
      yield* proceed(key)
      yield* proceed({ ...key, livemode: true })
      assert.strictEqual(yield* invoiceOf(key), before)
      assert.lengthOf(authority.calls, 1)
    }).pipe(Effect.provide(alone))
  )

  it.effect.each(["Invoices.load", "Accounts.issuer", "Transitions.move", "Invoices.signedDocument"])(
    "a defect in %s costs that tell alone",
    (call) =>
      Effect.gen(function* () {
        const memory = yield* MemoryTables
        const authority = yield* FakeAuthority
        const proceed = yield* invoiceOwner
        const key = yield* addNumbered(yield* addCustomer())
        if (call === "Invoices.signedDocument") {
          authority.onSubmit = () => unavailable
          yield* proceed(key)
          authority.onSubmit = () => Effect.succeed(accepted)
        }
        let broken = true
        memory.onCall = (name) => (broken && name === call ? Effect.die(`${name} is broken`) : Effect.void)
        yield* proceed(key)
        assert.notStrictEqual((yield* invoiceOf(key)).state, "accepted_by_authority")
        broken = false
        yield* proceed(key)
        assert.strictEqual((yield* invoiceOf(key)).state, "accepted_by_authority")
      }).pipe(Effect.provide(alone))
  )
})
