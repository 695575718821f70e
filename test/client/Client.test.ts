import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted, Result, Stream } from "effect"
import { HttpClient, HttpClientError, type HttpClientRequest, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { all, ApiError, make } from "folio/client"
import { errorExample } from "../../src/api/ErrorExamples.ts"
import type { ErrorCode } from "../../schemas/ApiError.ts"

const customer = {
  id: "cust_01k9z3v8c2m4n6p8q0r2s4t6v8",
  object: "customer",
  livemode: false,
  identification: { type: "13", number: "1032456789" },
  legal_name: "Ana",
  organization_type: "2",
  metadata: {},
  created_at: "2026-11-21T10:00:00.000-05:00",
  updated_at: "2026-11-21T10:00:00.000-05:00"
}
const payload = {
  identification: { type: "13", number: "1032456789" },
  legal_name: "Ana",
  organization_type: "2"
} as const

type Answer = "no answer" | "silence" | { status: number; body: unknown; headers?: Record<string, string> }

const created: Answer = { status: 201, body: customer }
const failing = (status: number, code: ErrorCode, headers: Record<string, string> = {}): Answer => ({
  status,
  headers,
  body: errorExample(code, "http://folio.test")
})
const held: Answer = {
  status: 202,
  headers: { "Retry-After": "1" },
  body: { object: "idempotent_request", status: "in_progress" }
}

/** A service that gives these answers in turn, and what it was asked. */
const service = (...answers: ReadonlyArray<Answer>) => {
  const asked: Array<HttpClientRequest.HttpClientRequest> = []
  const client = HttpClient.make((request) => {
    const answer = answers[asked.length] ?? "no answer"
    asked.push(request)
    if (answer === "silence") return Effect.never
    if (answer === "no answer") {
      const reason = new HttpClientError.TransportError({ request, description: "cut" })
      return Effect.fail(new HttpClientError.HttpClientError({ reason }))
    }
    const { body, headers = {}, status } = answer
    return Effect.succeed(
      HttpClientResponse.fromWeb(
        request,
        new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } })
      )
    )
  })
  return { asked, layer: Layer.succeed(HttpClient.HttpClient, client) }
}

const options = { apiKey: Redacted.make("sk_test_x"), baseUrl: "http://folio.test" }
const keys = (asked: ReadonlyArray<HttpClientRequest.HttpClientRequest>) =>
  asked.map(({ headers }) => headers["idempotency-key"] ?? "")

/** Creates a customer; gives how often the service was asked by each of these moments, and how it ended. */
const creating = Effect.fnUntraced(function* (
  answers: ReadonlyArray<Answer>,
  waits: ReadonlyArray<`${number} millis`>,
  idempotencyKey?: string
) {
  const { asked, layer } = service(...answers)
  const folio = yield* Effect.provide(make(options), layer)
  const call = folio.customers.createCustomer({ payload, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) })
  const fiber = yield* Effect.forkChild(Effect.result(call))
  const counts: Array<number> = []
  for (const wait of ["0 millis" as const, ...waits]) {
    yield* TestClock.adjust(wait)
    counts.push(asked.length)
  }
  return { asked, counts, fiber }
})

const codeOf = <E>(result: Result.Result<unknown, E>) =>
  Result.isFailure(result) && result.failure instanceof ApiError ? result.failure.code : undefined

const page = (ids: ReadonlyArray<string>, has_more: boolean): Answer => ({
  status: 200,
  body: { object: "list", url: "/v1/customers", has_more, data: ids.map((id) => ({ ...customer, id })) }
})

describe("folio/client", () => {
  it.effect("makes one key for each call, and sends it with every attempt", () =>
    Effect.gen(function* () {
      const answers: ReadonlyArray<Answer> = ["no answer", failing(500, "internal_error"), created]
      const first = yield* creating(answers, ["1100 millis", "2200 millis"])
      assert.deepStrictEqual(first.counts, [1, 2, 3])
      assert.strictEqual(Result.getOrThrow(yield* Fiber.join(first.fiber)).id, customer.id)
      const [key = "", ...more] = keys(first.asked)
      assert.match(key, /^[0-9a-f-]{36}$/)
      assert.deepStrictEqual(more, [key, key])
      const second = yield* creating([created], [])
      assert.notStrictEqual(keys(second.asked)[0], key)
      const own = yield* creating(["no answer", created], ["1100 millis"], "order-1")
      assert.deepStrictEqual(keys(own.asked), ["order-1", "order-1"])
      assert.strictEqual(own.asked[0]?.headers["authorization"], "Bearer sk_test_x")
      assert.strictEqual(own.asked[0]?.headers["svc-version"], "2026-01-01")
    })
  )

  it.effect.each([
    { what: "no answer", answer: "no answer" as Answer },
    { what: "429", answer: failing(429, "rate_limited") },
    { what: "500", answer: failing(500, "internal_error") },
    { what: "503", answer: failing(503, "service_unavailable", { "Svc-Should-Retry": "true" }) },
    { what: "a request in progress", answer: held }
  ])("waits 1 s, 2 s and 4 s after $what, and then gives up", ({ answer }) =>
    Effect.gen(function* () {
      const { counts, fiber } = yield* creating(
        [answer, answer, answer, answer, created],
        ["999 millis", "101 millis", "1899 millis", "301 millis", "3699 millis", "701 millis", "60000 millis"]
      )
      assert.deepStrictEqual(counts, [1, 1, 2, 2, 3, 3, 4, 4])
      assert.isTrue(Result.isFailure(yield* Fiber.join(fiber)))
    })
  )

  it.effect("takes an attempt without an answer for none", () =>
    Effect.gen(function* () {
      const { counts, fiber } = yield* creating(["silence", created], ["29999 millis", "1 millis", "1100 millis"])
      assert.deepStrictEqual(counts, [1, 1, 1, 2])
      assert.isTrue(Result.isSuccess(yield* Fiber.join(fiber)))
    })
  )

  it.effect("waits for as long as Retry-After says, but not for minutes", () =>
    Effect.gen(function* () {
      const patient = yield* creating(
        [failing(429, "rate_limited", { "Retry-After": "20" }), created],
        ["19999 millis", "2001 millis"]
      )
      assert.deepStrictEqual(patient.counts, [1, 1, 2])
      const late = yield* creating([failing(429, "rate_limited", { "Retry-After": "61" }), created], ["120000 millis"])
      assert.deepStrictEqual(late.counts, [1, 1])
      assert.strictEqual(codeOf(yield* Fiber.join(late.fiber)), "rate_limited")
    })
  )

  it.effect("gives the original answer after one in progress, and says so when there is none in time", () =>
    Effect.gen(function* () {
      const { fiber } = yield* creating([held, held, created], ["1100 millis", "2200 millis"])
      assert.strictEqual(Result.getOrThrow(yield* Fiber.join(fiber)).id, customer.id)
      const stuck = yield* creating([held, held, held, held], ["10000 millis"], "order-1")
      const result = yield* Fiber.join(stuck.fiber)
      assert.isTrue(Result.isFailure(result))
      if (Result.isFailure(result)) {
        assert.deepInclude(result.failure, { _tag: "StillInProgress", idempotency_key: "order-1" })
      }
    })
  )

  it.effect.each([
    { status: 400, code: "parameter_missing" },
    { status: 401, code: "invalid_api_key" },
    { status: 404, code: "resource_missing" },
    { status: 409, code: "idempotency_conflict" },
    { status: 409, code: "endpoint_limit_reached" },
    { status: 413, code: "request_too_large" }
  ] as const)("never asks again after $status $code", ({ code, status }) =>
    Effect.gen(function* () {
      const answer = failing(status, code, { "Svc-Should-Retry": "true", "Retry-After": "1" })
      const { counts, fiber } = yield* creating([answer, created], ["60000 millis"])
      assert.deepStrictEqual(counts, [1, 1])
      assert.strictEqual(codeOf(yield* Fiber.join(fiber)), code)
    })
  )

  it.effect("does not ask again where the service says that it is of no use", () =>
    Effect.gen(function* () {
      const answer = failing(500, "internal_error", { "Svc-Should-Retry": "false" })
      const { counts } = yield* creating([answer, created], ["60000 millis"])
      assert.deepStrictEqual(counts, [1, 1])
    })
  )

  it.effect("asks for the next page of a list only when it is needed", () =>
    Effect.gen(function* () {
      const ids = ["a", "b", "c", "d", "e"].map((letter) => `cust_01k9z3v8c2m4n6p8q0r2s4t6v${letter}`)
      const { asked, layer } = service(
        page(ids.slice(0, 2), true),
        page(ids.slice(2, 4), true),
        page(ids.slice(4), false)
      )
      const folio = yield* Effect.provide(make(options), layer)
      const list = all(folio.customers.listCustomers, { query: { limit: "2" } })
      assert.lengthOf(yield* Stream.runCollect(Stream.take(list, 2)), 2)
      assert.lengthOf(asked, 1)
      asked.length = 0
      const found = yield* Stream.runCollect(list)
      assert.deepStrictEqual(
        found.map(({ id }): string => id),
        ids
      )
      assert.deepStrictEqual(
        asked.map(({ urlParams }) => [...urlParams.params]),
        [
          [["limit", "2"]],
          [
            ["limit", "2"],
            ["starting_after", ids[1]]
          ],
          [
            ["limit", "2"],
            ["starting_after", ids[3]]
          ]
        ] as never
      )
    })
  )
})
