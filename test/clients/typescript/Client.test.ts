import { assert, describe } from "@effect/vitest"
import { Array, ConfigProvider, Effect, Fiber, Layer, Stream } from "effect"
import { HttpClient, HttpClientError, type HttpClientRequest, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { ApiError, Client, make, verifyWebhook, WebhookVerificationError } from "@folio-einvoicing/client/effect"
import { signatureHeaders } from "../../../src/webhooks/rules/WebhookSignature.ts"
import { created, customer, customerRequest, page, refusal, type Said } from "./Answers.ts"
import { it } from "../../support/Tests.ts"

/** A service that gives one response after the other, or none, and the requests that it received. */
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

/** Creates a customer, while the longest wait of a client passes. */
const create = (headers?: { readonly "idempotency-key": string }) =>
  Effect.gen(function* () {
    const client = yield* make(options)
    const request = { ...(headers === undefined ? {} : { headers }), payload: customerRequest }
    const work = yield* Effect.forkChild(Effect.result(client.customers.createCustomer(request)))
    yield* TestClock.adjust("30 seconds")
    return yield* Fiber.join(work)
  })

const keysOf = (sent: ReadonlyArray<HttpClientRequest.HttpClientRequest>) =>
  sent.map(({ headers }) => headers["idempotency-key"])

/** The queries as the client sends them. */
const queriesOf = (sent: ReadonlyArray<HttpClientRequest.HttpClientRequest>) =>
  sent.map(({ urlParams }) => Object.fromEntries(urlParams))

describe("@folio-einvoicing/client/effect", () => {
  it.effect.each([
    ["no response arrives", ["nothing", "nothing", "nothing", created], 4],
    ["the service fails", [refusal(500, "internal_error"), created], 2],
    ["the service is too busy", [refusal(503, "service_unavailable", { "retry-after": "1" }), created], 2],
    ["the rate limit is reached", [refusal(429, "rate_limited", { "retry-after": "2" }), created], 2],
    [
      "retry-after is a date",
      [refusal(429, "rate_limited", { "retry-after": new Date(9_000).toUTCString() }), created],
      2
    ],
    ["the first request is still under way", [{ status: 202, headers: { "retry-after": "1" }, body: {} }, created], 2],
    ["the service asks for a retry", [refusal(404, "resource_missing", { "svc-should-retry": "true" }), created], 2]
  ] as const)("retries a request with the same key when %s", function* ([, script, times]) {
    const { layer, sent } = service(...script)
    const result = yield* create({ "idempotency-key": "mine" }).pipe(Effect.provide(layer))
    assert.strictEqual(result._tag, "Success")
    assert.lengthOf(sent, times)
    assert.deepStrictEqual(new Set(keysOf(sent)), new Set(["mine"]))
    assert.strictEqual(sent[0]?.headers["authorization"], "Bearer sk_test_x")
  })

  it.effect.each([
    ["another body under the same key", refusal(409, "idempotency_conflict", { "svc-should-retry": "true" })],
    ["a wrong request", refusal(400, "parameter_missing")],
    ["a permanent failure", refusal(500, "internal_error", { "svc-should-retry": "false" })]
  ] as const)("never retries: %s", function* ([, said]) {
    const { layer, sent } = service(said)
    const result = yield* create().pipe(Effect.provide(layer))
    assert.lengthOf(sent, 1)
    const error = result._tag === "Failure" ? result.failure : undefined
    assert.instanceOf(error, ApiError)
  })

  it.effect("rejects a response of a wrong media type or of more than 32 MiB, and does not retry", function* () {
    const large = new Uint8Array((32 << 20) + 1)
    for (const [body, type, why] of [
      ["<html>Log in", "text/html", "text/html, so it isn't Folio's"],
      [large, "application/pdf", "more than 33554432 bytes"]
    ] as const) {
      let attempts = 0
      const client = HttpClient.make((request) =>
        Effect.sync(() => {
          attempts++
          return HttpClientResponse.fromWeb(request, new Response(body, { headers: { "content-type": type } }))
        })
      )
      yield* Effect.gen(function* () {
        const folio = yield* make(options)
        const error = yield* Effect.flip(folio.files.retrieveInvoicePdf({ params: { id: customer.id } }))
        assert.instanceOf(error, HttpClientError.HttpClientError)
        assert.include(error.message, why)
        assert.strictEqual(attempts, 1)
      }).pipe(Effect.provideService(HttpClient.HttpClient, client))
    }
  })

  it.effect("waits 1 s, 2 s and 4 s, and then returns the last response", function* () {
    const { layer, sent } = service(refusal(500, "internal_error"))
    yield* Effect.gen(function* () {
      const client = yield* make(options)
      const work = yield* Effect.forkChild(Effect.flip(client.account.retrieveAccount()))
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

  it.effect("gives each call that changes something a key of its own, the same on each attempt", function* () {
    const { layer, sent } = service("nothing", created, created, { status: 200, body: customer })
    yield* Effect.gen(function* () {
      const client = yield* make(options)
      const creating = client.customers.createCustomer({ payload: customerRequest })
      const work = yield* Effect.forkChild(creating)
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(work)
      yield* creating
      const update = { params: { id: customer.id }, headers: { "idempotency-key": undefined as never }, payload: {} }
      yield* client.customers.updateCustomer(update)
      yield* client.customers.retrieveCustomer({ params: { id: customer.id } })
    }).pipe(Effect.provide(layer))
    const [first, second, third, fourth, fifth] = keysOf(sent)
    for (const key of [first, third, fourth]) assert.match(key ?? "", /^[0-9a-f-]{36}$/)
    assert.deepStrictEqual([second, fifth], [first, undefined])
    assert.strictEqual(new Set([first, third, fourth]).size, 3)
  })

  it.effect("waits as long as the response asks, and reads responses with unknown members", function* () {
    const { layer, sent } = service(refusal(429, "rate_limited", { "retry-after": "9" }), {
      ...created,
      body: { ...customer, later: true }
    })
    yield* Effect.gen(function* () {
      const client = yield* make(options)
      const work = yield* Effect.forkChild(client.customers.createCustomer({ payload: customerRequest }))
      yield* TestClock.adjust("8999 millis")
      assert.lengthOf(sent, 1)
      yield* TestClock.adjust("901 millis")
      assert.strictEqual((yield* Fiber.join(work)).id, customer.id)
    }).pipe(Effect.provide(layer))
  })

  it.effect("reads an unknown error code of a later release as the first code of its status", function* () {
    const { layer } = service(refusal(404, "moon_missing"))
    const result = yield* create().pipe(Effect.provide(layer))
    const error = result._tag === "Failure" ? result.failure : undefined
    assert.instanceOf(error, ApiError)
    assert.deepInclude(error, { status: 404, message: "moon_missing: No." })
  })

  it.effect("sends numbers, booleans and lists of a query as text, and omits undefined values", function* () {
    const { layer, sent } = service(page("customers", []))
    yield* Effect.gen(function* () {
      const client = yield* make(options)
      yield* client.customers.listCustomers({ query: { limit: 7, starting_after: undefined as never } })
      yield* client.invoices.listInvoiceEmails({ params: { id: "inv_1" }, query: { content: true } })
      yield* client.events.listEvents({ query: { wait: 0, "types[]": ["invoice.failed", "debit_note.failed"] } })
    }).pipe(Effect.provide(layer))
    assert.deepStrictEqual(
      sent.map(({ urlParams }) => [...urlParams]),
      [
        [["limit", "7"]],
        [["content", "true"]],
        [
          ["types[]", "invoice.failed"],
          ["types[]", "debit_note.failed"],
          ["wait", "0"]
        ]
      ]
    )
  })

  it.effect("streams a list, page by page", function* () {
    const customers = Array.makeBy(3, (index) => ({ ...customer, id: `cust_${String(index).repeat(26)}` }))
    const first = `cust_${"9".repeat(26)}`
    const script = [page("customers", customers.slice(0, 2), true), page("customers", customers.slice(2))]
    const { layer, sent } = service(...script, ...script)
    yield* Effect.gen(function* () {
      const client = yield* make(options)
      const idsOf = (...call: Parameters<typeof client.customers.allCustomers>) =>
        client.customers.allCustomers(...call).pipe(
          Stream.map(({ id }) => id),
          Stream.runCollect
        )
      const ids = customers.map(({ id }) => id)
      assert.deepStrictEqual(yield* idsOf(), ids)
      assert.deepStrictEqual(yield* idsOf({ query: { limit: 2, starting_after: first } }), ids)
    }).pipe(Effect.provide(layer))
    const after = customers[1]?.id ?? ""
    assert.deepStrictEqual(queriesOf(sent), [
      { limit: "100" },
      { limit: "100", starting_after: after },
      { limit: "2", starting_after: first },
      { limit: "2", starting_after: after }
    ])
  })

  it.effect("can be provided as a service, from settings or from the environment", function* () {
    const { layer, sent } = service(page("customers", []))
    const listing = Effect.flatMap(Client, ({ customers }) => customers.listCustomers())
    yield* Effect.provide(listing, Layer.provide(Client.layer({ ...options, version: "2026-01-01" }), layer))
    const environment = { FOLIO_URL: "http://folio.other", FOLIO_API_KEY: "sk_live_y", FOLIO_VERSION: "2026-01-01" }
    const { FOLIO_VERSION: _, ...lacking } = environment
    for (const one of [environment, lacking]) {
      yield* Effect.provide(
        listing,
        Client.layerConfig.pipe(Layer.provide([ConfigProvider.layer(ConfigProvider.fromUnknown(one)), layer]))
      )
    }
    assert.deepStrictEqual(
      sent.map(({ headers, url }) => [url, headers["authorization"], headers["svc-version"]]),
      [
        ["http://folio.test/v1/customers", "Bearer sk_test_x", "2026-01-01"],
        ["http://folio.other/v1/customers", "Bearer sk_live_y", "2026-01-01"],
        ["http://folio.other/v1/customers", "Bearer sk_live_y", undefined]
      ]
    )
    const error = yield* Layer.build(Client.layerConfig).pipe(
      Effect.provide([ConfigProvider.layer(ConfigProvider.fromUnknown({ FOLIO_URL: "http://folio.other" })), layer]),
      Effect.flip
    )
    assert.include(String(error), "FOLIO_API_KEY")
  })

  it.effect("verifies webhooks with the clock of the program", function* () {
    const secret = "whsec_Zm9saW8gdGVzdCBzZWNyZXQgb2YgMzIgYnl0ZXMhISE="
    const payload = '{"id":"evt_1","object":"event","type":"invoice.failed"}'
    const headers = signatureHeaders({ secret, messageId: "evt_1", timestamp: 1_000, body: payload })
    yield* TestClock.setTime(1_300_000)
    assert.strictEqual((yield* verifyWebhook({ payload, headers, secret })).id, "evt_1")
    yield* TestClock.adjust("1 second")
    const error = yield* Effect.flip(verifyWebhook({ payload, headers, secret }))
    assert.instanceOf(error, WebhookVerificationError)
    assert.strictEqual(error.reason, "expired")
  })
})
