import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Limits } from "../../../src/runtime/Limits.ts"
import { app as withDoor, insider } from "../../support/portal/Door.ts"
import { serviceWith } from "../../support/apps/PostgresApp.ts"
import { bearer, get, post } from "../../support/apps/Requests.ts"
import { auditLog } from "../../support/portal/Tables.ts"
import { testMode } from "../../support/apps/Accounts.ts"
import { describeLive } from "../../support/Tests.ts"

/** The service on PostgreSQL. Requests come from 127.0.0.1. */
const behind = (trustedProxies: string) => describeLive(serviceWith(Limits.layerChanged({ trustedProxies })))

const keyFor = (...allowed_ips: ReadonlyArray<string>) =>
  Effect.map(post("/v1/api-keys", { allowed_ips }), ({ json }) => json as { id: string; key: string })

const from = (key: string, forwarded?: string) =>
  get("/v1/account", { ...bearer(key), ...(forwarded === undefined ? {} : { "x-forwarded-for": forwarded }) })

const refusal = (address: string) =>
  `This API key does not accept requests from ${address}, because its allowed_ips do not contain the address. Send the request from an allowed address, or use another key.`

behind("127.0.0.1")("a key with allowed_ips behind a trusted proxy", (it) => {
  it.effect.each([
    ["203.0.113.9", true],
    ["::ffff:203.0.113.9", true],
    ["2001:db8::7", true],
    ["198.51.100.9, 203.0.113.9", true],
    ["203.0.113.9, 198.51.100.9", false],
    ["203.0.114.1", false],
    ["2001:db9::7", false]
  ] as const)("works from X-Forwarded-For: %s: %s", function* ([forwarded, isAllowed]) {
    const { key } = yield* keyFor("203.0.113.0/24", "2001:db8::/32")
    const { json, status } = yield* from(key, forwarded)
    assert.strictEqual(status, isAllowed ? 200 : 403)
    if (isAllowed) return
    assert.strictEqual(json.error.code, "ip_not_allowed")
    assert.strictEqual(json.error.message, refusal(forwarded.split(", ").at(-1) ?? ""))
  })

  it.effect("doesn't work for the proxy itself, and a key without a list works for all", function* () {
    const { key } = yield* keyFor("203.0.113.9")
    assert.strictEqual((yield* from(key)).json.error.message, refusal("127.0.0.1"))
    assert.strictEqual((yield* from((yield* post("/v1/api-keys", {})).json.key, "198.51.100.9")).status, 200)
  })

  it.effect("takes no request of its rate limit from elsewhere, and leaves an audit entry", function* () {
    const { id, key } = yield* keyFor("203.0.113.9")
    const refused = yield* from(key, "198.51.100.77")
    assert.match(String(refused.headers["ratelimit-policy"]), /^"address"/)
    const [entry] = (yield* auditLog).filter(({ actor }) => actor === id)
    assert.deepInclude(entry, { ...testMode, action: "request.refused", code: "ip_not_allowed" })
    const first = yield* from(key, "203.0.113.9")
    const [, burst] = /q=(\d+)/u.exec(String(first.headers["ratelimit-policy"])) ?? []
    assert.include(String(first.headers["ratelimit"]), `r=${Number(burst) - 1};`)
  })
})

behind("127.0.0.2")("a key with allowed_ips and a client that only claims to be a proxy", (it) => {
  it.effect("works from the address of the connection alone", function* () {
    const [own, other] = [yield* keyFor("127.0.0.1"), yield* keyFor("203.0.113.7")]
    assert.strictEqual((yield* from(own.key, "203.0.113.7")).status, 200)
    assert.strictEqual((yield* from(other.key, "203.0.113.7")).json.error.message, refusal("127.0.0.1"))
    const mapped = yield* keyFor("::ffff:127.0.0.0/104")
    assert.strictEqual((yield* from(mapped.key)).status, 200)
  })

  it.effect("also rejects a request for a file from elsewhere", function* () {
    const { key } = yield* keyFor("203.0.113.7")
    const { json } = yield* get("/v1/invoices/none/pdf", bearer(key))
    assert.strictEqual(json.error.code, "ip_not_allowed")
  })
})

describeLive(withDoor)("a portal session of a key with allowed_ips", (it) => {
  it.effect("works from any address, and its keys have the list of the key", function* () {
    const { id } = yield* keyFor("203.0.113.7")
    const { ask } = yield* insider({ apiKeyId: id as never })
    assert.strictEqual((yield* ask("GET", "/v1/account")).status, 200)
    const next = yield* ask("POST", "/v1/api-keys", { allowed_ips: ["203.0.113.7/32"] })
    assert.deepStrictEqual(next.json.allowed_ips, ["203.0.113.7/32"])
    assert.deepStrictEqual((yield* ask("POST", "/v1/api-keys", {})).json.allowed_ips, ["203.0.113.7"])
    const beyond = yield* ask("POST", "/v1/api-keys", { allowed_ips: ["192.0.2.7"] })
    assert.deepStrictEqual([beyond.status, beyond.json.error.code], [403, "ip_not_allowed"])
  })
})
