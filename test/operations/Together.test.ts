import { assert, describe } from "@effect/vitest"
import { Clock, Effect } from "effect"

import { TestClock } from "effect/testing"
import { type AccountId, InvoiceId } from "../../schemas/Id.ts"
import { AuthorityUnavailable } from "../../src/invoices/authority/Authority.ts"
import { AccountEntity } from "../../src/accounts/AccountEntity.ts"
import { accountAddress } from "../../src/runtime/Address.ts"
import { accepted, answered, FakeAuthority, FakeReceiver } from "../support/apps/Fakes.ts"
import { otherAccount, startOfTest, testMode } from "../support/apps/Accounts.ts"
import { actors } from "../support/apps/MemoryApp.ts"
import {
  addCustomer,
  addDelivery,
  addDraft,
  addEndpoint,
  addNumbered,
  become,
  context,
  requestFor
} from "../support/apps/MemoryRows.ts"
import { MemoryTables, type Tables } from "../support/memory/MemoryTables.ts"
import { itOn } from "../support/Tests.ts"
import { atCalls, atNoCalls } from "../support/memory/Calls.ts"

const it = itOn(actors)

/** All actors and the sweeper, as they work together. Only they send tells. */
const account = Effect.map(AccountEntity.client, (client) => client(accountAddress(testMode)))

// Signing ignores the test clock: the tests wait for its result, and only then move the clock.
const areAccepted = (count: number) => (tables: Tables) =>
  [...tables.invoices.values()].filter(({ state }) => state === "accepted_by_authority").length === count

describe("actors together", () => {
  it.effect("take an invoice from its request to its receiver without moving the clock", function* () {
    const { tables, until } = yield* MemoryTables
    const receiver = yield* FakeReceiver
    const endpoint = yield* addEndpoint()
    const actor = yield* account
    const answer = yield* actor.CreateInvoice({ context: context("k"), request: requestFor(yield* addCustomer()) })
    assert.deepInclude({ ...answer }, { kind: "first", status: 202 })
    yield* until(({ attempts }) => attempts.length === 1)

    const [row] = [...tables.invoices.values()]
    assert.strictEqual(answer.location, `/v1/invoices/${row?.id}`)
    assert.strictEqual(row?.state, "accepted_by_authority")
    assert.deepStrictEqual(
      tables.transitions.map(({ command, version }) => [command, version]),
      [
        ["Number", 2],
        ["Sign", 3],
        ["Submit", 4],
        ["Accept", 5]
      ]
    )
    assert.lengthOf(tables.events, 1)
    const [request, ...more] = receiver.requests
    assert.lengthOf(more, 0)
    assert.strictEqual(request?.body, tables.events[0]?.body)
    assert.strictEqual(request?.headers["Svc-Webhook-Id"], endpoint.id)
    assert.strictEqual(request?.at, startOfTest + 1000)
  })

  it.effect("continue from the rows after they became idle and stopped", function* () {
    const { count, tables, until } = yield* MemoryTables
    const receiver = yield* FakeReceiver
    yield* addEndpoint()
    const actor = yield* account
    const request = requestFor(yield* addCustomer())
    for (const key of ["a", "b", "c"]) {
      yield* actor.CreateInvoice({ context: context(key, key), request })
      yield* until(
        ({ attempts }) => attempts.length === receiver.requests.length && attempts.length === key.charCodeAt(0) - 96
      )
      yield* TestClock.adjust("10 minutes")
    }
    // Each activation reads the queued drafts when it starts.
    assert.strictEqual(count("Invoices.queued"), 3)
    assert.deepStrictEqual(
      [...tables.invoices.values()].map((row) => row.full_number),
      ["SETP990000000", "SETP990000001", "SETP990000002"]
    )
    assert.strictEqual((yield* actor.CreateInvoice({ context: context("a", "a"), request })).kind, "replayed")
  })

  it.effect(
    "fail alone a document that cannot be signed: its neighbours complete, and no number is lost",
    function* () {
      const { tables, until } = yield* MemoryTables
      const actor = yield* account
      const [good, bad] = [yield* addCustomer(), yield* addCustomer({ unsignable: true })]
      for (const [key, customer] of [
        ["a", good],
        ["b", bad],
        ["c", good]
      ] as const) {
        yield* actor.CreateInvoice({ context: context(key, key), request: requestFor(customer) })
      }
      yield* until(areAccepted(2))
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(
        [...tables.invoices.values()].map(({ full_number, state }) => [full_number, state]),
        [
          ["SETP990000000", "accepted_by_authority"],
          ["SETP990000001", "failed"],
          ["SETP990000002", "accepted_by_authority"]
        ]
      )
      assert.deepStrictEqual(tables.events.map(({ type }) => type).toSorted(), [
        "invoice.accepted_by_authority",
        "invoice.accepted_by_authority",
        "invoice.failed"
      ])
    }
  )

  it.effect("ask an unavailable authority again, by themselves, after a wait", function* () {
    const { tables, until } = yield* MemoryTables
    const authority = yield* FakeAuthority
    const actor = yield* account
    let failures = 3
    authority.onSubmit = () =>
      failures-- > 0 ? Effect.fail(new AuthorityUnavailable({ message: "503" })) : Effect.succeed(accepted)
    yield* actor.CreateInvoice({ context: context("k"), request: requestFor(yield* addCustomer()) })
    yield* until(() => authority.calls.length === 1)
    yield* TestClock.adjust("15 seconds")
    assert.isTrue(areAccepted(1)(tables))
    const sent = authority.calls.filter(({ kind }) => kind === "submit").map(({ at }) => at)
    const waits = sent.slice(1).map((at, index) => at - (sent[index] ?? 0))
    for (const [index, seconds] of [1, 2, 4].entries()) {
      const wait = waits[index] ?? 0
      assert.isTrue(wait >= 900 * seconds && wait <= 1100 * seconds + 1000, `waited ${wait} ms, not ${seconds} s`)
    }
  })

  it.effect("serve the documents of every account before they continue with one account's backlog", function* () {
    const memory = yield* MemoryTables
    const { tables, until } = memory
    const { id } = yield* addNumbered(yield* addCustomer())
    const row = tables.invoices.get(id)!
    const now = yield* Clock.currentTimeMillis
    const copy = (account_id: AccountId, index: number, next_action_at: number) => {
      const name = InvoiceId.make(`inv_${String(index).padStart(26, "0")}`)
      tables.invoices.set(name, { ...row, account_id, id: name, next_action_at })
      return name
    }
    for (let index = 1; index <= 1_000; index++) copy(row.account_id, index, now - 1_000)
    const other = copy(otherAccount, 0, now)
    let pages = 0
    let page = 0
    memory.onCall = (name) =>
      Effect.sync(() => {
        if (name !== "Invoices.takeDue") return
        if (page === 0 && tables.invoices.get(other)?.next_action_at !== now) page = pages
        pages += 1
      })
    yield* TestClock.adjust("1 second")
    yield* until(() => page > 0)
    assert.strictEqual(page, 2)
  })

  it.effect("attempt a delivery at 0, +30 s, +5 min and +30 min, and then no more", function* () {
    const { tables } = yield* MemoryTables
    const receiver = yield* FakeReceiver
    const endpoint = yield* addEndpoint()
    receiver.onSend = () => Effect.succeed(answered(500))
    yield* addDelivery(endpoint, "inv_1")
    yield* TestClock.adjust("2 hours")
    const at = receiver.requests.map((request) => request.at)
    assert.lengthOf(at, 4)
    for (const [index, delay] of [30_000, 300_000, 1_800_000].entries()) {
      const wait = (at[index + 1] ?? 0) - (at[index] ?? 0)
      assert.isTrue(wait >= delay && wait <= 1.1 * delay + 1000, `attempt ${index + 2} came after ${wait} ms`)
    }
    assert.deepStrictEqual(
      [...tables.deliveries.values()].map(({ attempts, status }) => [attempts, status]),
      [[4, "failed"]]
    )
  })
})

describe("Sweeper", () => {
  it.effect("finds a draft, a numbered document and a delivery for which no tell was sent", function* () {
    const { tables, until } = yield* MemoryTables
    const customer = yield* addCustomer()
    yield* addDraft(customer)
    yield* addNumbered(customer)
    yield* addDelivery(yield* addEndpoint(), "inv_1")
    yield* TestClock.adjust("1 second")
    assert.isTrue([...tables.deliveries.values()].every((row) => row.status === "succeeded"))
    yield* TestClock.adjust("3 seconds")
    yield* until(areAccepted(1))
    yield* TestClock.adjust("2 seconds")
    yield* until(areAccepted(2))
  })

  it.effect("leaves a document alone until its alarm rings, and gives it a lease then", function* () {
    const { count } = yield* MemoryTables
    const key = yield* addNumbered(yield* addCustomer())
    // No actor has work for this document: only its alarm shows.
    yield* become(key.id, { state: "accepted_by_authority", next_action_at: startOfTest + 61_000 })
    yield* TestClock.adjust("59 seconds")
    assert.strictEqual(count("Invoices.load"), 0)
    yield* TestClock.adjust("2 seconds")
    assert.strictEqual(count("Invoices.load"), 1)
    yield* TestClock.adjust("8 seconds")
    assert.strictEqual(count("Invoices.load"), 1)
    yield* TestClock.adjust("3 seconds")
    assert.strictEqual(count("Invoices.load"), 2)
  })

  it.effect.each(["Invoices.takeDue", "Deliveries.dueEndpoints"])(
    "continues after a sweep that failed in %s",
    function* (call) {
      const memory = yield* MemoryTables
      yield* addDelivery(yield* addEndpoint(), "inv_1")
      let failures = 0
      yield* atCalls(
        call,
        Effect.suspend(() => Effect.die(`broken ${++failures}`))
      )
      yield* TestClock.adjust("3 seconds")
      assert.isAtLeast(failures, 2)
      yield* atNoCalls
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(
        [...memory.tables.deliveries.values()].map((row) => row.status),
        ["succeeded"]
      )
    }
  )
})
