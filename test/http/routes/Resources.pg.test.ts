import { assert } from "@effect/vitest"
import { customerBody, endpointBody, invoiceBody } from "../../support/apps/Invoices.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { settled } from "../../support/apps/Correcting.ts"
import { localDate } from "../../../src/runtime/AuthorityTime.ts"
import { get, patch, post, send } from "../../support/apps/Requests.ts"
import { describeLive } from "../../support/Tests.ts"

const withoutTime = (object: object) => ({ ...object, updated_at: "" })

const isTimestamp = (text: unknown) => assert.match(String(text), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}-05:00$/)

describeLive(app)("resources", (it) => {
  it.effect("GET /v1/account shows the account of the key", function* () {
    const { json, status } = yield* get("/v1/account")
    assert.strictEqual(status, 200)
    assert.sameMembers(
      Object.keys(json),
      (
        "id object name status status_reason authority_environment key_mode identification legal_name organization_type address city_code " +
        "department_code country_code email tax_responsibilities default_version request_log certificate software " +
        "live created_at"
      ).split(" ")
    )
    assert.deepInclude(json, { object: "account", key_mode: "test", authority_environment: "habilitacion" })
    assert.match(json.id, /^ten_/)
    isTimestamp(json.created_at)
  })

  it.effect("POST /v1/customers returns the sent fields, and the fields that the service adds", function* () {
    const sent = {
      ...customerBody(),
      email: "compras@example.com",
      address: "Calle 1 # 2-3",
      city_code: "11001",
      department_code: "11",
      country_code: "CO",
      metadata: { erp: "4711" }
    }
    const { json, status } = yield* post("/v1/customers", sent)
    assert.strictEqual(status, 201)
    const { created_at, id, updated_at, ...rest } = json
    assert.deepStrictEqual(rest, { ...sent, external_id: null, object: "customer", livemode: false })
    assert.match(id, /^cust_[0-9a-hjkmnp-tv-z]{26}$/)
    isTimestamp(created_at)
    assert.strictEqual(updated_at, created_at)
    assert.deepStrictEqual((yield* get(`/v1/customers/${id}`)).json, json)
  })

  it.effect("POST /v1/invoices returns exactly the six fields of the interface", function* () {
    const customer = yield* post("/v1/customers", customerBody())
    const { json, status, text } = yield* post("/v1/invoices", invoiceBody(customer.json.id))
    assert.strictEqual(status, 202)
    const { created_at, id, ...rest } = json
    assert.deepStrictEqual(rest, { object: "invoice", status: "draft", full_number: "", cufe: null })
    assert.match(id, /^inv_[0-9a-hjkmnp-tv-z]{26}$/)
    isTimestamp(created_at)
    assert.closeTo(Date.parse(created_at), Date.now(), 10_000)
    assert.deepStrictEqual(Object.keys(JSON.parse(text)), [
      "id",
      "object",
      "status",
      "full_number",
      "cufe",
      "created_at"
    ])
  })

  it.effect("GET /v1/invoices/{id} shows the whole invoice, from draft to acceptance", function* () {
    const customer = yield* post("/v1/customers", customerBody())
    const sent = invoiceBody(customer.json.id, { order: "4711" })
    const created = yield* post("/v1/invoices", sent)
    const json = yield* settled(`/v1/invoices/${created.json.id}`)
    assert.sameMembers(
      Object.keys(json),
      (
        "id object status full_number cufe created_at livemode stage customer_id currency exchange_rate operation_type payment_means " +
        "lines totals resolution_id issue_date pdf_url xml_url qr_url authority_errors authority_notifications failure " +
        "contingency email version metadata external_id updated_at"
      ).split(" ")
    )
    assert.deepInclude(json, {
      ...sent,
      status: "accepted_by_authority",
      stage: "done",
      livemode: false,
      issue_date: localDate(Date.parse(json.created_at)),
      authority_errors: [],
      failure: null
    })
    assert.match(json.cufe, /^[0-9a-f]{96}$/)
    assert.match(json.full_number, /^SETP9900000\d\d$/)
    assert.deepStrictEqual(json.totals, {
      line_extension_amount: "100000.00",
      tax_amount: "19000.00",
      payable_amount: "119000.00",
      taxes: [{ code: "01", rate: "19.00", base: "100000.00", value: "19000.00" }]
    })
  })

  it.effect("a webhook endpoint shows its secret at creation and at rotation, and never else", function* () {
    const sent = endpointBody("https://hooks.example.com/folio")
    const created = yield* post("/v1/webhook-endpoints", { ...sent, description: "ERP" })
    assert.strictEqual(created.status, 201)
    const { created_at, id, secret, updated_at, ...rest } = created.json
    assert.deepStrictEqual(rest, {
      ...sent,
      object: "webhook_endpoint",
      description: "ERP",
      is_active: true,
      livemode: false,
      metadata: {},
      api_version: "2026-01-01",
      health: { status: "unknown", failing_since: null, last_success_at: null, full_since: null }
    })
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    isTimestamp(created_at)
    assert.strictEqual(updated_at, created_at)

    const path = `/v1/webhook-endpoints/${id}`
    const { secret: _, ...shown } = created.json
    assert.deepStrictEqual((yield* get(path)).json, shown)
    const rotated = yield* post(`${path}/rotate-secret`)
    assert.strictEqual(rotated.status, 201)
    assert.strictEqual(rotated.headers.location, path)
    assert.match(rotated.json.secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.notStrictEqual(rotated.json.secret, secret)
    assert.isAbove(Date.parse(rotated.json.updated_at), Date.parse(updated_at))
    for (const reply of [
      yield* patch(path, { is_active: false }),
      yield* get(path),
      yield* get("/v1/webhook-endpoints")
    ]) {
      assert.strictEqual(reply.status, 200)
      assert.notInclude(reply.text, "whsec_")
    }
  })

  it.effect("PATCH changes only the given fields, and POST does the same", function* () {
    const made = yield* post("/v1/webhook-endpoints", {
      ...endpointBody("https://hooks.example.com"),
      description: "a",
      metadata: { a: "1", b: "2" }
    })
    const { secret: _, ...before } = made.json
    const path = `/v1/webhook-endpoints/${before.id}`
    for (const [change, changed] of [
      [{}, {}],
      [{ is_active: false }, { is_active: false }],
      [{ url: "https://other.example.com:8443/a?b=c" }, { url: "https://other.example.com:8443/a?b=c" }],
      [{ subscribed_events: ["invoice.failed"] }, { subscribed_events: ["invoice.failed"] }],
      [{ description: null }, { description: null }],
      [{ max_in_flight: 1 }, { max_in_flight: 1 }],
      [{ metadata: { c: "3" } }, { metadata: { c: "3" } }]
    ]) {
      for (const method of ["PATCH", "POST"]) {
        Object.assign(before, changed)
        const reply = yield* send({ method, path, body: change })
        assert.strictEqual(reply.status, 200, reply.text)
        assert.deepStrictEqual(withoutTime(reply.json), withoutTime(before), `${method} ${JSON.stringify(change)}`)
        assert.deepStrictEqual((yield* get(path)).json, reply.json)
      }
    }
  })

  it.effect("DELETE removes an endpoint for good", function* () {
    const made = yield* post("/v1/webhook-endpoints", endpointBody("https://hooks.example.com"))
    const path = `/v1/webhook-endpoints/${made.json.id}`
    const gone = yield* send({ method: "DELETE", path })
    assert.strictEqual(gone.status, 200)
    assert.deepStrictEqual(gone.json, { id: made.json.id, object: "webhook_endpoint", deleted: true })
    for (const reply of [
      yield* get(path),
      yield* patch(path, { is_active: true }),
      yield* post(`${path}/rotate-secret`),
      yield* send({ method: "DELETE", path })
    ]) {
      assert.strictEqual(reply.status, 404)
    }
  })
})
