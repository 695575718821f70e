import { assert } from "@effect/vitest"
import { Effect, SchemaAST, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { Issuer } from "../../../schemas/Account.ts"
import { readSignedDocument } from "../../../src/documents/signature/SignedDocument.ts"
import { Notify } from "../../../src/accounts/Notify.ts"
import { endpointBody, invoiceBody } from "../../support/apps/Invoices.ts"
import { account, apiKeyIds, keys, testMode } from "../../support/apps/Accounts.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { addInvoice, auditedOf, become, changeMode, pastGuards } from "../../support/apps/PostgresRows.ts"
import { seen } from "../../support/apps/Correcting.ts"
import { bearer, fetchBytes, get, post, send } from "../../support/apps/Requests.ts"
import { describeLive } from "../../support/Tests.ts"

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

/** The fields that the first issuer of a live mode requires. The other fields are optional. */
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

const signedOf = (id: string) => Effect.map(fetchBytes({ path: `/v1/invoices/${id}/xml` }), ({ bytes }) => bytes)

const issuerOf = (id: string) => Effect.map(signedOf(id), (signed) => readSignedDocument(signed)?.issuer)

const versionOf = Effect.fnUntraced(function* (livemode: boolean) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ version: number }>`
    select issuer_version as version from account_modes where account_id = ${account} and livemode = ${livemode}`
  return rows[0]?.version ?? 0
})

describeLive(app)("PATCH /v1/account", (it) => {
  it.effect("changes only the given fields, with POST as with PATCH", function* () {
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

  it.effect("removes optional fields of an issuer with null, and no longer shows them", function* () {
    const before = (yield* get("/v1/account")).json
    const reply = yield* patch(Object.fromEntries(optionalFields.map((field) => [field, null])))
    assert.strictEqual(reply.status, 200, reply.text)
    assert.deepStrictEqual(reply.json, Struct.omit(before, optionalFields))
    const needed = yield* patch({ email: null, tax_responsibilities: null })
    assert.deepStrictEqual([needed.status, needed.json.error.errors.length], [400, 2])
  })

  it.effect("changes only the mode of its key", function* () {
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

  it.effect("requires all fields of a live mode's first issuer, and names the missing ones", function* () {
    const live = bearer(keys.live)
    const sql = yield* SqlClient.SqlClient
    const { json: whole } = yield* get("/v1/account")
    const issuer = Object.fromEntries(issuerFields.map((field) => [field, whole[field]]))
    yield* pastGuards(sql`delete from issuers where account_id = ${account} and livemode`)
    yield* changeMode({ account_id: account, livemode: true }, { issuer: null, issuer_version: 0 })

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

  it.effect("applies to documents that are numbered afterwards, and to no earlier document", function* () {
    yield* patch({ legal_name: "Antes S.A.S." })
    const { id: issued } = yield* addInvoice()
    const before = yield* issuerOf(issued)
    assert.strictEqual(before?.legal_name, "Antes S.A.S.")
    const bytes = yield* signedOf(issued)
    // Numbered, and hashed with the NIT of that moment. The signature comes later.
    const { id: numbered } = yield* addInvoice()
    yield* become(numbered, "numbered")

    yield* patch({
      legal_name: "Después S.A.S.",
      identification: { type: "31", number: "900123456", check_digit: "8" }
    })
    const notify = yield* Notify
    yield* notify.proceed({ ...testMode, id: numbered })
    yield* seen(`/v1/invoices/${numbered}`, ({ stage }) => stage === "done")
    assert.deepStrictEqual(yield* issuerOf(numbered), before)
    const version = yield* versionOf(false)
    const { id: next } = yield* addInvoice()
    assert.deepInclude(yield* issuerOf(next), { legal_name: "Después S.A.S." })
    assert.isTrue(bytes.equals(yield* signedOf(issued)))
    const sql = yield* SqlClient.SqlClient
    const versions =
      yield* sql`select issuer_version as version from invoices where id in (${issued}, ${next}) order by id`
    assert.deepStrictEqual(versions, [{ version: version - 1 }, { version }])
  })

  it.effect("runs once for one Idempotency-Key, and is recorded with its actor", function* () {
    const key = { "idempotency-key": "patch" }
    const count = (yield* auditedOf(account)).length
    const first = yield* patch({ name: "Una vez" }, key)
    yield* patch({ name: "Otra vez" })
    const again = yield* patch({ name: "Una vez" }, key)
    assert.strictEqual(again.text, first.text)
    assert.strictEqual((yield* get("/v1/account")).json.name, "Otra vez")
    assert.strictEqual((yield* patch({ name: "x" }, key)).json.error.code, "idempotency_conflict")
    assert.deepStrictEqual(
      (yield* auditedOf(account)).slice(count),
      Array(2).fill(`account.updated by ${apiKeyIds.test}`)
    )
  })

  it.effect("keeps the issuers of each mode apart", function* () {
    const sql = yield* SqlClient.SqlClient
    for (const [key, livemode] of [
      [keys.test, false],
      [keys.live, true]
    ] as const) {
      const legal_name = `Solo ${livemode}`
      yield* patch({ legal_name }, bearer(key))
      const issuers = yield* sql`select livemode from issuers where issuer->>'legal_name' = ${legal_name}`
      assert.deepStrictEqual(issuers, [{ livemode }])
    }
  })

  it.effect("records the actor and the changes, and nothing of a rejected change", function* () {
    const sql = yield* SqlClient.SqlClient
    const before = (yield* sql`select seq from audit_log`).length
    const made = yield* post("/v1/webhook-endpoints", endpointBody("https://hooks.example.com/"))
    const path = `/v1/webhook-endpoints/${made.json.id}`
    const remove = send({ method: "DELETE", path })
    yield* send({ method: "PATCH", path, body: { description: "ERP", is_active: false } })
    yield* post(`${path}/rotate-secret`)
    yield* remove
    for (const refused of [
      yield* remove,
      yield* post(`${path}/rotate-secret`),
      yield* send({ method: "PATCH", path, body: { is_active: true } }),
      yield* patch({ city_code: "99001" })
    ]) {
      assert.include([400, 404], refused.status)
    }
    const log = yield* sql`
      select action, object_id, account_id, livemode, details, ip, request_id ~ '^req_' as request, actor
      from audit_log order by seq`
    const entry = (action: string, details = {}) => ({
      action: `webhook_endpoint.${action}`,
      object_id: made.json.id,
      account_id: account,
      livemode: false,
      details,
      ip: "127.0.0.1",
      request: true,
      actor: apiKeyIds.test
    })
    assert.deepStrictEqual(log.slice(before), [
      entry("created"),
      entry("updated", { changed: ["description", "is_active"] }),
      entry("secret_rotated"),
      entry("deleted")
    ])
  })

  it.effect("GET /v1/versions lists the versions without a key, the current version first", function* () {
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

  it.effect("changes the issuer at most a hundred times a day, and then states when it may change again", function* () {
    for (let version = yield* versionOf(false); version < 100; version++) {
      assert.strictEqual((yield* patch({ legal_name: `Nombre ${version}` })).status, 200)
    }
    assert.strictEqual(yield* versionOf(false), 100)
    const { headers, json, status } = yield* patch({ legal_name: "Uno más" })
    assert.deepStrictEqual([status, json.error?.code], [429, "rate_limited"])
    assert.match(String(headers["retry-after"]), /^86\d{3}$/)
    assert.strictEqual((yield* patch({ name: "Otra vez otra cuenta" })).status, 200)
    const sql = yield* SqlClient.SqlClient
    yield* pastGuards(sql`update issuers set created_at = created_at - interval '1 day'`)
    assert.strictEqual((yield* patch({ legal_name: "Uno más" })).status, 200)
  })
})
