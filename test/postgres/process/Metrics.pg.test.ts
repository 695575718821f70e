import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { purgeBatchMax } from "../../../src/operations/store/Retention.ts"
import { invoiceBody, scripted } from "../../support/apps/Invoices.ts"
import { layerOwner, seedAccount } from "../../support/database/Owners.ts"
import { freshDatabase } from "../../support/database/Postgres.ts"
import * as TestApp from "../../support/apps/TestApp.ts"
import { until } from "../../support/apps/Until.ts"
import { Customer, newEndpoint } from "../../support/receiver/Webhooks.ts"

const scrape = Effect.gen(function* () {
  const { client } = yield* TestApp.TestApp
  const answer = yield* client.get("/metrics")
  assert.strictEqual(answer.status, 200)
  assert.match(answer.headers.get("content-type") ?? "", /^text\/plain; version=0\.0\.4/)
  return answer.text
})

/** The value of a series in the format of Prometheus. */
const value = (text: string, series: string) => {
  const line = text.split("\n").find((candidate) => candidate.startsWith(`${series} `))
  return line === undefined ? undefined : Number(line.slice(series.length + 1))
}

it.live("Metrics count the completed work, with labels from closed sets", () =>
  Effect.gen(function* () {
    const customer = yield* Customer
    const { accountId, client } = yield* TestApp.TestApp
    customer.answerWith(({ event }) => (event.type === "invoice.rejected_by_authority" ? 503 : 200))
    const endpoint = yield* newEndpoint("/hooks")
    const accepted = yield* TestApp.newCustomer(client)
    const rejected = yield* TestApp.newCustomer(client, scripted.rejected)
    const answers = yield* Effect.forEach(
      [accepted, accepted, rejected],
      (id, index) => client.post("/v1/invoices", invoiceBody(id), { key: `${index}` }),
      { concurrency: "unbounded" }
    )
    for (const { json } of answers) yield* client.get(`/v1/invoices/${json.id}`)
    yield* client.get("/v1/invoices/inv_none")
    yield* client.get(`/v1/nothing/${accountId}`)
    yield* client.request("PROPFIND", "/v1/account")
    const text = yield* until(
      scrape,
      (seen) =>
        value(seen, 'folio_deliveries_total{result="succeeded"}') === 2 &&
        value(seen, 'folio_deliveries_total{result="retry"}') === 1
    )
    const expected = {
      'folio_http_request_duration_seconds_count{method="POST",route="/v1/invoices",status="2xx"}': 3,
      'folio_http_request_duration_seconds_count{method="GET",route="/v1/invoices/:id",status="2xx"}': 3,
      'folio_http_request_duration_seconds_count{method="GET",route="/v1/invoices/:id",status="4xx"}': 1,
      'folio_http_request_duration_seconds_count{method="GET",route="none",status="4xx"}': 1,
      'folio_http_request_duration_seconds_count{method="other",route="none",status="4xx"}': 1,
      'folio_invoice_outcomes_total{status="accepted_by_authority"}': 2,
      'folio_invoice_outcomes_total{status="rejected_by_authority"}': 1,
      'folio_authority_call_duration_seconds_count{call="submit",result="accepted"}': 2,
      'folio_authority_call_duration_seconds_count{call="submit",result="rejected"}': 1,
      'folio_delivery_attempt_duration_seconds_count{result="delivered"}': 2,
      'folio_delivery_attempt_duration_seconds_count{result="status"}': 1,
      'folio_batch_size_sum{batch="InvoiceCreation.create"}': 3,
      'folio_batch_size_sum{batch="Numbering.number"}': 3,
      'folio_batch_size_sum{batch="Deliveries.record"}': 3
    }
    for (const [series, count] of Object.entries(expected)) assert.strictEqual(value(text, series), count, series)
    const batches = value(text, 'folio_batch_duration_seconds_count{batch="InvoiceCreation.create"}')
    assert.strictEqual(value(text, 'folio_batch_size_count{batch="InvoiceCreation.create"}'), batches)
    // No id, nor any other input from outside.
    assert.notMatch(text, /(ten|cust|inv|we|evt|whd|req|key|res)_[0-9a-z]{4}/)
    assert.notInclude(text, "nothing")
    assert.notInclude(text, endpoint.id)
    // Only names and labels: among the digits of so many values, a port number may appear by chance.
    const labels = text.replaceAll(/^([^#].*) \S+$/gm, "$1").replaceAll(/\ble="[^"]*"/g, "")
    assert.include(labels, 'folio_deliveries_total{result="succeeded"}')
    assert.notInclude(labels, String(customer.port))
    // Every name has a help text and a type, and ends with its unit or _total.
    for (const [, name] of text.matchAll(/^# TYPE (folio_\S+)/gm)) {
      assert.include(text, `# HELP ${name} `)
      assert.match(
        name ?? "",
        /_(seconds|total|size|waiting|circuits|contingency|overdue|connections|max|info|available|held|open)$/
      )
    }
  }).pipe(Effect.provide(Customer.layer))
)

it.live("Metrics count the rows that the housekeeper has removed", () =>
  Effect.gen(function* () {
    const count = purgeBatchMax + 7
    const url = yield* freshDatabase
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* seedAccount
      yield* sql`
        insert into idempotency_keys (api_key_id, value, fingerprint, status, body, completed_at)
        select id, n::text, 'f', 201, '{}', now() - interval '2 days' from api_keys, generate_series(1, ${count}) n`
    }).pipe(Effect.provide(layerOwner(url)))
    yield* until(scrape, (text) => value(text, 'folio_purged_rows_total{table="idempotency_keys"}') === count).pipe(
      Effect.provide(TestApp.layerOn(url))
    )
  })
)
