import { assert } from "@effect/vitest"
import { type Schema, SchemaAST } from "effect"
import { CustomerRequest } from "../../../schemas/Customer.ts"
import { InvoiceRequest } from "../../../schemas/Invoice.ts"
import { CreditNoteRequest, DebitNoteRequest } from "../../../schemas/Note.ts"
import {
  customerBody,
  endpointBody,
  invoiceBody,
  originalNoteBody,
  resolutionBody
} from "../../support/apps/Invoices.ts"
import { layer as app } from "../../support/apps/MemoryApp.ts"
import { addCustomer } from "../../support/apps/MemoryRows.ts"
import { get, post, send } from "../../support/apps/Requests.ts"
import { describeOn } from "../../support/Tests.ts"

const faults = (errors: ReadonlyArray<{ readonly param: string; readonly code: string }>) =>
  errors.map(({ code, param }) => `${param}: ${code}`).toSorted()

const [line] = invoiceBody("").lines
const [tax] = line?.taxes ?? []

describeOn(app)("validation", (it) => {
  it.effect("names an unknown customer next to a wrong tax, in creation and in validation", function* () {
    const wrong = { ...invoiceBody("cust_1"), lines: [{ ...line, taxes: [{ ...tax, value: "29000.00" }] }] }
    const codes = ["customer_id: resource_missing", "lines[0].taxes[0].value: tax_mismatch"]
    const { json, status } = yield* post("/v1/invoices", wrong)
    assert.strictEqual(status, 400)
    assert.deepStrictEqual(faults(json.error.errors), codes)
    assert.deepStrictEqual(faults((yield* post("/v1/invoices/validate", wrong)).json.errors), codes)
  })

  it.effect("names the rules that a body breaks next to the faults of its form, of every kind of body", function* () {
    const wrongTax = { ...line, taxes: [{ ...tax, value: "29000.00" }] }
    const taxFault = "lines[0].taxes[0].value: tax_mismatch"
    const noOne = "customer_id: resource_missing"
    const customer = { ...customerBody(), identification: { type: "31", number: "900373115", check_digit: "4" } }
    const digit = "identification.check_digit: invalid_check_digit"
    const invoice = { ...invoiceBody("cust_1"), lines: [wrongTax] }
    const note = { ...originalNoteBody("cust_1"), lines: [wrongTax] }
    const unnamed = { ...invoice, customer_id: undefined, payment_means: { code: "10", type: "2" } }
    const cases: ReadonlyArray<readonly [path: string, body: object, expected: ReadonlyArray<string>]> = [
      ["/v1/customers", { ...customer, email: "x" }, [digit, "email: parameter_invalid"]],
      ["/v1/customers", { ...customer, legal_name: undefined }, [digit, "legal_name: parameter_missing"]],
      ["/v1/customers/validate", { ...customer, emial: "x@example.com" }, ["emial: parameter_unknown", digit]],
      ["/v1/invoices", { ...invoice, note: "x" }, ["note: parameter_unknown", taxFault, noOne]],
      ["/v1/invoices/validate", { ...invoice, prefix: 5 }, ["prefix: parameter_invalid", taxFault, noOne]],
      [
        "/v1/invoices",
        { ...unnamed, metadata: { 'a"': "x" } },
        [
          "customer_id: parameter_missing",
          "payment_means.due_date: due_date_required",
          taxFault,
          'metadata["a\\""]: parameter_invalid'
        ]
      ],
      ["/v1/invoices/inv_1/correct", { ...invoice, note: "x" }, ["note: parameter_unknown", taxFault, noOne]],
      ["/v1/credit-notes", { ...note, nota: "x" }, ["nota: parameter_unknown", taxFault, noOne]],
      ["/v1/debit-notes/validate", { ...note, nota: "x" }, ["nota: parameter_unknown", taxFault, noOne]],
      [
        "/v1/resolutions",
        resolutionBody({ from_number: 2, to_number: 1, number: "A1", unknown: 1 }),
        ["unknown: parameter_unknown", "number: parameter_invalid", "to_number: parameter_invalid"]
      ],
      [
        "/v1/webhook-endpoints",
        { ...endpointBody("http://10.0.0.1/"), max_in_flight: 0 },
        ["url: url_not_https", "max_in_flight: parameter_invalid"]
      ]
    ]
    for (const [path, body, expected] of cases) {
      const { json } = yield* post(path, body)
      const errors: ReadonlyArray<{ readonly param: string; readonly code: string }> = json.errors ?? json.error.errors
      assert.deepStrictEqual(
        errors.map(({ code, param }) => `${param}: ${code}`),
        expected,
        path
      )
    }
  })

  it.effect("reports the rules that a body breaks next to each optional member of a wrong type", function* () {
    const customer = yield* addCustomer()
    const lines = [{ ...line, line_extension_amount: "1.00" }]
    const wrongLine = "lines[0].line_extension_amount: amount_mismatch"
    const invoice = { ...invoiceBody(customer), lines }
    const note = { ...originalNoteBody(customer), lines }
    const wrongDigit = { type: "31", number: "900373115", check_digit: "4" }
    const buyer = { ...customerBody(), identification: wrongDigit }
    const kinds: ReadonlyArray<
      readonly [paths: ReadonlyArray<string>, schema: Schema.Top, body: object, rule: string]
    > = [
      [["/v1/invoices", "/v1/invoices/validate", "/v1/invoices/inv_1/correct"], InvoiceRequest, invoice, wrongLine],
      [["/v1/credit-notes", "/v1/credit-notes/validate"], CreditNoteRequest, note, wrongLine],
      [["/v1/debit-notes/validate", "/v1/debit-notes/dn_1/correct"], DebitNoteRequest, note, wrongLine],
      [["/v1/customers"], CustomerRequest, buyer, "identification.check_digit: invalid_check_digit"]
    ]
    for (const [paths, { ast }, body, rule] of kinds) {
      const members = SchemaAST.isObjects(ast) ? ast.propertySignatures : []
      const names = members.filter(({ type }) => SchemaAST.isOptional(type)).map(({ name }) => String(name))
      assert.isAtLeast(names.length, 2)
      for (const path of paths) {
        for (const name of ["unknown", ...names]) {
          if (rule.startsWith(name)) continue
          const { json } = yield* post(path, { ...body, [name]: 5.5 })
          const found = faults(json.errors ?? json.error.errors)
          assert.include(found, rule, `${path} ${name}`)
          assert.isTrue(
            found.some((fault) => fault.startsWith(`${name}: `)),
            `${path} ${name}: ${found}`
          )
        }
      }
    }
  })

  it.effect("reports every rule that does not need the wrong member", function* () {
    const wrong = {
      ...invoiceBody("cust_1"),
      payment_means: { code: "10", type: "2" },
      operation_type: 10,
      exchange_rate: "1.00",
      prepayments: 5,
      other_payment_means: [5, { code: "10", type: "2" }],
      withholdings: [
        { code: "06", rate: "2.50", base: "100.00", value: 3 },
        { code: "06", rate: "2.50", base: "100.00", value: "9.00" }
      ],
      delivery: { city_code: "98001", department_code: 11 },
      lines: [5, { ...line, line_extension_amount: "1.00", taxes: [5, { ...tax, rate: "18.00" }] }]
    }
    const { json } = yield* post("/v1/invoices", wrong)
    assert.deepStrictEqual(faults(json.error.errors), [
      "customer_id: resource_missing",
      "delivery.city_code: unknown_catalog_code",
      "delivery.department_code: parameter_invalid",
      "exchange_rate: parameter_conflict",
      "lines[0]: parameter_invalid",
      "lines[1].line_extension_amount: amount_mismatch",
      "lines[1].taxes[0]: parameter_invalid",
      "operation_type: unknown_catalog_code",
      "other_payment_means[0]: parameter_invalid",
      "other_payment_means[1].due_date: due_date_required",
      "payment_means.due_date: due_date_required",
      "prepayments: parameter_invalid",
      "withholdings[0].value: parameter_invalid",
      "withholdings[1].code: tax_mismatch",
      "withholdings[1].value: tax_mismatch"
    ])
  })

  it.effect("looks up no range for a document that keeps its number", function* () {
    const prefix = "NONE"
    const noRange = "prefix: parameter_invalid"
    const invoice = { ...invoiceBody(yield* addCustomer()), unknown: 1, prefix }
    const note = { ...originalNoteBody(yield* addCustomer()), unknown: 1, prefix }
    const cases = [
      ["/v1/invoices", "/v1/invoices/inv_1/correct", invoice],
      ["/v1/credit-notes", "/v1/credit-notes/cn_1/correct", note],
      ["/v1/debit-notes", "/v1/debit-notes/dn_1/correct", note]
    ] as const
    for (const [create, correct, body] of cases) {
      const created = yield* post(create, body)
      assert.deepStrictEqual(faults(created.json.error.errors), [noRange, "unknown: parameter_unknown"], create)
      const corrected = yield* post(correct, body)
      assert.deepStrictEqual(faults(corrected.json.error.errors), ["unknown: parameter_unknown"], correct)
    }
  })

  it.effect("checks no figure with a part that does not fit its schema", function* () {
    const wrong = { ...line, line_extension_amount: "1.00" }
    const faulty = {
      ...line,
      line_extension_amount: "90000.00",
      allowance_charges: [{ type: "discount", amount: 10000 }]
    }
    const withholdings = [{ code: "05", rate: "15.00", base: "76000.00", value: "11400.00" }]
    const body = { ...invoiceBody(yield* addCustomer()), lines: [line, faulty, wrong, line], withholdings }
    const { json } = yield* post("/v1/invoices", body)
    const params = json.error.errors.map(({ param }: { readonly param: string }) => param)
    assert.deepStrictEqual(params, [
      "lines[1].allowance_charges[0].reason",
      "lines[1].allowance_charges[0].base",
      "lines[1].allowance_charges[0].amount",
      "lines[2].line_extension_amount"
    ])
  })

  it.effect("names no more than a hundred faults of form and rules together", function* () {
    const lines = Array.from({ length: 99 }, () => ({ ...line, unknown: 1, line_extension_amount: "1.00" }))
    const { json } = yield* post("/v1/invoices", { ...invoiceBody("cust_1"), lines })
    assert.lengthOf(json.error.errors, 100)
    assert.isTrue(json.error.has_more_errors)
    const [first, second] = json.error.errors
    assert.deepStrictEqual([first.param, second.param], ["lines[0].unknown", "lines[0].line_extension_amount"])
  })

  it.effect("makes no look-up with a text that has U+0000", function* () {
    const note = { ...originalNoteBody("cust_\u00001"), nota: "x" }
    const { json, status } = yield* post("/v1/credit-notes", note)
    assert.strictEqual(status, 400)
    assert.deepStrictEqual(faults(json.error.errors), ["nota: parameter_unknown"])
  })

  it.effect("reports every fault in the form of a request, each with its path", function* () {
    const { json, status } = yield* post("/v1/invoices", {
      custmer_id: "cust_1",
      currency: "cop",
      operation_type: 10,
      payment_means: { code: "99", type: "2", due_date: "tomorrow", term: 30 },
      lines: [
        line,
        {
          ...line,
          description: "",
          quantity: "1",
          unit_code: "KILO",
          taxes: [tax, { ...tax, code: "1", rate: 19 }]
        },
        { description: "x" }
      ],
      metadata: { "order.id": 1, ["k".repeat(41)]: "v" }
    })
    assert.strictEqual(status, 400)
    assert.deepStrictEqual(
      faults(json.error.errors),
      [
        "currency: parameter_invalid",
        "custmer_id: parameter_unknown",
        "customer_id: parameter_missing",
        "lines[1].description: parameter_invalid_empty",
        "lines[1].quantity: parameter_invalid",
        "lines[1].taxes[1].code: unknown_catalog_code",
        "lines[1].taxes[1].rate: parameter_invalid",
        "lines[1].unit_code: unknown_catalog_code",
        "lines[2].line_extension_amount: parameter_missing",
        "lines[2].quantity: parameter_missing",
        "lines[2].taxes: parameter_missing",
        "lines[2].unit_code: parameter_missing",
        "lines[2].unit_price: parameter_missing",
        'metadata["order.id"]: parameter_invalid',
        `metadata.${"k".repeat(41)}: parameter_too_long`,
        "operation_type: unknown_catalog_code",
        "payment_means.code: unknown_catalog_code",
        "payment_means.due_date: parameter_invalid",
        "payment_means.term: parameter_unknown"
      ].toSorted()
    )
    const [first] = json.error.errors
    assert.deepInclude(json.error, first)
    for (const { message } of json.error.errors) assert.match(message, /^\S.*\.$/)
  })

  it.effect("reports every rule that a well-formed invoice breaks", function* () {
    const { json, status } = yield* post("/v1/invoices", {
      ...invoiceBody(yield* addCustomer()),
      currency: "USD",
      payment_means: { code: "10", type: "2" },
      lines: [
        { ...line, line_extension_amount: "1.00", taxes: [{ ...tax, value: "1.00" }, tax] },
        { ...line, quantity: "0.00" },
        { ...line, taxes: [{ code: "ZZ", rate: "1.00", base: "0.00", value: "0.00" }] }
      ]
    })
    assert.strictEqual(status, 400)
    assert.deepStrictEqual(faults(json.error.errors), [
      "exchange_rate: parameter_missing",
      "lines[0].line_extension_amount: amount_mismatch",
      "lines[0].taxes[0].value: tax_mismatch",
      "lines[0].taxes[1].code: tax_mismatch",
      "lines[1].quantity: parameter_invalid",
      "lines[2].taxes[0].rate: tax_mismatch",
      "payment_means.due_date: due_date_required"
    ])
  })

  it.effect("reports every fault of a query", function* () {
    const { json } = yield* get("/v1/invoices?limit=0&statsu=draft&Limit=5")
    assert.deepStrictEqual(faults(json.error.errors), [
      "Limit: parameter_unknown",
      "limit: parameter_invalid",
      "statsu: parameter_unknown"
    ])
  })

  it.effect("names a field once, by its first fault", function* () {
    const { json } = yield* post("/v1/customers", { ...customerBody(), email: `${"x".repeat(300)}` })
    assert.deepStrictEqual(faults(json.error.errors), ["email: parameter_too_long"])
  })

  it.effect("accepts values at their limits", function* () {
    const metadata = {
      ...Object.fromEntries(Array.from({ length: 49 }, (_, index) => [`key ${index}`, "x".repeat(500)])),
      ["ñ".repeat(40)]: ""
    }
    const customer = yield* post("/v1/customers", { ...customerBody(), legal_name: "Ñ".repeat(450), metadata })
    assert.strictEqual(customer.status, 201, customer.text)
    assert.deepStrictEqual(customer.json.metadata, metadata)
    const lines = Array.from({ length: 500 }, () => line)
    const invoice = yield* post("/v1/invoices", { ...invoiceBody(customer.json.id), lines })
    assert.strictEqual(invoice.status, 202, invoice.text)
  })

  it.effect("limits white space to exactly 256 KiB", function* () {
    const text = JSON.stringify(customerBody())
    const full = text + " ".repeat(256 * 1024 - text.length)
    assert.strictEqual((yield* post("/v1/customers", full)).status, 201)
    assert.strictEqual((yield* send({ method: "POST", path: "/v1/customers", body: full, chunked: true })).status, 201)
    assert.strictEqual((yield* post("/v1/customers", `${full} `)).status, 413)
  })

  it.effect("accepts 32 levels, and names that only look reserved", function* () {
    const deep = yield* post("/v1/customers", `${'{"a":'.repeat(32)}1${"}".repeat(32)}`)
    assert.strictEqual(deep.json.error.code, "parameter_unknown")
    const named = { ...customerBody(), metadata: { __proto: "a", Constructor: "b", toString: "c" } }
    const answer = yield* post("/v1/customers", named)
    assert.strictEqual(answer.status, 201, answer.text)
    assert.deepStrictEqual({ ...answer.json.metadata }, named.metadata)
  })
})
