import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { readSignedDocument } from "../../../src/documents/signature/SignedDocument.ts"
import { endpointBody, invoiceBody } from "../../support/apps/Invoices.ts"
import { layer as app, newCustomer, TestApp } from "../../support/apps/TestApp.ts"
import { until } from "../../support/apps/Until.ts"
import { describeLive } from "../../support/Tests.ts"

describeLive(app())("An account on PostgreSQL", (it) => {
  it.effect("changes its issuer for later documents, and not by a byte those that were issued", function* () {
    const { client } = yield* TestApp
    const sql = yield* SqlClient.SqlClient
    const customer = yield* newCustomer(client)
    const issue = Effect.fnUntraced(function* (key: string) {
      const { json } = yield* client.post("/v1/invoices", invoiceBody(customer), { key })
      yield* until(client.get(`/v1/invoices/${json.id}`), (seen) => seen.json.status === "accepted_by_authority")
      return String(json.id)
    })
    const signed = Effect.fnUntraced(function* (id: string) {
      const [row] = yield* sql<{ signed: Uint8Array }>`select signed from invoice_documents where invoice_id = ${id}`
      return row?.signed ?? new Uint8Array()
    })
    const first = yield* issue("first")
    const bytes = yield* signed(first)
    const change = {
      legal_name: "Nueva S.A.S.",
      identification: { type: "31", number: "900123456", check_digit: "8" },
      city_code: "05001",
      department_code: "05"
    } as const
    const patched = yield* client.request("PATCH", "/v1/account", { body: change, key: "change" })
    assert.strictEqual(patched.status, 200, patched.text)
    const again = yield* client.request("PATCH", "/v1/account", { body: change, key: "change" })
    assert.strictEqual(again.text, patched.text)
    assert.strictEqual(again.headers.get("svc-idempotency-cached"), "true")
    assert.deepStrictEqual((yield* client.get("/v1/account")).json, patched.json)

    // At once, and not when a cache has run out: the next document is hashed and signed with what was answered.
    const second = readSignedDocument(yield* signed(yield* issue("second")))
    assert.deepInclude(second?.issuer, change)
    assert.deepStrictEqual(yield* signed(first), bytes)
    assert.notStrictEqual(readSignedDocument(bytes)?.issuer.legal_name, change.legal_name)
    const issuers = yield* sql`select version, issuer->>'legal_name' as name from issuers order by version`
    assert.deepStrictEqual(
      issuers.map(({ version }) => version),
      [1, 2]
    )
    const versions = yield* sql`select issuer_version from invoices order by id`
    assert.deepStrictEqual(versions, [{ issuer_version: 1 }, { issuer_version: 2 }])
  })

  it.effect("is one thing in each of its modes, and remembers the issuers of each apart", function* () {
    const { accountId, client, withNewKey } = yield* TestApp
    const sql = yield* SqlClient.SqlClient
    const live = yield* withNewKey("live")
    for (const [mine, theirs, livemode] of [
      [client, live, false],
      [live, client, true]
    ] as const) {
      const name = `Solo ${livemode}`
      const before = (yield* theirs.get("/v1/account")).json
      const patched = yield* mine.request("PATCH", "/v1/account", { body: { name, legal_name: name } })
      assert.deepInclude(patched.json, { name, legal_name: name })
      assert.deepStrictEqual((yield* mine.get("/v1/account")).json, patched.json)
      assert.deepStrictEqual((yield* theirs.get("/v1/account")).json, before)
      const issuers = yield* sql<{ livemode: boolean }>`
        select livemode from issuers where account_id = ${accountId} and issuer->>'legal_name' = ${name}`
      assert.deepStrictEqual(issuers, [{ livemode }])
    }
  })

  it.effect("records who changed what, and nothing of what was refused", function* () {
    const { accountId, client } = yield* TestApp
    const sql = yield* SqlClient.SqlClient
    const before = (yield* sql`select seq from audit_log`).length
    const made = yield* client.post("/v1/webhook-endpoints", endpointBody("https://hooks.example.com/"))
    const path = `/v1/webhook-endpoints/${made.json.id}`
    yield* client.request("PATCH", path, { body: { description: "ERP", is_active: false } })
    yield* client.post(`${path}/rotate-secret`, undefined)
    yield* client.request("DELETE", path)
    for (const refused of [
      yield* client.request("DELETE", path),
      yield* client.post(`${path}/rotate-secret`, undefined),
      yield* client.request("PATCH", path, { body: { is_active: true } }),
      yield* client.request("PATCH", "/v1/account", { body: { city_code: "99001" } })
    ]) {
      assert.include([400, 404], refused.status)
    }
    const log = yield* sql`
      select action, object_id, account_id, livemode, details, ip, request_id ~ '^req_' as request, actor ~ '^key_' as key
      from audit_log order by seq`
    const entry = (action: string, details = {}) => ({
      action: `webhook_endpoint.${action}`,
      object_id: made.json.id,
      account_id: accountId,
      livemode: false,
      details,
      ip: "127.0.0.1",
      request: true,
      key: true
    })
    assert.deepStrictEqual(log.slice(before), [
      entry("created"),
      entry("updated", { changed: ["description", "is_active"] }),
      entry("secret_rotated"),
      entry("deleted")
    ])
  })
})
