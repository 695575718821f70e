import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { addCustomer, addEndpoint, addInvoice, addResting, become } from "../../support/apps/PostgresRows.ts"
import { seen, settled } from "../../support/apps/Correcting.ts"
import { invoiceBody } from "../../support/apps/Invoices.ts"
import { fetchBytes, get, post } from "../../support/apps/Requests.ts"
import { describeLive } from "../../support/Tests.ts"

const failure = { code: "internal_error", message: "It broke.", retryable: true }

/** An invoice with a number that failed after it was issued. */
const addFailed = Effect.fnUntraced(function* (why = failure) {
  const { full_number, id } = yield* addInvoice()
  yield* become(id, "failed", { failure: why })
  return { id: String(id), full_number: String(full_number) }
})

describeLive(app)("Commands of an invoice", (it) => {
  it.effect("cancel cancels a draft without a number, for good", function* () {
    const id = yield* addResting()
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
    assert.deepStrictEqual((yield* get(`/v1/events?object_id=${id}`)).json.data, [])
  })

  it.effect("cancel does not change a document that has a number", function* () {
    const id = yield* addResting("numbered")
    const { json, status } = yield* post(`/v1/invoices/${id}/cancel`)
    assert.deepStrictEqual([status, json.error.code], [409, "invoice_not_cancelable"])
    assert.include(json.error.message, "stage numbered")
  })

  it.effect("retry numbers a failed document without a number, which then passes all stages", function* () {
    const sql = yield* SqlClient.SqlClient
    const id = yield* addResting()
    yield* become(id, "failed")
    const { headers, json, status } = yield* post(`/v1/invoices/${id}/retry`)
    assert.deepStrictEqual([status, headers["location"]], [202, `/v1/invoices/${id}`])
    assert.deepInclude(json, { status: "draft", failure: null, full_number: "" })
    assert.strictEqual((yield* settled(`/v1/invoices/${id}`)).status, "accepted_by_authority")
    assert.lengthOf(yield* sql`select from events where object_id = ${id}`, 1)
  })

  it.effect("retry rejects a document that has not failed, or that would fail again", function* () {
    const early = yield* post(`/v1/invoices/${yield* addResting("numbered")}/retry`)
    assert.deepStrictEqual([early.status, early.json.error.code], [409, "invoice_not_retryable"])
    const { id } = yield* addFailed({ ...failure, retryable: false })
    const { json, status } = yield* post(`/v1/invoices/${id}/retry`)
    assert.deepStrictEqual([status, json.error.code], [409, "invoice_not_retryable"])
    assert.include(json.error.message, failure.code)
    const keyless = yield* post(`/v1/invoices/${id}/retry`, undefined, { "idempotency-key": undefined })
    assert.strictEqual(keyless.json.error.code, "idempotency_key_missing")
  })

  it.effect("the timeline shows all changes in their order", function* () {
    const { full_number, id } = yield* addFailed()
    const endpoint = yield* addEndpoint()
    yield* post(`/v1/invoices/${id}/retry`)
    assert.strictEqual((yield* settled(`/v1/invoices/${id}`)).full_number, full_number)
    const path = `/v1/invoices/${id}/timeline`
    const { json } = yield* seen(path, ({ data }) => data.at(-1).type === "delivery_attempt")
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
        ["transition", "sign"],
        ["transition", "submit"],
        ["transition", "accept"],
        ["event", "invoice.accepted_by_authority"],
        ["transition", "retry"],
        ["transition", "sign"],
        ["transition", "submit"],
        ["transition", "accept"],
        ["event", "invoice.accepted_by_authority"],
        ["delivery_attempt", endpoint]
      ]
    )
    assert.deepInclude(data.at(-1), { number: 1, trigger: "auto", response_status: 200, error: null })
    yield* seen(`/v1/events?object_id=${id}&limit=1`, (list) => list.data[0]?.id === data.at(-2)?.["event_id"])
  })

  it.effect(
    "creation and correction drop a past due date from a cash sale, and validation warns about it",
    function* () {
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
      for (const step of ["created", "corrected"]) {
        const shown = yield* settled(path)
        assert.deepStrictEqual([shown.payment_means, shown.other_payment_means], [kept, [kept]], step)
        const signed = (yield* fetchBytes({ path: `${path}/xml` })).bytes.toString()
        assert.include(signed, "cbc:PaymentMeansCode", step)
        assert.notInclude(signed, "PaymentDueDate", step)
        if (step === "corrected") break
        yield* become(created.json.id, "rejected_by_authority")
        const corrected = yield* post(`${path}/correct`, body)
        assert.strictEqual(corrected.status, 202, corrected.text)
      }
    }
  )
})
