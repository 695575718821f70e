import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { unzipSync } from "fflate"
import { eventTypes } from "../../../schemas/Event.ts"
import type { InvoiceState } from "../../../src/invoices/rules/InvoiceLifecycle.ts"
import { FakeReceiver } from "../../support/apps/Fakes.ts"
import { accepted, told, typesOf } from "../../support/mail/Mailed.ts"
import { seen } from "../../support/apps/Correcting.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { addResting, become, pastGuards } from "../../support/apps/PostgresRows.ts"
import { pdfPages } from "../../support/PdfText.ts"
import { fetchBytes, get, post } from "../../support/apps/Requests.ts"
import { until } from "../../support/apps/Until.ts"
import { describeLive } from "../../support/Tests.ts"

interface Listed {
  readonly id: string
  readonly to: string
  readonly status: string
}

/** Waits until an email of a document has this status. */
const ended = (id: string, isIt: (one: Listed) => boolean) =>
  seen(`/v1/invoices/${id}/emails`, ({ data }) => data.some(isIt))

describeLive(app)("Emails of the test mode", (it) => {
  it.effect.each([
    ["compras@example.com", ["delivered"]],
    ["nadie@bounced.test", ["bounced"]],
    ["Nadie@Bounced.TEST", ["bounced"]],
    ["quejas@complained.test", ["delivered", "complained"]],
    ["x@notbounced.test", ["delivered"]]
  ] as const)("to %s end as %s", function* ([email, outcomes]) {
    const id = yield* accepted(email)
    const last = outcomes.at(-1)
    yield* ended(id, ({ status }) => status === last)
    const events = yield* told(id)
    assert.deepStrictEqual(
      typesOf(events),
      outcomes.map((outcome) => `invoice.email.${outcome}`)
    )
    const { json: invoice } = yield* get(`/v1/invoices/${id}`)
    const { json: list } = yield* get(`/v1/invoices/${id}/emails`)
    const [sent] = list.data
    assert.deepStrictEqual(invoice.email, { status: last, at: sent.at })
    const { archive, attachments, attempts, created_at, next_attempt_at, subject, text, ...snapshot } = sent
    assert.deepStrictEqual(events.at(-1)?.data.object, snapshot)
    assert.deepInclude(snapshot, {
      object: "email",
      livemode: false,
      document_id: id,
      document_type: "invoice",
      full_number: invoice.full_number,
      to: email,
      metadata: { order: "1001" }
    })
    assert.deepStrictEqual(snapshot.reason === null, last !== "bounced")
    assert.deepStrictEqual([attempts, next_attempt_at], [1, null])
    assert.strictEqual(subject, `900373115;Folio Sandbox S.A.S.;${invoice.full_number};01;Folio Sandbox S.A.S.`)
    assert.include(text, invoice.cufe)
    assert.isNull(archive.content)
    assert.isAtLeast(Date.parse(sent.at), Date.parse(created_at))
    assert.isAbove(attachments.length, 0)
  })

  it.effect("need an address", function* () {
    const id = yield* accepted()
    assert.deepStrictEqual(yield* told(id), [])
    assert.isNull((yield* get(`/v1/invoices/${id}`)).json.email)
    assert.deepStrictEqual((yield* get(`/v1/invoices/${id}/emails`)).json, {
      object: "list",
      url: `/v1/invoices/${id}/emails`,
      has_more: false,
      data: []
    })
    const refused = yield* post(`/v1/invoices/${id}/email`)
    assert.deepStrictEqual([refused.status, refused.json.error.param], [400, "to"])
  })

  it.effect("can be read back with all their files", function* () {
    const id = yield* accepted("compras@example.com")
    const path = `/v1/invoices/${id}/emails?content=true`
    const [sent] = (yield* get(path)).json.data
    const archive = Buffer.from(sent.archive.content, "base64")
    assert.strictEqual(archive.length, sent.archive.size)
    const files = Object.entries(unzipSync(archive))
    assert.deepStrictEqual(
      files.map(([name, bytes]) => ({ name, size: bytes.length })),
      sent.attachments
    )
    const signed = yield* fetchBytes({ path: `/v1/invoices/${id}/xml` })
    assert.deepStrictEqual(Buffer.from(files[0]?.[1] ?? []), signed.bytes)
    assert.deepStrictEqual((yield* get(path)).json.data[0], sent, "the same each time")
    // The document was accepted in contingency, and then rejected.
    yield* become(id, "rejected_by_authority")
    const [since] = (yield* get(path)).json.data
    const unzipped = Object.entries(unzipSync(Buffer.from(since.archive.content, "base64")))
    const [, pdf = new Uint8Array()] = unzipped.find(([name]) => name.endsWith(".pdf")) ?? []
    const printed = pdfPages(Buffer.from(pdf)).flat()
    assert.isTrue(printed.some(({ text }) => text === "Rechazada por la DIAN, sin validez"))
  })

  it.effect("appear in the list even if their files are missing", function* () {
    const id = yield* accepted("compras@example.com")
    const sql = yield* SqlClient.SqlClient
    yield* pastGuards(sql`delete from invoice_documents where invoice_id = ${id}`)
    const { json, status } = yield* get(`/v1/invoices/${id}/emails`)
    assert.strictEqual(status, 200)
    assert.deepInclude(json.data[0], {
      subject: null,
      text: null,
      archive: null,
      attachments: [],
      status: "delivered"
    })
  })

  it.effect("reach their webhooks after the acceptance event", function* () {
    const receiver = yield* FakeReceiver
    yield* post("/v1/webhook-endpoints", { url: "https://hooks.example.com/mail", subscribed_events: eventTypes })
    const id = yield* accepted("quejas@complained.test")
    const received = Effect.sync(() =>
      receiver.requests
        .map(({ body }) => JSON.parse(String(body)))
        .filter(({ data }) => data.object.id === id || data.object.document_id === id)
    )
    const types = (yield* until(received, ({ length }) => length === 3)).map(({ type }) => type)
    assert.deepStrictEqual(types, [
      "invoice.accepted_by_authority",
      "invoice.email.delivered",
      "invoice.email.complained"
    ])
  })

  it.effect("can be sent again, also to another address, once for each key", function* () {
    const id = yield* accepted("compras@example.com")
    const sent = yield* post(`/v1/invoices/${id}/email`, { to: "otra@bounced.test" }, { "idempotency-key": "mail 1" })
    assert.strictEqual(sent.status, 202, sent.text)
    assert.strictEqual(sent.headers.location, `/v1/invoices/${id}/emails`)
    assert.deepInclude(sent.json, { object: "email", document_id: id, to: "otra@bounced.test", status: "pending" })
    yield* ended(id, (one) => one.id === sent.json.id && one.status === "bounced")
    const again = yield* post(`/v1/invoices/${id}/email`, { to: "otra@bounced.test" }, { "idempotency-key": "mail 1" })
    assert.strictEqual(again.text, sent.text)
    const plain = yield* post(`/v1/invoices/${id}/email`)
    assert.deepInclude(plain.json, { to: "compras@example.com" })
    yield* ended(id, (one) => one.id === plain.json.id && one.status === "delivered")

    const { json } = yield* get(`/v1/invoices/${id}/emails`)
    assert.deepStrictEqual(
      json.data.map(({ status, to }: Listed) => [to, status]),
      [
        ["compras@example.com", "delivered"],
        ["otra@bounced.test", "bounced"],
        ["compras@example.com", "delivered"]
      ]
    )
    assert.deepStrictEqual(typesOf(yield* told(id)), [
      "invoice.email.delivered",
      "invoice.email.bounced",
      "invoice.email.delivered"
    ])
    assert.strictEqual((yield* get(`/v1/invoices/${id}`)).json.email.status, "delivered")
    const sql = yield* SqlClient.SqlClient
    const log = yield* sql`select object_id from audit_log where action = 'email.resent' order by seq`
    assert.deepStrictEqual(log, [{ object_id: sent.json.id }, { object_id: plain.json.id }])
  })

  it.effect("need an Idempotency-Key to be sent again", function* () {
    const id = yield* accepted("compras@example.com")
    const { json, status } = yield* post(`/v1/invoices/${id}/email`, {}, { "idempotency-key": undefined })
    assert.deepStrictEqual([status, json.error?.code], [400, "idempotency_key_missing"])
  })

  const unaccepted: ReadonlyArray<InvoiceState> = [
    "queued",
    "numbered",
    "signed",
    "submitted",
    "rejected_by_authority",
    "failed",
    "canceled"
  ]
  it.effect.each(unaccepted)("cannot be sent again for a document that is %s", function* (state) {
    const id = yield* addResting(state)
    const { json, status } = yield* post(`/v1/invoices/${id}/email`, { to: "otra@example.com" })
    assert.deepStrictEqual([status, json.error?.code], [409, "invoice_not_correctable"])
    assert.deepStrictEqual((yield* get(`/v1/invoices/${id}/emails`)).json.data, [])
  })

  it.effect("can be sent again for a document that was accepted in contingency", function* () {
    const sql = yield* SqlClient.SqlClient
    const id = yield* accepted()
    yield* become(id, "accepted_contingency")
    const { json, status } = yield* post(`/v1/invoices/${id}/email`, { to: "otra@example.com" })
    assert.strictEqual(status, 202)
    const rows = yield* sql`select document_state from emails where id = ${json.id}`
    assert.deepStrictEqual(rows, [{ document_state: "accepted_contingency" }])
  })
})
