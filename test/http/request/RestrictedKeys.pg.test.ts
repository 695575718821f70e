import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { KeyCapability } from "../../../schemas/ApiKey.ts"
import { Capability } from "../../../schemas/PortalSession.ts"
import { Api } from "../../../src/api/Api.ts"
import { keyCapabilitiesFor } from "../inputs/capabilityRows.ts"
import { rows } from "../inputs/routeRows.ts"
import { apiKeyIds, keys } from "../../support/apps/Accounts.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { change } from "../../support/apps/PostgresRows.ts"
import { bearer, get, post, send } from "../../support/apps/Requests.ts"
import { until } from "../../support/apps/Until.ts"
import { auditLog } from "../../support/portal/Tables.ts"
import { describeLive } from "../../support/Tests.ts"

const routes = Object.values(Api.groups)
  .flatMap((group) => Object.values(group.endpoints).map(({ method, path }) => `${method} ${path}`))
  // These operations need no API key.
  .filter((route) => /^\w+ \/v1\/(?!versions|email-notices)/u.test(route))

/** Creates a key, with the key `by` or else with all rights. */
const made = (body: object, by: string = keys.test) => post("/v1/api-keys", body, bearer(by))
const keyWith = (body: object, by?: string) => Effect.map(made(body, by), ({ json }) => json)

const roll = (id: string, by: string, expires_in = 60) => post(`/v1/api-keys/${id}/roll`, { expires_in }, bearer(by))

const later = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()

const ips = (count: number) => Array.from({ length: count }, (_, index) => `10.0.0.${index}`)
const session = (key: string, body: object) => post("/v1/portal-sessions", body, bearer(key))

describeLive(app)("a restricted API key", (it) => {
  it.effect.each(KeyCapability.literals)("with only %s can run exactly the operations of the table", function* (only) {
    const { id, key } = yield* keyWith({ capabilities: [only] })
    assert.isAbove(routes.length, 90)
    for (const route of routes) {
      const [method = "", pattern = ""] = route.split(" ")
      const reply = yield* send({
        method,
        path: pattern.replaceAll(/:\w+/gu, "none"),
        headers: bearer(key),
        body: rows[route]?.body?.("none")
      })
      const isRefused = reply.status === 403 && /"This API key lacks the cap|"No restricted API key/u.test(reply.text)
      const allowing = keyCapabilitiesFor(route)
      assert.strictEqual(isRefused, !allowing.includes(only), `${route} ${reply.status} ${reply.text}`)
      assert.notStrictEqual(reply.status, 401, route)
      if (!isRefused) continue
      const { message } = reply.json.error
      assert.match(
        message,
        /^This API key lacks the capability \w+, which this request needs\. Use another key, or create/
      )
      assert.isTrue(
        allowing.some((one) => message.includes(`capability ${one},`)),
        message
      )
    }
    const refusals = (yield* auditLog).filter(({ actor }) => actor === id)
    assert.deepInclude(refusals[0], { action: "request.refused", code: "capability_missing" })
  })

  it.effect("appears with its restrictions in every response about it", function* () {
    const rights = { capabilities: ["create", "read"], allowed_ips: ["127.0.0.1", "2001:db8::/32"] }
    const expires_at = later(3600)
    const { json, status } = yield* made({ name: "till", ...rights, expires_at })
    assert.strictEqual(status, 201)
    const listed = (yield* get("/v1/api-keys")).json.data.find(({ id }: { id: string }) => id === json.id)
    for (const shown of [json, listed, (yield* get(`/v1/api-keys/${json.id}`)).json]) {
      assert.deepInclude(shown, { name: "till", ...rights })
      assert.strictEqual(Date.parse(shown.expires_at), Date.parse(expires_at))
    }
    assert.strictEqual((yield* get("/v1/account", bearer(json.key))).status, 200)
  })

  it.effect("stops working when it expires, with the reason", function* () {
    const { key } = yield* keyWith({ expires_at: later(1.5) })
    assert.strictEqual((yield* get("/v1/account", bearer(key))).status, 200)
    // The key can also end between the two checks of a request, whose error then has no reason.
    const reason = /expires_at of its creation has passed/
    const ended = yield* until(get("/v1/account", bearer(key)), ({ json }) => reason.test(json.error?.message ?? ""))
    assert.deepStrictEqual([ended.status, ended.json.error.code], [401, "invalid_api_key"])
  })

  it.effect.each([
    [{ capabilities: ["read", "fly"] }, "capabilities[1]", /must be one of view, deliver/],
    [{ capabilities: ["read", "read"] }, "capabilities", /each capability once/],
    [{ allowed_ips: ["10.0.0.0/8", "::1", "10.0.0.300"] }, "allowed_ips[2]", /must be an IPv4 or IPv6 address/],
    [{ allowed_ips: ["10.1.2.3/8"] }, "allowed_ips[0]", /only zeros after its prefix/],
    [{ allowed_ips: ["10.0.0.0/33"] }, "allowed_ips[0]", /CIDR/],
    [{ allowed_ips: ["10.0.0.0/08"] }, "allowed_ips[0]", /CIDR/],
    [{ allowed_ips: ["fe80::1%eth0"] }, "allowed_ips[0]", /CIDR/],
    [{ allowed_ips: ["example.com"] }, "allowed_ips[0]", /CIDR/],
    [{ expires_at: "2020-01-01T00:00:00Z" }, "expires_at", /must be in the future: it is now 2/],
    [{ expires_at: "2099-01-01" }, "expires_at", /time with its offset/]
  ] as const)("cannot have %j", function* ([body, param, message]) {
    const { json, status } = yield* made(body)
    assert.deepStrictEqual([status, json.error.code, json.error.param], [400, "parameter_invalid", param])
    assert.match(json.error.message, message)
  })

  it.effect("has at least one and at most 50 addresses", function* () {
    const [none, most, more] = [
      yield* made({ allowed_ips: [] }),
      yield* made({ allowed_ips: ips(50) }),
      yield* made({ allowed_ips: ips(51) })
    ]
    assert.deepStrictEqual([none.json.error.code, none.json.error.param], ["parameter_invalid_empty", "allowed_ips"])
    assert.strictEqual(most.status, 201)
    assert.deepStrictEqual([more.json.error.code, more.json.error.param], ["parameter_too_long", "allowed_ips"])
  })

  describe("that creates another key", () => {
    it.effect("gives by default exactly what it has", function* () {
      const rights = { capabilities: ["keys", "view"], allowed_ips: ["127.0.0.0/8"], expires_at: later(3600) }
      const maker = yield* keyWith(rights)
      const next = yield* keyWith({}, maker.key)
      for (const field of ["capabilities", "allowed_ips", "expires_at"]) {
        assert.deepStrictEqual(next[field], maker[field], field)
      }
    })

    it.effect("gives less, with what its capabilities include", function* () {
      const maker = yield* keyWith({
        capabilities: ["keys", "documents", "read"],
        allowed_ips: ["127.0.0.0/8", "2001:db8::/32"],
        expires_at: later(3600)
      })
      const less = {
        capabilities: ["create", "view"],
        allowed_ips: ["::ffff:127.0.0.1", "2001:db8:1::/48"],
        expires_at: later(600)
      }
      const { json, status } = yield* made(less, maker.key)
      assert.strictEqual(status, 201, JSON.stringify(json))
      assert.deepInclude(json, { capabilities: less.capabilities, allowed_ips: less.allowed_ips })
    })

    it.effect.each([
      [{ capabilities: ["keys", "documents"] }, 403, "capability_missing", "capabilities[1]", /is documents, which/],
      [{ allowed_ips: ["127.0.0.1", "10.0.0.0/8"] }, 403, "ip_not_allowed", "allowed_ips[1]", /not within one of/],
      [{ allowed_ips: ["0.0.0.0/0"] }, 403, "ip_not_allowed", "allowed_ips[0]", /not within one of/],
      [{ allowed_ips: ["::/0"] }, 403, "ip_not_allowed", "allowed_ips[0]", /not within one of/],
      [{ expires_at: later(7200) }, 400, "parameter_invalid", "expires_at", /must be no later than 2/]
    ] as const)("does not give %j", function* ([body, status, code, param, message]) {
      const maker = yield* keyWith({
        capabilities: ["keys", "create"],
        allowed_ips: ["127.0.0.0/8"],
        expires_at: later(3600)
      })
      const refused = yield* made(body, maker.key)
      const { error } = refused.json
      assert.deepStrictEqual([refused.status, error.code, error.param], [status, code, param], refused.text)
      assert.match(error.message, message)
      const refusals = (yield* auditLog).filter(({ actor }) => actor === maker.id)
      assert.deepStrictEqual(
        refusals.map((entry) => entry.code),
        status === 403 ? [code] : []
      )
    })
  })

  describe("that is rolled", () => {
    it.effect("keeps its name and rights, also after a second roll", function* () {
      const rights = { capabilities: ["create"], allowed_ips: ["127.0.0.1"], expires_at: later(3600) }
      const old = yield* keyWith({ name: "till", ...rights })
      for (const next of [yield* roll(old.id, keys.test), yield* roll(old.id, keys.test)]) {
        assert.strictEqual(next.status, 201, next.text)
        for (const field of ["name", "capabilities", "allowed_ips", "expires_at"]) {
          assert.deepStrictEqual(next.json[field], old[field], field)
        }
      }
      const rolled = (yield* get(`/v1/api-keys/${old.id}`)).json
      assert.isBelow(Date.parse(rolled.expires_at), Date.parse(old.expires_at))
      yield* change("api_keys", old.id, { expires_at: new Date() })
      const ended = yield* until(get("/v1/account", bearer(old.key)), ({ status }) => status === 401)
      assert.match(ended.json.error.message, /a client rolled it/)
    })

    it.effect("keeps only the rights that the rolling key has as well", function* () {
      const old = yield* keyWith({ capabilities: ["documents", "view", "setup"], allowed_ips: ["127.0.0.0/8"] })
      const roller = yield* keyWith({
        capabilities: ["keys", "create", "read"],
        allowed_ips: ["127.0.0.0/16"],
        expires_at: later(3600)
      })
      const { json } = yield* roll(old.id, roller.key)
      assert.deepInclude(json, {
        capabilities: ["view", "create"],
        allowed_ips: ["127.0.0.0/16"],
        expires_at: roller.expires_at
      })
      const other = yield* keyWith({ capabilities: ["setup"] })
      assert.strictEqual((yield* roll(other.id, roller.key)).json.error.code, "capability_missing")
      const elsewhere = yield* keyWith({ capabilities: ["read"], allowed_ips: ["10.0.0.0/8"] })
      assert.strictEqual((yield* roll(elsewhere.id, roller.key)).json.error.code, "ip_not_allowed")
    })
  })

  it.effect("does not replace the last key without restrictions, and is not one", function* () {
    const by = keys.otherAccount
    const { id: last } = { id: apiKeyIds.otherAccount }
    const expiring = yield* keyWith({ expires_at: later(3600) }, by)
    const bound = yield* keyWith({ allowed_ips: ["127.0.0.1"] }, by)
    const restricted = yield* keyWith({ capabilities: ["keys"] }, by)
    const refused = yield* send({ method: "DELETE", path: `/v1/api-keys/${last}`, headers: bearer(by) })
    assert.strictEqual(refused.json.error.code, "last_api_key")
    for (const { key } of [expiring, bound, restricted]) {
      assert.strictEqual((yield* roll(last, key, 0)).json.error.code, "last_api_key")
    }
    assert.strictEqual((yield* get("/v1/account", bearer(by))).status, 200)
    for (const { id } of [expiring, bound, restricted]) {
      assert.strictEqual(
        (yield* send({ method: "DELETE", path: `/v1/api-keys/${id}`, headers: bearer(by) })).status,
        200
      )
    }
  })

  describe("that creates a portal session", () => {
    it.effect.each([
      [["keys", "view"], ["view", "keys"], undefined],
      [["keys", "read"], ["view"], undefined],
      [["keys", "documents"], ["documents"], undefined],
      [["keys", "create"], ["view"], "view"],
      [["keys", "create"], ["documents"], "documents"],
      [["keys", "view"], ["view", "setup"], "setup"]
    ] as const)("gives, with %j, the session %j (without %s)", function* ([held, capabilities, lacked]) {
      const { key } = yield* keyWith({ capabilities: held })
      const { json, status, text } = yield* session(key, { capabilities })
      if (lacked === undefined) {
        assert.strictEqual(status, 201, text)
        return assert.deepStrictEqual(json.capabilities, capabilities)
      }
      assert.deepStrictEqual([status, json.error.code], [403, "capability_missing"])
      assert.strictEqual(json.error.param, `capabilities[${(capabilities as ReadonlyArray<string>).indexOf(lacked)}]`)
      assert.match(json.error.message, new RegExp(`is ${lacked}, which`))
    })

    it.effect("gives none without the capability keys", function* () {
      const capabilities = KeyCapability.literals.filter((one) => one !== "keys")
      const { key } = yield* keyWith({ capabilities })
      const refused = yield* session(key, {})
      assert.deepStrictEqual([refused.status, refused.json.error.code], [403, "capability_missing"])
      assert.include(refused.json.error.message, "capability keys")
    })

    it.effect("ends it at the latest when the key expires", function* () {
      const maker = yield* keyWith({ capabilities: Capability.literals, expires_at: later(30) })
      const { json } = yield* session(maker.key, { expires_in: 3600 })
      assert.strictEqual(Date.parse(json.expires_at), Date.parse(maker.expires_at))
      assert.isAtMost(Date.parse(json.url_expires_at), Date.parse(maker.expires_at))
    })
  })
})
