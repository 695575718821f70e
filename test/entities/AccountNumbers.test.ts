import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Queue } from "effect"
import { memberAddress } from "../../src/protocol/Address.ts"
import { Told } from "../support/Fakes.ts"
import { firstNumber, rangeId, testMode } from "../support/MemoryApp.ts"
import { addCustomer, addDraft, context, requestFor } from "../support/MemoryRows.ts"
import { MemoryTables, type Tables } from "../support/MemoryTables.ts"
import { accountOwner, alone } from "../support/ActorsAlone.ts"

const inOrderOfCreation = ({ invoices }: Tables) => [...invoices.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1))

const numbersFrom = (first: bigint, count: number) => Array.from({ length: count }, (_, index) => first + BigInt(index))

describe("Account: numbers", () => {
  it.effect("are given in order of creation, without gap or twin, and each invoice is told", () =>
    Effect.gen(function* () {
      const { tables, until } = yield* MemoryTables
      const account = yield* accountOwner
      const request = requestFor(yield* addCustomer())
      yield* Effect.forEach(
        Array.from({ length: 50 }, (_, index) => `k${index}`),
        (key) => account.CreateInvoice({ context: context(key, key), request }),
        { concurrency: "unbounded" }
      )
      yield* until(({ transitions }) => transitions.length === 50)
      const rows = inOrderOfCreation(tables)
      assert.deepStrictEqual(
        rows.map((row) => row.number),
        numbersFrom(firstNumber, 50)
      )
      assert.strictEqual(tables.resolutions.get(rangeId(testMode))?.next_number, firstNumber + 50n)
      assert.strictEqual(new Set(rows.map((row) => row.cufe)).size, 50)
      const told = yield* Queue.takeN(yield* Told, 50)
      assert.deepStrictEqual(
        told.map(({ to }) => to),
        rows.map((row) => memberAddress(row))
      )
    }).pipe(Effect.provide(alone))
  )

  it.effect("of drafts that wait together are given in order of creation, whatever the order they were heard of", () =>
    Effect.gen(function* () {
      const memory = yield* MemoryTables
      const account = yield* accountOwner
      const request = requestFor(yield* addCustomer())
      const gates = yield* Queue.unbounded<Deferred.Deferred<void>>()
      const held = Effect.gen(function* () {
        const gate = yield* Deferred.make<void>()
        yield* Queue.offer(gates, gate)
        yield* Deferred.await(gate)
      })
      memory.onCall = (name) => (name === "InvoiceCreation.create" ? held : Effect.void)
      const creates = yield* Effect.forEach(["a", "b", "c"], (key) =>
        Effect.forkChild(account.CreateInvoice({ context: context(key, key), request }), { startImmediately: true })
      )
      const [a, b, c] = [yield* Queue.take(gates), yield* Queue.take(gates), yield* Queue.take(gates)]
      // The last one is stored first.
      for (const gate of [c, b, a]) yield* Deferred.succeed(gate, undefined)
      yield* Effect.forEach(creates, Fiber.join)
      yield* memory.until(({ transitions }) => transitions.length === 3)
      assert.deepStrictEqual(
        inOrderOfCreation(memory.tables).map((row) => row.number),
        numbersFrom(firstNumber, 3)
      )
    }).pipe(Effect.provide(alone))
  )

  it.effect("a new activation takes up the drafts that the one before left", () =>
    Effect.gen(function* () {
      const { tables, until } = yield* MemoryTables
      const customer = yield* addCustomer()
      for (let index = 0; index < 3; index++) yield* addDraft(customer)
      yield* accountOwner
      yield* until(({ transitions }) => transitions.length === 3)
      assert.deepStrictEqual(
        inOrderOfCreation(tables).map((row) => row.number),
        numbersFrom(firstNumber, 3)
      )
    }).pipe(Effect.provide(alone))
  )

  it.effect("of one range are given in order of creation, whether drafts asked for its prefix or for none", () =>
    Effect.gen(function* () {
      const { tables, until } = yield* MemoryTables
      const range = tables.resolutions.get(rangeId(testMode))
      assert.isDefined(range)
      const other = rangeId({ ...testMode, livemode: true })
      tables.resolutions.set(other, { ...range, id: other, prefix: "FE" })
      const customer = yield* addCustomer()
      for (let index = 0; index < 12; index++) {
        const { id } = yield* addDraft(customer)
        const row = tables.invoices.get(id)
        const range_prefix = [null, "SETP", "FE"][index % 3] ?? null
        if (row !== undefined) tables.invoices.set(id, { ...row, range_prefix })
      }
      yield* accountOwner
      yield* until(({ transitions }) => transitions.length === 12)
      const numbers = (prefix: string) =>
        inOrderOfCreation(tables)
          .filter((row) => row.prefix === prefix)
          .map((row) => row.number)
      assert.deepStrictEqual(numbers("SETP"), numbersFrom(firstNumber, 8))
      assert.deepStrictEqual(numbers("FE"), numbersFrom(firstNumber, 4))
    }).pipe(Effect.provide(alone))
  )

  it.effect("stopped while it numbers and started again, goes on from the rows", () =>
    Effect.gen(function* () {
      const memory = yield* MemoryTables
      const request = requestFor(yield* addCustomer())
      const stuck = yield* Deferred.make<void>()
      memory.onCall = (name) =>
        name === "Numbering.number" ? Effect.andThen(Deferred.succeed(stuck, undefined), Effect.never) : Effect.void
      yield* Effect.scoped(
        Effect.gen(function* () {
          const account = yield* accountOwner
          yield* account.CreateInvoice({ context: context("a"), request })
          yield* Deferred.await(stuck)
        })
      )
      memory.onCall = () => Effect.void
      const account = yield* accountOwner
      assert.strictEqual((yield* account.CreateInvoice({ context: context("a"), request })).kind, "replayed")
      yield* account.CreateInvoice({ context: context("b"), request })
      yield* memory.until(({ transitions }) => transitions.length === 2)
      assert.deepStrictEqual(
        inOrderOfCreation(memory.tables).map((row) => row.number),
        numbersFrom(firstNumber, 2)
      )
    }).pipe(Effect.provide(alone))
  )

  it.effect("owned twice, numbers every draft once", () =>
    Effect.gen(function* () {
      const { tables, until } = yield* MemoryTables
      const request = requestFor(yield* addCustomer())
      const owners = [yield* accountOwner, yield* accountOwner]
      yield* Effect.forEach(
        Array.from({ length: 40 }, (_, index) => index),
        (index) =>
          Effect.forEach(owners, (owner) => owner.CreateInvoice({ context: context(`k${index % 20}`), request })),
        { concurrency: "unbounded", discard: true }
      )
      yield* Effect.forEach(owners, (owner) => owner.NumberDrafts())
      yield* until(({ transitions }) => transitions.length === 20)
      const numbers = inOrderOfCreation(tables).map((row) => row.number ?? 0n)
      assert.deepStrictEqual(
        numbers.toSorted((a, b) => Number(a - b)),
        numbersFrom(firstNumber, 20)
      )
    }).pipe(Effect.provide(alone))
  )

  it.effect(
    "a range that ends fails what it has no number for, with an event, and the next range is used where there is one",
    () =>
      Effect.gen(function* () {
        const { tables, until } = yield* MemoryTables
        const range = tables.resolutions.get(rangeId(testMode))
        assert.isDefined(range)
        tables.resolutions.set(range.id, { ...range, to_number: firstNumber + 1n })
        const account = yield* accountOwner
        const request = requestFor(yield* addCustomer())
        const create = (key: string) => account.CreateInvoice({ context: context(key, key), request })
        yield* Effect.forEach(["a", "b", "c"], create, { concurrency: "unbounded" })
        yield* until(({ transitions }) => transitions.length === 3)
        const failed = [...tables.invoices.values()].filter((row) => row.state === "failed")
        assert.deepStrictEqual(
          failed.map(({ failure, full_number, next_action_at }) => [failure?.code, full_number, next_action_at]),
          [["range_exhausted", null, null]]
        )
        assert.deepStrictEqual(
          tables.events.map(({ object_id, type }) => [type, object_id]),
          [["invoice.failed", failed[0]?.id]]
        )
        const next = rangeId({ ...testMode, livemode: true })
        tables.resolutions.set(next, { ...range, id: next, prefix: "SETQ" })
        yield* create("d")
        yield* until(({ transitions }) => transitions.length === 4)
        assert.isTrue([...tables.invoices.values()].some((row) => row.full_number === "SETQ990000000"))
      }).pipe(Effect.provide(alone))
  )

  it.effect.each(["Numbering.number", "Resolutions.current", "Accounts.get", "Invoices.queued"])(
    "a defect in %s costs nothing: told again, the actor numbers what was left",
    (call) =>
      Effect.gen(function* () {
        const memory = yield* MemoryTables
        const account = yield* accountOwner
        const request = requestFor(yield* addCustomer())
        const broken = yield* Deferred.make<void>()
        memory.onCall = (name) =>
          name === call ? Effect.andThen(Deferred.succeed(broken, undefined), Effect.die("broken")) : Effect.void
        yield* account.CreateInvoice({ context: context("a"), request })
        yield* account.NumberDrafts()
        yield* Deferred.await(broken)
        memory.onCall = () => Effect.void
        yield* account.NumberDrafts()
        yield* memory.until(({ transitions }) => transitions.length === 1)
        assert.deepStrictEqual(
          [...memory.tables.invoices.values()].map((row) => row.number),
          [firstNumber]
        )
      }).pipe(Effect.provide(alone))
  )
})
