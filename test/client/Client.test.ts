import { assert, describe } from "@effect/vitest"
import { Array, Effect, Fiber, Layer, Stream } from "effect"
import { HttpClient, HttpClientError, type HttpClientRequest, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { all, ApiError, make, newIdempotencyKey } from "folio/client"
import { customerBody } from "../support/apps/Invoices.ts"
import { it } from "../support/Tests.ts"

interface Said {
  readonly status: number
  readonly headers?: Record<string, string>
  readonly body?: unknown
}

const customer = {
  ...customerBody(),
  id: `cust_${"a".repeat(26)}`,
  object: "customer",
  livemode: false,
  metadata: {},
  created_at: "2026-11-21T10:00:00.000-05:00",
  updated_at: "2026-11-21T10:00:00.000-05:00"
}
const created: Said = { status: 201, body: customer }
const refusal = (status: number, code: string, headers: Record<string, string> = {}): Said => ({
  status,
  headers,
  body: { error: { type: "api_error", code, message: "No.", doc_url: "", request_id: "" } }
})

/** A service that says one thing after the other, or nothing at all, and what it was sent. */
const service = (...script: ReadonlyArray<Said | "nothing">) => {
  const sent: Array<HttpClientRequest.HttpClientRequest> = []
  const client = HttpClient.make((request) => {
    const said = script[Math.min(sent.push(request), script.length) - 1] ?? "nothing"
    return said === "nothing"
      ? Effect.fail(
          new HttpClientError.HttpClientError({
            reason: new HttpClientError.TransportError({ request, description: "reset" })
          })
        )
      : Effect.succeed(
          HttpClientResponse.fromWeb(
            request,
            new Response(JSON.stringify(said.body), {
              status: said.status,
              headers: { "content-type": "application/json", ...said.headers }
            })
          )
        )
  })
  return { sent, layer: Layer.succeed(HttpClient.HttpClient, client) }
}

const options = { baseUrl: "http://folio.test", apiKey: "sk_test_x" }

/** Creates a customer, while the time passes that a client waits at most. */
const create = (headers: { readonly "idempotency-key": string } = { "idempotency-key": "mine" }) =>
  Effect.gen(function* () {
    const client = yield* make(options)
    const work = yield* Effect.forkChild(
      Effect.result(client.customers.createCustomer({ headers, payload: customerBody() as never }))
    )
    yield* TestClock.adjust("30 seconds")
    return yield* Fiber.join(work)
  })

describe("folio/client", () => {
  it.effect.each([
    ["nothing is answered", ["nothing", "nothing", "nothing", created], 4],
    ["the service breaks", [refusal(500, "internal_error"), created], 2],
    ["it is too busy", [refusal(503, "service_unavailable", { "retry-after": "1" }), created], 2],
    ["it was too much", [refusal(429, "rate_limited", { "retry-after": "2" }), created], 2],
    ["the first one is still under way", [{ status: 202, headers: { "retry-after": "1" }, body: {} }, created], 2],
    ["the service says so", [refusal(404, "resource_missing", { "svc-should-retry": "true" }), created], 2]
  ] as const)("repeats a request with its key when %s", function* ([, script, times]) {
    const { layer, sent } = service(...script)
    const result = yield* create().pipe(Effect.provide(layer))
    assert.strictEqual(result._tag, "Success")
    assert.lengthOf(sent, times)
    assert.deepStrictEqual(new Set(sent.map(({ headers }) => headers["idempotency-key"])), new Set(["mine"]))
    assert.strictEqual(sent[0]?.headers["authorization"], "Bearer sk_test_x")
  })

  it.effect.each([
    ["another body under the same key", refusal(409, "idempotency_conflict", { "svc-should-retry": "true" })],
    ["what is wrong with it", refusal(400, "parameter_missing")],
    ["a failure that stays", refusal(500, "internal_error", { "svc-should-retry": "false" })]
  ] as const)("never repeats: %s", function* ([, said]) {
    const { layer, sent } = service(said)
    const result = yield* create().pipe(Effect.provide(layer))
    assert.lengthOf(sent, 1)
    const error = result._tag === "Failure" ? result.failure : undefined
    assert.instanceOf(error, ApiError)
  })

  it.effect("waits 1 s, 2 s and 4 s, and gives the last answer after that", function* () {
    const { layer, sent } = service(refusal(500, "internal_error"))
    yield* Effect.gen(function* () {
      const client = yield* make(options)
      const work = yield* Effect.forkChild(Effect.flip(client.account.retrieveAccount({ headers: {} })))
      for (const [count, wait] of [
        [1, 999],
        [1, 101],
        [2, 1_899],
        [2, 302],
        [3, 3_698]
      ] as const) {
        yield* TestClock.adjust(0)
        assert.lengthOf(sent, count, `before ${wait} ms`)
        yield* TestClock.adjust(wait)
      }
      yield* TestClock.adjust("5 seconds")
      assert.instanceOf(yield* Fiber.join(work), ApiError)
      assert.lengthOf(sent, 4)
    }).pipe(Effect.provide(layer))
  })

  it.effect("gives a key of its own to what changes something and has none, the same on each attempt", function* () {
    const { layer, sent } = service("nothing", { status: 200, body: customer })
    yield* Effect.gen(function* () {
      const client = yield* make(options)
      const update = { params: { id: customer.id }, headers: {}, payload: {} }
      const work = yield* Effect.forkChild(client.customers.updateCustomer(update))
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(work)
      yield* client.customers.retrieveCustomer({ params: { id: customer.id }, headers: {} })
    }).pipe(Effect.provide(layer))
    const [first, second, third] = sent.map(({ headers }) => headers["idempotency-key"])
    assert.match(first ?? "", /^[0-9a-f-]{36}$/)
    assert.deepStrictEqual([second, third], [first, undefined])
  })

  it.effect("waits as long as it is told to, and reads answers that have more members than it knows", function* () {
    const { layer, sent } = service(refusal(429, "rate_limited", { "retry-after": "9" }), {
      ...created,
      body: { ...customer, later: true }
    })
    yield* Effect.gen(function* () {
      const client = yield* make(options)
      const headers = { "idempotency-key": yield* newIdempotencyKey }
      const work = yield* Effect.forkChild(
        client.customers.createCustomer({ headers, payload: customerBody() as never })
      )
      yield* TestClock.adjust("8999 millis")
      assert.lengthOf(sent, 1)
      yield* TestClock.adjust("901 millis")
      assert.strictEqual((yield* Fiber.join(work)).id, customer.id)
    }).pipe(Effect.provide(layer))
  })

  it.effect("reads an error code that a later release has as the first of its status", function* () {
    const { layer } = service(refusal(404, "moon_missing"))
    const result = yield* create().pipe(Effect.provide(layer))
    const error = result._tag === "Failure" ? result.failure : undefined
    assert.instanceOf(error, ApiError)
    assert.deepInclude(error, { status: 404, message: "moon_missing: No." })
  })

  it.effect("lists all, page by page", function* () {
    const ids = Array.makeBy(250, (index) => ({ id: String(index) }))
    const asked: Array<string | undefined> = []
    const list = (query: { readonly limit: string; readonly starting_after?: string }) =>
      Effect.sync(() => {
        asked.push(query.starting_after)
        const from = query.starting_after === undefined ? 0 : Number(query.starting_after) + 1
        return {
          data: ids.slice(from, from + Number(query.limit)),
          has_more: from + Number(query.limit) < ids.length
        }
      })
    assert.deepStrictEqual(yield* Stream.runCollect(all(list)), ids)
    assert.deepStrictEqual(asked, [undefined, "99", "199"])
  })
})
