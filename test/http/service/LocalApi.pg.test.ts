import { assert } from "@effect/vitest"
import { Effect, Layer, Redacted, Schema } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { SqlClient } from "effect/sql"
import { AccountMode } from "../../../schemas/Account.ts"
import * as Layers from "../../../src/service/Layers.ts"
import { localApiKey } from "../../../src/accounts/rules/ApiKeyFormat.ts"
import { callAs } from "../../../src/http/LocalApi.ts"
import { add } from "../../../src/portal/frame/PortalRoutes.ts"
import { apiKeyIds, keys, otherAccount, testMode } from "../../support/apps/Accounts.ts"
import { serving } from "../../support/apps/PostgresApp.ts"
import { secretKey } from "../../support/apps/TestSettings.ts"
import { customerBody } from "../../support/apps/Invoices.ts"
import { bearer, get, post, send } from "../../support/apps/Requests.ts"
import { until } from "../../support/apps/Until.ts"
import { describeLive } from "../../support/Tests.ts"

const Asked = Schema.fromJsonString(
  Schema.Struct({
    account: AccountMode,
    method: Schema.Literals(["GET", "POST"]),
    url: Schema.String,
    headers: Schema.Record(Schema.String, Schema.String),
    body: Schema.optionalKey(Schema.String)
  })
)

const route = add(
  "POST",
  "/own/call",
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { account, ...asked } = yield* Schema.decodeEffect(Asked)(yield* request.text)
    const answer = yield* callAs(account, asked)
    return HttpServerResponse.uint8Array(answer.body, { status: answer.status, contentType: "application/json" })
  })
)

const call = (
  account: AccountMode,
  method: "GET" | "POST",
  url: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {}
) =>
  send({
    method: "POST",
    path: "/own/call",
    headers: { authorization: undefined },
    body: { account, method, url, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
  })

const revoke = (id: string) =>
  send({ method: "DELETE", path: `/v1/api-keys/${id}`, headers: bearer(keys.otherAccount) })

const idOf = (account: AccountMode) => localApiKey(Redacted.value(secretKey), account).id

describeLive(serving(Layer.merge(Layers.routes, route), Layer.empty))("a local call for an account", (it) => {
  it.effect("appears under its own key in the audit log, which also records that key", function* () {
    const sql = yield* SqlClient.SqlClient
    const [last] = yield* sql<{ seq: string }>`select coalesce(max(seq), 0) as seq from audit_log`
    const made = yield* call(testMode, "POST", "/v1/api-keys", {}, { "idempotency-key": "named" })
    assert.strictEqual(made.status, 201, made.text)
    const entries = yield* sql<{ entry: string }>`
      select concat_ws(' ', actor, action, object_id) as entry from audit_log where seq > ${last!.seq} order by seq`
    assert.deepStrictEqual(
      entries.map(({ entry }) => entry),
      [`operator api_key.created ${idOf(testMode)}`, `${idOf(testMode)} api_key.created ${made.json.id}`]
    )
    const { data } = (yield* get("/v1/api-keys")).json
    assert.deepInclude(
      data.find(({ id }: { readonly id: string }) => id === idOf(testMode)),
      { name: "LocalApi" }
    )
  })

  it.effect("acts for this account and mode only, once for each idempotency key", function* () {
    const once = { "idempotency-key": "order 1" }
    const [first, again] = yield* Effect.all([
      call(testMode, "POST", "/v1/customers", customerBody(), once),
      call(testMode, "POST", "/v1/customers", customerBody(), once)
    ])
    assert.strictEqual(first.status, 201, first.text)
    assert.strictEqual(again.json.id, first.json.id)
    const path = `/v1/customers/${first.json.id}`
    assert.strictEqual((yield* get(path)).status, 200)
    for (const other of [
      { ...testMode, livemode: true },
      { ...testMode, account_id: otherAccount }
    ]) {
      const hidden = yield* call(other, "GET", path)
      assert.deepStrictEqual([hidden.status, hidden.json.error.code], [404, "resource_missing"])
    }
  })

  it.effect("gets an error after the account has revoked its key, which replaces no other key", function* () {
    const account = { ...testMode, account_id: otherAccount }
    assert.strictEqual((yield* call(account, "GET", "/v1/account")).status, 200)
    const last = yield* revoke(apiKeyIds.otherAccount)
    assert.deepStrictEqual([last.status, last.json.error.code], [409, "last_api_key"])
    assert.strictEqual((yield* revoke(idOf(account))).status, 200)
    // A process caches a key for a moment.
    const refused = yield* until(call(account, "GET", "/v1/account"), ({ status }) => status !== 200)
    assert.deepStrictEqual([refused.status, refused.json.error.code], [401, "invalid_api_key"])
  })

  it.effect("fails for an unknown account", function* () {
    const account_id = `ten_${"c".repeat(26)}` as typeof otherAccount
    const missing = yield* call({ account_id, livemode: false }, "GET", "/v1/account")
    assert.deepStrictEqual([missing.status, missing.json.error.code], [404, "resource_missing"])
    assert.strictEqual((yield* post("/v1/customers", customerBody())).status, 201)
  })
})
