import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Option, Queue, Result } from "effect"
import { TestClock } from "effect/testing"
import { verify } from "../../src/domain/WebhookSignature.ts"
import { WebhookEndpoints } from "../../src/store/WebhookEndpoints.ts"
import { answered, type Arrival, FakeReceiver } from "../support/Fakes.ts"
import { startOfTest } from "../support/MemoryApp.ts"
import { addDelivery, addEndpoint, signingSecret } from "../support/MemoryRows.ts"
import { MemoryTables } from "../support/MemoryTables.ts"
import { alone, deliverAll, deliveryOf, endpointOwner } from "../support/ActorsAlone.ts"

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
  it.effect("sends the stored bytes, signed, with the headers of the interface, and records the attempt", () =>
    Effect.gen(function* () {
      const { tables } = yield* MemoryTables
      const receiver = yield* FakeReceiver
      const deliver = yield* endpointOwner
      const endpoint = yield* addEndpoint()
      const { body, event_id, id } = yield* addDelivery(endpoint, "inv_1")
      yield* deliverAll(deliver, endpoint)

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
    }).pipe(Effect.provide(alone))
  )

  it.effect(
    "makes four attempts, each a delay after the end of the one before, with the same bytes; then it has failed",
    () =>
      Effect.gen(function* () {
        const receiver = yield* FakeReceiver
        const deliver = yield* endpointOwner
        const endpoint = yield* addEndpoint()
        const { body, id } = yield* addDelivery(endpoint, "inv_1")
        const seconds = 7
        const { count, until } = yield* MemoryTables
        receiver.onSend = () => Effect.delay(Effect.succeed(answered(500)), `${seconds} seconds`)

        for (const [index, delay] of [30_000, 300_000, 1_800_000, null].entries()) {
          yield* deliver(endpoint)
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
          yield* deliverAll(deliver, endpoint)
          assert.lengthOf(receiver.requests, index + 1, "not a millisecond early")
          yield* TestClock.adjust(1)
        }
        yield* TestClock.adjust("1 day")
        yield* deliverAll(deliver, endpoint)
        assert.deepStrictEqual(yield* bodies, [body, body, body, body])
        const signatures = receiver.requests.map(({ headers }) => headers["Svc-Signature"])
        assert.strictEqual(new Set(signatures).size, 4)
        assert.isTrue(receiver.requests.every((request) => signatureIsRight(request, signingSecret)))
      }).pipe(Effect.provide(alone))
  )

  it.effect("reads the secret at the moment it sends", () =>
    Effect.gen(function* () {
      const receiver = yield* FakeReceiver
      const endpoints = yield* WebhookEndpoints
      const deliver = yield* endpointOwner
      const endpoint = yield* addEndpoint()
      const { id } = yield* addDelivery(endpoint, "inv_1")
      receiver.onSend = () => Effect.succeed(answered(503))
      yield* deliverAll(deliver, endpoint)
      const rotated = `whsec_${Buffer.alloc(32, 9).toString("base64")}`
      yield* endpoints.replaceSecret(endpoint, rotated, new Date(startOfTest))
      yield* TestClock.setTime((yield* deliveryOf(id)).next_attempt_at)
      yield* deliverAll(deliver, endpoint)
      const [first, second] = receiver.requests
      assert.isTrue(signatureIsRight(first, signingSecret))
      assert.isTrue(signatureIsRight(second, rotated))
      assert.isFalse(signatureIsRight(second, signingSecret))
    }).pipe(Effect.provide(alone))
  )

  it.effect("records an attempt although its endpoint is deleted while it is under way, and makes no other", () =>
    Effect.gen(function* () {
      const receiver = yield* FakeReceiver
      const endpoints = yield* WebhookEndpoints
      const { count, until } = yield* MemoryTables
      const deliver = yield* endpointOwner
      const endpoint = yield* addEndpoint()
      const { id } = yield* addDelivery(endpoint, "inv_1")
      const gate = yield* Deferred.make<void>()
      receiver.onSend = () => Effect.as(Deferred.await(gate), answered(500))
      yield* deliver(endpoint)
      yield* Queue.take(receiver.arrivals)
      yield* endpoints.remove(endpoint)
      yield* Deferred.succeed(gate, undefined)
      yield* until(() => count("Deliveries.record") === 1)
      assert.strictEqual((yield* deliveryOf(id)).status, "canceled")
      yield* TestClock.adjust("1 day")
      yield* deliverAll(deliver, endpoint)
      assert.lengthOf(receiver.requests, 1)
    }).pipe(Effect.provide(alone))
  )

  it.effect("a defect while deliveries are taken costs nothing: the next tell works", () =>
    Effect.gen(function* () {
      const memory = yield* MemoryTables
      const deliver = yield* endpointOwner
      const endpoint = yield* addEndpoint()
      const { id } = yield* addDelivery(endpoint, "inv_1")
      const broken = yield* Deferred.make<void>()
      memory.onCall = (name) =>
        name === "Deliveries.take"
          ? Effect.andThen(Deferred.succeed(broken, undefined), Effect.die("broken"))
          : Effect.void
      yield* deliver(endpoint)
      yield* Deferred.await(broken)
      memory.onCall = () => Effect.void
      yield* deliverAll(deliver, endpoint)
      assert.strictEqual((yield* deliveryOf(id)).status, "succeeded")
    }).pipe(Effect.provide(alone))
  )

  it.effect("an attempt whose outcome could not be stored is made again when its lease ends", () =>
    Effect.gen(function* () {
      const memory = yield* MemoryTables
      const receiver = yield* FakeReceiver
      const deliver = yield* endpointOwner
      const endpoint = yield* addEndpoint()
      const { body, id } = yield* addDelivery(endpoint, "inv_1")
      memory.onCall = (name) => (name === "Deliveries.record" ? Effect.die("broken") : Effect.void)
      yield* deliverAll(deliver, endpoint)
      memory.onCall = () => Effect.void
      assert.deepInclude(yield* deliveryOf(id), { status: "pending", attempts: 0 })
      yield* TestClock.adjust("19 seconds")
      yield* deliverAll(deliver, endpoint)
      assert.lengthOf(receiver.requests, 1)
      yield* TestClock.adjust("1 second")
      yield* deliverAll(deliver, endpoint)
      assert.deepStrictEqual(yield* bodies, [body, body])
      assert.strictEqual((yield* deliveryOf(id)).status, "succeeded")
    }).pipe(Effect.provide(alone))
  )

  it.effect("shows how deliveries are going", () =>
    Effect.gen(function* () {
      const receiver = yield* FakeReceiver
      const endpoints = yield* WebhookEndpoints
      const deliver = yield* endpointOwner
      const endpoint = yield* addEndpoint()
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
      yield* deliverAll(deliver, endpoint)
      assert.deepStrictEqual(
        yield* health,
        Option.some({ failing_since: startOfTest, is_active: true, last_success_at: null })
      )
      receiver.onSend = () => Effect.succeed(answered(200))
      const { next_attempt_at } = yield* deliveryOf(id)
      yield* TestClock.setTime(next_attempt_at)
      yield* deliverAll(deliver, endpoint)
      assert.deepStrictEqual(
        yield* health,
        Option.some({ failing_since: null, is_active: true, last_success_at: next_attempt_at })
      )
    }).pipe(Effect.provide(alone))
  )

  it.effect(
    "counts a delivery that breaks the sender as an attempt, keeps its resource in order, and sends the others",
    () =>
      Effect.gen(function* () {
        const { tables } = yield* MemoryTables
        const receiver = yield* FakeReceiver
        const deliver = yield* endpointOwner
        const endpoint = yield* addEndpoint()
        const poison = yield* addDelivery(endpoint, "inv_1")
        const later = yield* addDelivery(endpoint, "inv_1")
        const other = yield* addDelivery(endpoint, "inv_2")
        receiver.onSend = ({ body }) => (body === poison.body ? Effect.die("broken") : Effect.succeed(answered(200)))
        yield* deliverAll(deliver, endpoint)
        assert.deepStrictEqual(yield* bodies, [poison.body, other.body])
        for (const attempts of [1, 2, 3]) {
          const row = yield* deliveryOf(poison.id)
          assert.deepStrictEqual([row.status, row.attempts], ["pending", attempts])
          assert.strictEqual((yield* deliveryOf(later.id)).attempts, 0)
          yield* TestClock.setTime(row.next_attempt_at)
          yield* deliverAll(deliver, endpoint)
        }
        assert.strictEqual((yield* deliveryOf(poison.id)).status, "failed")
        assert.deepStrictEqual(
          tables.attempts.filter(({ delivery }) => delivery.id === poison.id).map(({ error }) => error?.code),
          ["internal", "internal", "internal", "internal"]
        )
        yield* deliverAll(deliver, endpoint)
        assert.strictEqual((yield* deliveryOf(later.id)).status, "succeeded")
      }).pipe(Effect.provide(alone))
  )

  it.effect("records that there was an answer when the answer itself cannot be stored", () =>
    Effect.gen(function* () {
      const memory = yield* MemoryTables
      const receiver = yield* FakeReceiver
      const deliver = yield* endpointOwner
      const endpoint = yield* addEndpoint()
      const { id } = yield* addDelivery(endpoint, "inv_1")
      receiver.onSend = () => Effect.succeed({ ...answered(200), body: "unstorable" })
      let refused = 0
      memory.onCall = (name) => (name === "Deliveries.record" && refused++ === 0 ? Effect.die("refused") : Effect.void)
      yield* deliverAll(deliver, endpoint)
      assert.strictEqual((yield* deliveryOf(id)).status, "succeeded")
      assert.deepStrictEqual(
        memory.tables.attempts.map(({ response_body, response_status }) => [response_status, response_body]),
        [[200, ""]]
      )
      assert.lengthOf(receiver.requests, 1)
    }).pipe(Effect.provide(alone))
  )
})
