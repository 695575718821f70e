import { assert } from "@effect/vitest"
import { Arbitrary, Effect } from "effect"
import { truncated } from "../../../src/documents/rules/Details.ts"
import { acceptedByRules } from "../../support/apps/Correcting.ts"
import { customerBody } from "../../support/apps/Invoices.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { post, send } from "../../support/apps/Requests.ts"
import { invoiceRequests, noteRequestOf } from "../../support/documents/RightRequests.ts"
import { sums } from "../../support/documents/Sums.ts"
import { describeLive } from "../../support/Tests.ts"

const notes = [
  ["/v1/credit-notes", "credit_note"],
  ["/v1/debit-notes", "debit_note"]
] as const

/** Creates a document, and returns it as the interface shows it after its acceptance. */
const issued = Effect.fnUntraced(function* (path: string, body: object) {
  const made = yield* post(path, body)
  assert.strictEqual(made.status, 202, made.text)
  return yield* acceptedByRules(`${path}/${made.json.id}`)
})

describeLive(app)("A random right request", (it) => {
  it.effect("passes the sandbox and is shown as it was sent, as an invoice and as its notes", function* () {
    const buyer = yield* post("/v1/customers", customerBody("900123456"))
    const some = yield* Arbitrary.sampleEffect(invoiceRequests, { count: 25, seed: "http" })
    for (const request of some) {
      const body = { ...request, customer_id: String(buyer.json.id) }
      assert.isTrue((yield* post("/v1/invoices/validate", body)).json.valid)
      const invoice = yield* issued("/v1/invoices", body)
      assert.deepInclude(invoice, truncated(body))
      assert.deepStrictEqual(invoice.totals, sums(body.lines, body))
      for (const [path, kind] of notes) {
        const note = noteRequestOf(request, kind, invoice.id)
        const shown = yield* issued(path, note)
        assert.deepInclude(shown, truncated(note))
        assert.deepStrictEqual(shown.totals, sums(note.lines, note))
      }
    }
  })

  it.effect("keeps names with escapes, for any names in earlier requests", function* () {
    // Node 24 may read an escaped name as another name of an earlier object, even of a rejected one.
    for (const [sent, metadata] of [
      [String.raw`a\\u`, undefined],
      [String.raw`a\u00f1o`, { order: "1", año: "x" }]
    ] as const) {
      const body = JSON.stringify({ ...customerBody(), metadata: { order: "1", name: "x" } })
      const made = yield* send({
        method: "POST",
        path: "/v1/customers",
        body: body.replace('"name":"x"', `"${sent}":"x"`)
      })
      assert.deepStrictEqual(made.json.metadata, metadata, made.text)
    }
  })
})
