import { assert, it as test } from "@effect/vitest"
import { Effect } from "effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { invoiceBody, resolutionBody } from "../../support/apps/Invoices.ts"
import { layer as app } from "../../support/apps/MemoryApp.ts"
import { addCustomer } from "../../support/apps/MemoryRows.ts"
import { MemoryTables } from "../../support/memory/MemoryTables.ts"
import { post, send, type Sent } from "../../support/apps/Requests.ts"
import { describeOn } from "../../support/Tests.ts"

type Change = Record<string, unknown>

interface Broken {
  readonly rule: string
  readonly sent: Sent
  readonly param: string
}

const [goodLine] = invoiceBody("").lines
const [goodTax] = goodLine?.taxes ?? []

const line = (change: Change) => ({ lines: [goodLine, { ...goodLine, ...change }] })
const tax = (change: Change) => line({ taxes: [{ ...goodTax, ...change }] })
const noTax = { code: "ZZ", rate: "0.00", base: "0.00", value: "0.00" }
const payment = (change: Change) => ({ payment_means: { code: "10", type: "1", ...change } })

/** An invoice that is right but for one thing, the rule that it breaks and where. */
const invoices: ReadonlyArray<readonly [rule: string, change: Change, param: string]> = [
  ["FAD02", { operation_type: "99" }, "operation_type"],
  ["FAD02", { operation_type: undefined }, "operation_type"],
  ["FAD15a", { currency: "pesos" }, "currency"],
  ["FAD15a", { currency: "ZZZ" }, "currency"],
  ["FAR01", { currency: "USD" }, "exchange_rate"],
  ["FAR01", { currency: "USD", exchange_rate: "0.00" }, "exchange_rate"],
  ["FAN01", { payment_means: undefined }, "payment_means"],
  ["FAN02", payment({ type: "3" }), "payment_means.type"],
  ["FAN03", payment({ code: "99" }), "payment_means.code"],
  ["FAN04", payment({ type: "2" }), "payment_means.due_date"],
  ["FAV01", { lines: [] }, "lines"],
  ["FAV01", { lines: undefined }, "lines"],
  ["FAZ02", line({ description: "" }), "lines[1].description"],
  ["FAZ02", line({ description: undefined }), "lines[1].description"],
  ["FAV04a", line({ quantity: undefined }), "lines[1].quantity"],
  ["FAV04b", line({ quantity: "-2.00" }), "lines[1].quantity"],
  ["FAV06", line({ line_extension_amount: "100000.01" }), "lines[1].line_extension_amount"],
  ["FAV06", line({ line_extension_amount: undefined }), "lines[1].line_extension_amount"],
  ["FAX16", tax({ code: "99" }), "lines[1].taxes[0].code"],
  ["FAS05", tax({ base: undefined }), "lines[1].taxes[0].base"],
  ["FAX07", tax({ value: "19000.01" }), "lines[1].taxes[0].value"],
  ["FAX01", line({ taxes: [goodTax, goodTax] }), "lines[1].taxes[1].code"],
  ["FAS01a", line({ taxes: [goodTax, noTax] }), "lines[1].taxes[1].code"],
  ["FAS01a", line({ taxes: [{ ...noTax, rate: "19.00" }] }), "lines[1].taxes[0].rate"],
  ["VLR01", line({ unit_price: "-50000.00" }), "lines[1].unit_price"],
  ["VLR01", tax({ rate: "-19.00" }), "lines[1].taxes[0].rate"]
]

const place = { city_code: "11001", department_code: "11", country_code: "CO" }
const nit = { type: "31", number: "900373115", check_digit: "3" }
const buyer = { identification: nit, legal_name: "Cliente S.A.S.", organization_type: "1", ...place }

const customers: ReadonlyArray<readonly [rule: string, change: Change, param: string]> = [
  ["FAK02", { organization_type: "3" }, "organization_type"],
  ["FAK20", { legal_name: " " }, "legal_name"],
  ["FAK20", { legal_name: undefined }, "legal_name"],
  ["FAK21", { identification: undefined }, "identification"],
  ["FAK21", { identification: { type: "13" } }, "identification.number"],
  ["FAK48", { identification: { type: "99", number: "1" } }, "identification.type"],
  ["FAK24", { identification: { type: "31", number: "900373115" } }, "identification.check_digit"],
  ["FAK25", { identification: { ...nit, check_digit: "4" } }, "identification.check_digit"],
  ["FAK29", { city_code: "11002" }, "city_code"],
  ["FAK32", { department_code: "98" }, "department_code"],
  ["FAK36", { country_code: "XX" }, "country_code"]
]

const issuers: ReadonlyArray<readonly [rule: string, change: Change, param: string]> = [
  ["FAJ24a", { identification: { type: "31", number: "900373115" } }, "identification.check_digit"],
  ["FAJ24b", { identification: { ...nit, check_digit: "4" } }, "identification.check_digit"],
  ["FAJ09", { city_code: "11002" }, "city_code"],
  ["FAJ12", { department_code: "98" }, "department_code"],
  ["FAJ16", { country_code: "US" }, "country_code"],
  ["FAJ16", { country_code: "XX" }, "country_code"]
]

const ranges: ReadonlyArray<readonly [rule: string, change: Change, param: string]> = [
  ["FAD05b", { from_number: 10, next_number: 9 }, "next_number"],
  ["FAD05c", { next_number: 1001 }, "next_number"]
]

const others: ReadonlyArray<Broken> = [
  ...customers.map(([rule, change, param]) => ({
    rule,
    param,
    sent: { method: "POST", path: "/v1/customers", body: { ...buyer, ...change } }
  })),
  ...issuers.map(([rule, change, param]) => ({
    rule,
    param,
    sent: { method: "PATCH", path: "/v1/account", body: change }
  })),
  ...ranges.map(([rule, change, param]) => ({
    rule,
    param,
    sent: { method: "POST", path: "/v1/resolutions", body: resolutionBody(change) }
  }))
]

const rulesIn = (file: string) =>
  [
    ...Fs.readFileSync(Path.join(import.meta.dirname, "../../../src/domain", file), "utf8").matchAll(
      /"([A-Z]{3}\d\d[a-z]?)"/g
    )
  ].map(([, rule]) => rule ?? "")

const stored = Effect.map(MemoryTables, ({ tables }) => Object.values(tables).map((rows) => [...rows.values()].length))

const validate = (body: unknown, headers: Sent["headers"] = {}) => post("/v1/invoices/validate", body, headers)

describeOn(app)("a rule of the authority", (it) => {
  it.effect.each(invoices)("%s is named by validation and by creation: %o", function* ([rule, change, param]) {
    const body = { ...invoiceBody(yield* addCustomer()), ...change }
    const before = yield* stored
    const { json, status } = yield* validate(body)
    assert.deepStrictEqual([status, json.object, json.valid], [200, "validation", false])
    assert.lengthOf(json.errors, 1)
    const [error] = json.errors
    assert.deepStrictEqual([error.rule, error.param], [rule, param])
    assert.match(error.message, /^\S.*\.$/)
    const refused = yield* post("/v1/invoices", body)
    assert.strictEqual(refused.status, 400)
    assert.deepStrictEqual(refused.json.error.errors, json.errors)
    assert.deepStrictEqual(yield* stored, before)
  })

  it.effect.each(others)("$rule is named: $sent.method $sent.path, $param", function* ({ param, rule, sent }) {
    const { json, status } = yield* send(sent)
    assert.strictEqual(status, 400)
    const found = json.error.errors.map((error: Broken) => [error.rule, error.param])
    assert.deepInclude(found, [rule, param])
  })

  test("is broken here if it is named anywhere", () => {
    const named = [
      "documents/AuthorityRules.ts",
      "documents/LocalRules.ts",
      "accounts/PartyRules.ts",
      "accounts/ResolutionRules.ts"
    ].flatMap(rulesIn)
    const broken = [...invoices.map(([rule]) => rule), ...others.map(({ rule }) => rule)]
    // Found by the form of a decimal.
    assert.sameMembers([...new Set([...named, "VLR01"])], [...new Set(broken)])
  })
})

describeOn(app)("POST /v1/invoices/validate", (it) => {
  it.effect("finds nothing wrong with what can be issued, and issues nothing", function* () {
    const body = invoiceBody(yield* addCustomer(), { order: "1" })
    const before = yield* stored
    for (const headers of [{}, { "idempotency-key": undefined }]) {
      const { json, status } = yield* validate(body, headers)
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(json, { object: "validation", valid: true, errors: [] })
    }
    assert.deepStrictEqual(yield* stored, before)
    assert.strictEqual((yield* post("/v1/invoices", body)).status, 202)
  })

  it.effect("tells everything at once: a customer who is not there beside the rules", function* () {
    const { json } = yield* validate({ ...invoiceBody("cust_1"), currency: "USD", ...tax({ value: "1.00" }) })
    assert.deepStrictEqual(
      json.errors.map(({ code, param }: Change) => [param, code]),
      [
        ["customer_id", "resource_missing"],
        ["exchange_rate", "parameter_missing"],
        ["lines[1].taxes[0].value", "tax_mismatch"]
      ]
    )
  })

  const bodies = [{}, [], null, 5, "x", { odd: 1 }, { ...invoiceBody("cust_1"), odd: 1 }]
  it.effect.each(bodies.map((body) => ({ body })))("judges any JSON as creation does: $body", function* ({ body }) {
    const [verdict, refused] = [
      yield* validate(JSON.stringify(body)),
      yield* post("/v1/invoices", JSON.stringify(body))
    ]
    assert.strictEqual(verdict.status, 200)
    assert.strictEqual(refused.status, 400)
    assert.isNotEmpty(verdict.json.errors)
    assert.deepStrictEqual(verdict.json, { object: "validation", valid: false, errors: refused.json.error.errors })
  })

  it.effect("refuses what is no JSON, no body, and a query", function* () {
    assert.strictEqual((yield* validate("{")).json.error.code, "malformed_json")
    assert.strictEqual((yield* validate(undefined)).json.error.code, "parameter_missing")
    assert.strictEqual((yield* post("/v1/invoices/validate?x=1", {})).json.error.code, "parameter_unknown")
  })
})
