import { assert, describe } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { AccountId, ApiKeyId } from "../../../schemas/Id.ts"
import type { Principal } from "../../../src/api/Authorization.ts"
import { RequestTurns, smallBytesMax } from "../../../src/http/limits/RequestTurns.ts"
import { totalsOf } from "../../../src/documents/rules/Totals.ts"
import type { InvoiceState } from "../../../src/invoices/rules/InvoiceLifecycle.ts"
import { customerBody, invoiceBody } from "../../support/apps/Invoices.ts"
import { Busyness } from "../../../src/runtime/turns/Busyness.ts"
import { Backpressure } from "../../../src/invoices/Backpressure.ts"
import { keys, testMode } from "../../support/apps/Accounts.ts"
import { limitedTo, serviceWith } from "../../support/apps/MemoryApp.ts"
import { unlimited, withoutRest } from "../../support/apps/TestSettings.ts"
import { addCustomer, addDraft, addNumbered } from "../../support/apps/MemoryRows.ts"
import { atNoCalls, holdCalls } from "../../support/memory/Calls.ts"
import { MemoryTables } from "../../support/memory/MemoryTables.ts"
import { bearer, get, post, send } from "../../support/apps/Requests.ts"
import { eventually, open, requestOf, statusesOf } from "../../support/processes/Sockets.ts"
import { describeOn, it as alone } from "../../support/Tests.ts"
import { Limits } from "../../../src/runtime/Limits.ts"

const askerOf = (account: string, livemode = false) =>
  ({
    account_id: account as AccountId,
    api_key_id: "key_1" as ApiKeyId,
    livemode,
    default_version: "2026-01-01"
  }) as Principal

const layerTurnsWithBackpressure = Layer.fresh(RequestTurns.layer).pipe(
  Layer.provideMerge(Layer.fresh(Backpressure.layer)),
  Layer.provide([Limits.layer(), Layer.succeed(Busyness, () => 0)])
)
const layerTurns: Layer.Layer<RequestTurns> = layerTurnsWithBackpressure

/** The number of milliseconds for which an account rests after a request. */
const restAfter = (request: (turns: RequestTurns["Service"]) => Effect.Effect<unknown, unknown>) =>
  Effect.gen(function* () {
    const turns = yield* RequestTurns
    yield* Effect.ignore(request(turns))
    const begun = { count: 0 }
    const next = Effect.sync(() => (begun.count += 1))
    const begin = (livemode: boolean) =>
      Effect.forkChild(Effect.ignore(turns.read(askerOf("ten_a", livemode), next, () => 0)), { startImmediately: true })
    yield* begin(true)
    assert.strictEqual(begun.count, 1, "its other mode does not rest")
    yield* begin(false)
    let waited = 0
    for (; begun.count < 2; waited += 1) yield* TestClock.adjust(1)
    return waited
  }).pipe(Effect.provide(layerTurns))

const kib = 1024

/** The rest of an account after a small read of this duration. */
const restAfterSlow = (ms: number, answer: Effect.Effect<number, string> = Effect.succeed(0)) =>
  restAfter((turns) =>
    Effect.gen(function* () {
      const slow = turns.read(askerOf("ten_a"), Effect.andThen(Effect.sleep(ms), answer), (bytes) => bytes)
      const fiber = yield* Effect.forkChild(slow, { startImmediately: true })
      yield* TestClock.adjust(ms)
      yield* Fiber.join(fiber)
    })
  )

describe("the turns of requests", () => {
  alone.effect("lead to a rest after large requests, in proportion to their bytes", function* () {
    const read = (bytes: number) =>
      restAfter((turns) =>
        turns.read(
          askerOf("ten_a"),
          Effect.sync(() => bytes),
          () => bytes
        )
      )
    assert.strictEqual(yield* read(smallBytesMax), 0)
    assert.strictEqual(yield* read(smallBytesMax + 1), 9)
    assert.strictEqual(yield* read(800 * kib), 400)
    const failing = (cause: Effect.Effect<never, string>) =>
      restAfter((turns) => turns.read(askerOf("ten_a"), cause, () => 0))
    assert.strictEqual(yield* failing(Effect.fail("missing")), 0)
    // A client that disconnects before the response has caused the work all the same.
    const hungUp = restAfter((turns) =>
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(
          turns.read(askerOf("ten_a"), Effect.never, () => 0),
          {
            startImmediately: true
          }
        )
        yield* Fiber.interrupt(fiber)
      })
    )
    assert.strictEqual(yield* hungUp, 489)
    const check = (answer: Effect.Effect<number, string>, isSent = false) =>
      restAfter((turns) => turns.check(askerOf("ten_a"), 200 * kib, isSent, answer))
    assert.strictEqual(yield* check(Effect.succeed(1)), 200)
    assert.strictEqual(yield* check(Effect.fail("refused")), 200)
    assert.strictEqual(yield* check(Effect.succeed(1), true), 400)
    assert.strictEqual(yield* check(Effect.fail("refused"), true), 200)
  })

  alone.effect("lead to a rest after long reads, as long as the read, within bounds", function* () {
    assert.strictEqual(yield* restAfterSlow(100), 0)
    assert.strictEqual(yield* restAfterSlow(180), 80)
    assert.strictEqual(yield* restAfterSlow(180, Effect.fail("missing")), 80)
    assert.strictEqual(yield* restAfterSlow(9_000), 250)
    assert.strictEqual(yield* restAfterSlow(180, Effect.succeed(800 * kib)), 400, "the longer of the two")
  })

  alone.effect("lead to a rest after a command on a whole document, for all the work that follows", function* () {
    const carryOut = (work: "copied" | "moved", bytes: number) =>
      restAfter((turns) => turns.carryOut(askerOf("ten_a"), work, Effect.succeed(bytes), (answer) => answer))
    assert.strictEqual(yield* carryOut("moved", smallBytesMax), 0)
    assert.strictEqual(yield* carryOut("moved", 200 * kib), 200)
    assert.strictEqual(yield* carryOut("copied", 200 * kib), 400)
    const refused = restAfter((turns) => turns.carryOut(askerOf("ten_a"), "moved", Effect.fail("refused"), () => 0))
    assert.strictEqual(yield* refused, 0)
    const hungUp = restAfter((turns) =>
      Effect.gen(function* () {
        const retry = turns.carryOut(askerOf("ten_a"), "moved", Effect.never, () => 0)
        yield* Fiber.interrupt(yield* Effect.forkChild(retry, { startImmediately: true }))
      })
    )
    assert.strictEqual(yield* hungUp, 256)
  })
})

const noTurns = {
  ...Limits.defaults.requests,
  ofOwnerAtOnce: 0,
  waiting: { ofAsker: 0, ofOwner: 0, inAll: 0 }
}

describeOn(limitedTo(unlimited, noTurns))("an account that has no turn", (it) => {
  it.effect("gets an error for reads and large bodies; small bodies are accepted", function* () {
    const customer = yield* addCustomer()
    const large = invoiceBody(customer)
    const lines = Array.from({ length: 100 }, () => large.lines[0])
    assert.isAbove(JSON.stringify({ ...large, lines }).length, smallBytesMax)
    const refused = [
      yield* get("/v1/account"),
      yield* get("/v1/invoices"),
      yield* get("/v1/events"),
      yield* get("/v1/events?wait=0"),
      yield* post("/v1/invoices", { ...large, lines }, { "idempotency-key": "large" }),
      yield* post("/v1/invoices/validate", { ...large, lines }),
      // The faults of such a body are not even checked.
      yield* post("/v1/invoices/validate", { lines: Array.from({ length: 10_000 }, () => 1) }),
      // The size of a document is unknown if the request only names it.
      yield* post("/v1/invoices/inv_1/retry"),
      yield* post("/v1/invoices/inv_1/cancel"),
      yield* post("/v1/invoices/inv_1/annul", { reason: "Error" }),
      yield* post("/v1/credit-notes/cn_1/retry"),
      yield* post("/v1/debit-notes/dn_1/cancel")
    ]
    for (const { json, status } of refused) {
      assert.deepStrictEqual([status, json?.error?.code], [429, "rate_limited"])
      assert.match(json.error.message, /has 0 requests waiting already/)
    }
    assert.strictEqual((yield* post("/v1/invoices", large, { "idempotency-key": "small" })).status, 202)
    assert.strictEqual((yield* post("/v1/invoices/validate", large)).status, 200)
    // Files wait for a turn of another kind.
    assert.strictEqual((yield* get("/v1/invoices/inv_01k0000000000000000000000a/pdf")).status, 404)
  })
})

const noWait = { ...Limits.defaults.requests, waiting: { ofAsker: 0, ofOwner: 0, inAll: 0 } }

/** An invoice of so many lines in this state. No actor knows of it. */
const invoiceOf = Effect.fnUntraced(function* (count: number, state: InvoiceState) {
  const { tables } = yield* MemoryTables
  const { id } = yield* Effect.flatMap(addCustomer(), state === "accepted_by_authority" ? addNumbered : addDraft)
  const row = tables.invoices.get(id)
  if (row === undefined) return yield* Effect.die("it was just made")
  const lines = Array.from({ length: count }, () => row.lines[0]!)
  tables.invoices.set(id, { ...row, state, lines, totals: totalsOf(lines), next_action_at: null })
  return `/v1/invoices/${id}`
})

describeOn(limitedTo(unlimited, noWait))("an account that has worked on a whole document", (it) => {
  const rests = Effect.map(get("/v1/account"), ({ status }) => status === 429)

  it.effect("rests after a large document, for requests of any size, and not after a small one", function* () {
    for (const [count, isLarge] of [
      [1, false],
      [200, true]
    ] as const) {
      for (const [command, made, body] of [
        ["retry", invoiceOf(count, "failed"), undefined],
        ["cancel", invoiceOf(count, "queued"), undefined],
        ["annul", invoiceOf(count, "accepted_by_authority"), { reason: "Error" }]
      ] as const) {
        const { status, text } = yield* post(`${yield* made}/${command}`, body)
        assert.oneOf(status, [200, 202], `${command}: ${text}`)
        assert.strictEqual(yield* rests, isLarge, command)
        yield* TestClock.adjust("1 second")
        assert.isFalse(yield* rests)
      }
    }
  })
})

describeOn(limitedTo(unlimited))("a body with HEAD", (it) => {
  it.effect("goes unread, as with GET", function* () {
    const { status } = yield* send({ method: "HEAD", path: "/v1/account", body: { lines: [1] } })
    assert.strictEqual(status, 200)
  })
})

const noCreations = {
  ...withoutRest,
  creation: { ...withoutRest.creation, ofOwnerAtOnce: 0, waiting: { ofAsker: 0, ofOwner: 0, inAll: 0 } }
}

/** The number of POST requests that the server has rejected before routing. */
const unrouted = Effect.gen(function* () {
  // The metrics may be a second old.
  yield* TestClock.adjust("1 second")
  const { text } = yield* get("/metrics", { authorization: undefined })
  const series = /^folio_http_request_duration_seconds_count\{method="POST",route="none",status="4xx"\} (\d+)$/m
  return Number(series.exec(text)?.[1] ?? 0)
})

describeOn(limitedTo(unlimited, noCreations))("an account that has no turn at creation", (it) => {
  it.effect("creates, validates and stores nothing, and can still read", function* () {
    const { tables } = yield* MemoryTables
    const customer = yield* addCustomer()
    for (const refused of [
      yield* post("/v1/invoices", invoiceBody(customer), { "idempotency-key": "invoice" }),
      yield* post("/v1/customers", customerBody(), { "idempotency-key": "customer" }),
      yield* post("/v1/invoices/validate", invoiceBody(customer)),
      yield* post("/v1/credit-notes/validate", {}),
      yield* post("/v1/debit-notes/validate", {})
    ]) {
      assert.deepStrictEqual([refused.status, refused.headers["retry-after"]], [429, "2"])
      assert.match(refused.json.error.message, /has 0 creations waiting already/)
    }
    assert.deepStrictEqual([tables.invoices.size, tables.customers.size], [0, 1])
    assert.strictEqual((yield* get("/v1/account")).status, 200)
  })
})

const oneCreation = { ...noCreations, creation: { ...noCreations.creation, ofOwnerAtOnce: 1 } }

describeOn(limitedTo(unlimited, oneCreation))("a creation under way", (it) => {
  it.effect("keeps its turn until it is stored", function* () {
    const customer = yield* addCustomer()
    const validate = Effect.map(post("/v1/invoices/validate", invoiceBody(customer)), ({ status }) => status)
    assert.strictEqual(yield* validate, 200)
    const creation = yield* holdCalls("InvoiceCreation.create")
    const created = yield* Effect.forkChild(
      post("/v1/invoices", invoiceBody(customer), { "idempotency-key": "invoice" })
    )
    yield* creation.arrived
    const during = yield* validate
    yield* creation.open
    const { status } = yield* Fiber.join(created)
    yield* atNoCalls
    assert.deepStrictEqual([during, status, yield* validate], [429, 202, 200])
  })
})

describeOn(limitedTo({ perSecond: 1, burst: 5 }, noCreations))("a key after a rejected creation", (it) => {
  it.effect("gets an error before routing for a second, and pays a token for each creation", function* () {
    const customer = yield* addCustomer()
    const create = (headers: Readonly<Record<string, string>> = {}) =>
      post("/v1/invoices", invoiceBody(customer), { "idempotency-key": "invoice", ...headers })
    const refused = (left: number) =>
      Effect.map(create(), ({ headers, json }) => {
        assert.match(json.error.message, /has 0 creations waiting already/)
        assert.strictEqual(headers["retry-after"], "2")
        assert.include(headers["ratelimit"], `r=${left};`)
      })
    const before = yield* unrouted
    yield* refused(4)
    // Requests for another path or with another key are looked up.
    assert.strictEqual((yield* post("/v1/customers", {}, { "idempotency-key": "c" })).status, 429)
    assert.strictEqual((yield* create(bearer(keys.unknown))).status, 401)
    yield* refused(2)
    yield* TestClock.adjust("1001 millis")
    // The key is looked up again.
    yield* refused(2)
    yield* refused(1)
    yield* refused(0)
    assert.match((yield* create()).json.error.message, /more than 1 requests a second/)
    assert.strictEqual((yield* unrouted) - before, 4)
  })
})

alone.effect("Creations that wait for late drafts of their accounts leave the turns to other accounts", function* () {
  yield* Effect.gen(function* () {
    const turns = yield* RequestTurns
    const { reportLateness } = yield* Backpressure
    const begun: Array<string> = []
    const create = (account: string) =>
      Effect.forkChild(
        turns.create(
          askerOf(account),
          Effect.sync(() => begun.push(account))
        ),
        { startImmediately: true }
      )
    // Each account may have eight turns, and all accounts together 32.
    for (const account of ["ten_a", "ten_b", "ten_c", "ten_d"]) {
      yield* reportLateness({ account_id: account as AccountId, livemode: false }, () => 101)
      for (let creations = 0; creations < 8; creations++) yield* create(account)
    }
    yield* create("ten_e")
    assert.deepStrictEqual(begun, ["ten_e"])
    yield* TestClock.adjust("1 second")
    assert.lengthOf(begun, 33)
  }).pipe(Effect.scoped, Effect.provide(layerTurnsWithBackpressure))
})

// The service's own layer, with all that it needs.
const backpressure = Backpressure.layer as Layer.Layer<Backpressure>

describeOn(serviceWith(backpressure))("an account whose drafts are late", (it) => {
  it.effect("gets errors for creations, before their bodies are read, and for nothing else", function* () {
    const { tables } = yield* MemoryTables
    const { reportLateness } = yield* Backpressure
    const customer = yield* addCustomer()
    const create = (name: string) => post("/v1/invoices", invoiceBody(customer), { "idempotency-key": name })
    // The account's actor is running, and reports the real lateness of the drafts.
    assert.strictEqual((yield* create("before")).status, 202)
    const late = Effect.gen(function* () {
      yield* reportLateness(testMode, () => 5_001)
      const line = yield* open()
      const head = requestOf("/v1/invoices").replace("GET", "POST").replace(/\r\n$/, "Content-Length: 9\r\n\r\n")
      line.socket.write(head)
      yield* eventually(() => statusesOf(line).length === 1)
      assert.deepStrictEqual(statusesOf(line), [429])
      const refused = yield* create("late")
      assert.deepStrictEqual([refused.status, refused.headers["retry-after"]], [429, "2"])
      assert.strictEqual((yield* get("/v1/account")).status, 200)
      assert.strictEqual(
        (yield* post("/v1/customers", {}, { ...bearer(keys.live), "idempotency-key": "c" })).status,
        400
      )
    })
    yield* Effect.scoped(late)
    assert.strictEqual(tables.invoices.size, 1)
    const { headers, status } = yield* create("late")
    assert.deepStrictEqual([status, headers["svc-idempotency-cached"]], [202, "false"])
  })
})
