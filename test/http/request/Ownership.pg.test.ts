import { assert } from "@effect/vitest"
import { Effect } from "effect"
import {
  customerBody,
  endpointBody,
  invoiceBody,
  partialNoteBody,
  resolutionBody
} from "../../support/apps/Invoices.ts"
import { keys } from "../../support/apps/Accounts.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { seen, settled } from "../../support/apps/Correcting.ts"
import { bearer, get, post, send, type Sent } from "../../support/apps/Requests.ts"
import { describeLive } from "../../support/Tests.ts"

const liveCustomer = {
  ...customerBody(),
  identification: { type: "31", number: "900373115", check_digit: "3" }
}

const makeObjects = Effect.gen(function* () {
  const customer = yield* post("/v1/customers", customerBody())
  const invoice = yield* post("/v1/invoices", invoiceBody(customer.json.id))
  yield* settled(`/v1/invoices/${invoice.json.id}`)
  const endpoint = yield* post("/v1/webhook-endpoints", endpointBody("https://hooks.example.com"))
  const test = yield* post(`/v1/webhook-endpoints/${endpoint.json.id}/test`)
  yield* seen(`/v1/webhook-deliveries/${test.json.id}`, ({ status }) => status === "succeeded")
  const credit = yield* post("/v1/credit-notes", partialNoteBody(invoice.json.id, "1.00"))
  const debit = yield* post("/v1/debit-notes", partialNoteBody(invoice.json.id, "1.00"))
  yield* settled(`/v1/credit-notes/${credit.json.id}`)
  yield* settled(`/v1/debit-notes/${debit.json.id}`)
  const { json: resolution } = yield* post("/v1/resolutions", resolutionBody())
  const events = yield* seen(`/v1/events?object_id=${invoice.json.id}`, ({ data }) => data.length > 0)
  const apiKey = yield* post("/v1/api-keys", {})
  const session = yield* post("/v1/portal-sessions", {})
  return {
    customer: String(customer.json.id),
    invoice: String(invoice.json.id),
    credit: String(credit.json.id),
    debit: String(debit.json.id),
    endpoint: String(endpoint.json.id),
    delivery: String(test.json.id),
    event: String(events.json.data[0].id),
    resolution: String(resolution.id),
    apiKey: String(apiKey.json.id),
    session: String(session.json.id)
  }
})

/** An object of each kind, of the account's test mode. */
const objects = Effect.runSync(Effect.cached(makeObjects))

/** An id of the same form that no object has. */
const unknown = (id: string) => `${id.slice(0, -10)}${"0".repeat(10)}`

const requests = (ids: Effect.Success<typeof objects>): ReadonlyArray<Sent & { readonly id: string }> => [
  { id: ids.customer, path: `/v1/customers/${ids.customer}` },
  { id: ids.customer, method: "PATCH", path: `/v1/customers/${ids.customer}`, body: { legal_name: "Otra" } },
  { id: ids.customer, method: "POST", path: `/v1/customers/${ids.customer}`, body: { legal_name: "Otra" } },
  { id: ids.customer, method: "DELETE", path: `/v1/customers/${ids.customer}` },
  { id: ids.invoice, path: `/v1/invoices/${ids.invoice}` },
  { id: ids.invoice, path: `/v1/invoices/${ids.invoice}/timeline` },
  { id: ids.invoice, path: `/v1/invoices/${ids.invoice}/pdf` },
  { id: ids.invoice, path: `/v1/invoices/${ids.invoice}/xml` },
  { id: ids.invoice, path: `/v1/invoices/${ids.invoice}/emails` },
  { id: ids.invoice, method: "POST", path: `/v1/invoices/${ids.invoice}/email`, body: { to: "otra@example.com" } },
  { id: ids.invoice, method: "POST", path: `/v1/invoices/${ids.invoice}/cancel` },
  { id: ids.invoice, method: "POST", path: `/v1/invoices/${ids.invoice}/retry` },
  { id: ids.invoice, method: "POST", path: `/v1/invoices/${ids.invoice}/annul`, body: { reason: "Error" } },
  ...(["credit", "debit"] as const).flatMap((kind) => {
    const path = `/v1/${kind}-notes`
    return [
      { id: ids.invoice, method: "POST", path, body: partialNoteBody(ids.invoice, "1.00") },
      { id: ids[kind], path: `${path}?starting_after=${ids[kind]}` },
      { id: ids[kind], path: `${path}/${ids[kind]}` },
      { id: ids[kind], path: `${path}/${ids[kind]}/timeline` },
      { id: ids[kind], path: `${path}/${ids[kind]}/emails` },
      { id: ids[kind], path: `${path}/${ids[kind]}/pdf` },
      { id: ids[kind], path: `${path}/${ids[kind]}/xml` },
      { id: ids[kind], method: "POST", path: `${path}/${ids[kind]}/email`, body: { to: "otra@example.com" } },
      { id: ids[kind], method: "POST", path: `${path}/${ids[kind]}/cancel` },
      { id: ids[kind], method: "POST", path: `${path}/${ids[kind]}/retry` }
    ]
  }),
  { id: ids.endpoint, path: `/v1/webhook-endpoints/${ids.endpoint}` },
  { id: ids.endpoint, method: "PATCH", path: `/v1/webhook-endpoints/${ids.endpoint}`, body: { is_active: false } },
  { id: ids.endpoint, method: "POST", path: `/v1/webhook-endpoints/${ids.endpoint}`, body: { is_active: false } },
  { id: ids.endpoint, method: "POST", path: `/v1/webhook-endpoints/${ids.endpoint}/rotate-secret` },
  { id: ids.endpoint, method: "DELETE", path: `/v1/webhook-endpoints/${ids.endpoint}` },
  { id: ids.apiKey, path: `/v1/api-keys/${ids.apiKey}` },
  { id: ids.apiKey, method: "POST", path: `/v1/api-keys/${ids.apiKey}/roll`, body: { expires_in: 0 } },
  { id: ids.apiKey, method: "DELETE", path: `/v1/api-keys/${ids.apiKey}` },
  { id: ids.apiKey, path: `/v1/api-keys?starting_after=${ids.apiKey}` },
  { id: ids.session, path: `/v1/portal-sessions/${ids.session}` },
  { id: ids.session, method: "DELETE", path: `/v1/portal-sessions/${ids.session}` },
  { id: ids.session, path: `/v1/portal-sessions?starting_after=${ids.session}` },
  { id: ids.customer, method: "POST", path: "/v1/invoices", body: invoiceBody(ids.customer) },
  { id: ids.customer, path: `/v1/customers?starting_after=${ids.customer}` },
  { id: ids.invoice, path: `/v1/invoices?ending_before=${ids.invoice}` },
  { id: ids.endpoint, path: `/v1/webhook-endpoints?starting_after=${ids.endpoint}` },
  { id: ids.endpoint, path: `/v1/webhook-endpoints/${ids.endpoint}/deliveries` },
  { id: ids.endpoint, method: "POST", path: `/v1/webhook-endpoints/${ids.endpoint}/test` },
  {
    id: ids.endpoint,
    method: "POST",
    path: `/v1/webhook-endpoints/${ids.endpoint}/recover`,
    body: { since: "2026-01-01T00:00:00Z" }
  },
  { id: ids.delivery, path: `/v1/webhook-deliveries/${ids.delivery}` },
  { id: ids.delivery, method: "POST", path: `/v1/webhook-deliveries/${ids.delivery}/redeliver` },
  { id: ids.event, path: `/v1/events/${ids.event}` },
  { id: ids.event, path: `/v1/events/${ids.event}/deliveries` },
  { id: ids.event, path: `/v1/events?starting_after=${ids.event}` },
  { id: ids.event, path: `/v1/events?after=${ids.event}` },
  { id: ids.resolution, path: `/v1/resolutions/${ids.resolution}` },
  { id: ids.resolution, path: `/v1/resolutions?ending_before=${ids.resolution}` },
  { id: ids.resolution, method: "PATCH", path: `/v1/resolutions/${ids.resolution}`, body: { is_active: false } },
  { id: ids.resolution, method: "POST", path: `/v1/resolutions/${ids.resolution}`, body: { is_active: false } }
]

describeLive(app)("ownership", (it) => {
  for (const [whose, key] of [
    ["another account's", keys.otherAccount],
    ["the other mode's", keys.live]
  ] as const) {
    it.effect(
      `${whose} key gets the same responses for an object and a missing one, and changes nothing`,
      function* () {
        const ids = yield* objects
        const before = yield* Effect.forEach(Object.values(ids), shown)
        for (const { id, ...sent } of requests(ids)) {
          const strange = JSON.parse(JSON.stringify(sent).replaceAll(id, unknown(id)))
          const answers = yield* Effect.forEach([sent, strange] as ReadonlyArray<Sent>, (one) =>
            send({ ...one, headers: bearer(key) })
          )
          const [there, notThere] = answers.map(({ headers, status, text }, index) => ({
            status,
            body: text
              .replaceAll(index === 0 ? id : unknown(id), "ID")
              .replaceAll(String(headers["request-id"]), "REQUEST"),
            headers: { ...headers, "request-id": "REQUEST", date: "", ratelimit: "" }
          }))
          // A cursor is a place in the list, even if the object belongs to another account.
          assert.include(/starting_after|ending_before/.test(sent.path ?? "") ? [200] : [400, 404], there?.status)
          assert.deepStrictEqual(there, notThere, `${sent.method ?? "GET"} ${sent.path}`)
        }
        assert.deepStrictEqual(yield* Effect.forEach(Object.values(ids), shown), before)
      }
    )

    it.effect(`${whose} key lists none of these objects`, function* () {
      yield* objects
      for (const path of [
        "/v1/customers",
        "/v1/invoices",
        "/v1/credit-notes",
        "/v1/debit-notes",
        "/v1/webhook-endpoints",
        "/v1/events"
      ]) {
        const { json } = yield* get(path, bearer(key))
        assert.deepStrictEqual(json, { object: "list", url: path, has_more: false, data: [] })
      }
    })
  }

  it.effect("the key decides the mode of the objects that it creates and of the account that it shows", function* () {
    const test = yield* get("/v1/account")
    const live = yield* get("/v1/account", bearer(keys.live))
    assert.deepInclude(test.json, { key_mode: "test", authority_environment: "habilitacion" })
    assert.deepInclude(live.json, { key_mode: "live", authority_environment: "produccion", id: test.json.id })
    const customer = yield* post("/v1/customers", liveCustomer, bearer(keys.live))
    assert.strictEqual(customer.json.livemode, true)
    const endpoint = yield* post("/v1/webhook-endpoints", endpointBody("https://hooks.example.com"), bearer(keys.live))
    assert.strictEqual(endpoint.json.livemode, true)
    assert.strictEqual((yield* get(pathOf(customer.json.id))).status, 404)
  })

  it.effect("another key of the same account and mode sees the same objects", function* () {
    const ids = yield* objects
    for (const id of Object.values(ids)) {
      assert.strictEqual((yield* get(pathOf(id), bearer(keys.secondTest))).status, 200)
    }
  })
})

const kinds: Readonly<Record<string, string>> = {
  cust: "customers",
  inv: "invoices",
  cn: "credit-notes",
  dn: "debit-notes",
  key: "api-keys",
  ps: "portal-sessions",
  we: "webhook-endpoints",
  whd: "webhook-deliveries",
  evt: "events",
  res: "resolutions"
}
const pathOf = (id: string) => `/v1/${kinds[id.split("_")[0] ?? ""]}/${id}`

// Links to files change every minute.
const shown = (id: string) => Effect.map(get(pathOf(id)), ({ text }) => text.replaceAll(/&expires=[\w&=-]+/g, ""))
