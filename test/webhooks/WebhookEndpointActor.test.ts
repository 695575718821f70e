import { assert, describe } from "@effect/vitest"
import { Clock, Deferred, Effect, Option, Queue, Result } from "effect"
import { TestClock } from "effect/testing"
import { verify } from "../../src/webhooks/rules/WebhookSignature.ts"
import { WebhookEndpoints } from "../../src/webhooks/store/WebhookEndpoints.ts"
import { answered, type Arrival, FakeReceiver } from "../support/apps/Fakes.ts"
import { startOfTest } from "../support/apps/Accounts.ts"
import { addDelivery, signingSecret } from "../support/apps/MemoryRows.ts"
import { MemoryTables } from "../support/memory/MemoryTables.ts"
import { alone, delivering, deliveryOf } from "../support/apps/ActorsAlone.ts"
import { itOn } from "../support/Tests.ts"
import { atCalls, atNoCalls } from "../support/memory/Calls.ts"

const it = itOn(alone)

const bodies = Effect.map(FakeReceiver, ({ requests }) => requests.map(({ body }) => body))

const signatureIsRight = (arrival: Arrival | undefined, secret: string) =>
  Result.isSuccess(
    verify({
      secret,
      header: arrival?.headers["Svc-Signature"] ?? "",
      body: arrival?.body ?? "",
      now: Math.floor((arrival?.at ?? 0) / 1000)
    })
  )

describe("WebhookEndpoint", () => {
  it.effect("sends the stored bytes, signed, with the headers of the interface, and records the attempt", function* () {
    const { tables } = yield* MemoryTables
    const { deliverAll, endpoint, receiver } = yield* delivering()
    const { body, event_id, id } = yield* addDelivery(endpoint, "inv_1")
    yield* deliverAll

    const [request, ...more] = receiver.requests
    assert.lengthOf(more, 0)
    assert.strictEqual(request?.body, body)
    assert.strictEqual(request?.url, "https://hooks.example.com/folio")
    assert.deepInclude(request?.headers, {
      "Svc-Event-Id": event_id,
      "Svc-Event-Type": "invoice.accepted_by_authority",
      "Svc-Webhook-Id": endpoint.id,
      "Content-Type": "application/json",
      "User-Agent": "Folio/0.1.0 (+http://folio.test/docs)",
      "webhook-id": event_id
    })
    assert.isTrue(signatureIsRight(request, signingSecret))
    assert.strictEqual((yield* deliveryOf(id)).status, "succeeded")
    assert.deepStrictEqual(
      tables.attempts.map(({ number, response_status, started_at, succeeded, trigger }) => ({
        number,
        response_status,
        started_at: started_at.getTime(),
        succeeded,
        trigger
      })),
      [{ number: 1, response_status: 200, started_at: startOfTest, succeeded: true, trigger: "auto" }]
    )
  })

  it.effect(
    "makes four attempts with the same bytes, each a delay after the end of the one before, and then fails",
    function* () {
      const { deliverAll, endpoint, receiver, tell } = yield* delivering()
      const { body, id } = yield* addDelivery(endpoint, "inv_1")
      const seconds = 7
      const { count, until } = yield* MemoryTables
      receiver.onSend = () => Effect.delay(Effect.succeed(answered(500)), `${seconds} seconds`)

      for (const [index, delay] of [30_000, 300_000, 1_800_000, null].entries()) {
        yield* tell
        yield* Queue.take(receiver.arrivals)
        yield* TestClock.adjust(`${seconds} seconds`)
        yield* until(() => count("Deliveries.record") === index + 1)
        const row = yield* deliveryOf(id)
        assert.strictEqual(row.attempts, index + 1)
        if (delay === null) {
          assert.strictEqual(row.status, "failed")
          continue
        }
        assert.strictEqual(row.status, "pending")
        const wait = row.next_attempt_at - (yield* Clock.currentTimeMillis)
        assert.isTrue(wait >= delay && wait <= 1.1 * delay, `waits ${wait} ms`)
        yield* TestClock.adjust(wait - 1)
        yield* deliverAll
        assert.lengthOf(receiver.requests, index + 1, "not a millisecond early")
        yield* TestClock.adjust(1)
      }
      yield* TestClock.adjust("1 day")
      yield* deliverAll
      assert.deepStrictEqual(yield* bodies, [body, body, body, body])
      const signatures = receiver.requests.map(({ headers }) => headers["Svc-Signature"])
      assert.strictEqual(new Set(signatures).size, 4)
      assert.isTrue(receiver.requests.every((request) => signatureIsRight(request, signingSecret)))
    }
  )

  it.effect("reads the secret immediately before it sends", function* () {
    const endpoints = yield* WebhookEndpoints
    const { deliverAll, endpoint, goOn, receiver } = yield* delivering()
    const { id } = yield* addDelivery(endpoint, "inv_1")
    receiver.onSend = () => Effect.succeed(answered(503))
    yield* deliverAll
    const rotated = `whsec_${Buffer.alloc(32, 9).toString("base64")}`
    yield* endpoints.replaceSecret(endpoint, rotated, new Date(startOfTest))
    yield* goOn(id)
    const [first, second] = receiver.requests
    assert.isTrue(signatureIsRight(first, signingSecret))
    assert.isTrue(signatureIsRight(second, rotated))
    assert.isFalse(signatureIsRight(second, signingSecret))
  })

  it.effect("records an attempt although its endpoint is deleted meanwhile, and makes no other", function* () {
    const endpoints = yield* WebhookEndpoints
    const { count, until } = yield* MemoryTables
    const { deliverAll, endpoint, receiver, tell } = yield* delivering()
    const { id } = yield* addDelivery(endpoint, "inv_1")
    const gate = yield* Deferred.make<void>()
    receiver.onSend = () => Effect.as(Deferred.await(gate), answered(500))
    yield* tell
    yield* Queue.take(receiver.arrivals)
    yield* endpoints.remove(endpoint)
    yield* Deferred.succeed(gate, undefined)
    yield* until(() => count("Deliveries.record") === 1)
    assert.strictEqual((yield* deliveryOf(id)).status, "canceled")
    yield* TestClock.adjust("1 day")
    yield* deliverAll
    assert.lengthOf(receiver.requests, 1)
  })

  it.effect("survives a defect while deliveries are taken: the next tell works", function* () {
    const { deliverAll, endpoint, tell } = yield* delivering()
    const { id } = yield* addDelivery(endpoint, "inv_1")
    const broken = yield* Deferred.make<void>()
    yield* atCalls("Deliveries.take", Effect.andThen(Deferred.succeed(broken, undefined), Effect.die("broken")))
    yield* tell
    yield* Deferred.await(broken)
    yield* atNoCalls
    yield* deliverAll
    assert.strictEqual((yield* deliveryOf(id)).status, "succeeded")
  })

  it.effect("repeats an attempt when its lease ends, if its outcome could not be stored", function* () {
    const { deliverAll, endpoint, receiver } = yield* delivering()
    const { body, id } = yield* addDelivery(endpoint, "inv_1")
    yield* atCalls("Deliveries.record", Effect.die("broken"))
    yield* deliverAll
    yield* atNoCalls
    assert.deepInclude(yield* deliveryOf(id), { status: "pending", attempts: 0 })
    yield* TestClock.adjust("19 seconds")
    yield* deliverAll
    assert.lengthOf(receiver.requests, 1)
    yield* TestClock.adjust("1 second")
    yield* deliverAll
    assert.deepStrictEqual(yield* bodies, [body, body])
    assert.strictEqual((yield* deliveryOf(id)).status, "succeeded")
  })

  it.effect("shows the state of its deliveries", function* () {
    const endpoints = yield* WebhookEndpoints
    const { deliverAll, endpoint, receiver } = yield* delivering()
    const health = Effect.map(
      endpoints.find(endpoint, endpoint.id),
      Option.map(({ failing_since, is_active, last_success_at }) => ({
        failing_since: failing_since?.getTime() ?? null,
        is_active,
        last_success_at: last_success_at?.getTime() ?? null
      }))
    )
    const { id } = yield* addDelivery(endpoint, "inv_1")
    receiver.onSend = () => Effect.succeed(answered(500))
    yield* deliverAll
    assert.deepStrictEqual(
      yield* health,
      Option.some({ failing_since: startOfTest, is_active: true, last_success_at: null })
    )
    receiver.onSend = () => Effect.succeed(answered(200))
    const { next_attempt_at } = yield* deliveryOf(id)
    yield* TestClock.setTime(next_attempt_at)
    yield* deliverAll
    assert.deepStrictEqual(
      yield* health,
      Option.some({ failing_since: null, is_active: true, last_success_at: next_attempt_at })
    )
  })

  it.effect(
    "counts a delivery that breaks the sender as an attempt, keeps its resource in order, and sends the others",
    function* () {
      const { tables } = yield* MemoryTables
      const { deliverAll, endpoint, receiver } = yield* delivering()
      const poison = yield* addDelivery(endpoint, "inv_1")
      const later = yield* addDelivery(endpoint, "inv_1")
      const other = yield* addDelivery(endpoint, "inv_2")
      receiver.onSend = ({ body }) => (body === poison.body ? Effect.die("broken") : Effect.succeed(answered(200)))
      yield* deliverAll
      assert.deepStrictEqual(yield* bodies, [poison.body, other.body])
      for (const attempts of [1, 2, 3]) {
        const row = yield* deliveryOf(poison.id)
        assert.deepStrictEqual([row.status, row.attempts], ["pending", attempts])
        assert.strictEqual((yield* deliveryOf(later.id)).attempts, 0)
        yield* TestClock.setTime(row.next_attempt_at)
        yield* deliverAll
      }
      assert.strictEqual((yield* deliveryOf(poison.id)).status, "failed")
      assert.deepStrictEqual(
        tables.attempts.filter(({ delivery }) => delivery.id === poison.id).map(({ error }) => error?.code),
        ["internal", "internal", "internal", "internal"]
      )
      yield* deliverAll
      assert.strictEqual((yield* deliveryOf(later.id)).status, "succeeded")
    }
  )

  it.effect("records that there was a response when the response itself cannot be stored", function* () {
    const memory = yield* MemoryTables
    const { deliverAll, endpoint, receiver } = yield* delivering()
    const { id } = yield* addDelivery(endpoint, "inv_1")
    receiver.onSend = () => Effect.succeed({ ...answered(200), body: "unstorable" })
    let refused = 0
    memory.onCall = (name) => (name === "Deliveries.record" && refused++ === 0 ? Effect.die("refused") : Effect.void)
    yield* deliverAll
    assert.strictEqual((yield* deliveryOf(id)).status, "succeeded")
    assert.deepStrictEqual(
      memory.tables.attempts.map(({ response_body, response_status }) => [response_status, response_body]),
      [[200, ""]]
    )
    assert.lengthOf(receiver.requests, 1)
  })
})
