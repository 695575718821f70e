import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { HttpServer } from "effect/http"
import { SqlClient } from "effect/sql"
import { issue } from "../../support/apps/Correcting.ts"
import { customerBody, endpointBody, invoiceBody, noteBody, resolutionBody } from "../../support/apps/Invoices.ts"
import { keyFile } from "../../support/authority/LiveAccounts.ts"
import { apiKeyIds, keys } from "../../support/apps/Accounts.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { addCustomer, addEndpoint, pastGuards } from "../../support/apps/PostgresRows.ts"
import { bearer, send, type Sent, type Reply } from "../../support/apps/Requests.ts"
import { describeLive } from "../../support/Tests.ts"

const oddValues: ReadonlyArray<unknown> = [
  undefined,
  null,
  true,
  0,
  -1,
  1.5,
  1e21,
  "",
  " ",
  "x",
  "0",
  "-1.00",
  "0.00",
  "999999999999999.99",
  "9".repeat(400),
  "x".repeat(5_000),
  "\u0000",
  "\u2028\ufffe",
  "𝒳é\u0301",
  "'; drop table invoices; --",
  "toString",
  [],
  [null],
  {},
  { toString: "x" },
  { length: 3, 0: "x" }
]

type Json = Record<string, unknown>

/** All copies of `body` with one place replaced by `value`, or with one more member of this value. */
const mutations = (body: unknown, value: unknown): ReadonlyArray<unknown> => {
  if (Array.isArray(body)) {
    const inner = body.flatMap((item, index) => mutations(item, value).map((changed) => body.with(index, changed)))
    return [value, ...inner, [...body, value]]
  }
  if (typeof body !== "object" || body === null) return [value]
  const members = Object.entries(body as Json)
  const inner = members.flatMap(([name, item]) =>
    mutations(item, value).map((changed) => ({ ...body, [name]: changed }))
  )
  return [value, ...inner, { ...body, odd: value }]
}

const isRefused = (status: number) => [400, 404, 409, 413].includes(status)

/**
 * Sends each mutation, and also passes its response to `check`. Returns the number of rejections. No mutation may break
 * the service or get a response without an envelope.
 */
const sendAll = Effect.fnUntraced(function* <E = never, R = never>(
  sent: Sent,
  body: unknown,
  check: (reply: Reply, text: string) => Effect.Effect<unknown, E, R | HttpServer.HttpServer> = () => Effect.void
) {
  let refused = 0
  for (const value of oddValues) {
    for (const changed of mutations(body, value)) {
      const text = JSON.stringify(changed)
      const reply = yield* send({ ...sent, body: text })
      yield* check(reply, text)
      const what = `${reply.text} to ${text?.slice(0, 500)}`
      if (!isRefused(reply.status)) {
        assert.include([200, 201, 202], reply.status, what)
        continue
      }
      refused += 1
      assert.isString(reply.json.error.code, what)
      for (const { message, param } of reply.json.error.errors ?? [reply.json.error]) {
        assert.match(message, /\.$/, what)
        assert.notMatch(message, /does not have the right form/, what)
        assert.isDefined(param, what)
      }
    }
  }
  return refused
})

/** Validation must report the faults for which creation rejects an invoice, and no others. */
const validates = Effect.fnUntraced(function* (made: Reply, body: string) {
  const verdict = yield* send({ method: "POST", path: "/v1/invoices/validate", body })
  const what = `${verdict.text} and ${made.text} to ${body?.slice(0, 500)}`
  if (made.status === 202) {
    assert.deepStrictEqual(verdict.json, { object: "validation", valid: true, errors: [] }, what)
  } else if (made.status === 404) {
    assert.strictEqual(verdict.json.errors?.[0].param, made.json.error.param, what)
  } else if (verdict.status === 200) {
    assert.deepStrictEqual(verdict.json.errors, made.json.error.errors, what)
  } else {
    assert.deepStrictEqual([made.status, made.json.error.code], [verdict.status, verdict.json.error.code], what)
  }
})

/** Removes the created object, so that it does not cause the next rejection. */
const removing = (table: "invoices" | "resolutions" | "webhook_endpoints") => (made: Reply) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    if (![201, 202].includes(made.status)) return
    const removal = sql`delete from ${sql(table)} where id = ${made.json.id}`
    yield* pastGuards(removal)
  })

const wholeCustomer = {
  ...customerBody(),
  email: "compras@example.com",
  address: "Calle 1",
  city_code: "11001",
  department_code: "11",
  country_code: "CO",
  metadata: { order: "1" }
}

describeLive(app)("Bodies with one fault", (it) => {
  it.effect("create a customer or get an error", function* () {
    assert.isAbove(yield* sendAll({ method: "POST", path: "/v1/customers" }, wholeCustomer), 200)
  })

  it.effect("create an invoice, or get the same errors from creation and from validation", function* () {
    const body = {
      ...invoiceBody(yield* addCustomer(), { order: "1" }),
      prefix: "SETP",
      payment_means: { code: "10", type: "2", due_date: "2026-12-31" }
    }
    assert.isAbove(yield* sendAll({ method: "POST", path: "/v1/invoices" }, body, validates), 400)
  })

  it.effect("create a note or an annulment, or get an error", function* () {
    const { id } = yield* issue
    const body = noteBody(id, { order: "1" })
    for (const path of ["/v1/credit-notes", "/v1/debit-notes"]) {
      assert.isAbove(yield* sendAll({ method: "POST", path }, body, removing("invoices")), 300)
    }
    const path = `/v1/invoices/${id}/annul`
    assert.isAbove(yield* sendAll({ method: "POST", path }, { reason: "Error" }, removing("invoices")), 20)
  })

  it.effect("change a customer or get an error", function* () {
    const path = `/v1/customers/${yield* addCustomer()}`
    assert.isAbove(yield* sendAll({ method: "PATCH", path }, wholeCustomer), 200)
  })

  it.effect("create a webhook endpoint or get an error", function* () {
    const body = { ...endpointBody("https://hooks.example.com/"), description: "x", metadata: { order: "1" } }
    const sent = { method: "POST", path: "/v1/webhook-endpoints" }
    assert.isAbove(yield* sendAll(sent, body, removing("webhook_endpoints")), 200)
  })

  it.effect("create or change a resolution, or get an error", function* () {
    const made = yield* send({ method: "POST", path: "/v1/resolutions", body: resolutionBody({ prefix: "M" }) })
    const path = `/v1/resolutions/${made.json.id}`
    assert.isAbove(yield* sendAll({ method: "PATCH", path }, { is_active: true, valid_to: "2027-12-31" }), 50)
    const body = resolutionBody({ document_type: "invoice", next_number: 5 })
    assert.isAbove(yield* sendAll({ method: "POST", path: "/v1/resolutions" }, body, removing("resolutions")), 200)
  })

  it.effect("recover or test a webhook endpoint, or get an error", function* () {
    const path = `/v1/webhook-endpoints/${yield* addEndpoint()}`
    assert.isAbove(yield* sendAll({ method: "POST", path: `${path}/recover` }, { since: new Date().toISOString() }), 50)
    assert.isAbove(yield* sendAll({ method: "POST", path: `${path}/test` }, { type: "invoice.failed" }), 40)
  })

  it.effect("request an email or get an error", function* () {
    const { id } = yield* issue
    const path = `/v1/invoices/${id}/email`
    assert.isAbove(yield* sendAll({ method: "POST", path }, { to: "compras@example.com" }), 50)
  })

  it.effect("change the account or get an error", function* () {
    const body = {
      name: "Cuenta",
      identification: { type: "31", number: "900373115", check_digit: "3" },
      legal_name: "Folio Sandbox S.A.S.",
      email: "facturas@folio.test",
      city_code: "11001",
      department_code: "11",
      country_code: "CO",
      tax_responsibilities: ["R-99-PN"]
    }
    assert.isAbove(yield* sendAll({ method: "PATCH", path: "/v1/account" }, body), 200)
  })

  it.effect("upload a certificate or get an error", function* () {
    const { password, pkcs12 } = keyFile({ now: Date.now() })
    const headers = bearer(keys.live)
    const sent = { method: "POST", path: "/v1/account/certificate", headers }
    assert.isAbove(yield* sendAll(sent, { pkcs12, password }), 60)
  })

  it.effect("roll a key or get an error", function* () {
    const path = `/v1/api-keys/${apiKeyIds.secondTest}/roll`
    assert.isAbove(yield* sendAll({ method: "POST", path }, { expires_in: 60 }), 60)
  })

  it.effect("change a webhook endpoint or get an error", function* () {
    const id = yield* addEndpoint()
    const body = { ...endpointBody("https://hooks.example.com/"), is_active: true, metadata: {} }
    assert.isAbove(yield* sendAll({ method: "PATCH", path: `/v1/webhook-endpoints/${id}` }, body), 200)
  })
})
