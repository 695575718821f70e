import { assert, describe, it as test } from "@effect/vitest"
import type { HttpApiGroup } from "effect/http-api"
import { Capability } from "../../../schemas/PortalSession.ts"
import { Api } from "../../../src/api/Api.ts"
import { capabilityOf } from "../../../src/api/Capabilities.ts"
import type { LocalRequest } from "../../../src/http/LocalApi.ts"
import { needed } from "../../http/inputs/capabilityRows.ts"
import { noId, rows } from "../../http/inputs/routeRows.ts"
import { apiKeyIds, keys, testMode } from "../../support/apps/Accounts.ts"
import { bearer, get, post, send } from "../../support/apps/Requests.ts"
import { app, insider } from "../../support/portal/Door.ts"
import { auditLog } from "../../support/portal/Tables.ts"
import { asLive, asOther } from "../../support/portal/Visitor.ts"
import { describeLive } from "../../support/Tests.ts"

const operations = Object.values(Api.groups).flatMap((group) =>
  Object.values(group.endpoints).map((endpoint) => ({
    route: `${endpoint.method} ${endpoint.path}`,
    capability: capabilityOf(group as unknown as HttpApiGroup.Top, endpoint)
  }))
)
const needs = [...Capability.literals, null].map((capability) => ({
  capability,
  name: capability ?? "more than a session may do"
}))
const changes = operations.filter(({ route }) => !route.startsWith("GET "))

describe("the capabilities", () => {
  test("cover every change", () => {
    assert.deepStrictEqual(Object.fromEntries(changes.map(({ capability, route }) => [route, capability])), needed)
  })

  test("need only view to read everything", () => {
    const reads = operations.filter(({ route }) => route.startsWith("GET "))
    assert.deepStrictEqual(new Set(reads.map(({ capability }) => capability)), new Set(["view" as const]))
  })
})

describeLive(app)("a session of the portal", (it) => {
  it.effect.each(needs)("cannot run any operation that needs $name, without it", function* ({ capability }) {
    const { ask } = yield* insider({ capabilities: Capability.literals.filter((one) => one !== capability) })
    const before = (yield* auditLog).length
    const needing = operations.filter(
      (one) => one.capability === capability && /^\w+ \/v1\/(?!versions|email-notices)/u.test(one.route)
    )
    assert.isNotEmpty(needing)
    for (const { route } of needing) {
      const [method = "", pattern = ""] = route.split(" ")
      const body = rows[route]?.body?.("none")
      const path = pattern.replace(/:\w+/u, "none")
      const refused = yield* ask(method as LocalRequest["method"], path, body instanceof Uint8Array ? undefined : body)
      assert.strictEqual(refused.status, 403, `${route} ${refused.text}`)
      assert.strictEqual(refused.json.error.code, "capability_missing")
      if (capability !== null) assert.include(refused.json.error.message, capability)
    }
    const entries = (yield* auditLog).slice(before)
    assert.isNotEmpty(entries)
    for (const entry of entries) assert.deepInclude(entry, { action: "request.refused", code: "capability_missing" })
  })

  it.effect.each([
    ["documents", "POST", "/v1/customers", rows["POST /v1/customers"]?.body?.("")],
    ["endpoints", "POST", "/v1/webhook-endpoints", rows["POST /v1/webhook-endpoints"]?.body?.("")],
    ["keys", "POST", "/v1/api-keys", {}],
    ["setup", "POST", "/v1/test-helpers/authority", { mode: "up" }],
    ["view", "GET", "/v1/account", undefined]
  ] as const)("with %s only can run its operations", function* ([capability, method, url, body]) {
    const { ask } = yield* insider({ capabilities: [capability] })
    const reply = yield* ask(method, url, body, { "idempotency-key": `with ${capability}` })
    assert.include([200, 201], reply.status, reply.text)
  })

  it.effect("sees and changes its own account in its own mode only", function* () {
    const mine = yield* insider()
    const live = yield* insider(asLive)
    const other = yield* insider(asOther)
    const made = yield* post("/v1/customers", rows["POST /v1/customers"]?.body?.(""))
    const path = `/v1/customers/${made.json.id}`
    assert.strictEqual((yield* mine.ask("GET", path)).status, 200)
    for (const { ask, id } of [live, other]) {
      assert.strictEqual((yield* ask("GET", path)).status, 404)
      assert.strictEqual((yield* ask("PATCH", path, { legal_name: "Otra" })).status, 404)
      assert.strictEqual((yield* ask("DELETE", path)).status, 404)
      assert.strictEqual((yield* mine.ask("GET", `/v1/portal-sessions/${id}`)).status, 404)
      assert.strictEqual((yield* mine.ask("DELETE", `/v1/portal-sessions/${id}`)).status, 404)
      assert.deepStrictEqual((yield* ask("GET", "/v1/customers")).json.data, [])
    }
    assert.strictEqual((yield* get(path)).json.legal_name, "Cliente S.A.S.")
  })

  it.effect("cannot claim another session, key or account by a header", function* () {
    const { ask } = yield* insider({ capabilities: ["view"] })
    const reply = yield* ask("POST", "/v1/api-keys", {}, bearer(keys.test))
    assert.strictEqual(reply.json.error.code, "capability_missing")
    const seen = yield* ask("GET", "/v1/api-keys?limit=100", undefined, bearer(keys.otherAccount))
    assert.include(seen.text, apiKeyIds.test)
  })

  it.effect("appears with its changes in the audit log and in the request log", function* () {
    const { ask, id } = yield* insider()
    const made = yield* ask("POST", "/v1/api-keys", { name: "From the portal" })
    assert.deepInclude((yield* auditLog).at(-1), { actor: id, action: "api_key.created", object_id: made.json.id })
    yield* ask("GET", "/v1/account")
    const refused = yield* ask("POST", "/v1/portal-sessions", {})
    assert.strictEqual(refused.status, 403)
    assert.deepInclude((yield* auditLog).at(-1), { actor: id, action: "request.refused", code: "capability_missing" })
    const { json } = yield* get("/v1/requests?limit=100")
    const mine = json.data.filter((row: { portal_session_id: string | null }) => row.portal_session_id === id)
    assert.deepStrictEqual(
      mine.map(({ api_key, ip, method, path, status }: Record<string, unknown>) => [method, path, status, api_key, ip]),
      [
        ["POST", "/v1/portal-sessions", 403, { id: apiKeyIds.test, last_four: keys.test.slice(-4) }, "192.0.2.7"],
        ["POST", "/v1/api-keys", 201, { id: apiKeyIds.test, last_four: keys.test.slice(-4) }, "192.0.2.7"]
      ]
    )
    const paths = json.data.map(({ method, path }: { method: string; path: string }) => `${method} ${path}`)
    assert.notInclude(paths, "GET /v1/account")
  })

  // Operations of live mode only, and operations that change nothing of the account.
  const unrecorded = /v1\/accounts|certificate|enablement|software|resolutions\/import|email-notices|\/validate$/u
  it.effect.each(
    changes.filter(({ capability, route }) => capability !== null && !unrecorded.test(route)).map(({ route }) => route)
  )("appears in the audit log with the change %s", function* (route) {
    const [method = "", pattern = ""] = route.split(" ")
    if (route === "PUT /v1/account/logo") return
    const { ask, id } = yield* insider()
    const row = rows[route]
    const object = yield* row?.id ?? noId
    const key = { "idempotency-key": `audited ${route}` }
    const path = pattern.replace(/:\w+/u, object)
    const change = ask(method as LocalRequest["method"], path, row?.body?.(object), key)
    const before = (yield* auditLog).length
    const reply = yield* change
    assert.isBelow(reply.status, 300, reply.text)
    const entries = (yield* auditLog).slice(before)
    assert.deepInclude(entries[0], { account_id: testMode.account_id, livemode: false, actor: id })
    // An annulment also creates a credit note.
    const count = route === "POST /v1/invoices/:id/annul" ? 2 : 1
    assert.lengthOf(entries, count)
    assert.isString(entries[0]?.object_id)
    if (method !== "DELETE") {
      yield* change
      assert.lengthOf((yield* auditLog).slice(before), count, "a repetition of the request changes nothing more")
    }
  })

  it.effect("creates and rolls keys with at most its own capabilities, as do these keys", function* () {
    const { ask } = yield* insider({ capabilities: ["view", "keys"] })
    const made = yield* ask("POST", "/v1/api-keys", { name: "From the portal" }, { "idempotency-key": "restricted" })
    assert.deepStrictEqual(made.json.capabilities, ["view", "keys"])
    const full = yield* post("/v1/api-keys", { name: "Full" })
    assert.isNull(full.json.capabilities)
    const roll = (id: string, by: typeof ask) =>
      by("POST", `/v1/api-keys/${id}/roll`, { expires_in: 60 }, { "idempotency-key": `roll ${id}` })
    const rolled = yield* roll(full.json.id, ask)
    const own = yield* post(
      "/v1/api-keys",
      {},
      { ...bearer(made.json.key), "idempotency-key": "made by a restricted key" }
    )
    for (const { json } of [made, rolled, own]) {
      assert.deepStrictEqual(json.capabilities, ["view", "keys"])
      const of = bearer(json.key)
      assert.strictEqual((yield* get("/v1/account", of)).status, 200)
      for (const [path, body] of [
        ["/v1/customers", rows["POST /v1/customers"]?.body?.("")],
        ["/v1/webhook-endpoints", rows["POST /v1/webhook-endpoints"]?.body?.("")],
        ["/v1/portal-sessions", { capabilities: ["setup"] }]
      ] as const) {
        const refused = yield* post(path, body, of)
        assert.strictEqual(refused.status, 403, refused.text)
        assert.strictEqual(refused.json.error.code, "capability_missing")
      }
    }
    const { json } = yield* get(`/v1/api-keys/${made.json.id}`)
    assert.deepStrictEqual(json.capabilities, ["view", "keys"])
    // A successor of a key gets none of the capabilities that the session lacks.
    const narrow = yield* insider({ capabilities: ["keys"] })
    const only = yield* (yield* insider({ capabilities: ["keys", "view"] })).ask("POST", "/v1/api-keys", {})
    assert.deepStrictEqual((yield* roll(only.json.id, narrow.ask)).json.capabilities, ["keys"])
  })

  it.effect("cannot revoke the last key with all capabilities, even if there are restricted keys", function* () {
    const { ask } = yield* insider(asOther)
    const all = yield* get("/v1/api-keys?limit=100", bearer(keys.otherAccount))
    const full = all.json.data.filter((row: { capabilities: unknown }) => row.capabilities === null)
    assert.lengthOf(full, 1)
    const made = yield* ask("POST", "/v1/api-keys", {})
    const refused = yield* ask("DELETE", `/v1/api-keys/${apiKeyIds.otherAccount}`)
    assert.strictEqual(refused.json.error.code, "last_api_key")
    assert.strictEqual((yield* ask("DELETE", `/v1/api-keys/${made.json.id}`)).status, 200)
  })

  it.effect("makes no change if it ends while the change waits", function* () {
    const { ask } = yield* insider()
    const known = get("/v1/api-keys?limit=100")
    const before = yield* known
    const reply = yield* ask("POST", "/v1/api-keys", {}, {}, true)
    assert.strictEqual(reply.status, 401, reply.text)
    assert.include(reply.json.error.message, "portal session has ended")
    assert.strictEqual((yield* known).text, before.text)
  })

  it.effect("never appears in a request with an API key, for any headers", function* () {
    const { headers } = yield* send({
      method: "POST",
      path: "/v1/api-keys",
      headers: { cookie: "folio_portal=x" },
      body: {}
    })
    const { json } = yield* get(`/v1/requests/${headers["request-id"]}`)
    assert.isNull(json.portal_session_id)
  })
})
