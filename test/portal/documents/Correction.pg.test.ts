import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { noteBody } from "../../support/apps/Invoices.ts"
import { FakeAuthority, rejected } from "../../support/apps/Fakes.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { get, post } from "../../support/apps/Requests.ts"
import { noticeOf, visitor } from "../../support/portal/Visitor.ts"
import { beside } from "../../support/portal/Forms.ts"
import { describeLive } from "../../support/Tests.ts"
import { customerNamed, invoiceOf, rejectedOf, settled } from "./Rows.ts"

const pathOf = (id: string, step = "") => `/portal/documents/${id}${step}`

describeLive(app)("the correction of a rejected document", (it) => {
  it.effect(
    "shows every fault next to its field, computes the amounts, and ends with an accepted document",
    function* () {
      const person = yield* visitor()
      const customer = yield* customerNamed("Por Corregir")
      const other = yield* customerNamed("El Correcto", { identification: { type: "13", number: "1018" } })
      const invoice = yield* rejectedOf(customer, { notes: ["Una nota"] })
      const path = pathOf(invoice.id, "/correct")
      const form = (yield* person.see(path)).text
      for (const words of [
        `value="2.00"`,
        `value="50000.00"`,
        "Una nota",
        "Por Corregir, 900123456",
        "&quot;customer_id&quot;"
      ]) {
        assert.include(form, words)
      }

      const wrong = yield* person.submit(path, path, {
        step: "send",
        "lines[0].quantity": "1.000",
        "lines[0].unit_price": "abc"
      })
      assert.strictEqual(wrong.status, 400)
      assert.match(wrong.text, /name="lines\[0\]\.quantity"[^>]+aria-invalid="true"[^>]+value="1\.000"/)
      for (const name of ["quantity", "unit_price"]) assert.isDefined(beside(wrong.text, `lines-0-${name}`), name)
      assert.include(wrong.text, 'value="abc"')

      const refused = yield* person.submit(path, path, {
        step: "send",
        "lines[0].taxes[0]": "01 7.00",
        "payment_means.type": "2",
        "payment_means.due_date": ""
      })
      assert.strictEqual(refused.status, 400)
      assert.match(refused.text, /id="field-lines-0-taxes-0--error"/)
      assert.match(refused.text, /id="field-payment_means-due_date-error"/)
      assert.strictEqual((yield* get(`/v1/invoices/${invoice.id}`)).json.status, "rejected_by_authority")

      const found = yield* person.submit(path, path, {
        step: "find",
        customer_search: "correcto",
        "lines[0].quantity": "3"
      })
      assert.include(found.text, "El Correcto, 1018")
      assert.include(found.text, `value="3"`)

      const fields = {
        customer_id: other,
        "lines[0].quantity": "3",
        "lines[0].unit_price": "1.000.000,50",
        "lines[0].taxes[0]": "01 5.00",
        "lines[1].description": "Transporte",
        "lines[1].quantity": "1",
        "lines[1].unit_price": "20000",
        "lines[1].taxes[0]": "ZZ 0.00",
        notes: "Primera\r\n\r\nSegunda",
        "order_reference.id": "OC-9"
      }
      const checked = yield* person.submit(path, path, { ...fields, step: "check" })
      assert.strictEqual(noticeOf(checked.text), "checked")
      assert.include(checked.text, "3,170,001.58\u00a0COP")
      assert.strictEqual((yield* get(`/v1/invoices/${invoice.id}`)).json.status, "rejected_by_authority")

      const sent = yield* person.submit(path, path, { ...fields, step: "send" })
      assert.strictEqual(noticeOf(sent.text), "corrected")
      const corrected = yield* settled(invoice.id)
      assert.deepInclude(corrected, {
        status: "accepted_by_authority",
        full_number: invoice.full_number,
        customer_id: other,
        notes: ["Primera", "Segunda"],
        order_reference: { id: "OC-9" }
      })
      assert.strictEqual(corrected.totals.payable_amount, "3170001.58")
      const page = (yield* person.see(pathOf(invoice.id))).text
      // The rejection stays in the timeline, with the rejected document's code.
      assert.include(page, `title="${invoice.cufe}"`)
      assert.include(page, `title="${corrected.cufe}"`)
    }
  )

  it.effect("accepts the whole request as JSON, and shows its faults", function* () {
    const person = yield* visitor()
    const customer = yield* customerNamed("En Json")
    const invoice = yield* rejectedOf(customer)
    const path = pathOf(invoice.id, "/correct")
    for (const request of ["{", "[]", "null", "{}"]) {
      const answer = yield* person.submit(path, path, { step: "send", request })
      assert.strictEqual(answer.status, 400, request)
      assert.include(answer.text, request === "{}" ? "<code>customer_id</code>" : "<code>request</code>", request)
    }
    const form = (yield* person.see(path)).text
    const written = /name="request"[^>]*>([^]*?)<\/textarea>/.exec(form)?.[1]?.replaceAll("&quot;", '"') ?? ""
    const corrected = JSON.stringify({ ...JSON.parse(written), metadata: { pedido: "55", name: "x" } })
    // Node 24 may read an escaped name as another name of an earlier object, even of a rejected one.
    const submitted = (name: string) =>
      person.submit(path, path, { step: "send", request: corrected.replace('"name":"x"', `"${name}":"x"`) })
    assert.strictEqual((yield* submitted(String.raw`a\\u`)).status, 400)
    const sent = yield* submitted(String.raw`a\u00f1o`)
    assert.strictEqual(noticeOf(sent.text), "corrected")
    const metadata = { pedido: "55", año: "x" }
    assert.deepInclude(yield* settled(invoice.id), { status: "accepted_by_authority", metadata })
  })

  it.effect("corrects a note, with its reason and without the fields that its invoice sets", function* () {
    const person = yield* visitor()
    const authority = yield* FakeAuthority
    const customer = yield* customerNamed("Con Nota")
    const invoice = yield* invoiceOf(customer)
    const accepts = authority.onSubmit
    authority.onSubmit = () => Effect.succeed(rejected)
    const note = yield* settled((yield* post("/v1/credit-notes", noteBody(invoice.id))).json.id)
    authority.onSubmit = accepts
    assert.strictEqual(note.status, "rejected_by_authority")
    const path = pathOf(note.id, "/correct")
    assert.notInclude((yield* person.see(path)).text, "payment_means.type")
    const sent = yield* person.submit(path, path, { step: "send", reason: "Otro motivo", correction_code: "3" })
    assert.strictEqual(noticeOf(sent.text), "corrected")
    assert.deepInclude(yield* settled(note.id), {
      status: "accepted_by_authority",
      reason: "Otro motivo",
      correction_code: "3"
    })
  })

  it.effect("does not appear for a number that the authority has", function* () {
    const person = yield* visitor()
    const customer = yield* customerNamed("Ya Procesada")
    const known = { ...rejected, errors: rejected.errors.map((error) => ({ ...error, rule: "90" })) }
    const invoice = yield* invoiceOf(customer, {}, Effect.succeed(known))
    const { text } = yield* person.see(pathOf(invoice.id))
    assert.notInclude(text, "/correct")
    assert.include(text, "<span>90")
  })
})
