import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { customerBody, invoiceBody } from "../../../support/apps/Invoices.ts"
import { keys } from "../../../support/apps/Accounts.ts"
import { layer as app } from "../../../support/apps/PostgresApp.ts"
import { seen } from "../../../support/apps/Correcting.ts"
import { addCustomer } from "../../../support/apps/PostgresRows.ts"
import { bearer, get, post, send } from "../../../support/apps/Requests.ts"
import { describeLive } from "../../../support/Tests.ts"

const patch = (id: string, body: unknown, headers = {}) =>
  send({ method: "PATCH", path: `/v1/customers/${id}`, body, headers })
const remove = (id: string) => send({ method: "DELETE", path: `/v1/customers/${id}` })

const place = {
  email: "compras@example.com",
  address: "Calle 1",
  city_code: "11001",
  department_code: "11",
  country_code: "CO"
}

const changes: ReadonlyArray<Record<string, unknown>> = [
  {},
  { legal_name: "Otra S.A.S." },
  { identification: { type: "31", number: "900373115", check_digit: "3" } },
  { organization_type: "2" },
  { email: "otra@example.com" },
  { address: "Calle 2" },
  { city_code: "05001", department_code: "05" },
  { country_code: "US" },
  { email: null, address: null, city_code: null, department_code: null, country_code: null },
  place,
  { identification: { type: "41", number: "AB-123" } },
  { metadata: { order: "2" } },
  { metadata: {} }
]

/** Changes that are right alone and wrong with the customer's other fields, with the field and the error. */
const wrongTogether: ReadonlyArray<readonly [body: object, param: string, code: string]> = [
  [
    { identification: { type: "31", number: "900373115", check_digit: "4" } },
    "identification.check_digit",
    "invalid_check_digit"
  ],
  [{ department_code: "05" }, "department_code", "parameter_invalid"],
  [{ city_code: "05001" }, "department_code", "parameter_invalid"],
  [{ country_code: "XX" }, "country_code", "unknown_catalog_code"]
]

const made = (body: object = {}) =>
  Effect.map(post("/v1/customers", { ...customerBody(), ...place, ...body }), ({ json }) => json)

const without = (value: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null))

/** The links of an object, which change every minute. */
const linksOf = ({ pdf_url, xml_url }: Record<string, unknown>) => ({ pdf_url, xml_url })

describeLive(app)("a change of a customer", (it) => {
  it.effect("changes only the given fields, with POST as with PATCH", function* () {
    let before = yield* made({ metadata: { order: "1" }, external_id: "crm-1" })
    for (const change of changes) {
      for (const method of ["PATCH", "POST"]) {
        const reply = yield* send({ method, path: `/v1/customers/${before.id}`, body: change })
        assert.strictEqual(reply.status, 200, reply.text)
        before = without({ ...before, ...change, updated_at: reply.json.updated_at })
        assert.deepStrictEqual(reply.json, before)
        assert.deepStrictEqual((yield* get(`/v1/customers/${before.id}`)).json, before)
      }
    }
  })

  it.effect.each(wrongTogether)("checks the customer that would result: %o", function* ([body, param, code]) {
    const before = yield* made()
    const { json, status } = yield* patch(before.id, body)
    assert.deepStrictEqual([status, json.error.param, json.error.code], [400, param, code])
    assert.deepStrictEqual((yield* get(`/v1/customers/${before.id}`)).json, before)
  })

  it.effect("accepts the sandbox's identification in test mode only", function* () {
    const headers = bearer(keys.live)
    const { identification } = customerBody()
    const right = { type: "31", number: "900373115", check_digit: "3" }
    const live = yield* post("/v1/customers", { ...customerBody(), identification: right }, headers)
    assert.strictEqual((yield* patch(live.json.id, { identification }, headers)).json.error.code, "invalid_check_digit")
    const test = yield* made({ identification: right })
    assert.strictEqual((yield* patch(test.id, { identification })).status, 200)
  })

  it.effect("runs once for one Idempotency-Key", function* () {
    const { id } = yield* made()
    const key = { "idempotency-key": "rename" }
    const first = yield* patch(id, { legal_name: "Una vez" }, key)
    yield* patch(id, { legal_name: "Otra vez" })
    const again = yield* patch(id, { legal_name: "Una vez" }, key)
    assert.strictEqual(again.text, first.text)
    assert.strictEqual(again.headers["svc-idempotency-cached"], "true")
    assert.strictEqual((yield* get(`/v1/customers/${id}`)).json.legal_name, "Otra vez")
    assert.strictEqual((yield* patch(id, { legal_name: "x" }, key)).json.error.code, "idempotency_conflict")
  })
})

describeLive(app)("a deleted customer", (it) => {
  it.effect("disappears from everything except its invoices", function* () {
    const { id } = yield* made()
    const other = yield* addCustomer()
    const { id: issued } = (yield* post("/v1/invoices", invoiceBody(id))).json
    const { json: before } = yield* seen(`/v1/invoices/${issued}`, ({ email }) => email?.status === "delivered")
    const deleted = yield* remove(id)
    assert.strictEqual(deleted.status, 200)
    assert.deepStrictEqual(deleted.json, { id, object: "customer", deleted: true })
    for (const reply of [yield* get(`/v1/customers/${id}`), yield* patch(id, { legal_name: "x" }), yield* remove(id)]) {
      assert.deepStrictEqual([reply.status, reply.json.error.code], [404, "resource_missing"])
    }
    const { json, status } = yield* post("/v1/invoices", invoiceBody(id))
    assert.deepStrictEqual([status, json.error.code, json.error.param], [404, "resource_missing", "customer_id"])
    const list = yield* get("/v1/customers")
    assert.deepStrictEqual(
      list.json.data.map((one: { readonly id: string }) => one.id),
      [other]
    )
    const beyond = yield* get(`/v1/customers?ending_before=${id}`)
    assert.deepStrictEqual([beyond.status, beyond.json.data], [200, list.json.data], "the other one is newer")
    const { json: after } = yield* get(`/v1/invoices/${issued}`)
    assert.deepStrictEqual({ ...after, ...linksOf(before) }, before)
    const ofIt = yield* get(`/v1/invoices?customer_id=${id}`)
    assert.deepStrictEqual(ofIt.json.data, [after])
  })

  it.effect("does not return if its creation is repeated, which returns the first response", function* () {
    const key = { "idempotency-key": "made and gone" }
    const first = yield* post("/v1/customers", customerBody(), key)
    yield* remove(first.json.id)
    const again = yield* post("/v1/customers", customerBody(), key)
    assert.strictEqual(again.text, first.text)
    assert.strictEqual((yield* get(`/v1/customers/${first.json.id}`)).status, 404)
  })
})
