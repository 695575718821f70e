import { assert } from "@effect/vitest"
import { Record } from "effect"
import { invoiceExamples } from "../../../src/api/examples/InvoiceExamples.ts"
import { creditNoteExamples, debitNoteExamples } from "../../../src/api/examples/NoteExamples.ts"
import { acceptedByRules, issue } from "../../support/apps/Correcting.ts"
import { customerBody } from "../../support/apps/Invoices.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { get, post } from "../../support/apps/Requests.ts"
import { sums } from "../../support/documents/Sums.ts"
import { describeLive } from "../../support/Tests.ts"

const casesOf = <A extends { readonly title: string }>(examples: Readonly<Record<string, A>>) =>
  Record.toEntries(examples).map(([name, example]) => ({ ...example, name }))

const notes = [
  ...casesOf(creditNoteExamples).map((example) => ({ ...example, path: "/v1/credit-notes" })),
  ...casesOf(debitNoteExamples).map((example) => ({ ...example, path: "/v1/debit-notes" }))
]

describeLive(app)("An example document", (it) => {
  it.effect.each(casesOf(invoiceExamples))("passes the sandbox as $name: $title", function* ({ customer, request }) {
    const buyer = yield* post("/v1/customers", customer ?? customerBody("900123456"))
    assert.strictEqual(buyer.status, 201, buyer.text)
    const body = { ...request, customer_id: buyer.json.id }
    const judged = yield* post("/v1/invoices/validate", body)
    assert.deepStrictEqual(judged.json, { object: "validation", valid: true, errors: [] })
    const made = yield* post("/v1/invoices", body)
    assert.strictEqual(made.status, 202, made.text)
    const shown = yield* acceptedByRules(`/v1/invoices/${made.json.id}`)
    const { metadata = {}, ...sent } = body
    assert.deepInclude(shown, { ...sent, metadata })
    assert.deepStrictEqual(shown.totals, sums(body.lines, body))
  })

  it.effect.each(notes)("passes the sandbox as $name: $title", function* ({ path, request }) {
    const named =
      "invoice_id" in request
        ? { invoice_id: (yield* issue).id }
        : { customer_id: (yield* post("/v1/customers", customerBody("900123456"))).json.id }
    const body = { ...request, ...named }
    const made = yield* post(path, body)
    assert.strictEqual(made.status, 202, made.text)
    const shown = yield* acceptedByRules(`${path}/${made.json.id}`)
    assert.deepInclude(shown, body)
    assert.deepStrictEqual(shown.totals, sums(body.lines, body))
  })

  it.effect("appears in the reference with its title", function* () {
    for (const [page, examples] of [
      ["invoices", invoiceExamples],
      ["credit-notes", creditNoteExamples],
      ["debit-notes", debitNoteExamples]
    ] as const) {
      const { text } = yield* get(`/docs/reference/${page}`)
      for (const { title } of Object.values(examples)) assert.include(text, title)
      assert.isBelow(Buffer.byteLength(text), 300_000)
    }
  })
})
