import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { apiKeyIds, keys } from "../../support/apps/Accounts.ts"
import { layer as app } from "../../support/apps/MemoryApp.ts"
import { bearer, get, post, send } from "../../support/apps/Requests.ts"
import { MemoryTables } from "../../support/memory/MemoryTables.ts"
import { describeOn } from "../../support/Tests.ts"

const open = (url: string) =>
  send({ path: new URL(url).pathname, headers: { authorization: undefined, "sec-fetch-mode": "navigate" } })

const shown = (id: string) => Effect.map(get(`/v1/portal-sessions/${id}`), ({ json }) => json)

describeOn(app)("sessions of the portal", (it) => {
  it.effect("are made with an address that only this answer shows", function* () {
    const made = yield* post("/v1/portal-sessions", { expires_in: 600, capabilities: ["view", "documents"] })
    const { id, url, url_expires_at, ...rest } = made.json
    assert.strictEqual(made.status, 201)
    assert.strictEqual(made.headers.location, `/v1/portal-sessions/${id}`)
    assert.match(id, /^ps_[0-9a-z]{26}$/u)
    assert.match(url, /^http:\/\/folio\.test\/portal\/enter\/[\w-]{43}$/u)
    const session = {
      object: "portal_session",
      livemode: false,
      api_key_id: apiKeyIds.test,
      capabilities: ["view", "documents"],
      status: "waiting",
      created_at: rest.created_at,
      expires_at: rest.expires_at,
      used_at: null,
      ended_at: null
    }
    assert.deepStrictEqual(rest, session)
    assert.strictEqual(Date.parse(rest.expires_at) - Date.parse(rest.created_at), 600_000)
    assert.strictEqual(Date.parse(url_expires_at) - Date.parse(rest.created_at), 60_000)
    assert.deepStrictEqual(yield* shown(id), { id, ...session })
    const list = yield* get("/v1/portal-sessions")
    assert.deepStrictEqual(list.json.data, [{ id, ...session }])
    const { tables } = yield* MemoryTables
    assert.deepInclude(tables.auditLog.at(-1), {
      actor: apiKeyIds.test,
      action: "portal_session.created",
      object_id: id
    })
  })

  it.effect("may read for an hour unless something else is asked", function* () {
    const { json } = yield* post("/v1/portal-sessions", {})
    assert.deepStrictEqual(json.capabilities, ["view"])
    assert.strictEqual(Date.parse(json.expires_at) - Date.parse(json.created_at), 3_600_000)
  })

  it.effect("are answered again with the same key, and made once", function* () {
    const key = { "idempotency-key": "one session" }
    const [first, again] = [yield* post("/v1/portal-sessions", {}, key), yield* post("/v1/portal-sessions", {}, key)]
    assert.strictEqual(again.text, first.text)
    assert.strictEqual(again.headers["svc-idempotency-cached"], "true")
  })

  it.effect("tell whether they wait, are used, have expired or were ended", function* () {
    const [used, late, ended, keyless] = [
      yield* post("/v1/portal-sessions", { expires_in: 120 }),
      yield* post("/v1/portal-sessions", {}),
      yield* post("/v1/portal-sessions", {}),
      yield* post("/v1/portal-sessions", {}, bearer(keys.secondTest))
    ].map(({ json }) => json)
    yield* open(used.url)
    yield* open(keyless.url)
    assert.deepInclude(yield* shown(used.id), { status: "active", used_at: used.created_at, ended_at: null })
    const removed = yield* send({ method: "DELETE", path: `/v1/portal-sessions/${ended.id}` })
    assert.deepStrictEqual(removed.json, { id: ended.id, object: "portal_session", deleted: true })
    yield* TestClock.adjust("30 seconds")
    yield* send({ method: "DELETE", path: `/v1/portal-sessions/${ended.id}` })
    assert.deepInclude(yield* shown(ended.id), { status: "ended", ended_at: ended.created_at })
    yield* send({ method: "DELETE", path: `/v1/api-keys/${apiKeyIds.secondTest}` })
    const { ended_at, status } = yield* shown(keyless.id)
    assert.deepStrictEqual([status, Date.parse(ended_at) - Date.parse(keyless.created_at)], ["ended", 30_000])
    yield* TestClock.adjust("30 seconds")
    assert.deepInclude(yield* shown(late.id), { status: "expired", used_at: null, ended_at: null })
    assert.strictEqual((yield* shown(used.id)).status, "active")
    yield* TestClock.adjust("60 seconds")
    assert.deepInclude(yield* shown(used.id), { status: "expired", ended_at: null })
    // What ends after the session has expired changes nothing.
    yield* send({ method: "DELETE", path: `/v1/portal-sessions/${used.id}` })
    assert.strictEqual((yield* shown(used.id)).status, "expired")
  })

  it.effect("are listed newest first, page by page, in their mode", function* () {
    const live = yield* post("/v1/portal-sessions", {}, bearer(keys.live))
    assert.isTrue(live.json.livemode)
    const { json } = yield* get("/v1/portal-sessions?limit=100")
    const ids = json.data.map(({ id }: { id: string }) => id)
    assert.deepStrictEqual(ids, ids.toSorted().toReversed())
    assert.notInclude(ids, live.json.id)
    const page = yield* get(`/v1/portal-sessions?limit=2&starting_after=${ids[1]}`)
    assert.deepStrictEqual(
      page.json.data.map(({ id }: { id: string }) => id),
      ids.slice(2, 4)
    )
    const others = yield* get("/v1/portal-sessions", bearer(keys.live))
    assert.lengthOf(others.json.data, 1)
  })
})
