import { assert, describe } from "@effect/vitest"
import { Effect, Latch, Queue } from "effect"
import type { DocumentKey } from "../../schemas/FiscalDocument.ts"
import { InvoiceId } from "../../schemas/Id.ts"
import { AuthorityRefusal } from "../../src/outbound/authority/Authority.ts"
import { Limits } from "../../src/settings/Limits.ts"
import { accountOwner, alone, commandsOf, invoiceOf } from "../support/apps/ActorsAlone.ts"
import { accepted, FakeAuthority, rejected, unavailable } from "../support/apps/Fakes.ts"
import { testMode } from "../support/apps/MemoryApp.ts"
import { addCustomer, context, requestFor } from "../support/apps/MemoryRows.ts"
import { atCalls, atNoCalls, holdCalls } from "../support/memory/Calls.ts"
import { MemoryTables } from "../support/memory/MemoryTables.ts"
import { itOn } from "../support/Tests.ts"

const it = itOn(alone)

/** An account's actor, and so many drafts that it has numbered in one portion, because it was held up by one before them. */
const together = Effect.fnUntraced(function* (
  count: number,
  meanwhile: Effect.Effect<unknown, never, MemoryTables> = Effect.void
) {
  const memory = yield* MemoryTables
  const authority = yield* FakeAuthority
  const account = yield* accountOwner
  const request = requestFor(yield* addCustomer())
  const create = Effect.fnUntraced(function* (index: number) {
    const answer = yield* account.CreateInvoice({ context: context(`key ${index}`), request })
    const key: DocumentKey = { ...testMode, id: InvoiceId.make(answer.location?.split("/").at(-1) ?? "") }
    return key
  })
  const numbering = yield* holdCalls("Numbering.number")
  yield* create(-1)
  yield* numbering.arrived
  const keys = yield* Effect.forEach(Array.from({ length: count }).keys(), create)
  yield* meanwhile
  yield* numbering.open
  return { ...memory, authority, keys }
})

const throughAll = ["Number", "Sign", "Submit", "Accept"]

describe("The straight way of documents numbered together", () => {
  it.effect("stores all documents as submitted before it sends one, and sends them concurrently", function* () {
    const authority = yield* FakeAuthority
    const answers = Latch.makeUnsafe()
    const { tables } = yield* MemoryTables
    const states: Array<ReadonlyArray<string>> = []
    authority.onSubmit = () => {
      states.push([...tables.invoices.values()].map(({ state }) => state))
      return Effect.as(answers.await, accepted)
    }
    const { keys, until } = yield* together(5)
    for (let calls = 0; calls < 6; calls++) yield* Queue.take(authority.arrivals)
    assert.deepStrictEqual(
      states.at(1),
      Array.from({ length: 6 }, () => "submitted")
    )
    yield* answers.open
    yield* until(({ invoices }) => [...invoices.values()].every(({ state }) => state === "accepted_by_authority"))
    for (const key of keys) assert.deepStrictEqual(yield* commandsOf(key), throughAll)
  })

  it.effect("gives each document its own outcome: accepted, rejected, failed, or still submitted", function* () {
    const authority = yield* FakeAuthority
    const { tables, until } = yield* MemoryTables
    const numberOf = (cufe: string) => [...tables.invoices.values()].find((row) => row.cufe === cufe)?.number
    authority.onSubmit = ({ cufe }) => {
      const which = Number(numberOf(cufe)! % 4n)
      if (which === 1) return Effect.succeed(rejected)
      if (which === 2) return Effect.fail(new AuthorityRefusal({ message: "not you" }))
      return which === 3 ? unavailable : Effect.succeed(accepted)
    }
    authority.onVerdict = () => Effect.succeed(accepted)
    const { keys } = yield* together(8)
    const ends = ["accepted_by_authority", "rejected_by_authority", "failed", "submitted"]
    const endOf = (number: bigint | null | undefined) => ends[Number((number ?? 3n) % 4n)]
    yield* until(({ invoices }) =>
      keys.every(
        ({ id }) => authority.calls.length === 9 && invoices.get(id)?.state === endOf(invoices.get(id)?.number)
      )
    )
    for (const key of keys) {
      const { attempts, number, state } = yield* invoiceOf(key)
      assert.deepStrictEqual([state, attempts], [endOf(number), 1])
    }
    // What had no answer is asked for by its own actor, when its alarm rings.
    const waiting = [...tables.invoices.values()].filter(({ state }) => state === "submitted")
    assert.isNotEmpty(waiting)
    for (const { next_action_at } of waiting) assert.isFinite(next_action_at)
  })

  it.effect(
    "completes the other documents when the step of one cannot be stored, and does not send that one",
    function* () {
      const { authority, keys, tables, until } = yield* together(
        5,
        Effect.suspend(() => {
          let steps = 0
          // The first step is that of the document before them.
          return atCalls(
            "Transitions.move",
            Effect.suspend(() => (++steps === 4 ? Effect.die("broken") : Effect.void))
          )
        })
      )
      const acceptedOnes = () => keys.filter(({ id }) => tables.invoices.get(id)?.state === "accepted_by_authority")
      yield* until(() => acceptedOnes().length === 4)
      yield* atNoCalls
      const [left] = keys.filter((key) => !acceptedOnes().includes(key))
      const row = yield* invoiceOf(left!)
      assert.deepInclude(row, { state: "numbered", submitted_at: null, attempts: 1 })
      assert.lengthOf(authority.calls, 5)
    }
  )

  it.effect("sends each document as soon as it has a turn, while the call for another hangs", function* () {
    const authority = yield* FakeAuthority
    const late = Latch.makeUnsafe()
    // The document before them is accepted at once, and one of those that have a turn is answered late.
    let calls = 0
    authority.onSubmit = () => {
      return Effect.as(calls++ === 1 ? late.await : Effect.void, accepted)
    }
    const { keys, tables, until } = yield* Effect.provide(
      together(5),
      Limits.layerChanged({ authority: { perAccount: 2, inAll: 2 } })
    )
    const left = () => keys.filter(({ id }) => tables.invoices.get(id)?.state !== "accepted_by_authority")
    yield* until(() => left().length === 1)
    assert.strictEqual((yield* invoiceOf(left()[0]!)).state, "submitted")
    yield* late.open
    yield* until(() => left().length === 0)
    for (const key of keys) assert.deepStrictEqual(yield* commandsOf(key), throughAll)
  })
})
