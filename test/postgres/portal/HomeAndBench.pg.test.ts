import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { signatureHeaders } from "../../../src/domain/webhooks/WebhookSignature.ts"
import { idOf } from "../../../src/store/sql/Ids.ts"
import { endpointBody, invoiceBody } from "../../support/apps/Invoices.ts"
import { layer as app, newCustomer, TestApp } from "../../support/apps/TestApp.ts"
import { until } from "../../support/apps/Until.ts"
import { visitor } from "../../support/portal/Visitor.ts"
import { ApiKeyId } from "../../../schemas/Id.ts"
import { describeLive } from "../../support/Tests.ts"

const bench = "/portal/bench"

/** A person with a session of the account's test mode, and the client of that account. */
const person = Effect.gen(function* () {
  const { accountId, client } = yield* TestApp
  const keys = yield* client.get("/v1/api-keys")
  const apiKeyId = ApiKeyId.make(keys.json.data.at(-1).id)
  return { client, ...(yield* visitor({ account: { account_id: accountId, livemode: false }, apiKeyId })) }
})

const textOf = (page: string) => page.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ")

describeLive(app())("the bench on PostgreSQL", (it) => {
  it.effect(
    "lets the next document end as it was planned, and knows the endpoints' secrets by what they sign",
    function* () {
      const { client, see, submit } = yield* person
      const first = yield* see("/portal")
      assert.include(textOf(first.text), "What to do first")
      assert.match(textOf(first.text), /Going live .* steps are left\./)
      const customer = yield* newCustomer(client)
      const hook = yield* client.post("/v1/webhook-endpoints", endpointBody("https://hooks.example.com"), {
        key: "hook"
      })
      const planned = yield* submit(bench, `${bench}/scripts`, { outcome: "reject", rules: "FAD06", delay: "" })
      assert.include(textOf(planned.text), "Reject it by rules: FAD06")
      const issue = (key: string) => client.post("/v1/invoices", invoiceBody(customer), { key })
      const { json: rejected } = yield* issue("first")
      const shown = yield* until(
        client.get(`/v1/invoices/${rejected.id}`),
        ({ json }) => json.status === "rejected_by_authority"
      )
      assert.strictEqual(shown.json.authority_errors[0].rule, "FAD06")
      assert.include(
        textOf((yield* submit(bench, `${bench}/clock`, { seconds: "3600" })).text),
        "The clock of the test mode is advanced."
      )
      const down = yield* submit(bench, `${bench}/authority`, { mode: "flaky" })
      assert.include(textOf(down.text), "Its first two answers about each document fail.")
      assert.include(textOf((yield* submit(bench, `${bench}/reset`)).text), "is up, and nothing is planned")

      const events = yield* client.get(`/v1/events?object_id=${rejected.id}`)
      const { id } = events.json.data[0]
      const { text: body } = yield* client.get(`/v1/events/${id}`)
      const timestamp = Math.floor(Date.now() / 1000)
      const headers = signatureHeaders({ secret: hook.json.secret, messageId: id, timestamp, body })
      const pasted = { headers: `Svc-Signature: ${headers["Svc-Signature"]}`, secret: "" }
      const right = yield* submit(bench, `${bench}/signature`, { ...pasted, body })
      assert.include(textOf(right.text), "The signature is right.")
      const pretty = JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(body)).toReversed()), null, 4)
      const wrong = yield* submit(bench, `${bench}/signature`, { ...pasted, body: pretty.replaceAll("\n", "\r\n") })
      assert.include(textOf(wrong.text), "The body was parsed and written again as JSON")
      assert.include(wrong.text, hook.json.id)
      assert.notInclude(wrong.text, hook.json.secret)
    }
  )
})

const count = 10_000
const dayMs = 86_400_000

describeLive(app())("the first page of an account with 10,000 documents", (it) => {
  it.effect("is small, and quick on the server", function* () {
    const { client, see } = yield* person
    const sql = yield* SqlClient.SqlClient
    const customer = yield* newCustomer(client)
    const { json } = yield* client.post("/v1/invoices", invoiceBody(customer), { key: "one of many" })
    yield* until(client.get(`/v1/invoices/${json.id}`), (seen) => seen.json.status === "accepted_by_authority")
    // One day fewer than the page shows: midnight may come before it is asked for.
    const prefixes = Array.from({ length: 29 }, (_, day) => idOf("inv", Date.now() - day * dayMs))
    yield* sql`
      insert into invoices
      select c.* from invoices r, generate_series(1, ${count}::integer) n, jsonb_populate_record(r, jsonb_build_object(
        'id', (${prefixes}::text[])[1 + n % 29] || lpad(n::text, 16, '0'), 'number', n, 'full_number', r.prefix || n, 'cufe', 'cufe ' || n)) c
      where r.id = ${json.id}`
    yield* sql`analyze invoices`
    const times: Array<number> = []
    let page = yield* see("/portal")
    for (let asked = 0; asked < 9; asked++) {
      const before = performance.now()
      page = yield* see("/portal")
      times.push(performance.now() - before)
    }
    assert.strictEqual(page.status, 200)
    assert.include(textOf(page.text), "All is well.")
    assert.match(textOf(page.text), /10,0\d\d in all/)
    assert.isBelow(Buffer.byteLength(page.text), 60_000)
    const quickest = Math.min(...times)
    assert.isBelow(quickest, 200)
  })
})
