import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Api } from "../../../src/api/Api.ts"
import { customerBody, invoiceBody } from "../../support/apps/Invoices.ts"
import { keys } from "../../support/apps/Accounts.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { baseUrl } from "../../support/apps/TestSettings.ts"
import { addCustomer } from "../../support/apps/PostgresRows.ts"
import { get, post, type Reply, send } from "../../support/apps/Requests.ts"
import { describeLive } from "../../support/Tests.ts"

const anonymous = { authorization: undefined }

/** The `cache-control` of responses that a client may cache. All others have `no-store`. */
const keeping = [
  ["/v1/catalogs/", "private, max-age=86400"],
  ["/docs", "no-cache"],
  ["/v1/openapi.json", "no-cache"]
] as const

const checkHeaders = (reply: Reply, what: string) => {
  if (/json/.test(reply.headers["content-type"] ?? "") && reply.text !== "") {
    assert.match(reply.text, /[}\]]\n$/, what)
    assert.strictEqual(reply.headers["content-length"], String(Buffer.byteLength(reply.text)), what)
  }
  assert.match(reply.headers["request-id"]?.toString() ?? "", /^req_[0-9a-hjkmnp-tv-z]{26}$/, what)
  assert.strictEqual(reply.headers["svc-version"], "2026-01-01", what)
  assert.strictEqual(reply.headers["x-content-type-options"], "nosniff", what)
  const [, kept] = reply.status < 400 ? (keeping.find(([path]) => what.includes(path)) ?? []) : []
  assert.strictEqual(reply.headers["cache-control"], kept ?? "no-store", what)
}

/** Every path of the interface with a missing id, and its methods. */
const paths = (() => {
  const byPath = new Map<string, Set<string>>()
  for (const group of Object.values(Api.groups)) {
    for (const { method, path } of Object.values(group.endpoints)) {
      const concrete = path.replace(":catalog", "tributos").replace(":id", "nobody_1")
      byPath.set(concrete, (byPath.get(concrete) ?? new Set()).add(method))
    }
  }
  for (const page of ["/docs", "/docs/style.css", "/docs/errors", "/docs/errors/malformed_json", "/v1/openapi.json"]) {
    byPath.set(page, new Set(["GET"]))
  }
  return [...byPath.keys()].map((path) => {
    // If a path has a word where another path has an id, both paths' methods apply.
    const likeIt = new Set([path, path.replace(/[^/]+$/, "nobody_1")])
    const known = new Set([...likeIt].flatMap((one) => [...(byPath.get(one) ?? [])]))
    const allowed = known.has("GET") ? [...known, "HEAD"] : [...known]
    return { path, allow: allowed.toSorted().join(", ") }
  })
})()

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"]

describeLive(app)("every response", (it) => {
  it.effect.each(paths)("at $path has status 405 for all methods except $allow", function* ({ allow, path }) {
    for (const method of methods) {
      const reply = yield* send({ method, path })
      const what = `${method} ${path}: ${reply.status} ${reply.text.slice(0, 200)}`
      assert.isBelow(reply.status, 500, what)
      assert.strictEqual(reply.status !== 405, allow.split(", ").includes(method), what)
      assert.strictEqual(reply.headers.allow, reply.status === 405 ? allow : undefined, what)
      checkHeaders(reply, what)
    }
  })

  it.effect.each(paths.filter(({ allow }) => allow.includes("HEAD")))(
    "to HEAD $path equals that to GET without its body",
    function* ({ path }) {
      const [head, whole] = [yield* send({ method: "HEAD", path }), yield* get(path)]
      assert.strictEqual(head.status, whole.status)
      assert.strictEqual(head.text, "")
      for (const name of ["content-type", "content-length", "etag", "cache-control"]) {
        assert.strictEqual(head.headers[name], whole.headers[name], name)
      }
    }
  )

  it.effect("has a Request-Id of its own", function* () {
    const replies = yield* Effect.forEach(Array.from({ length: 20 }), () => get("/v1/account"), { concurrency: 10 })
    assert.strictEqual(new Set(replies.map(({ headers }) => headers["request-id"])).size, 20)
  })

  it.effect("with status 201 or 202 names the location of the object", function* () {
    const customer = yield* post("/v1/customers", customerBody())
    assert.strictEqual(customer.status, 201)
    assert.strictEqual(customer.headers.location, `/v1/customers/${customer.json.id}`)
    const invoice = yield* post("/v1/invoices", invoiceBody(customer.json.id))
    assert.strictEqual(invoice.status, 202)
    assert.strictEqual(invoice.headers.location, `/v1/invoices/${invoice.json.id}`)
    for (const { headers } of [customer, invoice]) {
      const found = yield* get(headers.location ?? "")
      assert.strictEqual(found.status, 200)
      assert.strictEqual(found.headers.location, undefined)
    }
    for (const reply of [customer, invoice]) checkHeaders(reply, "created")
  })

  it.effect("has the requested version", function* () {
    const reply = yield* get("/v1/account", { "svc-version": "2026-01-01" })
    assert.strictEqual(reply.status, 200)
    checkHeaders(reply, "asked")
  })

  it.effect("with an error follows RFC 9457 if the client accepts it", function* () {
    const headers = { accept: "text/html, application/problem+json" }
    const { headers: answered, json, status } = yield* post("/v1/customers", { email: "x" }, headers)
    assert.strictEqual(status, 400)
    assert.strictEqual(answered["content-type"], "application/problem+json")
    assert.deepInclude(json, {
      type: `${baseUrl}/docs/errors/${json.code}`,
      status: 400,
      request_id: answered["request-id"],
      param: json.errors[0].param,
      code: json.errors[0].code,
      detail: json.errors[0].message
    })
    assert.isString(json.title)
    const unmatched = yield* get("/v1/nothing", headers)
    assert.strictEqual(unmatched.headers["content-type"], "application/problem+json")
    assert.strictEqual(unmatched.json.code, "route_not_found")
  })

  it.effect.each([
    { "content-type": "application/json" },
    { "content-type": "application/json; charset=utf-8" },
    { "content-type": 'application/JSON;charset="UTF-8"' },
    { "content-type": " application/json " },
    { "content-encoding": "identity" },
    { "content-encoding": "" }
  ])("succeeds for a body with %j", function* (headers) {
    const { status, text } = yield* post("/v1/customers", customerBody(), headers)
    assert.strictEqual(status, 201, text)
  })

  it.effect.each([undefined, "application/json", "application/x-www-form-urlencoded", "text/plain"])(
    "succeeds for a request without a body, with type %j",
    function* (type) {
      const endpoint = yield* post("/v1/webhook-endpoints", {
        url: "https://hooks.example.com",
        subscribed_events: ["invoice.failed"]
      })
      const path = `/v1/webhook-endpoints/${endpoint.json.id}`
      const rotated = yield* post(`${path}/rotate-secret`, undefined, { "content-type": type })
      assert.strictEqual(rotated.status, 201, rotated.text)
      assert.strictEqual((yield* get(path, { "content-type": type })).status, 200)
      assert.strictEqual((yield* send({ method: "DELETE", path, headers: { "content-type": type } })).status, 200)
    }
  )

  it.effect("needs no key at a public path", function* () {
    for (const path of [
      "/health/live",
      "/health/ready",
      "/docs",
      "/docs/style.css",
      "/docs/errors",
      "/v1/openapi.json"
    ]) {
      assert.strictEqual((yield* get(path, anonymous)).status, 200, path)
    }
  })

  it.effect("accepts the key's scheme in any case, as RFC 9110 requires", function* () {
    for (const scheme of ["Bearer", "bearer", "BEARER"]) {
      assert.strictEqual((yield* get("/v1/account", { authorization: `${scheme} ${keys.test}` })).status, 200)
    }
  })

  it.effect("keeps to HTTP if the request asks for another protocol", function* () {
    const reply = yield* get("/v1/account", { connection: "Upgrade", upgrade: "websocket" })
    assert.strictEqual(reply.status, 200)
    yield* addCustomer()
    const expecting = yield* post("/v1/customers", customerBody(), { expect: "100-continue" })
    assert.strictEqual(expecting.status, 201)
  })
})
