import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert } from "@effect/vitest"
import { Array, Effect, Layer, Stream } from "effect"
import { ApiError, createClient, type InvoiceRequest } from "@folio-einvoicing/client"
import { make } from "@folio-einvoicing/client/effect"
import { Stripe } from "stripe"
import { invoiceBody } from "../../support/apps/Invoices.ts"
import * as TestApp from "../../support/apps/TestApp.ts"
import { until } from "../../support/apps/Until.ts"
import { collected } from "./Answers.ts"
import { describeOn } from "../../support/Tests.ts"

const count = 25

const stripeFor = Effect.fnUntraced(function* (key?: string) {
  const { client, url } = yield* TestApp.TestApp
  const { hostname, port } = new URL(url)
  return new Stripe(key ?? client.apiKey, { protocol: "http", host: hostname, port, telemetry: false })
})

const events = Effect.gen(function* () {
  const { client } = yield* TestApp.TestApp
  const customer = yield* TestApp.newCustomer(client)
  yield* Effect.forEach(
    Array.range(1, count),
    (index) => client.post("/v1/invoices", invoiceBody(customer), { key: `event ${index}` }),
    { concurrency: "unbounded" }
  )
  const { json } = yield* until(client.get("/v1/events?limit=100"), (one) => one.json.data.length === count)
  return json.data as ReadonlyArray<{ readonly id: string }>
})

const rejection = (promise: Promise<unknown>) =>
  Effect.promise(() =>
    promise.then(
      () => assert.fail("it was not refused"),
      (error: unknown) => error
    )
  )

describeOn(TestApp.layer(), { excludeTestServices: true })("The clients that developers use", (it) => {
  it.effect("list, page and retrieve events, and recognize Folio's errors, with the library of Stripe", function* () {
    const expected = yield* events
    const stripe = yield* stripeFor()
    const listed = yield* Effect.promise(() => stripe.events.list({ limit: 10 }).autoPagingToArray({ limit: 1_000 }))
    assert.deepStrictEqual(
      listed.map(({ id }) => id),
      expected.map(({ id }) => id)
    )
    const [first] = listed
    const one = yield* Effect.promise(() => stripe.events.retrieve(first?.id ?? ""))
    assert.deepStrictEqual(JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(first)))

    const missing = yield* rejection(stripe.events.retrieve("evt_unknown"))
    assert.instanceOf(missing, Stripe.errors.StripeInvalidRequestError)
    assert.deepInclude(missing, { code: "resource_missing", statusCode: 404 })
    assert.match(String((missing as { readonly requestId?: string }).requestId), /^req_/)
    const stranger = yield* stripeFor("sk_test_nobody")
    const refused = yield* rejection(stranger.events.list())
    assert.instanceOf(refused, Stripe.errors.StripeAuthenticationError)
  })

  it.effect("issue an invoice, follow its event and list objects, with the client for Effect", function* () {
    const { client: test, url } = yield* TestApp.TestApp
    const http = yield* Layer.build(NodeHttpClient.layerUndici)
    const client = yield* Effect.provide(make({ baseUrl: url, apiKey: test.apiKey }), http)
    const customer = yield* TestApp.newCustomer(test)
    const payload = invoiceBody(customer) as InvoiceRequest
    const headers = { "idempotency-key": "typed" }
    const made = yield* client.invoices.createInvoice({ headers, payload })
    const again = yield* client.invoices.createInvoice({ headers, payload })
    assert.deepStrictEqual(again, made)
    const other = yield* client.invoices.createInvoice({ payload })
    assert.notStrictEqual(other.id, made.id)
    const invoice = yield* until(
      client.invoices.retrieveInvoice({ params: { id: made.id } }),
      ({ status }) => status === "accepted_by_authority"
    )
    assert.strictEqual(invoice.customer_id, customer)
    const listed = yield* Stream.runCollect(client.invoices.allInvoices({ query: { limit: 1, customer_id: customer } }))
    assert.deepStrictEqual(
      listed.map(({ id }) => id),
      [other.id, made.id]
    )
    const error = yield* Effect.flip(client.invoices.retrieveInvoice({ params: { id: "inv_none" } }))
    assert.deepInclude(error, { _tag: "ApiError", code: "resource_missing" })
  })

  it.effect("issue an invoice, read its file and follow events, with the client without dependencies", function* () {
    const { client: test, url } = yield* TestApp.TestApp
    const folio = createClient({ baseUrl: `${url}/`, apiKey: test.apiKey, version: "2026-01-01" })
    const customer = yield* TestApp.newCustomer(test)
    const payload = invoiceBody(customer) as InvoiceRequest
    const create = Effect.promise(() =>
      folio.invoices.createInvoice({ headers: { "idempotency-key": "fetched" }, payload })
    )
    const made = yield* create
    assert.deepStrictEqual(yield* create, made)
    const other = yield* Effect.promise(() => folio.invoices.createInvoice({ payload }))
    assert.notStrictEqual(other.id, made.id)
    yield* until(
      Effect.promise(() => folio.invoices.retrieveInvoice({ params: { id: made.id } })),
      ({ status }) => status === "accepted_by_authority"
    )
    const pdf = yield* Effect.promise(() => folio.files.retrieveInvoicePdf({ params: { id: made.id } }))
    assert.strictEqual(new TextDecoder().decode(pdf.slice(0, 5)), "%PDF-")

    const listed = yield* Effect.promise(() =>
      collected(folio.invoices.allInvoices({ query: { limit: 1, customer_id: customer } }))
    )
    assert.deepStrictEqual(
      listed.map(({ id }) => id),
      [other.id, made.id]
    )
    // Events after a given event come oldest first, and use another paging parameter.
    const newest = yield* Effect.promise(() => collected(folio.events.allEvents()))
    const first = newest.at(-1)?.id ?? ""
    const followed = yield* Effect.promise(() =>
      collected(folio.events.allEvents({ query: { after: first, limit: 20 } }))
    )
    assert.isAbove(followed.length, 20)
    assert.deepStrictEqual(
      followed.map(({ id }) => id).slice(0, newest.length - 1),
      newest
        .map(({ id }) => id)
        .toReversed()
        .slice(1)
    )

    const error = yield* rejection(folio.invoices.retrieveInvoice({ params: { id: "inv_none" } }))
    assert.instanceOf(error, ApiError)
    assert.deepInclude(error, { code: "resource_missing", status: 404, type: "invalid_request_error", errors: [] })
    assert.match(error.request_id, /^req_/)
    assert.match(error.doc_url, /\/docs\/errors\/resource_missing$/)
    const wrong = yield* rejection(folio.customers.createCustomer({ payload: {} as never }))
    assert.instanceOf(wrong, ApiError)
    assert.strictEqual(wrong.code, "parameter_missing")
    assert.include(
      wrong.errors.map(({ param }) => param),
      "legal_name"
    )
  })
})
