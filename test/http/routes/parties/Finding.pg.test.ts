import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { AuthorityRefusal, AuthorityUnavailable } from "../../../../src/invoices/authority/Authority.ts"
import { codeOf } from "../../../support/apps/Correcting.ts"
import { FakeAuthority } from "../../../support/apps/Fakes.ts"
import { customerBody, invoiceBody, noteBody } from "../../../support/apps/Invoices.ts"
import { keys } from "../../../support/apps/Accounts.ts"
import { layer as app } from "../../../support/apps/PostgresApp.ts"
import { bearer, fetchBytes, get, post, send } from "../../../support/apps/Requests.ts"
import { until } from "../../../support/apps/Until.ts"
import { describeLive } from "../../../support/Tests.ts"
import { issue } from "../../../support/apps/Correcting.ts"
import { jpeg, png } from "../../../accounts/rules/pictures.ts"

const put = (path: string, body: unknown, headers = {}) => send({ method: "PUT", path, body, headers })

const register = (change: object) =>
  Effect.map(post("/v1/customers", { ...customerBody(), ...change }), ({ json }) => json)

const person = (number: string) => ({ identification: { type: "13", number }, organization_type: "2" })

const found = (query: string) =>
  Effect.map(get(`/v1/customers?${query}`), ({ json, text }) => {
    assert.isArray(json.data, text)
    return json.data.map(({ id }: { readonly id: string }) => id)
  })

/** Lets the stored responses expire. */
const age = Effect.fnUntraced(function* (millis: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update acquirers set asked_at = asked_at - ${millis} * interval '1 ms'`
})

const ask = (key: string = keys.test) => get("/v1/acquirers/31-900000001", bearer(key))

describeLive(app)("Customers, acquirers and logos", (it) => {
  it.effect(
    "customers can be found by identification, email address, part of a name and metadata, newest first",
    function* () {
      const { id: ana } = yield* register({ ...person("1018"), legal_name: "Ana  Muñoz", email: "Ana@Cliente.test" })
      const { id: shop } = yield* register({
        legal_name: "Inversiones XYZ S.A.S.",
        trade_name: "Café MUÑOZ",
        metadata: { erp: "4711", "a b": "ñ&=" }
      })
      assert.deepStrictEqual(yield* found("identification[type]=13&identification[number]=1018"), [ana])
      assert.deepStrictEqual(yield* found("identification[type]=12&identification[number]=1018"), [])
      assert.deepStrictEqual(yield* found("email=aNA@cliente.TEST"), [ana])
      assert.deepStrictEqual(yield* found("name=munoz"), [shop, ana])
      assert.deepStrictEqual(yield* found("name=MU%C3%91&limit=1"), [shop])
      assert.deepStrictEqual(yield* found(`name=mu%C3%B1&limit=1&starting_after=${shop}`), [ana])
      assert.deepStrictEqual(yield* found("name=ana%20munoz"), [ana], "spaces are single")
      assert.deepStrictEqual(yield* found("name=xyz"), [shop])
      assert.deepStrictEqual(yield* found("name=xyz&metadata[erp]=4711"), [shop])
      assert.deepStrictEqual(yield* found("name=xyz&metadata[erp]=4712"), [])
      assert.deepStrictEqual(yield* found("metadata%5Ba%20b%5D=%C3%B1%26%3D&metadata[erp]=4711"), [shop])
    }
  )

  it.effect.each([
    ["name=mu", "parameter_invalid", "name", /at least 3 characters/],
    ["name=%20%20n%CC%83%20", "parameter_invalid", "name", /at least 3 characters/],
    ["identification[number]=1018", "parameter_missing", "identification[type]", /required together with/],
    ["identification[type]=13", "parameter_missing", "identification[number]", /required together with/],
    ["identification[type]=99&identification[number]=1", "unknown_catalog_code", "identification[type]", /"13"/],
    ["metadata[erp]=1&metadata[erp]=2", "parameter_invalid", "metadata.erp", /given once/],
    ["metadata=1", "parameter_invalid", "metadata", /object|form/],
    ["metadata[]=1", "parameter_invalid_empty", "metadata", /must not be empty/],
    [[..."abcdef"].map((key) => `metadata[${key}]=1`).join("&"), "parameter_too_long", "metadata", /at most 5/]
  ] as const)("a search for customers by %s gets an error: %s", function* ([query, code, param, says]) {
    const { json, status, text } = yield* get(`/v1/customers?${query}`)
    assert.deepStrictEqual([status, json.error?.code], [400, code], text)
    assert.include(json.error.param, param)
    assert.match(json.error.message, says)
  })

  it.effect("invoices and notes can be found by their metadata", function* () {
    const customer = yield* register({})
    const made = (yield* post("/v1/invoices", invoiceBody(customer.id, { order: "1001" }))).json
    const { id } = yield* issue
    const note = (yield* post("/v1/credit-notes", { ...noteBody(id), metadata: { order: "1001" } })).json
    for (const [path, wanted] of [
      ["/v1/invoices", made.id],
      ["/v1/credit-notes", note.id]
    ] as const) {
      const { json } = yield* get(`${path}?metadata[order]=1001`)
      assert.deepStrictEqual(
        json.data.map((one: { readonly id: string }) => one.id),
        [wanted]
      )
      assert.deepStrictEqual((yield* get(`${path}?metadata[order]=1002`)).json.data, [])
    }
    const events = yield* get("/v1/events?metadata[order]=1001")
    assert.deepStrictEqual(codeOf(events), [400, "parameter_unknown"])
  })

  it.effect("PUT registers a customer, and later replaces it whole", function* () {
    const path = "/v1/customers/50-US-1234"
    const body = { identification: { type: "50", number: "US-1234" }, legal_name: "Wayne Inc.", organization_type: "1" }
    const first = yield* put(path, { ...body, email: "a@wayne.test", metadata: { a: "1" } })
    assert.strictEqual(first.status, 201, first.text)
    assert.strictEqual(first.headers.location, `/v1/customers/${first.json.id}`)
    const second = yield* put(path, { ...body, legal_name: "Wayne Ltd.", trade_name: "Wayne" })
    assert.strictEqual(second.status, 200, second.text)
    const { email: _, metadata: __, updated_at: ___, ...kept } = first.json
    assert.deepInclude(second.json, { ...kept, legal_name: "Wayne Ltd.", trade_name: "Wayne", metadata: {} })
    assert.notProperty(second.json, "email")
    assert.deepStrictEqual((yield* get(`/v1/customers/${first.json.id}`)).json, second.json)
    assert.deepStrictEqual(yield* found("identification[type]=50&identification[number]=US-1234"), [first.json.id])
  })

  it.effect("PUT honours an Idempotency-Key, and does not require one", function* () {
    const body = { ...person("2001"), legal_name: "Ana" }
    const key = { "idempotency-key": "put once" }
    const first = yield* put("/v1/customers/13-2001", body, key)
    yield* put("/v1/customers/13-2001", { ...body, legal_name: "Eva" })
    const again = yield* put("/v1/customers/13-2001", body, key)
    assert.deepStrictEqual([again.status, again.text], [201, first.text])
    const other = yield* put("/v1/customers/13-2001", { ...body, legal_name: "Eva" }, key)
    assert.deepStrictEqual(codeOf(other), [409, "idempotency_conflict"])
  })

  it.effect("PUT rejects an identification that differs from the path's, and a path without one", function* () {
    const body = { ...person("2002"), legal_name: "Ana" }
    const other = yield* put("/v1/customers/13-2003", body)
    assert.deepStrictEqual(codeOf(other), [400, "parameter_conflict"])
    assert.deepStrictEqual(other.json.error.param, "identification.number")
    for (const path of ["13", "2002", "99-2002", "13-", "-2002"]) {
      assert.deepStrictEqual(codeOf(yield* put(`/v1/customers/${path}`, body)), [404, "resource_missing"], path)
    }
  })

  it.effect("a look-up of an acquirer reaches the authority once a day, in each mode", function* () {
    const { questions } = yield* FakeAuthority
    const first = yield* ask()
    assert.deepStrictEqual(first.json, {
      object: "acquirer",
      livemode: false,
      identification: { type: "31", number: "900000001" },
      name: "Ana S.A.S.",
      email: "ana@cliente.test"
    })
    assert.strictEqual((yield* ask()).text, first.text)
    assert.lengthOf(questions, 1)
    assert.isTrue((yield* ask(keys.live)).json.livemode)
    assert.deepStrictEqual([questions.length, questions[1]?.issuer_nit], [2, "900373115"])
    yield* age(86_370_000)
    yield* ask()
    assert.lengthOf(questions, 2)
    yield* age(30_000)
    yield* ask()
    assert.lengthOf(questions, 3)
  })

  it.effect("a look-up of an unknown acquirer reaches the authority again after an hour", function* () {
    const { questions } = yield* FakeAuthority
    const before = questions.length
    const missing = Effect.map(get("/v1/acquirers/13-77"), codeOf)
    for (const asked of [1, 1]) {
      assert.deepStrictEqual(yield* missing, [404, "resource_missing"])
      assert.strictEqual(questions.length, before + asked)
    }
    yield* age(3_570_000)
    yield* missing
    assert.strictEqual(questions.length, before + 1)
    yield* age(30_000)
    yield* missing
    assert.strictEqual(questions.length, before + 2)
  })

  it.effect("a failed look-up is not stored, and an account may make 60 in a row, then one per second", function* () {
    const fake = yield* FakeAuthority
    const own = fake.onAcquirer
    fake.onAcquirer = () => Effect.fail(new AuthorityUnavailable({ message: "503" }))
    assert.deepStrictEqual(codeOf(yield* get("/v1/acquirers/13-78")), [503, "service_unavailable"])
    fake.onAcquirer = () => Effect.fail(new AuthorityRefusal({ message: "no" }))
    assert.deepStrictEqual(codeOf(yield* get("/v1/acquirers/13-78")), [403, "account_not_live"])
    fake.onAcquirer = own
    const other = bearer(keys.otherAccount)
    const startedAt = performance.now()
    let asked = 0
    let reply = yield* get("/v1/acquirers/13-900", other)
    for (; reply.status === 404; asked++) reply = yield* get(`/v1/acquirers/13-8${asked}`, other)
    assert.deepStrictEqual([...codeOf(reply), reply.headers["retry-after"]], [429, "rate_limited", "1"])
    assert.isAtLeast(asked, 60)
    assert.isAtMost(asked, 61 + (performance.now() - startedAt) / 1_000)
    assert.strictEqual((yield* until(get("/v1/acquirers/13-999", other), ({ status }) => status !== 429)).status, 404)
  })

  it.effect("a logo can be uploaded, shown, read and removed, in the mode of its key only", function* () {
    const path = "/v1/account/logo"
    const before = (yield* get("/v1/account")).json
    assert.deepStrictEqual(codeOf(yield* get(path)), [404, "resource_missing"])
    const made = yield* put(path, png(40, 30))
    assert.strictEqual(made.status, 200, made.text)
    const shown = { media_type: "image/png", width: 40, height: 30, url: path }
    assert.deepStrictEqual(made.json, { ...before, logo: shown })
    assert.deepStrictEqual((yield* get("/v1/account")).json, made.json)
    assert.deepStrictEqual((yield* get("/v1/account", bearer(keys.live))).json.logo, undefined)
    const read = yield* fetchBytes({ path })
    assert.deepStrictEqual([read.status, read.headers["content-type"]], [200, "image/png"])
    assert.isTrue(read.bytes.equals(png(40, 30)))
    const unchanged = yield* fetchBytes({ path, headers: { "if-none-match": String(read.headers.etag) } })
    assert.deepStrictEqual([unchanged.status, unchanged.bytes.length], [304, 0])
    const replaced = yield* put(path, jpeg(20, 10), { "content-type": "image/jpeg" })
    assert.deepStrictEqual(replaced.json.logo, { media_type: "image/jpeg", width: 20, height: 10, url: path })
    assert.deepStrictEqual((yield* send({ method: "PATCH", path: "/v1/account", body: { color: "#123456" } })).json, {
      ...replaced.json,
      color: "#123456"
    })
    for (const _ of [1, 2]) {
      const removed = yield* send({ method: "DELETE", path })
      assert.deepStrictEqual([removed.status, removed.json.logo], [200, undefined])
    }
    assert.deepStrictEqual(codeOf(yield* get(path)), [404, "resource_missing"])
  })

  it.effect.each([
    ["nothing", Buffer.alloc(0), {}, [400, "parameter_missing"], /PNG or JPEG/],
    ["text", "no picture", { "content-type": "image/png" }, [400, "parameter_invalid"], /neither a PNG nor a JPEG/],
    ["JSON", { logo: "…" }, {}, [415, "unsupported_media_type"], /image\/png or image\/jpeg/],
    ["a PNG as text", png(4, 3), { "content-type": "text/plain" }, [415, "unsupported_media_type"], /image\/png/],
    ["a file that is too large", Buffer.alloc(200_001, 0x89), {}, [413, "request_too_large"], /at most 200 kB/],
    [
      "a PNG with too many pixels",
      png(4, 3, { pixels: Buffer.alloc(9_000_000) }),
      {},
      [400, "parameter_invalid"],
      /damaged/
    ],
    ["an interlaced picture", png(4, 3, { interlace: 1 }), {}, [400, "parameter_invalid"], /interlaced/]
  ] as const)("a logo gets an error as %s", function* ([_name, body, headers, wanted, says]) {
    const reply = yield* put("/v1/account/logo", body, headers)
    assert.deepStrictEqual([...codeOf(reply)], [...wanted], reply.text)
    assert.match(reply.json.error.message, says)
  })
})
