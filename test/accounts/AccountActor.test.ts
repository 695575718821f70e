import { assert, describe } from "@effect/vitest"
import { Effect, Fiber, Queue, Result } from "effect"
import { TestClock } from "effect/testing"
import { ApiError } from "../../schemas/ApiError.ts"
import { memberAddress } from "../../src/runtime/Address.ts"
import { Told } from "../support/apps/Fakes.ts"
import { apiKeyIds } from "../support/apps/Accounts.ts"
import { addEndpoint, context } from "../support/apps/MemoryRows.ts"
import { accountOwner, alone, creating } from "../support/apps/ActorsAlone.ts"
import { itOn } from "../support/Tests.ts"
import { atCalls, atNoCalls, holdCalls } from "../support/memory/Calls.ts"

const it = itOn(alone)

describe("Account: one response for each idempotency key", () => {
  it.effect("holds a duplicate until its first request ends, and gives it the same response", function* () {
    const { create, tables } = yield* creating
    const held = yield* holdCalls("InvoiceCreation.create")
    const first = yield* Effect.forkChild(create("k"))
    yield* held.arrived
    const second = yield* Effect.forkChild(create("k"))
    yield* TestClock.adjust(249)
    assert.isUndefined(second.pollUnsafe())
    yield* held.open
    const answer = yield* Fiber.join(first)
    assert.strictEqual(answer.kind, "first")
    assert.deepStrictEqual(yield* Fiber.join(second), { ...answer, kind: "replayed" })
    assert.strictEqual(tables.invoices.size, 1)
  })

  it.effect("answers a duplicate after 250 ms with the first request still in progress", function* () {
    const { create, tables } = yield* creating
    const held = yield* holdCalls("InvoiceCreation.create")
    const first = yield* Effect.forkChild(create("k"))
    yield* held.arrived
    const second = yield* Effect.forkChild(create("k"))
    yield* TestClock.adjust(250)
    assert.deepStrictEqual(yield* Fiber.join(second), {
      kind: "in_progress",
      status: 202,
      location: null,
      body: '{"object":"idempotent_request","status":"in_progress"}'
    })
    yield* held.open
    const answer = yield* Fiber.join(first)
    const third = yield* create("k")
    assert.deepStrictEqual(third, { ...answer, kind: "replayed" })
    assert.strictEqual(tables.invoices.size, 1)
  })

  it.effect("rejects another request with the key as a conflict, before and after the first is done", function* () {
    const { create, tables } = yield* creating
    const held = yield* holdCalls("InvoiceCreation.create")
    const first = yield* Effect.forkChild(create("k"))
    yield* held.arrived
    const other = Effect.flip(create("k", "another body"))
    const conflict = yield* other
    assert.strictEqual(conflict.code, "idempotency_conflict")
    assert.deepStrictEqual(conflict.headers, { "Svc-Should-Retry": "false", "Stripe-Should-Retry": "false" })
    yield* held.open
    yield* Fiber.join(first)
    assert.strictEqual((yield* other).code, "idempotency_conflict")
    assert.strictEqual(tables.invoices.size, 1)
  })

  it.effect("replays a stored response while another request with its key is in flight", function* () {
    const { create, tables } = yield* creating
    const answer = yield* create("k")
    const held = yield* holdCalls("InvoiceCreation.create")
    const misuse = yield* Effect.forkChild(Effect.flip(create("k", "another body")))
    yield* held.arrived
    const replay = yield* Effect.result(create("k"))
    yield* held.open
    assert.deepStrictEqual(replay, Result.succeed({ ...answer, kind: "replayed" as const }))
    assert.strictEqual((yield* Fiber.join(misuse)).code, "idempotency_conflict")
    assert.strictEqual(tables.invoices.size, 1)
  })

  it.effect("treats the same value under another API key as another request", function* () {
    const { account, create, request, tables } = yield* creating
    const own = yield* create("k")
    const others = yield* account.CreateInvoice({
      context: { ...context("k", "another body"), api_key_id: apiKeyIds.secondTest },
      request
    })
    assert.deepStrictEqual([own.kind, others.kind], ["first", "first"])
    assert.strictEqual(tables.invoices.size, 2)
  })

  it.effect("keeps a response for 24 hours from the first one; replays do not extend them", function* () {
    const { create, tables } = yield* creating
    assert.strictEqual((yield* create("k")).kind, "first")
    yield* TestClock.adjust("23 hours")
    assert.strictEqual((yield* create("k")).kind, "replayed")
    yield* TestClock.adjust("1 hour")
    assert.strictEqual((yield* create("k")).kind, "first")
    assert.strictEqual(tables.invoices.size, 2)
  })

  it.effect("stores nothing of a rejected request: the key with a corrected body is a first request", function* () {
    const { account, create, request, tables } = yield* creating
    const unknown = { ...request, customer_id: "cust_unknown" }
    const refusal = yield* Effect.flip(account.CreateInvoice({ context: context("k", "wrong"), request: unknown }))
    assert.deepInclude({ ...refusal }, { code: "resource_missing", param: "customer_id" })
    assert.strictEqual(tables.idempotencyKeys.size, 0)
    assert.strictEqual((yield* create("k")).kind, "first")
  })

  it.effect("completes the request of a client that has gone: the retry gets the stored response", function* () {
    const { create, tables, until } = yield* creating
    const held = yield* holdCalls("InvoiceCreation.create")
    const gone = yield* Effect.forkChild(create("k"))
    yield* held.arrived
    yield* Effect.forkChild(Fiber.interrupt(gone), { startImmediately: true })
    // Until the actor has received the interruption.
    yield* Effect.repeat(Effect.yieldNow, { times: 20 })
    yield* held.open
    yield* until(({ invoices }) => invoices.size === 1)
    assert.strictEqual((yield* create("k")).kind, "replayed")
    assert.strictEqual(tables.invoices.size, 1)
  })

  it.effect("answers a defect as an error, and leaves the actor and the key unchanged", function* () {
    const { create } = yield* creating
    yield* atCalls("InvoiceCreation.create", Effect.die("broken"))
    const error = yield* Effect.flip(create("k"))
    assert.instanceOf(error, ApiError)
    assert.strictEqual(error.code, "internal_error")
    assert.notInclude(error.message, "broken")
    yield* atNoCalls
    assert.strictEqual((yield* create("k")).kind, "first")
  })

  it.effect("wakes an endpoint to deliver waiting events when it becomes active, and only then", function* () {
    const account = yield* accountOwner
    const endpoint = yield* addEndpoint()
    const update = (is_active: boolean) =>
      account.UpdateWebhookEndpoint({ context: context(String(is_active)), id: endpoint.id, patch: { is_active } })
    yield* update(false)
    assert.lengthOf(yield* Queue.clear(yield* Told), 0)
    yield* update(true)
    assert.deepStrictEqual(yield* Queue.clear(yield* Told), [{ tell: "Deliver", to: memberAddress(endpoint) }])
  })
})
