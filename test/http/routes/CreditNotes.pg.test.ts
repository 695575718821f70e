import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { codeOf, issue, settled } from "../../support/apps/Correcting.ts"
import { noteBody, partialNoteBody, resolutionBody } from "../../support/apps/Invoices.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { addResting, become, change } from "../../support/apps/PostgresRows.ts"
import { rangeId, testMode } from "../../support/apps/Accounts.ts"
import { get, post } from "../../support/apps/Requests.ts"
import { describeLive } from "../../support/Tests.ts"

const unnumbered = {
  resolution_id: null,
  prefix: null,
  number: null,
  full_number: null,
  cufe: null,
  issue_date: null,
  issue_time: null
}

const credit = (body: object) => post("/v1/credit-notes", body)

describeLive(app)("Credit notes", (it) => {
  it.effect("credit at most the amount of their invoice, and debit notes do not increase it", function* () {
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

  it.effect("free their amount if they failed, were rejected or canceled, and take it again at a retry", function* () {
    const { id } = yield* issue
    const note = Effect.flatMap(credit(noteBody(id)), ({ json }) => settled(`/v1/credit-notes/${json.id}`))
    yield* become((yield* note).id, "rejected_by_authority")
    const failed = yield* note
    yield* become(failed.id, "failed")
    const third = yield* note
    const retry = `/v1/credit-notes/${failed.id}/retry`
    const refused = yield* post(retry)
    assert.deepStrictEqual(codeOf(refused), [409, "credit_exceeds_invoice"])
    assert.include(refused.json.error.message, "0.00 left")
    assert.strictEqual((yield* get(`/v1/credit-notes/${failed.id}`)).json.status, "failed")

    yield* become(third.id, "canceled", unnumbered)
    const again = yield* post(retry)
    assert.deepStrictEqual([again.status, again.headers.location], [202, `/v1/credit-notes/${failed.id}`])
    assert.deepInclude(again.json, { object: "credit_note", status: "draft" })
    assert.deepInclude(yield* settled(`/v1/credit-notes/${failed.id}`), { status: "accepted_by_authority" })
  })

  it.effect("keep their amount after a failed submission until the authority is known not to have them", function* () {
    const { id } = yield* issue
    const { json: lost } = yield* credit(noteBody(id))
    yield* settled(`/v1/credit-notes/${lost.id}`)
    const fail = (code: string) => {
      const failure = { code, message: "It broke.", retryable: true }
      return become(lost.id, "failed", { failure, submitted_at: new Date(0) })
    }
    yield* fail("internal_error")
    assert.deepStrictEqual(codeOf(yield* credit(noteBody(id))), [409, "credit_exceeds_invoice"])
    assert.strictEqual((yield* post(`/v1/credit-notes/${lost.id}/retry`)).status, 202)
    yield* settled(`/v1/credit-notes/${lost.id}`)
    yield* fail("authority_refused")
    assert.strictEqual((yield* credit(noteBody(id))).status, 202)
  })

  it.effect("exist once for each idempotency key", function* () {
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

  it.effect("have counters apart from invoices and each other, which the list shows only on request", function* () {
    const { id } = yield* issue
    for (const path of ["/v1/credit-notes", "/v1/debit-notes"]) {
      yield* settled(`${path}/${(yield* post(path, partialNoteBody(id, "1.00"))).json.id}`)
    }
    const { json } = yield* get("/v1/resolutions?limit=100")
    for (const kind of ["credit_note", "debit_note"]) {
      const [counter, ...more] = (yield* get(`/v1/resolutions?document_type=${kind}`)).json.data
      assert.deepStrictEqual(more, [])
      assert.notInclude(JSON.stringify(json), counter.id)
      assert.deepStrictEqual((yield* get(`/v1/resolutions/${counter.id}`)).json, counter)
      const { prefix } = counter
      const granted = resolutionBody({ prefix, from_number: 5, to_number: 9 })
      assert.deepStrictEqual(codeOf(yield* post("/v1/resolutions", granted)), [409, "resolution_overlap"])
    }
  })

  it.effect("annul all lines of an invoice without other credit notes, whose status stays", function* () {
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

  it.effect("annul no invoice that is partly credited or not accepted", function* () {
    const { id } = yield* issue
    yield* credit(partialNoteBody(id, "0.01"))
    const partly = yield* post(`/v1/invoices/${id}/annul`, { reason: "Error" })
    assert.deepStrictEqual(codeOf(partly), [409, "credit_exceeds_invoice"])
    assert.include(partly.json.error.message, "118999.99 left")
    const draft = yield* addResting()
    const early = yield* post(`/v1/invoices/${draft}/annul`, { reason: "Error" })
    assert.deepStrictEqual(codeOf(early), [409, "invoice_not_correctable"])
  })
})

describeLive(app)("Credit notes of an account whose range has their prefix", (it) => {
  it.effect("get numbers under another prefix if a range already has theirs", function* () {
    yield* change("resolutions", rangeId(testMode), { prefix: "NC" })
    const { id } = yield* issue
    const { json } = yield* credit(noteBody(id))
    assert.strictEqual((yield* settled(`/v1/credit-notes/${json.id}`)).full_number, "NCA1")
  })
})
