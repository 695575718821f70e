import { assert, layer } from "@effect/vitest"
import { Effect, Redacted, Stream } from "effect"
import { FetchHttpClient, HttpServer } from "effect/http"
import { all, ApiError, Folio } from "folio/client"
import { keys, layer as app } from "../support/MemoryApp.ts"

const payload = {
  identification: { type: "31", number: "900000001", check_digit: "1" },
  legal_name: "Cliente de Prueba S.A.S.",
  organization_type: "1"
} as const

const connected = Effect.fnUntraced(function* <A, E>(use: (folio: Folio["Service"]) => Effect.Effect<A, E>) {
  const baseUrl = HttpServer.formatAddress((yield* HttpServer.HttpServer).address)
  return yield* Effect.flatMap(Folio, use).pipe(
    Effect.provide(Folio.layer({ apiKey: Redacted.make(keys.test), baseUrl })),
    Effect.provide(FetchHttpClient.layer)
  )
})

layer(app)("folio/client on the service", (it) => {
  it.effect("issues an invoice, and repeats nothing with the same key", () =>
    connected((folio) =>
      Effect.gen(function* () {
        const customer = yield* folio.customers.createCustomer({ payload, idempotencyKey: "customer" })
        const again = yield* folio.customers.createCustomer({ payload, idempotencyKey: "customer" })
        assert.strictEqual(again.id, customer.id)
        const draft = yield* folio.invoices.createInvoice({
          payload: {
            customer_id: customer.id,
            currency: "COP",
            operation_type: "10",
            payment_means: { code: "10", type: "1" },
            lines: [
              {
                description: "Consultoría",
                quantity: "1.00",
                unit_code: "94",
                unit_price: "100000.00",
                line_extension_amount: "100000.00",
                taxes: [{ code: "01", rate: "19.00", base: "100000.00", value: "19000.00" }]
              }
            ]
          }
        })
        assert.deepStrictEqual([draft.status, draft.cufe], ["draft", null])
        const invoice = yield* folio.invoices.retrieveInvoice({ params: { id: draft.id } })
        assert.strictEqual(invoice.totals.payable_amount, "119000.00")
      })
    )
  )

  it.effect("reads lists to their end, and every group's objects", () =>
    connected((folio) =>
      Effect.gen(function* () {
        for (let made = 0; made < 5; made++) yield* folio.customers.createCustomer({ payload })
        const ids = (yield* Stream.runCollect(all(folio.customers.listCustomers, { query: { limit: "2" } }))).map(
          ({ id }) => id
        )
        assert.isAtLeast(ids.length, 5)
        assert.strictEqual(new Set(ids).size, ids.length)
        assert.deepStrictEqual(ids, ids.toSorted().toReversed())
        assert.strictEqual((yield* folio.account.retrieveAccount()).key_mode, "test")
        assert.isNotEmpty((yield* folio.catalogs.retrieveCatalog({ params: { catalog: "tributos" } })).data)
        const endpoint = yield* folio.webhookEndpoints.createWebhookEndpoint({
          payload: { url: "https://hooks.example.com/", subscribed_events: ["invoice.failed"] }
        })
        assert.match(endpoint.secret, /^whsec_/)
        const tested = yield* folio.webhookDeliveries.testWebhookEndpoint({ params: { id: endpoint.id } })
        assert.strictEqual(tested.webhook_endpoint_id, endpoint.id)
        const kept = yield* folio.webhookEndpoints.updateWebhookEndpoint({
          params: { id: endpoint.id },
          payload: { is_active: false }
        })
        assert.isFalse(kept.is_active)
        for (const event of yield* Stream.runCollect(all(folio.events.listEvents)))
          assert.strictEqual(event.object, "event")
        assert.isTrue((yield* folio.webhookEndpoints.deleteWebhookEndpoint({ params: { id: endpoint.id } })).deleted)
      })
    )
  )

  it.effect("fails with the service's errors, typed", () =>
    connected((folio) =>
      Effect.gen(function* () {
        const missing = yield* Effect.flip(folio.customers.retrieveCustomer({ params: { id: "cust_1" } }))
        assert.instanceOf(missing, ApiError)
        assert.deepInclude(missing, { _tag: "ApiError", code: "resource_missing" })
        const other = { ...payload, legal_name: "Otra S.A.S." }
        yield* folio.customers.createCustomer({ payload, idempotencyKey: "conflict" })
        const conflict = yield* Effect.flip(
          folio.customers.createCustomer({ payload: other, idempotencyKey: "conflict" })
        )
        assert.deepInclude(conflict, { _tag: "ApiError", code: "idempotency_conflict" })
        const wrong = yield* Effect.flip(
          folio.customers.createCustomer({
            payload: { ...payload, identification: { ...payload.identification, number: "900373115" } }
          })
        )
        assert.deepInclude(wrong, { code: "invalid_check_digit", param: "identification.check_digit" })
      })
    )
  )
})
