import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServer } from "effect/http"
import { Stripe } from "stripe"
import { customerBody, invoiceBody } from "../support/Invoices.ts"
import { keys, layer as app } from "../support/MemoryApp.ts"
import { MemoryTables } from "../support/MemoryTables.ts"
import { post } from "../support/Requests.ts"

/** The stock SDK of Stripe, pointed at the service. */
const sdk = Effect.fnUntraced(function* (apiKey: string = keys.test) {
  const { hostname, port } = new URL(HttpServer.formatAddress((yield* HttpServer.HttpServer).address))
  return new Stripe(apiKey, { host: hostname, port, protocol: "http", telemetry: false, maxNetworkRetries: 0 })
})

const failing = (call: () => Promise<unknown>) =>
  Effect.flip(Effect.tryPromise({ try: call, catch: (error) => error as Stripe.errors.StripeError }))

layer(app)("the SDK of Stripe", (it) => {
  it.effect("lists customers and reads all pages by itself", () =>
    Effect.gen(function* () {
      const stripe = yield* sdk()
      const made: Array<string> = []
      for (let index = 0; index < 5; index++) made.push((yield* post("/v1/customers", customerBody())).json.id)
      const found = yield* Effect.promise(() => stripe.customers.list({ limit: 2 }).autoPagingToArray({ limit: 100 }))
      assert.deepStrictEqual(
        found.map(({ id }) => id),
        made.toReversed()
      )
      const one = yield* Effect.promise(() => stripe.customers.retrieve(made[0] ?? ""))
      assert.strictEqual(one.id, made[0])
    })
  )

  it.effect("lists, auto-pages and retrieves events", () =>
    Effect.gen(function* () {
      const stripe = yield* sdk()
      const { tables, until } = yield* MemoryTables
      const customer = yield* post("/v1/customers", customerBody())
      for (let index = 0; index < 5; index++) yield* post("/v1/invoices", invoiceBody(customer.json.id))
      yield* until(({ events }) => events.length === 5)
      const made = tables.events.map(({ id }): string => id)
      const found = yield* Effect.promise(() => stripe.events.list({ limit: 2 }).autoPagingToArray({ limit: 100 }))
      assert.deepStrictEqual(
        found.map(({ id }) => id),
        made.toReversed()
      )
      const one = yield* Effect.promise(() => stripe.events.retrieve(made[0] ?? ""))
      assert.deepStrictEqual(
        [one.id, one.object, one.type as string],
        [made[0], "event", "invoice.accepted_by_authority"]
      )
      const typed = yield* Effect.promise(() =>
        stripe.events.list({ type: "invoice.accepted_by_authority", limit: 100 })
      )
      assert.lengthOf(typed.data, 5)
      const endpoints = yield* Effect.promise(() => stripe.rawRequest("GET", "/v1/webhook-endpoints"))
      assert.strictEqual((endpoints as unknown as { readonly object: string }).object, "list")
    })
  )

  it.effect("reads errors as its own classes", () =>
    Effect.gen(function* () {
      const stripe = yield* sdk()
      const missing = yield* failing(() => stripe.events.retrieve("evt_1"))
      assert.instanceOf(missing, Stripe.errors.StripeInvalidRequestError)
      assert.deepInclude(missing, { code: "resource_missing", statusCode: 404 })
      assert.match(missing.requestId ?? "", /^req_/)
      const stranger = yield* sdk("sk_test_wrong")
      const refused = yield* failing(() => stranger.events.list())
      assert.instanceOf(refused, Stripe.errors.StripeAuthenticationError)
      const out = yield* failing(() => stripe.customers.list({ limit: 101 }))
      assert.instanceOf(out, Stripe.errors.StripeInvalidRequestError)
      assert.deepInclude(out, { code: "parameter_invalid", param: "limit" })
    })
  )
})
