import { assert } from "@effect/vitest"
import { Context, Effect, Layer, SchemaAST, Struct } from "effect"
import { Issuer } from "../../../schemas/Account.ts"
import { readSignedDocument } from "../../../src/documents/signature/SignedDocument.ts"
import { Notify } from "../../../src/protocol/Notify.ts"
import { customerBody, invoiceBody } from "../../support/apps/Invoices.ts"
import { account, apiKeyIds, keys } from "../../support/apps/Accounts.ts"
import { layer as app } from "../../support/apps/MemoryApp.ts"
import { addCustomer, addNumbered, become } from "../../support/apps/MemoryRows.ts"
import { MemoryTables } from "../../support/memory/MemoryTables.ts"
import { bearer, get, post, send } from "../../support/apps/Requests.ts"
import { describeOn } from "../../support/Tests.ts"

const patch = (body: unknown, headers = {}) => send({ method: "PATCH", path: "/v1/account", body, headers })

const changes: ReadonlyArray<Record<string, unknown>> = [
  {},
  { name: "Otra cuenta" },
  { identification: { type: "31", number: "800197268", check_digit: "4" } },
  { legal_name: "Otra S.A.S." },
  { organization_type: "2" },
  { email: "otra@example.com" },
  { address: "Calle 2" },
  { city_code: "05001", department_code: "05" },
  { tax_responsibilities: ["O-13", "O-15"] },
  { trade_name: "La Esquina", phone: "+57 601 7427000 ext. 12" },
  { postal_code: "110111" },
  { tax_scheme: "ZA", vat_responsible: true },
  { vat_responsible: false },
  { economic_activities: ["6201", "6202"], merchant_registration: "02345678" },
  { payment_instructions: "Bancolombia 123-456\nBre-B: facturas@folio.test", color: "#1F4e79" },
  { default_version: "2026-01-01" }
]

/** What the first issuer of a live mode is sent with; the rest of its fields may be left out. */
const issuerFields = Struct.keys(Issuer.fields).filter((field) => !SchemaAST.isOptional(Issuer.fields[field].ast))

const optionalFields = [
  "trade_name",
  "phone",
  "postal_code",
  "tax_scheme",
  "vat_responsible",
  "economic_activities",
  "merchant_registration",
  "payment_instructions",
  "color"
]

const issuerOf = Effect.fnUntraced(function* (id: string) {
  const { tables, until } = yield* MemoryTables
  yield* until(({ invoices }) => invoices.get(id)?.next_action_at === null)
  return readSignedDocument(tables.documents.get(id)?.signed ?? new Uint8Array())?.issuer
})

const issue = Effect.gen(function* () {
  const customer = yield* post("/v1/customers", customerBody())
  return String((yield* post("/v1/invoices", invoiceBody(customer.json.id))).json.id)
})

describeOn(app)("PATCH /v1/account", (it) => {
  it.effect("changes what it names and nothing else; POST is the same", function* () {
    let { json: before } = yield* get("/v1/account")
    for (const change of changes) {
      for (const method of ["PATCH", "POST"]) {
        const reply = yield* send({ method, path: "/v1/account", body: change })
        assert.strictEqual(reply.status, 200, reply.text)
        before = { ...before, ...change }
        assert.deepStrictEqual(reply.json, before)
        assert.deepStrictEqual((yield* get("/v1/account")).json, before)
      }
    }
  })

  it.effect("removes with null what an issuer need not have, and shows of it nothing", function* () {
    const before = (yield* get("/v1/account")).json
    const reply = yield* patch(Object.fromEntries(optionalFields.map((field) => [field, null])))
    assert.strictEqual(reply.status, 200, reply.text)
    assert.deepStrictEqual(reply.json, Struct.omit(before, optionalFields))
    const needed = yield* patch({ email: null, tax_responsibilities: null })
    assert.deepStrictEqual([needed.status, needed.json.error.errors.length], [400, 2])
  })

  it.effect("changes the mode of its key alone", function* () {
    for (const [mine, theirs] of [
      [keys.test, keys.live],
      [keys.live, keys.test]
    ] as const) {
      const before = (yield* get("/v1/account", bearer(theirs))).json
      for (const change of changes) {
        const reply = yield* patch(change, bearer(mine))
        assert.strictEqual(reply.status, 200, reply.text)
        assert.deepInclude(reply.json, change)
        assert.deepStrictEqual((yield* get("/v1/account", bearer(theirs))).json, before)
      }
    }
  })

  it.effect("gives a live mode its first issuer whole, and says until then what is missing", function* () {
    const { tables } = yield* MemoryTables
    const live = bearer(keys.live)
    const row = tables.accounts.get(`${account}|true`)!
    const { json: whole } = yield* get("/v1/account")
    const issuer = Object.fromEntries(issuerFields.map((field) => [field, whole[field]]))
    tables.accounts.set(`${account}|true`, { ...row, issuer: null, issuer_version: 0 })

    const empty = Object.fromEntries(issuerFields.map((field) => [field, null]))
    assert.deepInclude((yield* get("/v1/account", live)).json, { ...empty, key_mode: "live" })
    const refused = yield* post("/v1/invoices", invoiceBody("cust_none"), live)
    assert.deepStrictEqual([refused.status, refused.json.error.code], [403, "account_not_live"])
    assert.match(refused.json.error.message, /no live issuer .*PATCH \/v1\/account/)
    const named = yield* patch({ name: "En vivo" }, live)
    assert.deepInclude(named.json, { ...empty, name: "En vivo" })
    for (const field of issuerFields) {
      const { [field]: _, ...part } = issuer
      const lacking = yield* patch(part, live)
      assert.strictEqual(lacking.status, 400, lacking.text)
      assert.deepStrictEqual(
        [lacking.json.error.code, lacking.json.error.param, lacking.json.error.errors.length],
        ["parameter_missing", field, 1]
      )
    }
    const wrong = yield* patch({ ...issuer, department_code: "08" }, live)
    assert.deepStrictEqual([wrong.status, wrong.json.error.param], [400, "department_code"])
    assert.deepInclude((yield* get("/v1/account", live)).json, empty)
    const given = yield* patch(issuer, live)
    assert.deepInclude(given.json, { ...issuer, name: "En vivo", key_mode: "live" })
    const untold = yield* post("/v1/invoices", invoiceBody("cust_none"), live)
    assert.strictEqual(untold.json.error.code, "account_not_live")
    assert.match(untold.json.error.message, /value added tax .*vat_responsible.* PATCH \/v1\/account/)
    assert.strictEqual((yield* patch({ vat_responsible: false }, live)).status, 200)
    assert.notMatch((yield* post("/v1/invoices", invoiceBody("cust_none"), live)).text, /account_not_live/)
  })

  it.effect("holds for what is numbered afterwards, and for nothing that was", function* () {
    const { tables } = yield* MemoryTables
    yield* patch({ legal_name: "Antes S.A.S." })
    const issued = yield* issue
    const before = yield* issuerOf(issued)
    assert.strictEqual(before?.legal_name, "Antes S.A.S.")
    const bytes = tables.documents.get(issued)?.signed
    // Numbered, and hashed with the NIT of that moment; signed later.
    const numbered = yield* addNumbered(yield* addCustomer())
    yield* become(numbered.id, { issuer_version: tables.accounts.get(`${account}|false`)?.issuer_version ?? 0 })

    yield* patch({
      legal_name: "Después S.A.S.",
      identification: { type: "31", number: "900123456", check_digit: "8" }
    })
    const notify = Context.get(yield* Layer.build(Notify.layer), Notify)
    yield* notify.proceed(numbered)
    assert.deepStrictEqual(yield* issuerOf(numbered.id), before)
    assert.deepInclude(yield* issuerOf(yield* issue), { legal_name: "Después S.A.S." })
    assert.strictEqual(tables.documents.get(issued)?.signed, bytes)
  })

  it.effect("is done once for one Idempotency-Key, and recorded with who did it", function* () {
    const { tables } = yield* MemoryTables
    const key = { "idempotency-key": "patch" }
    const recorded = () => tables.auditLog.filter(({ action }) => action === "account.updated")
    const count = recorded().length
    const first = yield* patch({ name: "Una vez" }, key)
    yield* patch({ name: "Otra vez" })
    const again = yield* patch({ name: "Una vez" }, key)
    assert.strictEqual(again.text, first.text)
    assert.strictEqual((yield* get("/v1/account")).json.name, "Otra vez")
    assert.strictEqual((yield* patch({ name: "x" }, key)).json.error.code, "idempotency_conflict")
    assert.strictEqual(recorded().length, count + 2)
    assert.deepInclude(recorded().at(-1), { actor: apiKeyIds.test, object_id: account })
  })
})

describeOn(app)("GET /v1/versions", (it) => {
  it.effect("lists the versions without a key, the current one first", function* () {
    const { json, status } = yield* get("/v1/versions", { authorization: undefined })
    assert.strictEqual(status, 200)
    assert.deepStrictEqual(json, {
      object: "list",
      url: "/v1/versions",
      has_more: false,
      service_version: "0.1.0",
      data: [{ object: "version", version: "2026-01-01", is_current: true }]
    })
  })
})

describeOn(app)("the issuer", (it) => {
  it.effect("changes at most a hundred times within a day, and then says when it may again", function* () {
    const { tables } = yield* MemoryTables
    const version = () => tables.accounts.get(`${account}|false`)?.issuer_version ?? 0
    while (version() < 100) assert.strictEqual((yield* patch({ legal_name: `Nombre ${version()}` })).status, 200)
    const { headers, json, status } = yield* patch({ legal_name: "Uno más" })
    assert.deepStrictEqual([status, json.error?.code], [429, "rate_limited"])
    assert.match(String(headers["retry-after"]), /^86\d{3}$/)
    assert.strictEqual((yield* patch({ name: "Otra vez otra cuenta" })).status, 200)
    // A day passes for these versions alone: the clock would wake the service every second of it.
    for (const [changed, at] of tables.issuerTimes) tables.issuerTimes.set(changed, at - 86_400_000)
    assert.strictEqual((yield* patch({ legal_name: "Uno más" })).status, 200)
  })
})
