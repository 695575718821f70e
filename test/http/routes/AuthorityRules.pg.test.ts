import { assert, it as test } from "@effect/vitest"
import { Effect } from "effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { invoiceBody, resolutionBody } from "../../support/apps/Invoices.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { addCustomer } from "../../support/apps/PostgresRows.ts"
import { rowCount } from "../../support/database/Owners.ts"
import { post, send, type Sent } from "../../support/apps/Requests.ts"
import { describeLive } from "../../support/Tests.ts"

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
const free = { ...goodLine, unit_price: "0.00", line_extension_amount: "0.00" }
const cents = (amount: string) => ({
  ...goodLine,
  quantity: "1.00",
  unit_price: amount,
  line_extension_amount: amount,
  taxes: [noTax]
})
// A tax of 0.0095 in each line, truncated to zero.
const truncated = {
  ...goodLine,
  quantity: "1.00",
  unit_price: "0.05",
  line_extension_amount: "0.05",
  taxes: [{ ...goodTax, base: "0.05", value: "0.00" }]
}
const carbonOf = (code: string) => ({
  ...goodLine,
  quantity: "1.00",
  line_extension_amount: "50000.00",
  taxes: [{ code, unit_amount: "10.00", units: "1.00", unit_code: "94", value: "10.00" }]
})
const bags = { code: "22", unit_amount: "70.00", units: "2.00", unit_code: "94", value: "140.00" }
const off = { type: "discount", reason: "Promoción", base: "100000.00", amount: "10000.00" }
const discounted = (change: Change) => ({
  lines: [
    goodLine,
    { ...goodLine, line_extension_amount: "91000.00", allowance_charges: [{ ...off, ...change }], taxes: [noTax] }
  ]
})
const reteIva = { code: "05", rate: "15.00", base: "19000.00", value: "2850.00" }
const withheld = (change: Change) => ({ withholdings: [{ ...reteIva, ...change }] })
const payment = (change: Change) => ({ payment_means: { code: "10", type: "1", ...change } })

/** An invoice with a single fault, the rule that it breaks, and the field. */
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
  ["FAV06", line({ line_extension_amount: "100002.01" }), "lines[1].line_extension_amount"],
  ["FAV06", line({ line_extension_amount: undefined }), "lines[1].line_extension_amount"],
  ["FAX16", tax({ code: "99" }), "lines[1].taxes[0].code"],
  ["FAS04", { lines: [carbonOf("02"), carbonOf("23")] }, "lines"],
  ["FAS07", { lines: Array.from({ length: 250 }, () => truncated) }, "lines"],
  ["FAS05", tax({ base: undefined }), "lines[1].taxes[0].base"],
  ["FAY10", tax({ rate: "18.00", value: "18000.00" }), "lines[1].taxes[0].rate"],
  ["FAX09", line({ taxes: [{ ...bags, unit_code: undefined }] }), "lines[1].taxes[0].unit_code"],
  ["FAX07", line({ taxes: [{ ...bags, value: "70.00" }] }), "lines[1].taxes[0].value"],
  ["FAX07", line({ taxes: [{ ...bags, units: "1.00", value: "70.00" }] }), "lines[1].taxes[0].units"],
  ["FAW01", { lines: [goodLine, free] }, "lines[1].reference_price"],
  [
    "FAW03",
    { lines: [{ ...free, reference_price: { amount: "0.00", type: "01" } }] },
    "lines[0].reference_price.amount"
  ],
  ["FBE08", discounted({ percent: "9.00" }), "lines[1].allowance_charges[0].amount"],
  ["FBE08", discounted({ base: "0.00", amount: "9000.00" }), "lines[1].allowance_charges[0].base"],
  ["FAQ08", { allowance_charges: [{ ...off, base: "0.00", amount: "0.00" }] }, "allowance_charges[0].base"],
  ["FAQ06", { allowance_charges: [{ ...off, type: "charge", amount: "100000.01" }] }, "allowance_charges[0].amount"],
  ["FAQ06", { allowance_charges: [{ ...off, percent: "100.01" }] }, "allowance_charges[0].percent"],
  ["FAQ07", { allowance_charges: [{ ...off, amount: "100000.01" }] }, "allowance_charges[0].amount"],
  ["FAQ08", { allowance_charges: [{ ...off, percent: "9.00" }] }, "allowance_charges[0].amount"],
  ["FAU14", { lines: [cents("119.83")], payable_rounding_amount: "-0.83" }, "payable_rounding_amount"],
  ["FAT02", withheld({ value: "2852.01" }), "withholdings[0].value"],
  ["FAT12", withheld({ code: "01" }), "withholdings[0].code"],
  ["FAY05", withheld({ base: "19002.01" }), "withholdings[0].base"],
  ["FAN02", { other_payment_means: [{ code: "10", type: "3" }] }, "other_payment_means[0].type"],
  ["FAN03", { other_payment_means: [{ code: "99", type: "1" }] }, "other_payment_means[0].code"],
  ["FAN04", { other_payment_means: [{ code: "10", type: "2" }] }, "other_payment_means[0].due_date"],
  ["VLR01", { allowance_charges: [{ ...off, base: "300000.00", amount: "119000.01" }] }, "allowance_charges"],
  ["FAX07", tax({ value: "19002.01" }), "lines[1].taxes[0].value"],
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
  ["FAK36", { country_code: "XX" }, "country_code"],
  ["FAK26", { tax_responsibilities: [] }, "tax_responsibilities"],
  ["FAK26", { tax_responsibilities: ["O-13", "O-99"] }, "tax_responsibilities[1]"]
]

const issuers: ReadonlyArray<readonly [rule: string, change: Change, param: string]> = [
  ["FAJ24a", { identification: { type: "31", number: "900373115" } }, "identification.check_digit"],
  ["FAJ24b", { identification: { ...nit, check_digit: "4" } }, "identification.check_digit"],
  ["FAJ09", { city_code: "11002" }, "city_code"],
  ["FAJ12", { department_code: "98" }, "department_code"],
  ["FAJ16", { country_code: "US" }, "country_code"],
  ["FAJ16", { country_code: "XX" }, "country_code"],
  ["FAJ73", { postal_code: "110999" }, "postal_code"]
]

const ranges: ReadonlyArray<readonly [rule: string, change: Change, param: string]> = [
  ["FAD05b", { from_number: 10, next_number: 9 }, "next_number"],
  ["FAD05c", { next_number: 1001 }, "next_number"]
]

/** An invoice that the authority accepts with a remark: the rule and the field. */
const remarks: ReadonlyArray<readonly [rule: string, change: Change, param: string]> = [
  ["FAX09", tax({ code: "02" }), "lines[1].taxes[0].rate"],
  ["FAV03", { operation_type: "09" }, "lines"],
  ["FBD03", { prepayments: [{ amount: "219000.01", received_date: "2026-01-31" }] }, "prepayments"]
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

const rules = Path.join(import.meta.dirname, "../../../src/documents/rules")

const rulesIn = (file: string) =>
  [...Fs.readFileSync(Path.join(rules, file), "utf8").matchAll(/"([A-Z]{3}\d\d[a-z]?)"/g)].map(([, rule]) => rule ?? "")

const written = ["invoices", "transitions", "events", "resolutions", "idempotency_keys", "audit_log", "marks"]

const stored = Effect.forEach(written, rowCount)

const validate = (body: unknown, headers: Sent["headers"] = {}) => post("/v1/invoices/validate", body, headers)

describeLive(app)("The rules of the authority", (it) => {
  it.effect.each(invoices)(
    "%s appears in the errors of validation and of creation: %o",
    function* ([rule, change, param]) {
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
    }
  )

  it.effect.each(others)(
    "$rule appears in the errors: $sent.method $sent.path, $param",
    function* ({ param, rule, sent }) {
      const { json, status } = yield* send(sent)
      assert.strictEqual(status, 400)
      const found = json.error.errors.map((error: Broken) => [error.rule, error.param])
      assert.deepInclude(found, [rule, param])
    }
  )

  test("each have a case here if the sources name them", () => {
    const named = [
      "AuthorityRules.ts",
      "LocalRules.ts",
      ...Fs.globSync("amounts/*.ts", { cwd: rules }),
      "parties/PartyRules.ts",
      "parties/ResolutionRules.ts"
    ]
      .flatMap(rulesIn)
      // NoteRules.test.ts breaks the rules of notes, and Resolutions.pg.test.ts the rule of expired ranges.
      .filter((rule) => !/^[CD]|^FAB08a$/.test(rule))
    const broken = [...[...invoices, ...remarks].map(([rule]) => rule), ...others.map(({ rule }) => rule)]
    // The form of a decimal covers this rule.
    assert.sameMembers([...new Set([...named, "VLR01"])], [...new Set(broken)])
  })

  it.effect.each(remarks)(
    "%s is a warning of validation, which reports the invoice as valid",
    function* ([rule, change, param]) {
      const body = { ...invoiceBody(yield* addCustomer()), ...change }
      const { json } = yield* validate(body)
      assert.deepStrictEqual([json.valid, json.errors, json.warnings.length], [true, [], 1])
      assert.deepInclude(json.warnings[0], { rule, param })
      const wrong = yield* validate({ ...body, customer_id: "cust_1" })
      assert.deepStrictEqual([wrong.json.valid, wrong.json.errors.length], [false, 1])
      assert.deepStrictEqual(wrong.json.warnings, json.warnings)
    }
  )

  it.effect("validation reports no fault of a right invoice, and does not issue it", function* () {
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

  it.effect("validation reports a missing customer next to broken rules", function* () {
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
  it.effect.each(bodies.map((body) => ({ body })))(
    "validation returns the errors of creation for any JSON: $body",
    function* ({ body }) {
      const [verdict, refused] = [
        yield* validate(JSON.stringify(body)),
        yield* post("/v1/invoices", JSON.stringify(body))
      ]
      assert.strictEqual(verdict.status, 200)
      assert.strictEqual(refused.status, 400)
      assert.isNotEmpty(verdict.json.errors)
      assert.deepStrictEqual(verdict.json, { object: "validation", valid: false, errors: refused.json.error.errors })
    }
  )

  it.effect("validation rejects malformed JSON, a missing body, and a query", function* () {
    assert.strictEqual((yield* validate("{")).json.error.code, "malformed_json")
    assert.strictEqual((yield* validate(undefined)).json.error.code, "parameter_missing")
    assert.strictEqual((yield* post("/v1/invoices/validate?x=1", {})).json.error.code, "parameter_unknown")
  })
})
