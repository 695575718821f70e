import { assert, describe } from "@effect/vitest"
import { Effect, Exit, Latch, Queue, type Scope } from "effect"
import { SqlError } from "effect/sql"
import { TestClock } from "effect/testing"
import type { DocumentKey } from "../../schemas/FiscalDocument.ts"
import { InvoiceId } from "../../schemas/Id.ts"
import { NationalProfile } from "../../src/documents/NationalProfile.ts"
import type { FiscalDocument } from "../../src/documents/ubl/FiscalDocument.ts"
import { AuthorityRefusal, AuthorityUnavailable, type Submission } from "../../src/invoices/authority/Authority.ts"
import { Limits } from "../../src/runtime/Limits.ts"
import { Numbering } from "../../src/invoices/store/Numbering.ts"
import { type Step, Transitions } from "../../src/invoices/store/Transitions.ts"
import { memberAddress } from "../../src/runtime/Address.ts"
import { breakable, installed } from "../ports/Faults.ts"
import { accountOwner, alone, commandsOf, invoiceOf, invoiceOwner } from "../support/apps/ActorsAlone.ts"
import { accepted, FakeAuthority, rejected, Told, unavailable } from "../support/apps/Fakes.ts"
import { testMode } from "../support/apps/Accounts.ts"
import { addCustomer, addDraft, context, requestFor } from "../support/apps/MemoryRows.ts"
import { atCalls, atNoCalls, holdCalls } from "../support/memory/Calls.ts"
import { targetOf } from "../support/LateBound.ts"
import { patiently } from "../support/apps/Until.ts"
import { type InvoiceRow, MemoryTables } from "../support/memory/MemoryTables.ts"
import { itOn } from "../support/Tests.ts"

const it = itOn(alone)

const callsAtOnce = (atOnce: number) => Limits.layerChanged({ authority: { atOnce, ofOwnerAtOnce: atOnce } })

/**
 * An account's actor, and `count` drafts that it numbered in one portion while an earlier draft delayed it. The third
 * draft is made out to `third`.
 */
const together = Effect.fnUntraced(function* (
  count: number,
  meanwhile: Effect.Effect<unknown, never, MemoryTables> = Effect.void,
  third?: string
) {
  const memory = yield* MemoryTables
  const authority = yield* FakeAuthority
  const account = yield* accountOwner
  const customer = yield* addCustomer()
  const create = Effect.fnUntraced(function* (index: number) {
    const request = requestFor(index === 2 ? (third ?? customer) : customer)
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
  return { ...memory, account, authority, create, keys }
})

const throughAll = ["Number", "Sign", "Submit", "Accept"]

describe("The submission of documents numbered together", () => {
  it.effect(
    "stores all submissions together, sends the documents concurrently, and stores their outcomes together",
    function* () {
      const authority = yield* FakeAuthority
      const answers = Latch.makeUnsafe()
      const { tables } = yield* MemoryTables
      const states: Array<ReadonlyArray<string>> = []
      const statements: Array<string> = []
      const transitions = yield* Transitions
      const { moveAll } = transitions
      Object.assign(transitions, {
        moveAll: (steps: ReadonlyArray<Step>) => {
          statements.push(`${steps.length} ${steps[0]?.command}`)
          return moveAll(steps)
        }
      })
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
      // The document before them, and all of them together.
      assert.deepStrictEqual(statements.toSorted(), ["1 Accept", "1 Submit", "5 Accept", "5 Submit"])
    }
  )

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
    // A document without a response asks for its verdict through its own actor, when its alarm rings.
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
          // The first step belongs to the document before them.
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
    // The document before them is accepted immediately, and one of those with a turn gets a late response.
    let calls = 0
    authority.onSubmit = () => {
      return Effect.as(calls++ === 1 ? late.await : Effect.void, accepted)
    }
    const { keys, tables, until } = yield* Effect.provide(together(5), callsAtOnce(2))
    const left = () => keys.filter(({ id }) => tables.invoices.get(id)?.state !== "accepted_by_authority")
    yield* until(() => left().length === 1)
    assert.strictEqual((yield* invoiceOf(left()[0]!)).state, "submitted")
    yield* late.open
    yield* until(() => left().length === 0)
    for (const key of keys) assert.deepStrictEqual(yield* commandsOf(key), throughAll)
  })
})

type Method = (...args: Array<never>) => unknown

/** Replaces a method of a service by another one, until the returned effect restores it. */
const replaced = Effect.fnUntraced(function* <Port extends object>(
  port: Port,
  name: keyof Port,
  instead: (well: Method) => Method
) {
  const switched = breakable()
  switched.fault = instead(targetOf(port)[name] as Method)
  yield* installed(port, name, switched)
  return Effect.sync(() => void (switched.fault = null))
})

/** Fails to store each step for which `refuses` is true, and stores all others. */
const refusing = (refuses: (step: Step) => boolean, defect: unknown = new Error("violates a constraint")) =>
  Effect.flatMap(Transitions, (transitions) => {
    const { moveAll } = transitions
    return replaced(
      transitions,
      "moveAll",
      () => (steps: ReadonlyArray<Step>) =>
        Effect.suspend(() => {
          const refused = new Set(steps.filter(refuses))
          return Effect.map(moveAll(steps.filter((step) => !refused.has(step))), (exits) => {
            const rest = exits.values()
            return steps.map((step) => (refused.has(step) ? Exit.die(defect) : rest.next().value))
          })
        })
    )
  })

const brokenConnection = new SqlError.SqlError({
  reason: new SqlError.ConnectionError({ cause: new Error("gone"), operation: "query" })
})
const lost = new AuthorityUnavailable({ message: "cut", trouble: "no_answer", of_document: true })

/** The document that breaks, made out to an acquirer of its own. */
interface Third {
  readonly is: (id: string) => boolean
  readonly isOfCode: (cufe: string) => boolean
  readonly submit: (answer: ReturnType<FakeAuthority["Service"]["onSubmit"]>) => void
}

const oddNumber = "900373115"
const isOfThird = (number: unknown) => number === oddNumber

const hasAll = (row: InvoiceRow, { attempts, state, version }: Break["left"]) =>
  row.state === state && row.attempts === attempts && row.version === version

interface Break {
  readonly what: string
  /** Returns the effect that ends the fault, if the fault does not end by itself. */
  readonly of: (
    third: Third
  ) => Effect.Effect<Effect.Effect<void> | undefined, never, Scope.Scope | NationalProfile | Numbering | Transitions>
  readonly left: Pick<InvoiceRow, "state" | "attempts" | "version">
  /** Whether the authority answers this document first, and the others afterwards. */
  readonly isFirst?: boolean
}

const signingFaults = {
  "dies while it is signed": () => Effect.die(new Error("a bug of the profile")),
  "throws while it is signed": () => {
    throw new Error("a bug of the profile")
  },
  "interrupts itself while it is signed": () => Effect.interrupt
}

const ofProfile = (name: keyof typeof NationalProfile.Service, instead: (well: Method) => Method) =>
  Effect.flatMap(NationalProfile, (profile) => replaced(profile, name, instead))

const signingBreaks = Object.entries(signingFaults).map(([what, fault]): Break => {
  const sign =
    (well: Method) =>
    (document: FiscalDocument, ...rest: Array<never>) =>
      isOfThird(document.acquirer.identification.number) ? fault() : well(document as never, ...rest)
  return {
    what: `the profile ${what}`,
    of: () => ofProfile("sign", sign),
    left: { state: "numbered", attempts: 1, version: 3 }
  }
})

/** The fault of one document of a group, and the state in which the fault leaves the document. */
const breaks: ReadonlyArray<Break> = [
  {
    what: "the profile throws while it is numbered",
    of: () =>
      ofProfile("tail", (well) => (draft: { acquirer_number: string }) => {
        if (isOfThird(draft.acquirer_number)) throw new Error("a bug of the profile")
        return well(draft as never)
      }),
    left: { state: "queued", attempts: 1, version: 2 }
  },
  {
    what: "its number cannot be stored",
    of: ({ is }: Third) =>
      Effect.flatMap(Numbering, (numbering) => {
        const { numberAll } = numbering
        return replaced(
          numbering,
          "numberAll",
          () => (drafts: Parameters<typeof numberAll>[0]) =>
            Effect.forEach(drafts, (draft) =>
              is(draft.key.id)
                ? Effect.succeed(Exit.die(new Error("broken")))
                : Effect.map(numberAll([draft]), ([exit]) => exit)
            )
        )
      }),
    left: { state: "queued", attempts: 1, version: 2 }
  },
  ...signingBreaks,
  {
    what: "the database rejects its submission",
    of: ({ is }: Third) => refusing(({ command, key }) => command === "Submit" && is(key.id)),
    left: { state: "numbered", attempts: 1, version: 3 }
  },
  {
    what: "the database fails at its submission",
    of: ({ is }: Third) => refusing(({ command, key }) => command === "Submit" && is(key.id), brokenConnection),
    left: { state: "numbered", attempts: 0, version: 2 }
  },
  {
    what: "the authority's port breaks",
    of: ({ submit }: Third) =>
      Effect.as(
        Effect.sync(() => submit(Effect.die(new Error("a bug of the port")))),
        undefined
      ),
    left: { state: "submitted", attempts: 1, version: 5 }
  },
  {
    what: "the authority's response is lost",
    of: ({ submit }: Third) =>
      Effect.as(
        Effect.sync(() => submit(Effect.fail(lost))),
        undefined
      ),
    left: { state: "submitted", attempts: 1, version: 5 }
  },
  {
    what: "the authority's response is lost and the database fails to record it",
    of: ({ is, submit }: Third) => {
      submit(Effect.fail(lost))
      let refused = 0
      return refusing(({ command, key }) => command === null && is(key.id) && refused++ === 0)
    },
    left: { state: "submitted", attempts: 1, version: 5 },
    isFirst: true
  },
  {
    what: "the profile throws while its event is written",
    of: ({ isOfCode }: Third) =>
      ofProfile("pageOf", (well) => (document: { cufe: string }) => {
        if (isOfCode(document.cufe)) throw new Error("a bug of the profile")
        return well(document as never)
      }),
    left: { state: "submitted", attempts: 1, version: 5 }
  },
  {
    what: "the database rejects its outcome",
    of: ({ is }: Third) => refusing(({ command, key }) => command === "Accept" && is(key.id)),
    left: { state: "submitted", attempts: 1, version: 5 }
  }
]

describe("A document that breaks among documents numbered together", () => {
  it.effect.each(breaks)("leaves the other documents to their outcomes when $what", function* ({ isFirst, left, of }) {
    const { tables, until } = yield* MemoryTables
    const authority = yield* FakeAuthority
    const told = yield* Told
    const taken: Array<string> = []
    const customer = yield* addCustomer({ number: oddNumber })
    const is = (id: string) => tables.invoices.get(id)?.customer_id === customer
    const third = () => [...tables.invoices.values()].find((row) => row.customer_id === customer)
    const isLeft = () => {
      const row = third()
      return row !== undefined && hasAll(row, left) && row.next_action_at !== null
    }
    let answer: ReturnType<typeof authority.onSubmit> = Effect.succeed(accepted)
    const isOfCode = (cufe: string) => cufe === third()?.cufe
    const mends = yield* of({ is, isOfCode, submit: (next) => (answer = next) })
    const take = ({ cufe }: Submission) => Effect.sync(() => void taken.push(cufe))
    authority.onSubmit = (submission) => {
      if (submission.cufe !== third()?.cufe)
        return Effect.andThen(take(submission), Effect.as(isFirst === true ? until(isLeft) : Effect.void, accepted))
      return Effect.tapError(Effect.andThen(answer, Effect.as(take(submission), accepted)), () => take(submission))
    }
    authority.onVerdict = (cufe) => Effect.succeed(taken.includes(cufe) ? accepted : null)

    const { account, keys } = yield* together(5, Effect.void, customer)
    const others = keys.filter(({ id }) => !is(id))
    yield* until(({ invoices }) => others.every(({ id }) => invoices.get(id)?.state === "accepted_by_authority"))
    yield* until(isLeft)
    for (const key of others) assert.deepStrictEqual(yield* commandsOf(key), throughAll)
    const numbers = [...tables.invoices.values()].flatMap(({ number }) => (number === null ? [] : [number]))
    assert.lengthOf(numbers, left.state === "queued" ? 5 : 6)

    if (mends !== undefined) yield* mends
    answer = Effect.succeed(accepted)
    const key = keys[2]!
    // After a failure of the database, the document's actor resumes immediately.
    if (left.attempts === 0)
      assert.deepStrictEqual(yield* patiently(Queue.take(told)), { tell: "Proceed", to: memberAddress(key) })
    yield* TestClock.adjust("2 minutes")
    yield* left.state === "queued" ? account.NumberDrafts() : Effect.flatMap(invoiceOwner, (proceed) => proceed(key))
    yield* until(({ invoices }) => invoices.get(key.id)?.state === "accepted_by_authority")
    assert.deepStrictEqual(yield* commandsOf(key), throughAll)
    assert.lengthOf(taken, 6)
    assert.strictEqual(new Set(taken).size, 6)
  })

  it.effect("gives its turn at the authority to a later document", function* () {
    const authority = yield* FakeAuthority
    const { tables, until } = yield* MemoryTables
    const late = Latch.makeUnsafe()
    authority.onSubmit = () => Effect.as(late.await, accepted)
    const customer = yield* addCustomer()
    const odd = yield* addCustomer({ number: oddNumber })
    const isOdd = ({ key }: Step) => tables.invoices.get(key.id)?.customer_id === odd
    yield* Effect.asVoid(refusing((step) => step.command === "Submit" && isOdd(step)))
    for (const of of [customer, odd, customer]) yield* addDraft(of)
    const account = yield* Effect.provide(accountOwner, callsAtOnce(3))
    yield* patiently(Queue.takeN(authority.arrivals, 2))
    yield* account.CreateInvoice({ context: context("later"), request: requestFor(customer) })
    yield* patiently(Queue.take(authority.arrivals))
    yield* late.open
    yield* until(
      ({ invoices }) => [...invoices.values()].filter(({ state }) => state === "accepted_by_authority").length === 3
    )
  })
})
