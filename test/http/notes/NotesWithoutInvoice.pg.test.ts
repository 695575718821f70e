import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { localDate } from "../../../src/runtime/AuthorityTime.ts"
import { documentKinds } from "../../../schemas/DocumentKinds.ts"
import { readSignedDocument } from "../../../src/documents/signature/SignedDocument.ts"
import { codeOf, issue, settled } from "../../support/apps/Correcting.ts"
import { customerBody, invoiceBody, noteBody, originalNoteBody, periodNoteBody } from "../../support/apps/Invoices.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { addCustomer, become, change } from "../../support/apps/PostgresRows.ts"
import { rowCount } from "../../support/database/Owners.ts"
import { fetchBytes, get, post } from "../../support/apps/Requests.ts"
import { describeLive } from "../../support/Tests.ts"

const xmlOf = (path: string) =>
  Effect.map(fetchBytes({ path: `${path}/xml` }), ({ bytes }) => ({
    document: readSignedDocument(bytes),
    xml: bytes.toString()
  }))

/** The rate that a document states, and the day of that rate. */
const rateOf = (xml: string) => /<cbc:CalculationRate>(.*?)<.*?<cbc:Date>(.*?)</.exec(xml)?.slice(1)

const customizationOf = (xml: string) => /<cbc:CustomizationID>(\d+)</.exec(xml)?.[1]

const validate = (body: object) => Effect.map(post("/v1/credit-notes/validate", body), ({ json }) => json)

const issueAbroad = Effect.gen(function* () {
  const customer = yield* post("/v1/customers", customerBody())
  const body = { ...invoiceBody(customer.json.id), currency: "USD", exchange_rate: "4100.50" }
  const { json } = yield* post("/v1/invoices", body)
  return yield* settled(`/v1/invoices/${json.id}`)
})

for (const [kind, withInvoice, withoutInvoice] of [
  ["credit_note", "20", "22"],
  ["debit_note", "30", "32"]
] as const) {
  const { path } = documentKinds[kind]
  const create = Effect.fnUntraced(function* (body: object) {
    const { json, status, text } = yield* post(path, body)
    assert.strictEqual(status, 202, text)
    return yield* settled(`${path}/${json.id}`)
  })

  describeLive(app)(`a ${kind} to no invoice of the account`, (it) => {
    it.effect("corrects an invoice of another system, passes all stages, and names that invoice", function* () {
      const customer_id = yield* addCustomer()
      const sent = originalNoteBody(customer_id)
      const note = yield* create(sent)
      const { full_number, id } = note
      assert.deepInclude(note, { ...sent, status: "accepted_by_authority", invoice_id: null, exchange_rate: null })
      assert.deepStrictEqual(note.payment_means, { code: "1", type: "1" })
      assert.notProperty(note, "period")
      const { document, xml } = yield* xmlOf(`${path}/${id}`)
      assert.deepStrictEqual(document?.correction, { code: "1", reason: sent.reason, invoice: sent.original })
      assert.strictEqual(customizationOf(xml), withInvoice)
      assert.strictEqual(document?.acquirer.identification.number, "900000001")
      assert.strictEqual((yield* get(`${path}/${id}/pdf`)).status, 200)
      assert.strictEqual((yield* get(`${path}/${id}/timeline`)).json.data.length, 6)
      const { json } = yield* get(`${path}?full_number=${full_number}`)
      assert.deepStrictEqual(json.data, [yield* Effect.map(get(`${path}/${id}`), (one) => one.json)])
    })

    it.effect("corrects the sales of a month, names no invoice, and shows its period", function* () {
      const sent = { ...periodNoteBody(yield* addCustomer()), payment_means: { code: "42", type: "1" } }
      const note = yield* create(sent)
      assert.deepInclude(note, { ...sent, status: "accepted_by_authority", invoice_id: null })
      assert.notProperty(note, "original")
      const { document, xml } = yield* xmlOf(`${path}/${note.id}`)
      assert.deepStrictEqual(document?.correction, { code: "1", reason: sent.reason, invoice: null })
      assert.strictEqual(customizationOf(xml), withoutInvoice)
      assert.notInclude(xml, "BillingReference")
      assert.strictEqual((yield* get(`${path}/${note.id}/pdf`)).status, 200)
    })

    it.effect("can be retried and canceled, as any note", function* () {
      const customer = yield* addCustomer()
      const { json } = yield* post(path, periodNoteBody(customer))
      yield* settled(`${path}/${json.id}`)
      yield* become(json.id, "failed")
      assert.strictEqual((yield* post(`${path}/${json.id}/retry`)).status, 202)
      assert.strictEqual((yield* settled(`${path}/${json.id}`)).status, "accepted_by_authority")
      const late = yield* post(`${path}/${json.id}/cancel`)
      assert.deepStrictEqual(codeOf(late), [409, "invoice_not_cancelable"])
    })

    it.effect("gets the same errors for its faults from creation and from validation", function* () {
      const invoice = yield* issue
      const buyer = yield* addCustomer()
      const [original, period] = [originalNoteBody(buyer), periodNoteBody(buyer)]
      const abroad = yield* issueAbroad
      const stored = yield* rowCount("invoices")
      const over = (start_date: string, end_date: string) => ({ ...period, period: { start_date, end_date } })
      const ofOriginal = (fields: object) => ({ ...original, original: { ...original.original, ...fields } })
      const rows: ReadonlyArray<readonly [body: object, ...errors: ReadonlyArray<readonly [string, string, string?]>]> =
        [
          [
            {},
            ["invoice_id", "parameter_missing"],
            ["reason", "parameter_missing"],
            ["lines", "parameter_missing"],
            ["correction_code", "parameter_missing"]
          ],
          [{ ...noteBody(""), invoice_id: undefined }, ["invoice_id", "parameter_missing"]],
          [
            { ...original, customer_id: undefined, currency: undefined },
            ["customer_id", "parameter_missing"],
            ["currency", "parameter_missing"]
          ],
          [{ ...period, customer_id: undefined }, ["customer_id", "parameter_missing"]],
          [
            { ...original, invoice_id: invoice.id, payment_means: { code: "10", type: "1" } },
            ["original", "parameter_conflict"],
            ["customer_id", "parameter_conflict"],
            ["currency", "parameter_conflict"],
            ["payment_means", "parameter_conflict"]
          ],
          [{ ...noteBody(invoice.id), exchange_rate: "4000.00" }, ["exchange_rate", "parameter_conflict"]],
          [{ ...noteBody(abroad.id), exchange_rate: "0.00" }, ["exchange_rate", "parameter_invalid"]],
          [{ ...original, currency: "USD" }, ["exchange_rate", "parameter_missing"]],
          [{ ...original, exchange_rate: "4000.00" }, ["exchange_rate", "parameter_conflict"]],
          [{ ...original, currency: "XXX" }, ["currency", "unknown_catalog_code"]],
          [{ ...period, payment_means: { code: "10", type: "2" } }, ["payment_means.due_date", "due_date_required"]],
          [
            over("2026-10-31", "2026-11-01"),
            kind === "credit_note"
              ? ["period.end_date", "parameter_invalid", "CAE02"]
              : ["period.end_date", "parameter_invalid"]
          ],
          [over("2026-10-02", "2026-10-01"), ["period.end_date", "parameter_invalid"]],
          [
            ofOriginal({ issue_date: localDate(Date.now() + 86_400_000) }),
            ["original.issue_date", "parameter_invalid"]
          ],
          [ofOriginal({ cufe: "8B".repeat(48) }), ["original.cufe", "parameter_invalid", "CBG04"]],
          [ofOriginal({ full_number: "POS-1042" }), ["original.full_number", "parameter_invalid", "CBG03"]],
          [ofOriginal({ full_number: invoice.full_number }), ["original", "parameter_conflict"]],
          [ofOriginal({ cufe: invoice.cufe }), ["original", "parameter_conflict"]],
          [{ ...original, prefix: "ZZ" }, ["prefix", "parameter_invalid"]],
          ...(kind === "credit_note"
            ? [[{ ...period, correction_code: "2" }, ["correction_code", "parameter_conflict", "CBF03a"]] as const]
            : [])
        ]
      for (const [body, ...expected] of rows) {
        const created = yield* post(path, body)
        const { json: validated, status } = yield* post(`${path}/validate`, body, { "idempotency-key": undefined })
        assert.deepStrictEqual([created.status, status, validated.valid], [400, 200, false], created.text)
        assert.deepStrictEqual(created.json.error.errors, validated.errors)
        assert.deepStrictEqual(
          validated.errors.map(({ code, param, rule }: Record<string, string>) =>
            rule === undefined ? [param, code] : [param, code, rule]
          ),
          expected
        )
      }
      const unknownCustomer = { ...original, customer_id: "cust_1" }
      assert.deepInclude((yield* post(path, unknownCustomer)).json.error, {
        code: "resource_missing",
        param: "customer_id"
      })
      assert.deepInclude((yield* post(`${path}/validate`, unknownCustomer)).json.errors[0], {
        code: "resource_missing",
        param: "customer_id"
      })
      assert.strictEqual(yield* rowCount("invoices"), stored, "nothing is stored")
    })

    it.effect("may have a tax that is one peso off, and validation warns with the exact value", function* () {
      const [line] = invoiceBody("").lines
      const taxes = line?.taxes.map((tax) => ({ ...tax, value: "18999.00" }))
      const lines = [{ ...line, taxes }]
      for (const body of [
        { ...originalNoteBody(yield* addCustomer()), lines },
        { ...noteBody((yield* issue).id), lines }
      ]) {
        const { errors, valid, warnings } = (yield* post(`${path}/validate`, body)).json
        assert.deepStrictEqual([valid, errors, warnings?.length], [true, [], 1])
        assert.deepInclude(warnings[0], { param: "lines[0].taxes[0].value", code: "tax_mismatch" })
        assert.include(warnings[0].message, "19000.00")
        assert.strictEqual((yield* create(body)).status, "accepted_by_authority")
        const wrong = (yield* post(`${path}/validate`, { ...body, prefix: "ZZ" })).json
        assert.deepStrictEqual([wrong.valid, wrong.warnings], [false, warnings])
      }
    })

    it.effect(
      "gets an error with the id if it names an invoice of the account, unless that is in the other mode",
      function* () {
        const invoice = yield* issue
        const body = originalNoteBody(yield* addCustomer())
        const named = { ...body, original: { ...body.original, full_number: invoice.full_number } }
        const { json } = yield* post(`${path}/validate`, named)
        assert.include(json.errors[0].message, `"invoice_id": "${invoice.id}"`)
        yield* change("invoices", invoice.id, { livemode: true })
        assert.isTrue((yield* post(`${path}/validate`, named)).json.valid)
      }
    )

    it.effect("dates its rate: its own with its issue date, its invoice's with the invoice's", function* () {
      const invoice = yield* issueAbroad
      yield* change("invoices", invoice.id, { issue_date: "2026-11-01" })
      const ofInvoice = yield* create(noteBody(invoice.id))
      assert.deepStrictEqual([ofInvoice.currency, ofInvoice.exchange_rate], ["USD", "4100.50"])
      assert.deepStrictEqual(rateOf((yield* xmlOf(`${path}/${ofInvoice.id}`)).xml), ["4100.50", "2026-11-01"])
      const again = yield* issueAbroad
      yield* change("invoices", again.id, { issue_date: "2026-11-01" })
      const own = yield* create({ ...noteBody(again.id), exchange_rate: "3999.123400" })
      assert.strictEqual(own.exchange_rate, "3999.1234")
      assert.deepStrictEqual(rateOf((yield* xmlOf(`${path}/${own.id}`)).xml), ["3999.1234", own.issue_date])
      const foreign = { ...originalNoteBody(yield* addCustomer()), currency: "USD", exchange_rate: "4000.00" }
      const other = yield* create(foreign)
      assert.deepStrictEqual(rateOf((yield* xmlOf(`${path}/${other.id}`)).xml), ["4000.00", other.issue_date])
    })
  })
}

describeLive(app)("Notes of an account that has none yet", (it) => {
  it.effect("can be validated as at creation, which stores nothing", function* () {
    const { id } = yield* issue
    assert.deepStrictEqual(yield* validate(noteBody(id)), { object: "validation", valid: true, errors: [] })
    assert.isTrue((yield* validate({ ...noteBody(id), prefix: "NC" })).valid)
    assert.deepStrictEqual((yield* get("/v1/resolutions?document_type=credit_note")).json.data, [])
    const { json } = yield* post("/v1/credit-notes", { ...noteBody(id), prefix: "NC" })
    assert.strictEqual((yield* settled(`/v1/credit-notes/${json.id}`)).full_number, "NC1")
    const { errors, valid } = yield* validate(noteBody(id))
    assert.strictEqual(valid, false)
    assert.deepInclude(errors[0], { code: "credit_exceeds_invoice", param: "lines" })
    yield* become(id, "rejected_by_authority")
    const debit = (yield* post("/v1/debit-notes/validate", noteBody(id))).json
    assert.deepInclude(debit.errors[0], { code: "invoice_not_correctable", param: "invoice_id" })
    const missing = (yield* validate(noteBody("inv_1"))).errors
    assert.deepInclude(missing[0], { code: "resource_missing", param: "invoice_id" })
  })

  it.effect("annul an invoice of another system with code 2", function* () {
    const { json, status } = yield* post("/v1/credit-notes", {
      ...originalNoteBody(yield* addCustomer()),
      correction_code: "2"
    })
    assert.strictEqual(status, 202)
    assert.strictEqual((yield* settled(`/v1/credit-notes/${json.id}`)).status, "accepted_by_authority")
  })
})
