import { assert } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { customerBody, invoiceBody } from "../../support/apps/Invoices.ts"
import { apiKeyIds } from "../../support/apps/Accounts.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { get, patch, post } from "../../support/apps/Requests.ts"
import { until } from "../../support/apps/Until.ts"
import { asLive, asOther, visitor } from "../../support/portal/Visitor.ts"
import { describeLive } from "../../support/Tests.ts"

const hostile = `"><img src=x onerror=alert(1)>`

/** An invoice requested four times: executed, replayed, rejected for another body, and rejected for its fields. */
const asking = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const customer = yield* post("/v1/customers", { ...customerBody(), legal_name: hostile })
  const key = { "idempotency-key": "order-<1>" }
  const body = invoiceBody(customer.json.id, { note: hostile })
  const invoice = yield* post("/v1/invoices", body, key)
  // Not by a request, which the log would contain.
  yield* until(sql`select id from events where object_id = ${invoice.json.id}`, (events) => events.length > 0)
  yield* post("/v1/invoices", body, key)
  yield* post("/v1/invoices", { ...body, metadata: {} }, key)
  yield* post("/v1/invoices", { customer_id: hostile }, { "idempotency-key": "order-2" })
  const { json } = yield* get("/v1/requests?path=/v1/invoices&limit=4")
  const [refused, conflict, replayed, executed] = json.data.map(({ id }: { readonly id: string }) => id)
  return { invoice: String(invoice.json.id), customer: String(customer.json.id), refused, conflict, replayed, executed }
})

class Asked extends Context.Service<Asked, Effect.Success<typeof asking>>()("test/Asked") {}

/** A moment as a form sends it, in the authority's zone. */
const minutesFromNow = (minutes: number) =>
  new Date(Date.now() + minutes * 60_000 - 5 * 3_600_000).toISOString().slice(0, 16)

describeLive(Layer.effect(Asked, asking).pipe(Layer.provideMerge(app)))("the request log in the portal", (it) => {
  it.effect(
    "the log lists requests with their relation to the first with the same key, and filters them",
    function* () {
      const ids = yield* Asked
      const reader = yield* visitor()
      const page = yield* reader.see("/portal/requests")
      assert.strictEqual(page.status, 200)
      assert.isBelow(page.text.length, 60_000)
      assert.strictEqual(
        page.text.split(`requests/${ids.executed}">`).length,
        4,
        "its row, its replay and its conflict"
      )
      assert.include(page.text, "POST /v1/invoices")
      assert.include(page.text, "idempotency_conflict")
      const rows = (query: string) =>
        Effect.map(reader.see(`/portal/requests?${query}`), ({ text }) =>
          [...text.matchAll(/requests\/(req_\w+)"><code>/g)].map(([, id]) => id)
        )
      assert.deepStrictEqual(yield* rows("status=4xx"), [ids.refused, ids.conflict])
      assert.deepStrictEqual(yield* rows(`idempotency_key=${encodeURIComponent("order-<1>")}`), [
        ids.conflict,
        ids.replayed,
        ids.executed
      ])
      assert.deepStrictEqual(yield* rows(`object=${ids.invoice}`), [ids.replayed, ids.executed])
      assert.lengthOf(yield* rows("path=/v1/customers"), 1)
      assert.deepStrictEqual(yield* rows("method=DELETE"), [])
      assert.lengthOf(yield* rows(`key=${apiKeyIds.test}`), 5)
      assert.deepStrictEqual(yield* rows(`key=${apiKeyIds.secondTest}`), [])
      assert.lengthOf(yield* rows(`from=${minutesFromNow(-60)}&to=${minutesFromNow(60)}`), 5)
      assert.deepStrictEqual(yield* rows(`to=${minutesFromNow(-60)}`), [])
      const wrong = yield* reader.see("/portal/requests?from=soon&object=%22%3E%3Cimg%3E")
      assert.include(wrong.text, 'aria-invalid="true"')
      assert.include(wrong.text, "<details open>")
      assert.notInclude(wrong.text, "<img")
    }
  )

  it.effect("the page of a request shows all its parts, with the masked values and the reason", function* () {
    const ids = yield* Asked
    const reader = yield* visitor()
    const page = yield* reader.see(`/portal/requests/${ids.executed}`)
    assert.strictEqual(page.status, 200)
    assert.include(page.text, "[masked]")
    assert.include(page.text, `documents/${ids.invoice}`)
    assert.match(page.text, /portal\/events\/evt_/)
    assert.include(page.text, "&quot;unit_price&quot;: &quot;50000.00&quot;")
    assert.include(page.text, "order-&lt;1&gt;")
    assert.notInclude(page.text, "<img")
    const replayed = yield* reader.see(`/portal/requests/${ids.replayed}`)
    assert.include(replayed.text, `requests/${ids.executed}"`)
    const refused = yield* reader.see(`/portal/requests/${ids.refused}`)
    assert.match(refused.text, /docs\/errors\/\w+\?lang=en"/)
    assert.notInclude(refused.text, "<img")
  })

  it.effect("the log states when it keeps nothing, and which person made a request in the portal", function* () {
    const reader = yield* visitor()
    const path = "/portal/endpoints/new"
    const fields = { url: "https://hooks.example.com/x", description: "", in_flight: "8", event: "invoice.failed" }
    assert.strictEqual((yield* reader.submit(path, path, fields)).status, 200)
    const { json } = yield* get("/v1/requests?path=/v1/webhook-endpoints")
    const logged = yield* reader.see(`/portal/requests/${json.data[0].id}`)
    assert.include(logged.text, "<dd>portal</dd>")
    assert.notInclude(logged.text, "whsec_")
    assert.strictEqual((yield* patch("/v1/account", { request_log: "off" })).status, 200)
    assert.include((yield* reader.see("/portal/requests")).text, 'class="rule mild"')
    assert.strictEqual((yield* patch("/v1/account", { request_log: "masked" })).status, 200)
  })

  it.effect("a request that waited for an event appears as a wait, and not as slow", function* () {
    const { executed } = yield* Asked
    const sql = yield* SqlClient.SqlClient
    const id = `req_${"8".repeat(26)}`
    const waited = { id, method: "GET", path: "/v1/events", query: "after=&wait=20", duration_ms: 20_000 }
    yield* sql`
    insert into requests
    select c.* from requests r, jsonb_populate_record(r, ${JSON.stringify(waited)}::jsonb) c where r.id = ${executed}`
    const reader = yield* visitor()
    assert.match((yield* reader.see("/portal/requests?path=/v1/events")).text, /20\.0\u00a0s/)
    const page = yield* reader.see(`/portal/requests/${id}`)
    assert.include(page.text, "20.0\u00a0s")
    assert.include(page.text, "waited")
    yield* sql`update requests set query = 'limit=20' where id = ${id}`
    assert.notInclude((yield* reader.see(`/portal/requests/${id}`)).text, "waited")
  })

  it.effect("the log hides requests of another account and of the other mode", function* () {
    const ids = yield* Asked
    for (const other of [asOther, asLive]) {
      const stranger = yield* visitor(other)
      assert.strictEqual((yield* stranger.see(`/portal/requests/${ids.executed}`)).status, 404)
      const list = yield* stranger.see("/portal/requests")
      assert.include(list.text, 'class="empty"')
    }
  })
})
