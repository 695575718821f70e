import { assert, it as test } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import document from "../../../schemas/openapi.json" with { type: "json" }
import { maskJson } from "../../../src/runtime/json/JsonMask.ts"
import { makeHidden } from "../../../src/runtime/json/RequestMask.ts"
import { RequestLog } from "../../../src/operations/store/RequestLog.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { bearer, get, patch, post, send, type Sent } from "../../support/apps/Requests.ts"
import { describeLive } from "../../support/Tests.ts"
import { noId, rows } from "../inputs/routeRows.ts"

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null

// Unique words in the forms that get furthest: each passes the checks of its field.
const person = {
  legal_name: "Zuvictoria Zupersona",
  name: "Zunombre",
  email: "zucorreo@zucorreo.co",
  to: "zucorreo@zucorreo.co",
  address: "Zucalle 7",
  description: "Zutexto libre",
  reason: "Zumotivo",
  metadata: { zuclave: "zuvalor" }
}
const personal = /zu/i
// Values of the sandbox's issuer and of the customers that the rows create.
const known = /900373115|Cliente|Calle 100|facturas@|otra@example/

const secret = {
  password: "yxpassword",
  key: "yxkey",
  secret: "yxsecret",
  signature: "yxsignature",
  technical_key: "yxtechnical",
  pin: "yxpin"
}
const secrets =
  /yx(?:password|key|secret|signature|technical|file|pass|pin)|sk_(?:test|live)_|whsec_|fc8eac422eba16e22ffd8c6f94b3f40a6e38162c/i

const schemas: Json = document.components.schemas

/** A body with a canary in every field that a schema of the interface has. */
const canaryOf = (schema: unknown, name = ""): unknown => {
  if (!isObject(schema)) return "Zuany"
  const reference = /[^/]+$/.exec(String(schema["$ref"] ?? ""))?.[0]
  if (reference !== undefined) return canaryOf(schemas[reference], name)
  const [first] = [schema["anyOf"], schema["oneOf"], schema["allOf"]].flatMap((of) => (Array.isArray(of) ? of : []))
  if (first !== undefined) return canaryOf(first, name)
  if (schema["type"] === "array") return [canaryOf(schema["items"], name)]
  if (isObject(schema["properties"])) {
    return Object.fromEntries(Object.entries(schema["properties"]).map(([key, field]) => [key, canaryOf(field, key)]))
  }
  if (schema["type"] === "object") return { zuclave: "zuvalor" }
  return name in secret ? secret[name as keyof typeof secret] : name === "pkcs12" ? "yxfile" : "Zu libre <zu@zu.co>"
}

/** The right body, with a person's data in all fields that may have it. */
const withPerson = (body: unknown): unknown => {
  if (Array.isArray(body)) return body.map(withPerson)
  if (!isObject(body)) return body
  return Object.fromEntries(
    Object.entries(body).map(([key, value]) => [
      key,
      key in person ? person[key as keyof typeof person] : withPerson(value)
    ])
  )
}

interface Operation {
  readonly parameters?: ReadonlyArray<{ readonly in: string; readonly name: string }>
  readonly requestBody?: { readonly content: { readonly "application/json"?: { readonly schema: unknown } } }
}

const operationOf = (method: string, pattern: string): Operation => {
  const path = (document.paths as Json)[pattern.replaceAll(/:(\w+)/g, "{$1}")]
  return isObject(path) ? (path[method.toLowerCase()] as Operation) : {}
}

const requestsOf = (
  index: number,
  method: string,
  pattern: string,
  id: string,
  body: object | undefined
): ReadonlyArray<Sent> => {
  const { parameters = [], requestBody } = operationOf(method, pattern)
  const path = pattern.replace(/:\w+/, id)
  const everyField = canaryOf(requestBody?.content["application/json"]?.schema)
  const queries = parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name)
  const bodies = [body, body === undefined ? undefined : { ...body, ...person }, withPerson(body), everyField]
  const own = [
    ...bodies.map((sent) => ({ method, path, body: sent })),
    ...[...queries, "zuunknown"].map((name) => ({ method, path: `${path}?${encodeURIComponent(name)}=Zu%20zu@zu.co` }))
  ]
  const ofAnyRoute = [
    { method, path: `${path}?signature=yxsignature&key=yxkey&zu=sk_test_abc`, body },
    { method, path: pattern.replace(/:\w+/, "zu@zu.co"), body },
    { method, path: pattern.replace(/:\w+/, "zuid"), body },
    { method, path, body: { ...body, zufield: "yxpass", zumore: { zudeep: ["zu", "yxpass"] } } },
    { method, path, body: '{"email": "zucorreo@zu.co" "password": "yxpassword"' },
    { method, path, body: '{"password": yxpassword}' },
    { method, path, body: "email=zucorreo&password=yxpassword", headers: { "content-type": "text/plain" } },
    { method, path, body: '["zu", "yxpass", {"zu": 1}]' },
    { method, path, body: '"sk\\u005flive_zu yxpass"' },
    { method, path, body, headers: { "svc-version": "Zu zu@zu.co" } },
    { method, path, body, headers: { "idempotency-key": "sk_live_abcdef" } }
  ]
  // Faults found before the route are the same for all routes: they take turns, each with a quarter of the faults.
  return [...own, ...ofAnyRoute.filter((_, at) => at % 4 === index % 4)]
}

const everyRequest = (stored: (text: string) => void) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`delete from requests`
    const log = yield* RequestLog
    const statuses = new Set<number>()
    for (const [index, [route, { body, id: makeId = noId, key }]] of Object.entries(rows).entries()) {
      const [method = "", pattern = ""] = route.split(" ")
      for (const sent of requestsOf(index, method, pattern, "ID", body?.("ID"))) {
        // Each request has an object of its own: an earlier request may remove it.
        const id = yield* makeId
        const own = JSON.parse(JSON.stringify(sent).replaceAll("ID", id))
        const headers = key === undefined ? {} : bearer(yield* key)
        statuses.add((yield* send({ ...own, headers: { ...headers, ...own.headers } })).status)
      }
    }
    yield* log.flush
    assert.includeMembers([...statuses], [200, 201, 202, 400, 404, 409, 415])
    const all = yield* sql<{ row: string }>`select to_jsonb(r)::text as row from requests r`
    assert.isAbove(all.length, 500)
    // The end of a key is random, and may be a canary.
    for (const { row } of all) stored(row.replaceAll(/last_four\\+":\\+"\w{4}/g, ""))
    return all.map(({ row }) => row).join("\n")
  })

describeLive(app)("the request log", (it) => {
  it.effect("contains no secret and no personal data if masked, for any request to any route", function* () {
    yield* everyRequest((row) => {
      assert.notMatch(row, personal)
      assert.notMatch(row, known)
      assert.notMatch(row, secrets)
    })
  })

  it.effect("contains the sent data but no secret if full", function* () {
    yield* patch("/v1/account", { request_log: "full" })
    const all = yield* everyRequest((row) => assert.notMatch(row, secrets))
    for (const shown of [person.legal_name, person.email, person.address, "zuvalor"]) assert.include(all, shown)
  })

  it.effect("keeps the message of an error, except the values that it quotes", function* () {
    yield* patch("/v1/account", { request_log: "masked" })
    const refused = yield* post("/v1/customers", { legal_name: "Zu", organization_type: "9", email: "a@b.co" })
    const { json } = yield* get(`/v1/requests/${refused.headers["request-id"]}`)
    const { error } = JSON.parse(json.response_body)
    assert.strictEqual(error.message, refused.json.error.message)
    assert.deepStrictEqual(
      error.errors.map(({ param }: Json) => param),
      refused.json.error.errors.map(({ param }: Json) => param)
    )
  })

  it.effect("keeps no personal data in the place of an id, or from a body longer than the log reads", function* () {
    const nit = { type: "31", number: "900712712", check_digit: "1" }
    const wrong = JSON.stringify({ identification: nit, legal_name: "Zu", organization_type: "1" })
    // The error names the number, without quotes.
    const long = yield* post("/v1/customers", wrong.replace("{", `{${" ".repeat(70_000)}`))
    assert.include(long.json.error.message, nit.number)
    const inBody = yield* post("/v1/invoices", { customer_id: nit.number, id: 900712712 })
    const inQuery = yield* get(`/v1/invoices?customer_id=${nit.number}&starting_after=${nit.number}`)
    for (const { headers } of [long, inBody, inQuery]) {
      const logged = yield* get(`/v1/requests/${headers["request-id"]}`)
      assert.strictEqual(logged.status, 200)
      assert.notInclude(logged.text, nit.number)
    }
  })

  it.effect("keeps no secret of an object, even if the client chooses the names", function* () {
    yield* patch("/v1/account", { request_log: "full" })
    const metadata = { order: "zu 7", password: secret.password, technical_key: secret.technical_key }
    const made = yield* post("/v1/customers", { ...person, metadata })
    const { text } = yield* get(`/v1/requests/${made.headers["request-id"]}`)
    assert.include(text, "zu 7")
    assert.notMatch(text, secrets)
  })
})

/** Whether an error may quote nothing, because not all of the body was read. */
const isUnread = (body: string) => {
  const hidden = makeHidden()
  maskJson(body, { level: "masked", hasMessages: false, hidden })
  return hidden.isAll
}

test("an error quotes nothing from a body that the log keeps only in part", () => {
  assert.isFalse(isUnread(' {"rule": "FAD06", "number": "900712712"}\n'))
  assert.isTrue(isUnread(`{"rule": ["F"${',"F"'.repeat(5_000)}], "number": "900712712"}`))
  assert.isTrue(isUnread(`{${" ".repeat(70_000)}"number": "900712712"}`))
})
