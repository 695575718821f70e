import { assert } from "@effect/vitest"
import { codeOf, issue, settled } from "../../support/apps/Correcting.ts"
import { noteBody, partialNoteBody, resolutionBody } from "../../support/apps/Invoices.ts"
import { layer as app } from "../../support/apps/MemoryApp.ts"
import { addCustomer, addDraft, addNote, become } from "../../support/apps/MemoryRows.ts"
import { MemoryTables } from "../../support/memory/MemoryTables.ts"
import { get, post } from "../../support/apps/Requests.ts"
import { describeOn } from "../../support/Tests.ts"

const credit = (body: object) => post("/v1/credit-notes", body)

describeOn(app)("credit notes", (it) => {
  it.effect("come to no more than their invoice; debit notes add nothing to that", function* () {
    const { id } = yield* issue
    yield* post("/v1/debit-notes", partialNoteBody(id, "50000.00"))
    const first = yield* credit(partialNoteBody(id, "100000.00"))
    assert.strictEqual(first.status, 202)
    const much = yield* credit(partialNoteBody(id, "19000.01"))
    assert.deepStrictEqual(codeOf(much), [409, "credit_exceeds_invoice"])
    assert.include(much.json.error.message, "19000.00 left")
    assert.strictEqual((yield* credit(partialNoteBody(id, "19000.00"))).status, 202)
    const none = yield* credit(partialNoteBody(id, "0.01"))
    assert.include(none.json.error.message, "0.00 left")
  })

  it.effect(
    "that failed, were rejected or canceled give back what they credit; one that is tried again takes it again",
    function* () {
      const { id } = yield* issue
      const { json: rejected } = yield* credit(noteBody(id))
      yield* settled(`/v1/credit-notes/${rejected.id}`)
      yield* become(rejected.id, { state: "rejected_by_authority" })
      const failed = yield* addNote("credit_note", id, "failed")
      const { tables } = yield* MemoryTables
      const { json: third } = yield* credit(noteBody(id))
      yield* settled(`/v1/credit-notes/${third.id}`)
      const retry = `/v1/credit-notes/${failed.id}/retry`
      const refused = yield* post(retry)
      assert.deepStrictEqual(codeOf(refused), [409, "credit_exceeds_invoice"])
      assert.include(refused.json.error.message, "0.00 left")
      assert.strictEqual(tables.invoices.get(failed.id)?.state, "failed")

      yield* become(third.id, { state: "canceled" })
      const again = yield* post(retry)
      assert.deepStrictEqual([again.status, again.headers.location], [202, `/v1/credit-notes/${failed.id}`])
      assert.deepInclude(again.json, { object: "credit_note", status: "draft" })
      assert.deepInclude(yield* settled(`/v1/credit-notes/${failed.id}`), { status: "accepted_by_authority" })
    }
  )

  it.effect(
    "that failed after they were sent keep what they credit until it is known that the authority has them not",
    function* () {
      const { id } = yield* issue
      const { json: lost } = yield* credit(noteBody(id))
      yield* settled(`/v1/credit-notes/${lost.id}`)
      const fail = (code: string) => {
        const failure = { code, message: "It broke.", retryable: true }
        return become(lost.id, { state: "failed", failure, submitted_at: new Date(0) })
      }
      yield* fail("internal_error")
      assert.deepStrictEqual(codeOf(yield* credit(noteBody(id))), [409, "credit_exceeds_invoice"])
      assert.strictEqual((yield* post(`/v1/credit-notes/${lost.id}/retry`)).status, 202)
      yield* settled(`/v1/credit-notes/${lost.id}`)
      yield* fail("authority_refused")
      assert.strictEqual((yield* credit(noteBody(id))).status, 202)
    }
  )

  it.effect("are made once for each key", function* () {
    const { id } = yield* issue
    const key = { "idempotency-key": "note" }
    const first = yield* post("/v1/credit-notes", partialNoteBody(id, "119000.00"), key)
    const again = yield* post("/v1/credit-notes", partialNoteBody(id, "119000.00"), key)
    assert.deepStrictEqual(
      [again.status, again.text, again.headers["svc-idempotency-cached"]],
      [202, first.text, "true"]
    )
    const other = yield* post("/v1/debit-notes", noteBody(id), key)
    assert.deepStrictEqual(codeOf(other), [409, "idempotency_conflict"])
    const { json } = yield* get(`/v1/credit-notes?invoice_id=${id}`)
    assert.lengthOf(json.data, 1)
  })

  it.effect(
    "are numbered apart from invoices and each other; their counters are listed only if they are asked for",
    function* () {
      const { tables } = yield* MemoryTables
      const { id } = yield* issue
      for (const path of ["/v1/credit-notes", "/v1/debit-notes"]) {
        yield* settled(`${path}/${(yield* post(path, partialNoteBody(id, "1.00"))).json.id}`)
      }
      const counters = [...tables.resolutions.values()].filter(({ document_type }) => document_type !== "invoice")
      assert.lengthOf(counters, 2)
      const { json } = yield* get("/v1/resolutions?limit=100")
      for (const counter of counters) {
        assert.notInclude(JSON.stringify(json), counter.id)
        const { data } = (yield* get(`/v1/resolutions?document_type=${counter.document_type}`)).json
        assert.deepStrictEqual(data, [(yield* get(`/v1/resolutions/${counter.id}`)).json])
        const { prefix } = counter
        const granted = resolutionBody({ prefix, from_number: 5, to_number: 9 })
        assert.deepStrictEqual(codeOf(yield* post("/v1/resolutions", granted)), [409, "resolution_overlap"])
      }
    }
  )
})

describeOn(app)("a prefix that a range has already", (it) => {
  it.effect("is left to it: the notes are numbered under another", function* () {
    const { tables } = yield* MemoryTables
    const [range] = tables.resolutions.values()
    if (range !== undefined) tables.resolutions.set(range.id, { ...range, prefix: "NC" })
    for (const row of tables.resolutions.values()) tables.resolutions.set(row.id, { ...row, prefix: "NC" })
    const { id } = yield* issue
    const { json } = yield* credit(noteBody(id))
    assert.strictEqual((yield* settled(`/v1/credit-notes/${json.id}`)).full_number, "NCA1")
  })
})

describeOn(app)("POST /v1/invoices/{id}/annul", (it) => {
  it.effect("credits all lines of an invoice of which nothing was credited, and leaves its status", function* () {
    const invoice = yield* issue
    const path = `/v1/invoices/${invoice.id}/annul`
    const annulled = yield* post(path, { reason: "Pedido cancelado" }, { "idempotency-key": "annul" })
    assert.deepStrictEqual([annulled.status, annulled.headers.location], [202, `/v1/credit-notes/${annulled.json.id}`])
    assert.deepInclude(annulled.json, { object: "credit_note", status: "draft", cude: null })
    const replayed = yield* post(path, { reason: "Pedido cancelado" }, { "idempotency-key": "annul" })
    assert.strictEqual(replayed.text, annulled.text)
    const note = yield* settled(`/v1/credit-notes/${annulled.json.id}`)
    assert.deepInclude(note, {
      status: "accepted_by_authority",
      invoice_id: invoice.id,
      correction_code: "2",
      reason: "Pedido cancelado",
      lines: invoice.lines,
      totals: invoice.totals
    })
    assert.strictEqual((yield* get(`/v1/invoices/${invoice.id}`)).json.status, "accepted_by_authority")
    assert.deepStrictEqual(codeOf(yield* post(path, { reason: "Otra vez" })), [409, "credit_exceeds_invoice"])
  })

  it.effect("is refused where a part was credited, and where there is nothing to annul", function* () {
    const { id } = yield* issue
    yield* credit(partialNoteBody(id, "0.01"))
    const partly = yield* post(`/v1/invoices/${id}/annul`, { reason: "Error" })
    assert.deepStrictEqual(codeOf(partly), [409, "credit_exceeds_invoice"])
    assert.include(partly.json.error.message, "118999.99 left")
    const draft = yield* addDraft(yield* addCustomer())
    const early = yield* post(`/v1/invoices/${draft.id}/annul`, { reason: "Error" })
    assert.deepStrictEqual(codeOf(early), [409, "invoice_not_correctable"])
  })
})
