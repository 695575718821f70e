import { assert } from "@effect/vitest"
import { Effect, Result } from "effect"
import { WebhookEndpointId } from "../../../schemas/Id.ts"
import { verify } from "../../../src/webhooks/rules/WebhookSignature.ts"
import { Notify } from "../../../src/accounts/Notify.ts"
import { testMode } from "../apps/Accounts.ts"
import { type Arrival, FakeReceiver } from "../apps/Fakes.ts"
import { endpointBody, invoiceBody } from "../apps/Invoices.ts"
import { addCustomer } from "../apps/PostgresRows.ts"
import { get, post, send } from "../apps/Requests.ts"
import { until } from "../apps/Until.ts"

/*
 * Webhook endpoints of the account's test mode, and the deliveries that the fake receiver gets from the service on
 * PostgreSQL.
 */

let made = 0

/** Registers an endpoint at a URL of its own, for the duration of the test. */
export const endpointAlone = Effect.acquireRelease(
  Effect.suspend(() => {
    const url = `https://hooks.example.com/folio/${made++}`
    return Effect.map(post("/v1/webhook-endpoints", endpointBody(url)), ({ json }) => ({
      id: String(json.id),
      secret: String(json.secret),
      url
    }))
  }),
  ({ id }) => send({ method: "DELETE", path: `/v1/webhook-endpoints/${id}` })
)

/** The deliveries to an endpoint, newest first. */
export const deliveriesTo = (endpoint: string) =>
  Effect.map(
    get(`/v1/webhook-endpoints/${endpoint}/deliveries`),
    ({
      json
    }): ReadonlyArray<{
      readonly id: string
      readonly status: string
      readonly attempts: ReadonlyArray<{ readonly number: number }>
    }> => json.data
  )

/** Waits until an endpoint has deliveries, each with this many attempts; returns the newest. */
export const attempted = (endpoint: string, count = 1) =>
  Effect.map(
    until(
      deliveriesTo(endpoint),
      (rows) => rows.length > 0 && rows.every(({ attempts }) => attempts.at(-1)?.number === count)
    ),
    ([newest]) => newest?.id ?? ""
  )

/** Waits until all deliveries to an endpoint have succeeded. */
export const delivered = (endpoint: string) =>
  until(deliveriesTo(endpoint), (rows) => rows.length > 0 && rows.every(({ status }) => status === "succeeded"))

/** Advances the test clock until no retry to the endpoint is scheduled any more. */
export const givenUp = Effect.fnUntraced(function* (endpoint: string) {
  const { deliver } = yield* Notify
  const passed = Effect.gen(function* () {
    yield* post("/v1/test-helpers/advance", { seconds: 3_600 })
    yield* deliver({ ...testMode, id: WebhookEndpointId.make(endpoint) })
    return yield* deliveriesTo(endpoint)
  })
  yield* until(passed, (rows) => rows.length > 0 && rows.every(({ status }) => status !== "pending"))
})

/** The receiver's deliveries at a URL. */
export const arrivedAt = (url: string) =>
  Effect.map(FakeReceiver, ({ requests }) => requests.filter((arrival) => arrival.url === url))

/** Returns the event of an accepted invoice, as in its webhook. */
export const issued = Effect.fnUntraced(function* (metadata: Record<string, string> = {}) {
  const customer = yield* addCustomer()
  const { id } = (yield* post("/v1/invoices", invoiceBody(customer, metadata))).json
  const list = yield* until(get(`/v1/events?object_id=${id}`), ({ json }) => json.data.length > 0)
  const event = String(list.json.data[0].id)
  const { text } = yield* get(`/v1/events/${event}`)
  return { id: event, body: text, invoice: String(id) }
})

/** Sends a test event to an endpoint; returns the delivery at the receiver. */
export const sampled = Effect.fnUntraced(function* (id: string, url: string) {
  const before = (yield* arrivedAt(url)).length
  assert.strictEqual((yield* post(`/v1/webhook-endpoints/${id}/test`)).status, 202)
  const arrivals = yield* until(arrivedAt(url), ({ length }) => length > before)
  return arrivals.at(-1)!
})

/** Whether a webhook carries a signature with this secret. */
export const isSigned = (secret: string, { at, body, headers }: Arrival) => {
  const header = (headers as Record<string, string>)["Svc-Signature"] ?? ""
  return Result.isSuccess(verify({ secret, header, body, now: Math.floor(at / 1000) }))
}
