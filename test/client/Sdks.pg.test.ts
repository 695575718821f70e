import { NodeHttpClient } from "@effect/platform-node"
import { assert } from "@effect/vitest"
import { Array, Effect, Layer, Stream } from "effect"
import { all, make } from "folio/client"
import { Stripe } from "stripe"
import { invoiceBody } from "../support/apps/Invoices.ts"
import * as TestApp from "../support/apps/TestApp.ts"
import { until } from "../support/apps/Until.ts"
import { describeOn } from "../support/Tests.ts"

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

describeOn(TestApp.layer(), { excludeTestServices: true })("What developers have at hand", (it) => {
  it.effect("the library of Stripe lists, pages and retrieves events, and knows our errors", function* () {
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

  it.effect("our client issues an invoice, follows its event and lists what there is", function* () {
    const { client: test, url } = yield* TestApp.TestApp
    const http = yield* Layer.build(NodeHttpClient.layerUndici)
    const client = yield* Effect.provide(make({ baseUrl: url, apiKey: test.apiKey }), http)
    const customer = yield* TestApp.newCustomer(test)
    const payload = invoiceBody(customer) as never
    const headers = { "idempotency-key": "typed" }
    const made = yield* client.invoices.createInvoice({ headers, payload })
    const again = yield* client.invoices.createInvoice({ headers, payload })
    assert.deepStrictEqual(again, made)
    const invoice = yield* until(
      client.invoices.retrieveInvoice({ params: { id: made.id }, headers: {} }),
      ({ status }) => status === "accepted_by_authority"
    )
    assert.strictEqual(invoice.customer_id, customer)
    const listed = yield* Stream.runCollect(all((query) => client.invoices.listInvoices({ headers: {}, query })))
    assert.include(
      listed.map(({ id }) => id),
      made.id
    )
    const error = yield* Effect.flip(client.invoices.retrieveInvoice({ params: { id: "inv_none" }, headers: {} }))
    assert.deepInclude(error, { _tag: "ApiError", code: "resource_missing" })
  })
})
