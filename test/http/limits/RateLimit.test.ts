import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Limits } from "../../../src/runtime/Limits.ts"
import { ApiKeyId } from "../../../schemas/Id.ts"
import { apiKeyHash, makeApiKey } from "../../../src/accounts/rules/ApiKeyFormat.ts"
import { apiKeyIds, keys, otherAccount } from "../../support/apps/Accounts.ts"
import { limitedTo } from "../../support/apps/MemoryApp.ts"
import { MemoryTables } from "../../support/memory/MemoryTables.ts"
import { bearer, get, type Reply, send } from "../../support/apps/Requests.ts"
import { linkTo } from "../inputs/links.ts"
import { describeOn } from "../../support/Tests.ts"

const policy = "q=5;w=3"
const app = limitedTo({ perSecond: 2, burst: 5 })
// Longer than all the time that passes in these tests.
const lasts = 100_000

const times = (count: number) => Array.from({ length: count })

const limits = ({ headers }: Reply) => [headers["ratelimit-policy"], headers["ratelimit"]]

const code = (sent: Parameters<typeof send>[0]) => Effect.map(send(sent), ({ json }) => json.error.code)

const isLimited = (reply: Reply, name: string) => {
  assert.strictEqual(reply.status, 429, reply.text)
  assert.deepInclude(reply.json.error, { type: "rate_limit_error", code: "rate_limited" })
  assert.match(reply.json.error.message, /more than 2 requests a second/)
  assert.strictEqual(reply.json.error.request_id, reply.headers["request-id"])
  assert.strictEqual(reply.headers["retry-after"], "1")
  assert.deepStrictEqual(limits(reply), [`"${name}";${policy}`, `"${name}";r=0;t=3`])
}

const wrongKeys = [undefined, "Bearer nonsense", `Bearer ${keys.unknown}`, `Bearer ${keys.revoked}`]

describeOn(app)("the rate limit of a key", (it) => {
  it.effect("allows a burst, reports the remaining requests in each response, and refills at its rate", function* () {
    const paths = ["/v1/account", "/v1/customers/missing", "/v1/customers?limit=x", "/v1/catalogs/tributos"]
    for (const [index, path] of [...paths, "/v1/account"].entries()) {
      const reply = yield* get(path)
      assert.notStrictEqual(reply.status, 429)
      const left = [`"default";${policy}`, `"default";r=${4 - index};t=${Math.ceil((index + 1) / 2)}`]
      assert.deepStrictEqual(limits(reply), left)
    }
    isLimited(yield* get("/v1/account"), "default")
    yield* TestClock.adjust("499 millis")
    isLimited(yield* get("/v1/account"), "default")
    yield* TestClock.adjust("1 millis")
    assert.strictEqual((yield* get("/v1/account")).status, 200)
    isLimited(yield* get("/v1/account"), "default")
    yield* TestClock.adjust("1 minute")
    assert.deepStrictEqual(limits(yield* get("/v1/account")), [`"default";${policy}`, `"default";r=4;t=1`])
  })

  it.effect("rejects further requests of a limited key before routing, until the key has a token", function* () {
    const unrouted = Effect.gen(function* () {
      // The metrics may be a second old.
      yield* TestClock.adjust("1 second")
      const { text } = yield* get("/metrics", { authorization: undefined })
      const series = /^folio_http_request_duration_seconds_count\{method="GET",route="none",status="4xx"\} (\d+)$/m
      return Number(series.exec(text)?.[1] ?? 0)
    })
    const before = yield* unrouted
    yield* TestClock.adjust("1 minute")
    yield* Effect.forEach(times(6), () => get("/v1/account"))
    isLimited(yield* get("/v1/account"), "default")
    isLimited(yield* get("/v1/customers/missing"), "default")
    assert.strictEqual((yield* get("/v1/openapi.json")).status, 200)
    assert.strictEqual((yield* get("/v1/account", bearer(keys.secondTest))).status, 200)
    yield* TestClock.adjust("500 millis")
    assert.strictEqual((yield* get("/v1/account")).status, 200)
    // The rejections after the first one, which is the sixth request.
    assert.strictEqual((yield* unrouted) - before, 2)
  })

  it.effect("counts no other key of the account", function* () {
    yield* Effect.forEach(times(6), () => get("/v1/account"))
    isLimited(yield* get("/v1/account"), "default")
    for (const key of [keys.secondTest, keys.live, keys.otherAccount]) {
      assert.strictEqual((yield* get("/v1/account", bearer(key))).status, 200)
    }
  })

  it.effect("applies after the checks of route, method and key, and before all checks that cost more", function* () {
    yield* Effect.forEach(times(6), () => get("/v1/account"))
    assert.strictEqual(yield* code({ path: "/v1/nothing" }), "route_not_found")
    assert.strictEqual(yield* code({ method: "PUT", path: "/v1/account" }), "method_not_allowed")
    const wrong = bearer(keys.unknown)
    assert.strictEqual(yield* code({ path: "/v1/account", headers: wrong }), "invalid_api_key")
    const customer = { method: "POST", path: "/v1/customers" }
    for (const sent of [
      { ...customer, body: "x".repeat(300_000) },
      { ...customer, body: "x", headers: { "content-type": "text/plain" } },
      { ...customer, body: "{", headers: { "svc-version": "x", "idempotency-key": undefined } },
      { path: "/v1/customers?x=1" }
    ]) {
      isLimited(yield* send(sent), "default")
    }
  })
})

describeOn(app)("the rate limit of an account", (it) => {
  it.effect(
    "gives an account four times the limit of a key, for any number of keys, in each mode separately",
    function* () {
      const { tables } = yield* MemoryTables
      yield* TestClock.adjust("1 minute")
      // Enough keys to exceed it, each with a bucket of its own.
      for (const index of times(5).keys()) {
        const key = makeApiKey("test", new Uint8Array(32).fill(100 + index))
        const row = tables.apiKeys.get(apiKeyIds.test)!
        const id = ApiKeyId.make(`key_${`${index}`.repeat(26)}`)
        tables.apiKeys.set(id, { ...row, id, hash: apiKeyHash(key) })
        for (const left of [4, 3, 2, 1, 0]) {
          const reply = yield* get("/v1/account", bearer(key))
          assert.strictEqual(reply.status, index < 4 ? 200 : 429, reply.text)
          assert.match(`${reply.headers["ratelimit"]}`, new RegExp(`^"default";r=${left};`))
          if (index === 4)
            assert.match(reply.json.error.message, /^This account, .* more than 8 requests a second, with bursts of 20/)
        }
      }
      for (const key of [keys.live, keys.otherAccount]) {
        assert.strictEqual((yield* get("/v1/account", bearer(key))).status, 200)
      }
    }
  )
})

const random = (index: number) => makeApiKey("test", new Uint8Array(32).fill(200 + index))
const ask = (key: string) => get("/v1/account", bearer(key))

describeOn(app)("a flood of bad keys", (it) => {
  it.effect("uses look-ups in turns, and does not block a good key that is not yet known", function* () {
    const { count } = yield* MemoryTables
    for (const index of times(5).keys()) assert.strictEqual((yield* ask(random(index))).status, 401)
    const before = [count("ApiKeys.authenticate"), count("ApiKeys.authenticate in turn")]
    for (const index of times(3).keys()) isLimited(yield* ask(random(10 + index)), "address")
    assert.strictEqual((yield* ask(keys.test)).status, 200)
    assert.deepStrictEqual(
      [count("ApiKeys.authenticate"), count("ApiKeys.authenticate in turn")],
      // The good key counts once more, before its request is carried out: by then it is known.
      [before[0]! + 1, before[1]! + 4]
    )
  })
})

describeOn(app)("the rate limit of an address", (it) => {
  it.effect("counts requests without a good key, and never rejects a good key", function* () {
    yield* TestClock.adjust("1 minute")
    for (const _ of times(4)) {
      const reply = yield* get("/v1/account", { authorization: undefined })
      assert.strictEqual(reply.status, 401)
    }
    assert.strictEqual((yield* get("/docs/errors", { authorization: undefined })).status, 200)
    for (const authorization of wrongKeys) isLimited(yield* get("/v1/account", { authorization }), "address")
    for (const path of [
      "/docs",
      "/docs/style.css",
      "/docs/errors",
      "/docs/errors/rate_limited",
      "/docs/nothing",
      "/v1/openapi.json",
      "/v1/nothing",
      "/health/nothing",
      "/nothing",
      "/",
      `/${"a".repeat(9_000)}`
    ]) {
      isLimited(yield* get(path, { authorization: undefined }), "address")
    }
    isLimited(yield* send({ method: "PUT", path: "/docs", headers: { authorization: undefined } }), "address")
    isLimited(yield* get(linkTo("inv_1", { lasts, key: 8 }), { authorization: undefined }), "address")
    // A good link has a bucket of its own.
    for (const _ of times(5)) {
      const { headers, status } = yield* get(linkTo("inv_1", { lasts }), { authorization: undefined })
      assert.deepStrictEqual([status, headers["ratelimit-policy"]], [404, `"link";${policy}`])
    }
    isLimited(yield* get(linkTo("inv_1", { lasts }), { authorization: undefined }), "link")
    const another = linkTo("inv_1", { lasts, account_id: otherAccount })
    assert.strictEqual((yield* get(another, { authorization: undefined })).status, 404)
    assert.strictEqual((yield* get("/v1/account")).status, 200)
    for (const path of ["/health/live", "/health/ready", "/metrics"]) {
      assert.strictEqual((yield* get(path, { authorization: undefined })).status, 200, path)
    }
    yield* TestClock.adjust("1 second")
    assert.strictEqual((yield* get("/v1/account", { authorization: undefined })).status, 401)
  })
})

const anonymous = (path: string) => get(path, { authorization: undefined })

describeOn(app)("the rate limit of probes", (it) => {
  it.effect("applies to each address at each probe, separately from other requests", function* () {
    yield* Effect.forEach(times(6), () => anonymous("/nothing"))
    isLimited(yield* anonymous("/nothing"), "address")
    for (const path of ["/health/live", "/metrics"]) {
      const replies = yield* Effect.forEach(times(Limits.defaults.rate.burst), () => anonymous(path), {
        concurrency: 8
      })
      assert.deepStrictEqual([...new Set(replies.map(({ status }) => status))], [200], path)
      const refused = yield* anonymous(path)
      assert.deepStrictEqual([refused.status, refused.headers["ratelimit-policy"]], [429, '"probe";q=500;w=5'], path)
    }
    assert.strictEqual((yield* get("/v1/account")).status, 200)
    assert.strictEqual((yield* anonymous("/health/ready")).status, 429)
    yield* TestClock.adjust("1 second")
    for (const path of ["/health/ready", "/metrics"]) assert.strictEqual((yield* anonymous(path)).status, 200, path)
  })
})
