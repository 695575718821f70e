import { assert, describe } from "@effect/vitest"
import { Deferred, Effect, Fiber, Queue } from "effect"
import { firstNumber, rangeId, testMode } from "../support/apps/Accounts.ts"
import { addCustomer, addDraft, become, context, requestFor } from "../support/apps/MemoryRows.ts"
import { MemoryTables, type Tables } from "../support/memory/MemoryTables.ts"
import { accountOwner, alone, creating } from "../support/apps/ActorsAlone.ts"
import { itOn } from "../support/Tests.ts"
import { atCalls, atNoCalls, holdCalls } from "../support/memory/Calls.ts"

const it = itOn(alone)

const inOrderOfCreation = ({ invoices }: Tables) => [...invoices.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1))

/** Number of drafts that got a number, or failed without one. */
const ended = ({ transitions }: Tables) =>
  transitions.filter(({ command }) => command === "Number" || command === "Fail").length

/** Waits for this many numbers, which follow the first one in order of creation. */
const areNumbered = Effect.fnUntraced(function* (count: number) {
  const { tables, until } = yield* MemoryTables
  yield* until((all) => ended(all) === count)
  assert.deepStrictEqual(
    inOrderOfCreation(tables).map((row) => row.number),
    numbersFrom(firstNumber, count)
  )
})

const numbersFrom = (first: bigint, count: number) => Array.from({ length: count }, (_, index) => first + BigInt(index))

describe("Account: numbers", () => {
  it.effect("follow the order of creation without gaps or duplicates, and each invoice is accepted", function* () {
    const { create, tables, until } = yield* creating
    yield* Effect.forEach(
      Array.from({ length: 50 }, (_, index) => `k${index}`),
      (key) => create(key),
      { concurrency: "unbounded" }
    )
    yield* areNumbered(50)
    const rows = inOrderOfCreation(tables)
    assert.strictEqual(tables.resolutions.get(rangeId(testMode))?.next_number, firstNumber + 50n)
    assert.strictEqual(new Set(rows.map((row) => row.cufe)).size, 50)
    yield* until(({ invoices }) => [...invoices.values()].every(({ state }) => state === "accepted_by_authority"))
  })

  it.effect(
    "follow the order of creation of drafts that wait together, whatever the order of their commits",
    function* () {
      const { create } = yield* creating
      const gates = yield* Queue.unbounded<Deferred.Deferred<void>>()
      const held = Effect.gen(function* () {
        const gate = yield* Deferred.make<void>()
        yield* Queue.offer(gates, gate)
        yield* Deferred.await(gate)
      })
      yield* atCalls("InvoiceCreation.create", held)
      const creates = yield* Effect.forEach(["a", "b", "c"], (key) =>
        Effect.forkChild(create(key), { startImmediately: true })
      )
      const [a, b, c] = [yield* Queue.take(gates), yield* Queue.take(gates), yield* Queue.take(gates)]
      // The last draft is stored first.
      for (const gate of [c, b, a]) yield* Deferred.succeed(gate, undefined)
      yield* Effect.forEach(creates, Fiber.join)
      yield* areNumbered(3)
    }
  )

  it.effect("continue in a new activation with the drafts that the one before left", function* () {
    const customer = yield* addCustomer()
    for (let index = 0; index < 3; index++) yield* addDraft(customer)
    yield* accountOwner
    yield* areNumbered(3)
  })

  it.effect(
    "follow the order of creation within a range, whether a draft names the range's prefix or none",
    function* () {
      const { tables, until } = yield* MemoryTables
      const range = tables.resolutions.get(rangeId(testMode))
      assert.isDefined(range)
      const other = rangeId({ ...testMode, livemode: true })
      tables.resolutions.set(other, { ...range, id: other, prefix: "FE" })
      const customer = yield* addCustomer()
      for (let index = 0; index < 12; index++) {
        const { id } = yield* addDraft(customer)
        yield* become(id, { range_prefix: [null, "SETP", "FE"][index % 3] ?? null })
      }
      yield* accountOwner
      yield* until((all) => ended(all) === 12)
      const numbers = (prefix: string) =>
        inOrderOfCreation(tables)
          .filter((row) => row.prefix === prefix)
          .map((row) => row.number)
      assert.deepStrictEqual(numbers("SETP"), numbersFrom(firstNumber, 8))
      assert.deepStrictEqual(numbers("FE"), numbersFrom(firstNumber, 4))
    }
  )

  it.effect("continue from the rows after a restart during numbering", function* () {
    const numbering = yield* holdCalls("Numbering.number")
    const asked = { context: context("a"), request: requestFor(yield* addCustomer()) }
    yield* Effect.scoped(
      Effect.gen(function* () {
        const account = yield* accountOwner
        yield* account.CreateInvoice(asked)
        yield* numbering.arrived
      })
    )
    yield* atNoCalls
    const account = yield* accountOwner
    assert.strictEqual((yield* account.CreateInvoice(asked)).kind, "replayed")
    yield* account.CreateInvoice({ ...asked, context: context("b") })
    yield* areNumbered(2)
  })

  it.effect("go to each draft once if the account has two owners", function* () {
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
    yield* until((all) => ended(all) === 20)
    const numbers = inOrderOfCreation(tables).map((row) => row.number ?? 0n)
    assert.deepStrictEqual(
      numbers.toSorted((a, b) => Number(a - b)),
      numbersFrom(firstNumber, 20)
    )
  })

  it.effect(
    "end with their range: drafts without a number fail with an event, or use the next range if there is one",
    function* () {
      const { create, tables, until } = yield* creating
      const range = tables.resolutions.get(rangeId(testMode))
      assert.isDefined(range)
      tables.resolutions.set(range.id, { ...range, to_number: firstNumber + 1n })
      yield* Effect.forEach(["a", "b", "c"], (key) => create(key), { concurrency: "unbounded" })
      yield* until((all) => ended(all) === 3)
      const failed = [...tables.invoices.values()].filter((row) => row.state === "failed")
      assert.deepStrictEqual(
        failed.map(({ failure, full_number, next_action_at }) => [failure?.code, full_number, next_action_at]),
        [["range_exhausted", null, null]]
      )
      assert.deepStrictEqual(
        tables.events.filter(({ type }) => type === "invoice.failed").map(({ object_id }) => object_id),
        failed.map(({ id }) => id)
      )
      const next = rangeId({ ...testMode, livemode: true })
      tables.resolutions.set(next, { ...range, id: next, prefix: "SETQ" })
      yield* create("d")
      yield* until((all) => ended(all) === 4)
      assert.isTrue([...tables.invoices.values()].some((row) => row.full_number === "SETQ990000000"))
    }
  )

  it.effect.each(["Numbering.number", "Resolutions.current", "Accounts.get", "Invoices.queued"])(
    "continue at the next tell after a defect in %s",
    function* (call) {
      const { account } = yield* creating
      yield* addDraft(yield* addCustomer())
      const broken = yield* Deferred.make<void>()
      yield* atCalls(call, Effect.andThen(Deferred.succeed(broken, undefined), Effect.die("broken")))
      yield* account.NumberDrafts()
      yield* Deferred.await(broken)
      yield* atNoCalls
      yield* account.NumberDrafts()
      yield* areNumbered(1)
    }
  )
})
