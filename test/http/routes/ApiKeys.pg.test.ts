import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { apiKeyMode } from "../../../src/accounts/rules/ApiKeyFormat.ts"
import { usableKeysMax } from "../../../src/accounts/store/ApiKeys.ts"
import { issue } from "../../support/apps/Correcting.ts"
import { account, apiKeyIds, keys } from "../../support/apps/Accounts.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { auditedOf, change } from "../../support/apps/PostgresRows.ts"
import { until } from "../../support/apps/Until.ts"
import { rowCount } from "../../support/database/Owners.ts"
import { bearer, get, post, send } from "../../support/apps/Requests.ts"
import { eventually, open, statusesOf } from "../../support/processes/Sockets.ts"
import { describeLive } from "../../support/Tests.ts"

const remove = (id: string, headers = {}) => send({ method: "DELETE", path: `/v1/api-keys/${id}`, headers })

const basic = (key: string) => ({ authorization: `Basic ${Buffer.from(`${key}:`).toString("base64")}` })

const works = (key: string) => Effect.map(get("/v1/account", bearer(key)), ({ status }) => status === 200)

/** Waits until a key no longer works: within a second, or longer on a busy machine. */
const ends = (key: string) => until(works(key), (still) => !still, "30 seconds")

describeLive(app)("API keys", (it) => {
  it.effect("appear in the response that creates them, and work", function* () {
    const made = yield* post("/v1/api-keys", { name: "ERP" })
    assert.strictEqual(made.status, 201)
    const { created_at, id, key, last_four, ...rest } = made.json
    assert.deepStrictEqual(rest, {
      object: "api_key",
      name: "ERP",
      livemode: false,
      capabilities: null,
      allowed_ips: null,
      last_used_at: null,
      expires_at: null,
      revoked_at: null
    })
    assert.match(id, /^key_[0-9a-hjkmnp-tv-z]{26}$/)
    assert.strictEqual(apiKeyMode(key), "test")
    assert.strictEqual(last_four, key.slice(-4))
    assert.match(created_at, /-05:00$/)
    assert.strictEqual(made.headers.location, `/v1/api-keys/${id}`)
    assert.isTrue(yield* works(key))
    const { key: _, ...shown } = made.json
    assert.deepStrictEqual({ ...(yield* get(`/v1/api-keys/${id}`)).json, last_used_at: null }, shown)
    for (const { text } of [yield* get("/v1/api-keys"), yield* get(`/v1/api-keys/${id}`)]) {
      assert.notInclude(text, "sk_test_")
      assert.notInclude(text, '"key"')
    }
    assert.deepStrictEqual(yield* auditedOf(id), [`api_key.created by ${apiKeyIds.test}`])
  })

  it.effect("have the mode of the key that creates them", function* () {
    const { json } = yield* post("/v1/api-keys", {}, bearer(keys.live))
    assert.deepInclude(json, { livemode: true, name: null })
    assert.strictEqual(apiKeyMode(json.key), "live")
    assert.strictEqual((yield* get(`/v1/api-keys/${json.id}`)).status, 404)
    const list = yield* get("/v1/api-keys?limit=100")
    assert.notInclude(list.text, json.id)
  })

  it.effect("work until the end of a roll's overlap, and no longer", function* () {
    const old = (yield* post("/v1/api-keys", { name: "till" })).json
    const rolled = yield* post(`/v1/api-keys/${old.id}/roll`, { expires_in: 60 })
    assert.strictEqual(rolled.status, 201)
    assert.strictEqual(rolled.json.name, "till")
    assert.notStrictEqual(rolled.json.key, old.key)
    const seen = (yield* get(`/v1/api-keys/${old.id}`)).json
    assert.closeTo(Date.parse(seen.expires_at) - Date.parse(rolled.json.created_at), 60_000, 5_000)
    assert.isTrue(yield* works(old.key))
    assert.strictEqual((yield* post(`/v1/api-keys/${old.id}/roll`, { expires_in: 3600 })).status, 201)
    assert.deepInclude((yield* get(`/v1/api-keys/${old.id}`)).json, { expires_at: seen.expires_at })
    yield* change("api_keys", old.id, { expires_at: new Date() })
    const ended = yield* until(get("/v1/account", bearer(old.key)), ({ status }) => status !== 200)
    assert.match(ended.json.error.message, /has expired: a client rolled it/)
    assert.isTrue(yield* works(rolled.json.key))
    assert.include(yield* auditedOf(old.id), `api_key.rolled by ${apiKeyIds.test}`)
    assert.strictEqual(
      (yield* post(`/v1/api-keys/${old.id}/roll`, { expires_in: 0 })).json.error.code,
      "api_key_inactive"
    )
  })

  it.effect("work as the user name of Basic, also for a file", function* () {
    const { json } = yield* get("/v1/account", basic(keys.live))
    assert.strictEqual(json.key_mode, "live")
    assert.strictEqual((yield* get("/v1/account", basic(keys.revoked))).status, 401)
    const { id } = yield* issue
    assert.strictEqual((yield* get(`/v1/invoices/${id}/xml`, basic(keys.test))).status, 200)
    assert.strictEqual((yield* get(`/v1/invoices/${id}/xml`, basic(keys.live))).status, 404)
  })

  it.effect("number at most 100: a new key gets an error, as does a roll that keeps the old key", function* () {
    const made = [(yield* post("/v1/api-keys", {})).json.id, (yield* post("/v1/api-keys", {})).json.id]
    const sql = yield* SqlClient.SqlClient
    yield* sql`
        insert into api_keys select c.* from api_keys k, generate_series(1, ${usableKeysMax}::integer - (
          select count(*)::integer from api_keys
          where account_id = ${account} and not livemode and revoked_at is null and expires_at is null)) n,
          jsonb_populate_record(k, jsonb_build_object('id', 'key_' || lpad(n::text, 26, '0'), 'key_hash', 'hash ' || n)) c
        where k.id = ${made[0]}`
    const last = yield* post("/v1/api-keys", {})
    assert.deepStrictEqual([last.status, last.json.error?.code], [409, "api_key_limit_reached"])
    const [first = "", second = ""] = made
    const roll = (expires_in: number) => post(`/v1/api-keys/${first}/roll`, { expires_in })
    assert.strictEqual((yield* roll(3600)).json.error?.code, "api_key_limit_reached")
    assert.isNull((yield* get(`/v1/api-keys/${first}`)).json.expires_at, "it is as it was")
    assert.strictEqual((yield* remove(second)).status, 200)
    assert.strictEqual((yield* roll(3600)).status, 201)
    assert.strictEqual((yield* post("/v1/api-keys", {})).status, 409)
    yield* sql`update api_keys set revoked_at = now() where key_hash like 'hash %'`
  })

  it.effect("expire within a second with expires_in 0, even if a key rolls itself", function* () {
    const old = (yield* post("/v1/api-keys", {})).json
    const rolled = yield* post(`/v1/api-keys/${old.id}/roll`, { expires_in: 0 }, bearer(old.key))
    assert.strictEqual(rolled.status, 201)
    yield* ends(old.key)
    assert.isTrue(yield* works(rolled.json.key))
  })

  it.effect("can be revoked for good, also by themselves, and a second time without an effect", function* () {
    const { id, key } = (yield* post("/v1/api-keys", {})).json
    const gone = yield* remove(id, bearer(key))
    assert.deepStrictEqual(gone.json, { id, object: "api_key", deleted: true })
    yield* ends(key)
    const since = (yield* get(`/v1/api-keys/${id}`)).json.revoked_at
    assert.strictEqual((yield* remove(id)).status, 200)
    assert.strictEqual((yield* get(`/v1/api-keys/${id}`)).json.revoked_at, since)
    assert.strictEqual((yield* post(`/v1/api-keys/${id}/roll`, { expires_in: 0 })).status, 409)
    const sql = yield* SqlClient.SqlClient
    const refused = sql`select details from audit_log where action like 'request.refused%' and actor = ${id}`
    assert.lengthOf(yield* until(refused, ({ length }) => length > 0), 1)
  })

  for (const [what, method, pathOf, body] of [
    ["a new key", "POST", () => "/v1/api-keys", "{}"],
    ["their successor", "POST", (id: string) => `/v1/api-keys/${id}/roll`, '{"expires_in":0}'],
    ["a change of the account", "PATCH", () => "/v1/account", '{"name":"Stolen"}']
  ] as const) {
    it.effect(`revoked while a request's body arrives do not make ${what}`, function* () {
      const { id, key } = (yield* post("/v1/api-keys", {})).json
      const line = yield* open()
      const head = [`${method} ${pathOf(id)} HTTP/1.1`, "Host: folio.test", `Authorization: Bearer ${key}`]
      const type = ["Content-Type: application/json", `Content-Length: ${body.length}`, "", ""]
      line.socket.write([...head, ...type].join("\r\n"))
      // Authentication of a request records the first use of its key.
      yield* until(get(`/v1/api-keys/${id}`), ({ json }) => json.last_used_at !== null)
      assert.strictEqual((yield* remove(id)).status, 200)
      yield* ends(key)
      const known = yield* rowCount("api_keys")
      line.socket.write(body)
      yield* eventually(() => statusesOf(line).length > 0)
      assert.deepStrictEqual(statusesOf(line), [401])
      assert.strictEqual(yield* rowCount("api_keys"), known)
    })
  }

  it.effect("cannot be revoked if the account has no other", function* () {
    const list = yield* get("/v1/api-keys?limit=100", bearer(keys.otherAccount))
    assert.lengthOf(list.json.data, 1)
    const { json } = yield* remove(apiKeyIds.otherAccount, bearer(keys.otherAccount))
    assert.strictEqual(json.error.code, "last_api_key")
    // A key that expires does not count as another key.
    const next = yield* post(
      `/v1/api-keys/${apiKeyIds.otherAccount}/roll`,
      { expires_in: 600 },
      bearer(keys.otherAccount)
    )
    const refused = yield* remove(next.json.id, bearer(keys.otherAccount))
    assert.strictEqual(refused.json.error.code, "last_api_key")
    assert.strictEqual((yield* remove(apiKeyIds.otherAccount, bearer(next.json.key))).status, 200)
    assert.isTrue(yield* works(next.json.key))
  })

  it.effect("exist once for one Idempotency-Key, and its replay shows them again", function* () {
    const key = { "idempotency-key": "one key" }
    const [first, second] = [
      yield* post("/v1/api-keys", { name: "a" }, key),
      yield* post("/v1/api-keys", { name: "a" }, key)
    ]
    assert.strictEqual(second.text, first.text)
    assert.strictEqual(second.headers["svc-idempotency-cached"], "true")
    const { id } = first.json
    const roll = () => post(`/v1/api-keys/${id}/roll`, { expires_in: 60 }, { "idempotency-key": "one roll" })
    assert.strictEqual((yield* roll()).text, (yield* roll()).text)
    assert.deepStrictEqual((yield* auditedOf(id)).filter((entry) => entry.startsWith("api_key.rolled")).length, 1)
  })
})
