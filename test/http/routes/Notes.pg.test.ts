import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Event } from "../../../schemas/Event.ts"
import { cufe, cufeTail } from "../../../src/documents/rules/Cufe.ts"
import { documentKinds } from "../../../schemas/DocumentKinds.ts"
import { states } from "../../../src/invoices/rules/InvoiceLifecycle.ts"
import { readSignedDocument } from "../../../src/documents/signature/SignedDocument.ts"
import { codeOf, issue, seen, settled } from "../../support/apps/Correcting.ts"
import { noteBody, partialNoteBody } from "../../support/apps/Invoices.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { addResting, become, pastGuards } from "../../support/apps/PostgresRows.ts"
import { fetchBytes, get, post } from "../../support/apps/Requests.ts"
import { describeLive } from "../../support/Tests.ts"

for (const [kind, prefix, code] of [
  ["credit_note", "NC", "6"],
  ["debit_note", "ND", "4"]
] as const) {
  const { path } = documentKinds[kind]
  describeLive(app)(`a ${kind}`, (it) => {
    it.effect(
      "begins as a draft and passes all stages of a document, with a number and a code of its own",
      function* () {
        const invoice = yield* issue
        const sent = { ...noteBody(invoice.id, { order: "1001" }), correction_code: code }
        const made = yield* post(path, sent)
        const { created_at, id, ...created } = made.json
        assert.deepStrictEqual([made.status, made.headers.location], [202, `${path}/${id}`])
        assert.deepStrictEqual(created, { object: kind, status: "draft", full_number: "", cude: null })

        const note = yield* settled(`${path}/${id}`)
        const shared = Object.keys(invoice).filter(
          (name) => !["cufe", "operation_type", "resolution_id"].includes(name)
        )
        assert.sameMembers(Object.keys(note), [...shared, "cude", "invoice_id", "correction_code", "reason"])
        const issued = { status: "accepted_by_authority", stage: "done", full_number: `${prefix}1`, created_at }
        assert.deepInclude(note, { ...sent, ...issued, id, object: kind, customer_id: invoice.customer_id })
        assert.deepStrictEqual(
          [note.totals, note.currency, note.payment_means],
          [invoice.totals, invoice.currency, invoice.payment_means]
        )
        const signed = yield* fetchBytes({ path: `${path}/${id}/xml` })
        const tail = cufeTail({
          issue_date: note.issue_date,
          issue_time: /<cbc:IssueTime>(.*?)</.exec(signed.bytes.toString())?.[1] ?? "",
          line_extension_amount: "100000.00",
          tax_01: "19000.00",
          tax_04: "0.00",
          tax_03: "0.00",
          payable_amount: "119000.00",
          supplier_nit: "900373115",
          customer_id: "900000001",
          key: "12345",
          environment: "2"
        })
        assert.strictEqual(note.cude, cufe(`${prefix}1`, tail), "hashed with the software's PIN")

        const events = yield* seen(`/v1/events?object_id=${id}`, ({ data }) => data.length > 0)
        const [event, ...more] = events.json.data
        assert.lengthOf(more, 0)
        const body = yield* Schema.decodeUnknownEffect(Event)(event)
        assert.strictEqual(body.type, `${kind}.accepted_by_authority`)
        assert.deepInclude(body.data.object as object, {
          id,
          object: kind,
          cude: note.cude,
          metadata: { order: "1001" }
        })
        assert.notProperty(body.data.object, "cufe")

        const document = readSignedDocument(signed.bytes)
        assert.strictEqual(document?.kind, kind)
        assert.strictEqual(document?.range, null)
        assert.deepStrictEqual(document?.correction, {
          code,
          reason: sent.reason,
          invoice: { full_number: invoice.full_number, cufe: invoice.cufe, issue_date: invoice.issue_date }
        })

        const { json: timeline } = yield* get(`${path}/${id}/timeline`)
        assert.deepStrictEqual(
          timeline.data.map((entry: Record<string, string>) => entry["command"] ?? entry["event_type"]),
          ["create", "number", "sign", "submit", "accept", `${kind}.accepted_by_authority`]
        )
      }
    )

    it.effect("has no correction code of the other kind, and right lines", function* () {
      const invoice = yield* issue
      const wrong = { ...noteBody(invoice.id), correction_code: kind === "credit_note" ? "7" : "5" }
      const { json } = yield* post(path, wrong)
      assert.deepInclude(json.error, { code: "unknown_catalog_code", param: "correction_code" })
      const [line] = noteBody("").lines
      const lines = [{ ...line, line_extension_amount: "1.00" }]
      const amounts = yield* post(path, { ...noteBody(invoice.id), lines })
      assert.deepInclude(amounts.json.error, { code: "amount_mismatch", param: "lines[0].line_extension_amount" })
      assert.notProperty(amounts.json.error.errors[0], "rule")
    })

    it.effect("corrects an accepted invoice, also one in contingency, and no other", function* () {
      const { id } = yield* issue
      for (const state of states.filter((one) => !one.startsWith("accepted"))) {
        const other = yield* addResting(state)
        assert.deepStrictEqual(codeOf(yield* post(path, noteBody(other))), [409, "invoice_not_correctable"], state)
      }
      yield* become(id, "accepted_contingency")
      assert.strictEqual((yield* post(path, noteBody(id))).status, 202)
      const { json: note } = yield* post(path, partialNoteBody((yield* issue).id, "1.00"))
      const twice = yield* post(path, noteBody(note.id))
      assert.deepInclude(twice.json.error, { code: "resource_missing", param: "invoice_id" }, "a note of a note")
    })

    it.effect("appears only in its kind's list, by status, invoice, number and time", function* () {
      const sql = yield* SqlClient.SqlClient
      yield* pastGuards(sql`delete from invoices`)
      const [one, other] = [yield* issue, yield* issue]
      const made: Array<string> = []
      for (const invoice of [one, one, other]) {
        made.unshift((yield* post(path, partialNoteBody(invoice.id, "1.00"))).json.id)
        yield* settled(`${path}/${made[0]}`)
      }
      const listed = (query: string) =>
        Effect.map(get(`${path}?${query}`), ({ json }) => json.data.map(({ id }: { readonly id: string }) => id))
      assert.deepStrictEqual(yield* listed(""), made)
      assert.deepStrictEqual(yield* listed(`invoice_id=${one.id}`), made.slice(1))
      assert.deepStrictEqual(yield* listed(`invoice_id=${one.id}&limit=1&starting_after=${made[1]}`), made.slice(2))
      assert.deepStrictEqual(yield* listed("status=draft"), [])
      assert.deepStrictEqual(yield* listed(`full_number=${(yield* get(`${path}/${made[2]}`)).json.full_number}`), [
        made[2]
      ])
      assert.deepStrictEqual(yield* listed("created[lte]=2026-01-01T00:00:00Z"), [])
      const { json: invoices } = yield* get("/v1/invoices")
      assert.sameMembers(
        invoices.data.map(({ id }: { readonly id: string }) => id),
        [one.id, other.id]
      )
      // A note of one kind does not exist on any route of the other kind.
      assert.strictEqual((yield* get(`/v1/invoices/${made[0]}`)).status, 404)
      assert.strictEqual((yield* get(`/v1/invoices/${made[0]}/timeline`)).status, 404)
      assert.strictEqual((yield* post(`/v1/invoices/${made[0]}/cancel`)).status, 404)
      assert.strictEqual((yield* post(`/v1/invoices/${made[0]}/annul`, { reason: "Error" })).status, 404)
      assert.strictEqual((yield* get(`${path}/${one.id}`)).status, 404)
      assert.strictEqual((yield* post(`${path}/${one.id}/retry`)).status, 404)
      for (const strange of [`/v1/invoices?starting_after=${made[0]}`, `${path}?ending_before=${one.id}`]) {
        assert.deepStrictEqual(codeOf(yield* get(strange)), [400, "invalid_cursor"])
      }
    })
  })
}
