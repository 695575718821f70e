import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { apiKeyMode } from "../../../src/domain/accounts/ApiKeyFormat.ts"
import { ApiKeyId } from "../../../schemas/Id.ts"
import { usableKeysMax } from "../../../src/store/accounts/ApiKeys.ts"
import { issue } from "../../support/apps/Correcting.ts"
import { account, apiKeyIds, keys } from "../../support/apps/Accounts.ts"
import { layer as app } from "../../support/apps/MemoryApp.ts"
import { MemoryTables } from "../../support/memory/MemoryTables.ts"
import { bearer, get, post, send } from "../../support/apps/Requests.ts"
import { eventually, open, statusesOf } from "../../support/processes/Sockets.ts"
import { describeOn } from "../../support/Tests.ts"

const remove = (id: string, headers = {}) => send({ method: "DELETE", path: `/v1/api-keys/${id}`, headers })

const basic = (key: string) => ({ authorization: `Basic ${Buffer.from(`${key}:`).toString("base64")}` })

const works = (key: string) => Effect.map(get("/v1/account", bearer(key)), ({ status }) => status === 200)

const entriesOf = (id: string) =>
  Effect.map(MemoryTables, ({ tables }) =>
    tables.auditLog.filter(({ object_id }) => object_id === id).map(({ action, actor }) => `${action} by ${actor}`)
  )

describeOn(app)("API keys", (it) => {
  it.effect("are shown in the answer that makes them, and work", function* () {
    const made = yield* post("/v1/api-keys", { name: "ERP" })
    assert.strictEqual(made.status, 201)
    const { created_at, id, key, last_four, ...rest } = made.json
    assert.deepStrictEqual(rest, {
      object: "api_key",
      name: "ERP",
      livemode: false,
      capabilities: null,
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
    assert.deepStrictEqual((yield* get(`/v1/api-keys/${id}`)).json, shown)
    for (const { text } of [yield* get("/v1/api-keys"), yield* get(`/v1/api-keys/${id}`)]) {
      assert.notInclude(text, "sk_test_")
      assert.notInclude(text, '"key"')
    }
    assert.deepStrictEqual(yield* entriesOf(id), [`api_key.created by ${apiKeyIds.test}`])
  })

  it.effect("are of the mode of the key that makes them", function* () {
    const { json } = yield* post("/v1/api-keys", {}, bearer(keys.live))
    assert.deepInclude(json, { livemode: true, name: null })
    assert.strictEqual(apiKeyMode(json.key), "live")
    assert.strictEqual((yield* get(`/v1/api-keys/${json.id}`)).status, 404)
    const list = yield* get("/v1/api-keys?limit=100")
    assert.notInclude(list.text, json.id)
  })

  it.effect("go on working for as long as a roll says, and not longer", function* () {
    const old = (yield* post("/v1/api-keys", { name: "till" })).json
    const rolled = yield* post(`/v1/api-keys/${old.id}/roll`, { expires_in: 60 })
    assert.strictEqual(rolled.status, 201)
    assert.strictEqual(rolled.json.name, "till")
    assert.notStrictEqual(rolled.json.key, old.key)
    const seen = (yield* get(`/v1/api-keys/${old.id}`)).json
    assert.strictEqual(Date.parse(seen.expires_at) - Date.parse(old.created_at), 60_000)
    yield* TestClock.adjust("59 seconds")
    assert.isTrue(yield* works(old.key))
    assert.strictEqual((yield* post(`/v1/api-keys/${old.id}/roll`, { expires_in: 3600 })).status, 201)
    yield* TestClock.adjust("2 seconds")
    assert.isFalse(yield* works(old.key), "a second roll does not put off the end")
    assert.match((yield* get("/v1/account", bearer(old.key))).json.error.message, /has expired: it was rolled/)
    assert.isTrue(yield* works(rolled.json.key))
    assert.include(yield* entriesOf(old.id), `api_key.rolled by ${apiKeyIds.test}`)
    assert.strictEqual(
      (yield* post(`/v1/api-keys/${old.id}/roll`, { expires_in: 0 })).json.error.code,
      "api_key_inactive"
    )
  })

  it.effect("may be sent as the user name of Basic, also for a file", function* () {
    const { json } = yield* get("/v1/account", basic(keys.live))
    assert.strictEqual(json.key_mode, "live")
    assert.strictEqual((yield* get("/v1/account", basic(keys.revoked))).status, 401)
    const { id } = yield* issue
    assert.strictEqual((yield* get(`/v1/invoices/${id}/xml`, basic(keys.test))).status, 200)
    assert.strictEqual((yield* get(`/v1/invoices/${id}/xml`, basic(keys.live))).status, 404)
  })

  it.effect("that work are at most 100, those that were rolled and work on among them", function* () {
    const { tables } = yield* MemoryTables
    const made: Array<string> = []
    let last = yield* post("/v1/api-keys", {})
    while (last.status === 201) {
      made.push(last.json.id)
      last = yield* post("/v1/api-keys", {})
    }
    const usable = () =>
      [...tables.apiKeys.values()].filter(
        (row) => row.account_id === account && !row.livemode && row.revoked_at === null && row.expires_at === null
      )
    assert.lengthOf(usable(), usableKeysMax)
    const [first, second] = made
    const full = yield* post(`/v1/api-keys/${first}/roll`, { expires_in: 3600 })
    assert.deepStrictEqual([full.status, full.json.error.code], [409, "api_key_limit_reached"])
    assert.isNull(tables.apiKeys.get(ApiKeyId.make(first!))?.expires_at, "it is as it was")
    assert.strictEqual((yield* post(`/v1/api-keys/${first}/roll`, { expires_in: 0 })).status, 201)
    assert.strictEqual((yield* remove(second!)).status, 200)
    const [third, fourth] = made.slice(2)
    assert.strictEqual((yield* post(`/v1/api-keys/${third}/roll`, { expires_in: 3600 })).status, 201)
    assert.strictEqual((yield* post(`/v1/api-keys/${fourth}/roll`, { expires_in: 3600 })).status, 409)
    for (const id of made) if (id !== third) yield* remove(id)
  })

  it.effect("end at once with expires_in 0, their own as well", function* () {
    const old = (yield* post("/v1/api-keys", {})).json
    const rolled = yield* post(`/v1/api-keys/${old.id}/roll`, { expires_in: 0 }, bearer(old.key))
    assert.strictEqual(rolled.status, 201)
    assert.isFalse(yield* works(old.key))
    assert.isTrue(yield* works(rolled.json.key))
  })

  it.effect("are revoked for good, by themselves as well, and again without harm", function* () {
    const { tables } = yield* MemoryTables
    const { id, key } = (yield* post("/v1/api-keys", {})).json
    const gone = yield* remove(id, bearer(key))
    assert.deepStrictEqual(gone.json, { id, object: "api_key", deleted: true })
    assert.isFalse(yield* works(key))
    const since = tables.apiKeys.get(id)?.revoked_at
    yield* TestClock.adjust("1 second")
    assert.strictEqual((yield* remove(id)).status, 200)
    assert.strictEqual(tables.apiKeys.get(id)?.revoked_at, since)
    assert.strictEqual((yield* post(`/v1/api-keys/${id}/roll`, { expires_in: 0 })).status, 409)
    assert.include(
      tables.auditLog.map(({ action, actor }) => `${action} by ${actor}`),
      `request.refused invalid_api_key by ${id}`
    )
  })

  for (const [what, method, pathOf, body] of [
    ["a new key", "POST", () => "/v1/api-keys", "{}"],
    ["their successor", "POST", (id: string) => `/v1/api-keys/${id}/roll`, '{"expires_in":0}'],
    ["a change of the account", "PATCH", () => "/v1/account", '{"name":"Stolen"}']
  ] as const) {
    it.effect(`that end while the body of a request is under way do not make ${what}`, function* () {
      const { count, tables, until } = yield* MemoryTables
      const { id, key } = (yield* post("/v1/api-keys", {})).json
      const line = yield* open()
      const before = count("ApiKeys.authenticate")
      const head = [`${method} ${pathOf(id)} HTTP/1.1`, "Host: folio.test", `Authorization: Bearer ${key}`]
      const type = ["Content-Type: application/json", `Content-Length: ${body.length}`, "", ""]
      line.socket.write([...head, ...type].join("\r\n"))
      yield* until(() => count("ApiKeys.authenticate") > before)
      assert.strictEqual((yield* remove(id)).status, 200)
      const known = tables.apiKeys.size
      line.socket.write(body)
      yield* eventually(() => statusesOf(line).length > 0)
      assert.deepStrictEqual(statusesOf(line), [401])
      assert.strictEqual(tables.apiKeys.size, known)
    })
  }

  it.effect("stay where without them nobody could reach the account", function* () {
    const list = yield* get("/v1/api-keys?limit=100", bearer(keys.otherAccount))
    assert.lengthOf(list.json.data, 1)
    const { json } = yield* remove(apiKeyIds.otherAccount, bearer(keys.otherAccount))
    assert.strictEqual(json.error.code, "last_api_key")
    // One that expires would not keep the door open.
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

  it.effect("are made once for one Idempotency-Key, and shown again by its replay", function* () {
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
    assert.deepStrictEqual((yield* entriesOf(id)).filter((entry) => entry.startsWith("api_key.rolled")).length, 1)
  })
})
