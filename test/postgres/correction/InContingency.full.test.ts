import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { customerBody, invoiceBody, partialNoteBody, scripted } from "../../support/apps/Invoices.ts"
import type { Client } from "../../support/apps/Client.ts"
import { layer as layerTestApp, TestApp } from "../../support/apps/TestApp.ts"
import { until } from "../../support/apps/Until.ts"
import { describeLive } from "../../support/Tests.ts"
import { accepted, codeOf, entries, key, rejected, settled } from "./Corrected.ts"

const waiting = `em_${"0".repeat(26)}`

const authority = (client: Client, body: object) => client.post("/v1/test-helpers/authority", body)
const advance = (client: Client, seconds: number) => client.post("/v1/test-helpers/advance", { seconds })

/** Advances the clock until a document has a status, and returns the document. */
const afterwards = (client: Client, seconds: number, path: string, status: string) =>
  Effect.map(
    until(
      Effect.andThen(advance(client, seconds), client.get(path)),
      ({ json }) => json.status === status,
      "180 seconds",
      "200 millis"
    ),
    ({ json }) => json
  )

const buyer = Effect.fnUntraced(function* (client: Client, number: string | undefined, email: string) {
  const { json } = yield* client.post("/v1/customers", { ...customerBody(number), email }, key())
  return String(json.id)
})

const issueIn = Effect.fnUntraced(function* (client: Client, path: string, body: object) {
  const { json, status, text } = yield* client.post(path, body, key())
  assert.strictEqual(status, 202, text)
  return `${path}/${json.id}`
})

describeLive(layerTestApp())("The correction of an invoice that was rejected after contingency", (it) => {
  it.effect("covers the invoice's notes, and sends the corrected invoice to the buyer", function* () {
    const { accountId, client } = yield* TestApp
    const sql = yield* SqlClient.SqlClient
    const bad = yield* buyer(client, scripted.rejected, "antes@cliente.test")
    const good = yield* buyer(client, undefined, "despues@cliente.test")
    yield* authority(client, { mode: "down" })
    const path = yield* issueIn(client, "/v1/invoices", invoiceBody(bad))
    const former = yield* afterwards(client, 301, path, "accepted_contingency")
    // Notes of an invoice that its buyer already has: the authority accepts one and rejects the other.
    yield* authority(client, { mode: "down", next: [{ accept: true }, { reject: ["CBF03a"] }] })
    const credit = yield* issueIn(client, "/v1/credit-notes", partialNoteBody(former.id, "20000.00"))
    const debit = yield* issueIn(client, "/v1/debit-notes", partialNoteBody(former.id, "500.00"))
    yield* afterwards(client, 301, credit, "accepted_contingency")
    yield* afterwards(client, 301, debit, "accepted_contingency")
    yield* authority(client, { mode: "up" })
    const refused = yield* afterwards(client, 30, path, rejected)
    assert.strictEqual(refused.contingency.type, "04")
    yield* afterwards(client, 30, credit, accepted)
    yield* afterwards(client, 30, debit, rejected)
    // An email of the rejected invoice that no server has accepted yet.
    yield* sql`
      insert into emails (account_id, livemode, id, invoice_id, document_state, recipient, next_attempt_at)
      values (${accountId}, false, ${waiting}, ${former.id}, 'accepted_contingency', 'antes@cliente.test', 'infinity')`

    const correct = (change: object) => client.post(`${path}/correct`, { ...invoiceBody(good), ...change }, key())
    const { lines } = partialNoteBody(former.id, "19999.99")
    const less = yield* correct({ lines })
    assert.strictEqual(less.status, 409, less.text)
    assert.deepStrictEqual([...codeOf(less), less.json.error.param], [409, "credit_exceeds_invoice", "lines"])
    const other = yield* correct({ currency: "USD", exchange_rate: "4100.50" })
    assert.deepStrictEqual([...codeOf(other), other.json.error.param], [400, "parameter_invalid", "currency"])
    const corrected = yield* correct({ lines: partialNoteBody(former.id, "20000.00").lines })
    assert.strictEqual(corrected.status, 202, corrected.text)
    assert.deepInclude(corrected.json, { contingency: null, stage: "numbered", full_number: former.full_number })
    const now = yield* settled(client, path, accepted)
    assert.isNull(now.contingency)

    const emails = yield* client.get(`${path}/emails`)
    assert.strictEqual(emails.status, 200, emails.text)
    const sent = emails.json.data.map(({ status, to }: { readonly status: string; readonly to: string }) => [
      to,
      status
    ])
    assert.deepInclude(sent, ["antes@cliente.test", "failed"])
    assert.isTrue(
      sent.some((one: ReadonlyArray<string>) => one[0] === "despues@cliente.test"),
      "the buyer gets the corrected invoice"
    )
    const outcomes = Effect.map(client.get(`/v1/events?object_id=${former.id}&limit=100`), ({ json }) =>
      json.data
        .map(({ type }: { readonly type: string }) => type)
        .filter((type: string) => !type.includes("email"))
        .join()
    )
    const all = ["accepted_by_authority", rejected, "accepted_contingency"].map((outcome) => `invoice.${outcome}`)
    yield* until(outcomes, (types) => types === all.join())
    const rejection = (yield* entries(client, path)).find(({ command }) => command === "reject")
    assert.strictEqual(rejection?.["cufe"], former.cufe)

    // The rejected note names the invoice's new code after its own correction.
    const again = yield* client.post(`${debit}/correct`, partialNoteBody(former.id, "500.00"), key())
    assert.strictEqual(again.status, 202, again.text)
    yield* settled(client, debit, accepted)
    assert.include((yield* client.get(`${debit}/xml`)).text, now.cufe)
  })

  it.effect("blocks the retry of a note until the corrected invoice is accepted", function* () {
    const { accountId, client } = yield* TestApp
    const sql = yield* SqlClient.SqlClient
    const bad = yield* buyer(client, scripted.rejected, "antes@cliente.test")
    yield* authority(client, { mode: "up", next: [{ accept: true }] })
    const path = yield* issueIn(client, "/v1/invoices", invoiceBody(bad))
    const { id } = yield* settled(client, path, accepted)
    const debit = yield* issueIn(client, "/v1/debit-notes", partialNoteBody(id, "500.00"))
    yield* settled(client, debit, rejected)
    // Sets states that documents reach only slowly, with the triggers of the table disabled.
    const asleep = (statement: Effect.Effect<unknown, unknown>) =>
      sql.withTransaction(Effect.andThen(sql`set local session_replication_role = replica`, statement))
    const failure = JSON.stringify({ code: "internal_error", message: "It broke.", retryable: true })
    yield* asleep(sql`
      update invoices set state = 'failed', submitted_at = null, authority_errors = '[]', failure = ${failure}::jsonb
      where id = ${debit.split("/").at(-1)}`)
    yield* asleep(sql`
      update invoices set state = 'failed', cufe = null, submitted_at = null, failure = ${failure}::jsonb
      where id = ${id} and account_id = ${accountId}`)
    const early = yield* client.post(`${debit}/retry`, undefined, key())
    assert.deepStrictEqual(codeOf(early), [409, "invoice_not_correctable"])
  })
})
