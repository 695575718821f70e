import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Queue, Result } from "effect"
import { TestClock } from "effect/testing"
import { ApiError } from "../../schemas/ApiError.ts"
import { memberAddress } from "../../src/protocol/Address.ts"
import { Told } from "../support/Fakes.ts"
import { apiKeyIds } from "../support/MemoryApp.ts"
import { addCustomer, addEndpoint, context, requestFor } from "../support/MemoryRows.ts"
import { MemoryTables } from "../support/MemoryTables.ts"
import { accountOwner, alone } from "../support/ActorsAlone.ts"

/** Holds every create back until it is opened; `arrived` is complete once the first is there. */
const holdCreates = Effect.gen(function* () {
  const memory = yield* MemoryTables
  const arrived = yield* Deferred.make<void>()
  const gate = yield* Deferred.make<void>()
  memory.onCall = (name) =>
    name === "InvoiceCreation.create"
      ? Effect.andThen(Deferred.succeed(arrived, undefined), Deferred.await(gate))
      : Effect.void
  return { arrived: Deferred.await(arrived), open: Deferred.succeed(gate, undefined) }
})

describe("Account: one answer for each idempotency key", () => {
  it.effect("a duplicate waits for the request it repeats and gets its answer", () =>
    Effect.gen(function* () {
      const { tables } = yield* MemoryTables
      const account = yield* accountOwner
      const request = requestFor(yield* addCustomer())
      const held = yield* holdCreates
      const first = yield* Effect.forkChild(account.CreateInvoice({ context: context("k"), request }))
      yield* held.arrived
      const second = yield* Effect.forkChild(account.CreateInvoice({ context: context("k"), request }))
      yield* TestClock.adjust(249)
      assert.isUndefined(second.pollUnsafe())
      yield* held.open
      const answer = yield* Fiber.join(first)
      assert.strictEqual(answer.kind, "first")
      assert.deepStrictEqual(yield* Fiber.join(second), { ...answer, kind: "replayed" })
      assert.strictEqual(tables.invoices.size, 1)
    }).pipe(Effect.provide(alone))
  )

  it.effect("a duplicate that has waited 250 ms is told that the first is in progress", () =>
    Effect.gen(function* () {
      const { tables } = yield* MemoryTables
      const account = yield* accountOwner
      const request = requestFor(yield* addCustomer())
      const held = yield* holdCreates
      const first = yield* Effect.forkChild(account.CreateInvoice({ context: context("k"), request }))
      yield* held.arrived
      const second = yield* Effect.forkChild(account.CreateInvoice({ context: context("k"), request }))
      yield* TestClock.adjust(250)
      assert.deepStrictEqual(yield* Fiber.join(second), {
        kind: "in_progress",
        status: 202,
        location: null,
        body: '{"object":"idempotent_request","status":"in_progress"}'
      })
      yield* held.open
      const answer = yield* Fiber.join(first)
      const third = yield* account.CreateInvoice({ context: context("k"), request })
      assert.deepStrictEqual(third, { ...answer, kind: "replayed" })
      assert.strictEqual(tables.invoices.size, 1)
    }).pipe(Effect.provide(alone))
  )

  it.effect("another request with the key is a conflict at once, before and after the first is done", () =>
    Effect.gen(function* () {
      const { tables } = yield* MemoryTables
      const account = yield* accountOwner
      const request = requestFor(yield* addCustomer())
      const held = yield* holdCreates
      const first = yield* Effect.forkChild(account.CreateInvoice({ context: context("k"), request }))
      yield* held.arrived
      const other = Effect.flip(account.CreateInvoice({ context: context("k", "another body"), request }))
      const conflict = yield* other
      assert.strictEqual(conflict.code, "idempotency_conflict")
      assert.deepStrictEqual(conflict.headers, { "Svc-Should-Retry": "false", "Stripe-Should-Retry": "false" })
      yield* held.open
      yield* Fiber.join(first)
      assert.strictEqual((yield* other).code, "idempotency_conflict")
      assert.strictEqual(tables.invoices.size, 1)
    }).pipe(Effect.provide(alone))
  )

  it.effect("what was acknowledged is answered again while another request with its key is in flight", () =>
    Effect.gen(function* () {
      const { tables } = yield* MemoryTables
      const account = yield* accountOwner
      const request = requestFor(yield* addCustomer())
      const create = account.CreateInvoice({ context: context("k"), request })
      const answer = yield* create
      const held = yield* holdCreates
      const misuse = yield* Effect.forkChild(
        Effect.flip(account.CreateInvoice({ context: context("k", "another body"), request }))
      )
      yield* held.arrived
      const replay = yield* Effect.result(create)
      yield* held.open
      assert.deepStrictEqual(replay, Result.succeed({ ...answer, kind: "replayed" as const }))
      assert.strictEqual((yield* Fiber.join(misuse)).code, "idempotency_conflict")
      assert.strictEqual(tables.invoices.size, 1)
    }).pipe(Effect.provide(alone))
  )

  it.effect("the same value under another API key is another request", () =>
    Effect.gen(function* () {
      const { tables } = yield* MemoryTables
      const account = yield* accountOwner
      const request = requestFor(yield* addCustomer())
      const own = yield* account.CreateInvoice({ context: context("k"), request })
      const others = yield* account.CreateInvoice({
        context: { ...context("k", "another body"), api_key_id: apiKeyIds.secondTest },
        request
      })
      assert.deepStrictEqual([own.kind, others.kind], ["first", "first"])
      assert.strictEqual(tables.invoices.size, 2)
    }).pipe(Effect.provide(alone))
  )

  it.effect("is kept 24 hours from the first answer; replays do not extend them", () =>
    Effect.gen(function* () {
      const { tables } = yield* MemoryTables
      const account = yield* accountOwner
      const request = requestFor(yield* addCustomer())
      const create = Effect.map(account.CreateInvoice({ context: context("k"), request }), ({ kind }) => kind)
      assert.strictEqual(yield* create, "first")
      yield* TestClock.adjust("23 hours")
      assert.strictEqual(yield* create, "replayed")
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(yield* create, "first")
      assert.strictEqual(tables.invoices.size, 2)
    }).pipe(Effect.provide(alone))
  )

  it.effect("a refusal stores nothing: the key with a corrected body is a first request", () =>
    Effect.gen(function* () {
      const { tables } = yield* MemoryTables
      const account = yield* accountOwner
      const request = requestFor(yield* addCustomer())
      const nobody = { ...request, customer_id: "cust_nobody" }
      const refusal = yield* Effect.flip(account.CreateInvoice({ context: context("k", "wrong"), request: nobody }))
      assert.deepInclude({ ...refusal }, { code: "resource_missing", param: "customer_id" })
      assert.strictEqual(tables.idempotencyKeys.size, 0)
      assert.strictEqual((yield* account.CreateInvoice({ context: context("k"), request })).kind, "first")
    }).pipe(Effect.provide(alone))
  )

  it.effect("a client that goes away does not stop its request: the retry finds the answer", () =>
    Effect.gen(function* () {
      const { tables, until } = yield* MemoryTables
      const account = yield* accountOwner
      const request = requestFor(yield* addCustomer())
      const held = yield* holdCreates
      const gone = yield* Effect.forkChild(account.CreateInvoice({ context: context("k"), request }))
      yield* held.arrived
      yield* Effect.forkChild(Fiber.interrupt(gone), { startImmediately: true })
      // Until the news of it has reached the actor.
      yield* Effect.repeat(Effect.yieldNow, { times: 20 })
      yield* held.open
      yield* until(({ invoices }) => invoices.size === 1)
      assert.strictEqual((yield* account.CreateInvoice({ context: context("k"), request })).kind, "replayed")
      assert.strictEqual(tables.invoices.size, 1)
    }).pipe(Effect.provide(alone))
  )

  it.effect("a defect is an answer, and leaves the actor and the key as they were", () =>
    Effect.gen(function* () {
      const memory = yield* MemoryTables
      const account = yield* accountOwner
      const request = requestFor(yield* addCustomer())
      const create = account.CreateInvoice({ context: context("k"), request })
      memory.onCall = (name) => (name === "InvoiceCreation.create" ? Effect.die("broken") : Effect.void)
      const error = yield* Effect.flip(create)
      assert.instanceOf(error, ApiError)
      assert.strictEqual(error.code, "internal_error")
      assert.notInclude(error.message, "broken")
      memory.onCall = () => Effect.void
      assert.strictEqual((yield* create).kind, "first")
    }).pipe(Effect.provide(alone))
  )

  it.effect("an endpoint that is active again is told to deliver what waited, and only then", () =>
    Effect.gen(function* () {
      const account = yield* accountOwner
      const endpoint = yield* addEndpoint()
      const update = (is_active: boolean) =>
        account.UpdateWebhookEndpoint({ context: context(String(is_active)), id: endpoint.id, patch: { is_active } })
      yield* update(false)
      assert.lengthOf(yield* Queue.clear(yield* Told), 0)
      yield* update(true)
      assert.deepStrictEqual(yield* Queue.clear(yield* Told), [{ tell: "Deliver", to: memberAddress(endpoint) }])
    }).pipe(Effect.provide(alone))
  )
})
