import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Issuer } from "../../schemas/Account.ts"
import { readSignedDocument } from "../../src/documents/SignedDocument.ts"
import { Telling } from "../../src/entities/Telling.ts"
import { customerBody, invoiceBody } from "../support/Invoices.ts"
import { account, apiKeyIds, keys, layer as app } from "../support/MemoryApp.ts"
import { addCustomer, addNumbered } from "../support/MemoryRows.ts"
import { MemoryTables } from "../support/MemoryTables.ts"
import { get, post, send } from "../support/Requests.ts"

const patch = (body: unknown, headers = {}) => send({ method: "PATCH", path: "/v1/account", body, headers })

const changes: ReadonlyArray<Record<string, unknown>> = [
  {},
  { name: "Otra cuenta" },
  { identification: { type: "31", number: "800197268", check_digit: "4" } },
  { legal_name: "Otra S.A.S." },
  { organization_type: "2" },
  { email: "otra@example.com" },
  { address: "Calle 2" },
  { city_code: "05001", department_code: "05" },
  { tax_responsibilities: ["O-13", "O-15"] },
  { default_version: "2026-01-01" }
]

const issuerFields = Object.keys(Issuer.fields)

const as = (key: string) => ({ authorization: `Bearer ${key}` })

const issuerOf = Effect.fnUntraced(function* (id: string) {
  const { tables, until } = yield* MemoryTables
  yield* until(({ invoices }) => invoices.get(id)?.next_action_at === null)
  return readSignedDocument(tables.documents.get(id)?.signed ?? new Uint8Array())?.issuer
})

const issue = Effect.gen(function* () {
  const customer = yield* post("/v1/customers", customerBody())
  return String((yield* post("/v1/invoices", invoiceBody(customer.json.id))).json.id)
})

layer(app)("PATCH /v1/account", (it) => {
  it.effect("changes what it names and nothing else; POST is the same", () =>
    Effect.gen(function* () {
      let { json: before } = yield* get("/v1/account")
      for (const change of changes) {
        for (const method of ["PATCH", "POST"]) {
          const reply = yield* send({ method, path: "/v1/account", body: change })
          assert.strictEqual(reply.status, 200, reply.text)
          before = { ...before, ...change }
          assert.deepStrictEqual(reply.json, before)
          assert.deepStrictEqual((yield* get("/v1/account")).json, before)
        }
      }
    })
  )

  it.effect("changes the mode of its key alone", () =>
    Effect.gen(function* () {
      for (const [mine, theirs] of [
        [keys.test, keys.live],
        [keys.live, keys.test]
      ] as const) {
        const before = (yield* get("/v1/account", as(theirs))).json
        for (const change of changes) {
          const reply = yield* patch(change, as(mine))
          assert.strictEqual(reply.status, 200, reply.text)
          assert.deepInclude(reply.json, change)
          assert.deepStrictEqual((yield* get("/v1/account", as(theirs))).json, before)
        }
      }
    })
  )

  it.effect("gives a live mode its first issuer whole, and says until then what is missing", () =>
    Effect.gen(function* () {
      const { tables } = yield* MemoryTables
      const live = as(keys.live)
      const row = tables.accounts.get(`${account}|true`)!
      const { json: whole } = yield* get("/v1/account")
      const issuer = Object.fromEntries(issuerFields.map((field) => [field, whole[field]]))
      tables.accounts.set(`${account}|true`, { ...row, issuer: null, issuer_version: 0 })

      const empty = Object.fromEntries(issuerFields.map((field) => [field, null]))
      assert.deepInclude((yield* get("/v1/account", live)).json, { ...empty, key_mode: "live" })
      const refused = yield* post("/v1/invoices", invoiceBody("cust_none"), live)
      assert.deepStrictEqual([refused.status, refused.json.error.code], [403, "account_not_live"])
      assert.match(refused.json.error.message, /no live issuer .*PATCH \/v1\/account/)
      const named = yield* patch({ name: "En vivo" }, live)
      assert.deepInclude(named.json, { ...empty, name: "En vivo" })
      for (const field of issuerFields) {
        const { [field]: _, ...part } = issuer
        const lacking = yield* patch(part, live)
        assert.strictEqual(lacking.status, 400, lacking.text)
        assert.deepStrictEqual(
          [lacking.json.error.code, lacking.json.error.param, lacking.json.error.errors.length],
          ["parameter_missing", field, 1]
        )
      }
      const wrong = yield* patch({ ...issuer, department_code: "08" }, live)
      assert.deepStrictEqual([wrong.status, wrong.json.error.param], [400, "department_code"])
      assert.deepInclude((yield* get("/v1/account", live)).json, empty)
      const given = yield* patch(issuer, live)
      assert.deepInclude(given.json, { ...issuer, name: "En vivo", key_mode: "live" })
      assert.notMatch((yield* post("/v1/invoices", invoiceBody("cust_none"), live)).text, /account_not_live/)
    })
  )

  it.effect("holds for what is numbered afterwards, and for nothing that was", () =>
    Effect.gen(function* () {
      const { tables } = yield* MemoryTables
      yield* patch({ legal_name: "Antes S.A.S." })
      const issued = yield* issue
      const before = yield* issuerOf(issued)
      assert.strictEqual(before?.legal_name, "Antes S.A.S.")
      const bytes = tables.documents.get(issued)?.signed
      // Numbered, and hashed with the NIT of that moment; signed later.
      const numbered = yield* addNumbered(yield* addCustomer())
      const row = tables.invoices.get(numbered.id)
      tables.invoices.set(numbered.id, {
        ...row!,
        issuer_version: tables.accounts.get(`${account}|false`)?.issuer_version ?? 0
      })

      yield* patch({
        legal_name: "Después S.A.S.",
        identification: { type: "31", number: "900123456", check_digit: "8" }
      })
      const telling = yield* Telling
      yield* telling.proceed(numbered)
      assert.deepStrictEqual(yield* issuerOf(numbered.id), before)
      assert.deepInclude(yield* issuerOf(yield* issue), { legal_name: "Después S.A.S." })
      assert.strictEqual(tables.documents.get(issued)?.signed, bytes)
    }).pipe(Effect.provide(Telling.layer))
  )

  it.effect("is done once for one Idempotency-Key, and recorded with who did it", () =>
    Effect.gen(function* () {
      const { tables } = yield* MemoryTables
      const key = { "idempotency-key": "patch" }
      const recorded = () => tables.auditLog.filter(({ action }) => action === "account.updated")
      const count = recorded().length
      const first = yield* patch({ name: "Una vez" }, key)
      yield* patch({ name: "Otra vez" })
      const again = yield* patch({ name: "Una vez" }, key)
      assert.strictEqual(again.text, first.text)
      assert.strictEqual((yield* get("/v1/account")).json.name, "Otra vez")
      assert.strictEqual((yield* patch({ name: "x" }, key)).json.error.code, "idempotency_conflict")
      assert.strictEqual(recorded().length, count + 2)
      assert.deepInclude(recorded().at(-1), { actor: apiKeyIds.test, object_id: account })
    })
  )
})

layer(app)("GET /v1/versions", (it) => {
  it.effect("lists the versions without a key, the current one first", () =>
    Effect.gen(function* () {
      const { json, status } = yield* get("/v1/versions", { authorization: undefined })
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(json, {
        object: "list",
        url: "/v1/versions",
        has_more: false,
        data: [{ object: "version", version: "2026-01-01", is_current: true }]
      })
    })
  )
})

layer(app)("the issuer", (it) => {
  it.effect("changes at most a hundred times within a day, and then says when it may again", () =>
    Effect.gen(function* () {
      const { tables } = yield* MemoryTables
      const version = () => tables.accounts.get(`${account}|false`)?.issuer_version ?? 0
      while (version() < 100) assert.strictEqual((yield* patch({ legal_name: `Nombre ${version()}` })).status, 200)
      const { headers, json, status } = yield* patch({ legal_name: "Uno más" })
      assert.deepStrictEqual([status, json.error?.code], [429, "rate_limited"])
      assert.match(String(headers["retry-after"]), /^86\d{3}$/)
      assert.strictEqual((yield* patch({ name: "Otra vez otra cuenta" })).status, 200)
      yield* TestClock.adjust("1 day")
      assert.strictEqual((yield* patch({ legal_name: "Uno más" })).status, 200)
    })
  )
})
