import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { DocumentKey, Failure } from "../../../schemas/FiscalDocument.ts"
import { layer as app } from "../../support/apps/MemoryApp.ts"
import { addCustomer, addDraft, addEndpoint, addNumbered, become } from "../../support/apps/MemoryRows.ts"
import { MemoryTables } from "../../support/memory/MemoryTables.ts"
import { settled } from "../../support/apps/Correcting.ts"
import { invoiceBody } from "../../support/apps/Invoices.ts"
import { get, post } from "../../support/apps/Requests.ts"
import { describeOn } from "../../support/Tests.ts"

const failure: Failure = { code: "internal_error", message: "It broke.", retryable: true }

/** Lets a document fail, as its actor would. */
const fail = Effect.fnUntraced(function* ({ id }: DocumentKey, why = failure) {
  yield* become(id, { state: "failed", failure: why, next_action_at: null, attempts: 5 })
})

describeOn(app)("POST /v1/invoices/{id}/cancel", (it) => {
  it.effect("cancels a draft without a number, once and for all", function* () {
    const { id } = yield* addDraft(yield* addCustomer())
    const path = `/v1/invoices/${id}`
    const canceled = yield* post(`${path}/cancel`, undefined, { "idempotency-key": "cancel" })
    assert.strictEqual(canceled.status, 200)
    assert.deepInclude(canceled.json, { id, object: "invoice", status: "canceled", stage: "done", full_number: "" })
    assert.deepStrictEqual((yield* get(path)).json, canceled.json)
    const replayed = yield* post(`${path}/cancel`, undefined, { "idempotency-key": "cancel" })
    assert.deepStrictEqual([replayed.text, replayed.headers["svc-idempotency-cached"]], [canceled.text, "true"])
    for (const command of ["cancel", "retry"]) {
      assert.strictEqual((yield* post(`${path}/${command}`)).status, 409, command)
    }
    const { tables } = yield* MemoryTables
    assert.lengthOf(tables.events, 0)
    assert.strictEqual(tables.invoices.get(id)?.next_action_at, null)
  })

  it.effect("leaves a document alone that has its number", function* () {
    const { id } = yield* addNumbered(yield* addCustomer())
    const { json, status } = yield* post(`/v1/invoices/${id}/cancel`)
    assert.deepStrictEqual([status, json.error.code], [409, "invoice_not_cancelable"])
    assert.include(json.error.message, "stage numbered")
  })
})

describeOn(app)("POST /v1/invoices/{id}/retry", (it) => {
  for (const [what, add] of [
    ["without a number is numbered", addDraft],
    ["keeps its number", addNumbered]
  ] as const) {
    it.effect(`a failed document ${what}, and goes all its way`, function* () {
      const { tables, until } = yield* MemoryTables
      const key = yield* add(yield* addCustomer())
      yield* fail(key)
      const before = tables.invoices.get(key.id)
      const { headers, json, status } = yield* post(`/v1/invoices/${key.id}/retry`)
      assert.deepStrictEqual([status, headers["location"]], [202, `/v1/invoices/${key.id}`])
      assert.deepInclude(json, { status: "draft", failure: null, full_number: before?.full_number ?? "" })
      yield* until(({ invoices }) => invoices.get(key.id)?.state === "accepted_by_authority")
      const after = tables.invoices.get(key.id)
      if (before?.full_number !== null) assert.strictEqual(after?.full_number, before?.full_number)
      assert.strictEqual(tables.events.filter(({ object_id }) => object_id === key.id).length, 1)
    })
  }

  it.effect("refuses what has not failed, and what would fail again", function* () {
    const key = yield* addNumbered(yield* addCustomer())
    const early = yield* post(`/v1/invoices/${key.id}/retry`)
    assert.deepStrictEqual([early.status, early.json.error.code], [409, "invoice_not_retryable"])
    yield* fail(key, { ...failure, retryable: false })
    const { json, status } = yield* post(`/v1/invoices/${key.id}/retry`)
    assert.deepStrictEqual([status, json.error.code], [409, "invoice_not_retryable"])
    assert.include(json.error.message, failure.code)
    const keyless = yield* post(`/v1/invoices/${key.id}/retry`, undefined, { "idempotency-key": undefined })
    assert.strictEqual(keyless.json.error.code, "idempotency_key_missing")
  })
})

describeOn(app)("GET /v1/invoices/{id}/timeline", (it) => {
  it.effect("tells all that happened, in its order", function* () {
    const { tables, until } = yield* MemoryTables
    const endpoint = yield* addEndpoint()
    const key = yield* addNumbered(yield* addCustomer())
    yield* fail(key)
    yield* post(`/v1/invoices/${key.id}/retry`)
    yield* until(({ deliveries }) => [...deliveries.values()].some(({ status }) => status === "succeeded"))
    const path = `/v1/invoices/${key.id}/timeline`
    const { json, status } = yield* get(path)
    assert.strictEqual(status, 200)
    assert.deepInclude(json, { object: "list", url: path, has_more: false })
    const data: ReadonlyArray<Record<string, unknown>> = json.data
    assert.deepStrictEqual(
      data.map(({ command, event_type, type, webhook_endpoint_id }) => [
        type,
        command ?? event_type ?? webhook_endpoint_id
      ]),
      [
        ["transition", "create"],
        ["transition", "number"],
        ["transition", "retry"],
        ["transition", "sign"],
        ["transition", "submit"],
        ["transition", "accept"],
        ["event", "invoice.accepted_by_authority"],
        ["delivery_attempt", endpoint.id]
      ]
    )
    assert.deepInclude(data.at(-1), { number: 1, trigger: "auto", response_status: 200, error: null })
    assert.strictEqual(tables.events[0]?.id, data[6]?.["event_id"])
  })
})

describeOn(app)("A due date that is past, of a sale that is paid at once", (it) => {
  it.effect("is left out of the document that is created or corrected, and validation warns of it", function* () {
    const past = { code: "10", type: "1", due_date: "2020-01-31" }
    const kept = { code: "10", type: "1" }
    const bodyOf = (id: string) => ({ ...invoiceBody(id), payment_means: past, other_payment_means: [past] })
    const body = bodyOf(yield* addCustomer())

    const validated = yield* post("/v1/invoices/validate", body)
    assert.deepStrictEqual([validated.json.valid, validated.json.errors], [true, []])
    assert.deepStrictEqual(
      validated.json.warnings.map(({ param }: { readonly param: string }) => param),
      ["payment_means.due_date", "other_payment_means[0].due_date"]
    )

    const created = yield* post("/v1/invoices", body)
    assert.strictEqual(created.status, 202, created.text)
    const path = `/v1/invoices/${created.json.id}`
    const { tables } = yield* MemoryTables
    const signed = () => Buffer.from(tables.documents.get(created.json.id)?.signed ?? []).toString()
    for (const step of ["created", "corrected"]) {
      const shown = yield* settled(path)
      assert.deepStrictEqual([shown.payment_means, shown.other_payment_means], [kept, [kept]], step)
      assert.include(signed(), "cbc:PaymentMeansCode", step)
      assert.notInclude(signed(), "PaymentDueDate", step)
      if (step === "corrected") break
      yield* become(created.json.id, { state: "rejected_by_authority" })
      const corrected = yield* post(`${path}/correct`, body)
      assert.strictEqual(corrected.status, 202, corrected.text)
    }
  })
})
