import { assert, describe } from "@effect/vitest"
import { Array, Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { accepted, FakeAuthority, unavailable, unreachable } from "../support/apps/Fakes.ts"
import { testMode } from "../support/apps/Accounts.ts"
import { actors } from "../support/apps/MemoryApp.ts"
import { addCustomer, addEndpoint, addNumbered } from "../support/apps/MemoryRows.ts"
import { MemoryTables, type Tables } from "../support/memory/MemoryTables.ts"
import { itOn } from "../support/Tests.ts"

const it = itOn(actors)

const eventsOf = ({ events }: Tables, id: string) =>
  events.filter(({ object_id }) => object_id === id).map(({ type }) => type)

describe("an outage of 20 minutes with 300 invoices", () => {
  it.effect(
    "puts unsent documents into contingency, then submits each once, oldest first, until all are accepted",
    function* () {
      const { count, tables, until } = yield* MemoryTables
      const authority = yield* FakeAuthority
      const customer = yield* addCustomer()
      yield* addEndpoint()
      let isAway = true
      const known = new Set<string>()
      authority.onSubmit = ({ cufe }) =>
        Effect.suspend(() => {
          if (isAway) return unavailable
          known.add(cufe)
          return Effect.succeed(accepted)
        })
      authority.onVerdict = (cufe) =>
        Effect.suspend(() => (isAway ? unavailable : Effect.succeed(known.has(cufe) ? accepted : null)))

      // A third is sent before the outage is detected, the others during the outage. Signing ignores the test clock.
      for (const minutes of [0, 3, 8]) {
        yield* TestClock.adjust(`${minutes} minutes`)
        yield* Effect.forEach(Array.range(1, 100), () => addNumbered(customer))
        yield* TestClock.adjust("6 seconds")
        yield* until(({ invoices }) => [...invoices.values()].every(({ state }) => state !== "numbered"))
      }
      yield* TestClock.adjust("9 minutes")
      const all = () => [...tables.invoices.values()]
      yield* until(() => all().every(({ state }) => state !== "signed"))
      // What was sent before the outage was detected may have arrived: it waits for its verdict.
      const given = new Set(all().flatMap(({ id, state }) => (state === "accepted_contingency" ? [id] : [])))
      assert.isAtLeast(given.size, 198)
      assert.isAtMost(given.size, 200)
      for (const { id, of_type_04, state, submitted_at } of all()) {
        if (!given.has(id)) assert.deepStrictEqual([id, state, submitted_at === null], [id, "submitted", false])
        assert.strictEqual(of_type_04, given.has(id), id)
      }
      assert.lengthOf(tables.events, given.size)
      // In the last minutes of the outage only probes have called.
      const last = authority.calls.filter(({ at }) => at > authority.calls[0]!.at + 15 * 60_000)
      assert.isAtMost(last.length, 12)

      isAway = false
      authority.calls.length = 0
      const restored = yield* Clock.currentTimeMillis
      yield* TestClock.adjust("60 seconds")
      yield* until(({ invoices }) => [...invoices.values()].every(({ state }) => state === "accepted_by_authority"))
      const sent = authority.calls.filter(({ kind }) => kind === "submit")
      assert.lengthOf(sent, 300)
      assert.strictEqual(new Set(sent.map(({ cufe }) => cufe)).size, 300)
      for (const [second, calls] of Map.groupBy(sent, ({ at }) => Math.floor((at - restored) / 1000))) {
        assert.isAtMost(calls.length, 51, `in second ${second}`)
      }
      const order = all()
        .toSorted((a, b) => (a.id < b.id ? -1 : 1))
        .map(({ cufe }) => cufe ?? "")
      const places = new Map(sent.map(({ cufe }, index) => [cufe, index]))
      for (const [index, cufe] of order.entries()) {
        assert.isAtMost(Math.abs((places.get(cufe) ?? Infinity) - index), 51, `the ${index}th of the oldest`)
      }

      assert.lengthOf(tables.events, 300 + given.size)
      for (const { id } of all()) {
        const before = given.has(id) ? ["invoice.accepted_contingency"] : []
        assert.deepStrictEqual(eventsOf(tables, id), [...before, "invoice.accepted_by_authority"])
      }
      const waited = all().filter(({ transmit_before }) => transmit_before !== null)
      assert.isAtLeast(waited.length, given.size - 1)
      for (const { transmit_before } of waited) {
        assert.closeTo(transmit_before!.getTime(), restored + 48 * 3_600_000, 60_000)
      }
      // When no document waits, no probe is taken.
      const looked = count("AuthorityCircuits.take")
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(count("AuthorityCircuits.take"), looked)
    }
  )

  it.effect("stays with the account in test mode whose calls fail", function* () {
    const { tables, until } = yield* MemoryTables
    const authority = yield* FakeAuthority
    authority.onSubmit = (sent) => (sent.livemode ? Effect.succeed(accepted) : unreachable)
    const key = yield* addNumbered(yield* addCustomer())
    // Signing ignores the test clock.
    yield* TestClock.adjust("6 seconds")
    yield* until(({ transitions }) => transitions.some(({ command }) => command === "Return"))
    yield* TestClock.adjust("5 minutes")
    // Signing as type 04 ignores the test clock too, so the clock keeps advancing meanwhile.
    const ticking = Effect.andThen(TestClock.adjust("1 second"), TestClock.withLive(Effect.sleep("5 millis")))
    yield* Effect.raceFirst(
      until(({ invoices }) => invoices.get(key.id)?.state === "accepted_contingency"),
      Effect.forever(ticking)
    )
    assert.deepStrictEqual([...tables.circuits.keys()], [testMode.account_id])
  })
})
