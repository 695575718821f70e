import { assert } from "@effect/vitest"
import { Context, Effect, Layer, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import { SqlClient } from "effect/sql"
import { pageBytesMax } from "../../../schemas/Page.ts"
import { openApi } from "../../../src/api/OpenApi.ts"
import { make } from "../../../src/clients/typescript/Client.ts"
import { Customers } from "../../../src/accounts/store/Customers.ts"
import { createPlatform } from "../../../src/accounts/store/Operations.ts"
import { makeClient } from "../../support/apps/Client.ts"
import { newAccount } from "../../http/platforms/Platform.ts"
import { customerBody, endpointBody, invoiceBody } from "../../support/apps/Invoices.ts"
import * as TestApp from "../../support/apps/TestApp.ts"
import { until } from "../../support/apps/Until.ts"
import { describeLive } from "../../support/Tests.ts"

/* The largest objects that can be stored, and as many of them as a page may contain. */

/** The bytes of the list around the objects. */
const listBytes = 500

const idOf = (prefix: string, n: string) => `'${prefix}_01k9z3v8c2m4n6p8q0r2' || lpad(${n}::text, 6, '0')`

const text = (character: string, length: number) => character.repeat(length)

const largeMetadata = JSON.stringify(
  Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`clave ${index}`, text("ñ", 500)]))
)

const largeLines = JSON.stringify(
  Array.from({ length: 500 }, (_, index) => ({
    description: text("d", 100),
    quantity: "1.00",
    unit_code: "94",
    unit_price: "100000.00",
    line_extension_amount: "100000.00",
    taxes: ["01", "03", "04"].map((code) => ({
      code,
      rate: `${index % 90}.00`,
      base: "100000.00",
      value: "19000.00"
    }))
  }))
)

/**
 * An accepted invoice with its event, delivery and email, and copies of each of these rows with the largest content.
 */
const stored = Effect.gen(function* () {
  const { client } = yield* TestApp.TestApp
  const sql = yield* SqlClient.SqlClient
  const endpoint = yield* client.post("/v1/webhook-endpoints", endpointBody("https://hooks.example.com"), {
    key: "hook"
  })
  const buyer = { ...customerBody(), email: "compras@example.com" }
  const customer = yield* client.post("/v1/customers", buyer, { key: "buyer" })
  const invoice = yield* client.post("/v1/invoices", invoiceBody(customer.json.id), { key: "invoice" })
  yield* until(client.get(`/v1/invoices/${invoice.json.id}`), ({ json }) => json.email?.status === "delivered")
  yield* client.request("PATCH", `/v1/webhook-endpoints/${endpoint.json.id}`, { body: { is_active: false } })

  const copy = (table: string, count: number, change: string, where = "true") =>
    sql.unsafe(`
      insert into ${table} overriding system value
      select r.* from (select * from ${table} where ${where} limit 1) t,
        generate_series(1, ${count}) n, jsonb_populate_record(null::${table}, to_jsonb(t) || ${change}) r`)
  const metadata = `'${largeMetadata}'::jsonb`
  yield* copy("customers", 100, `jsonb_build_object('id', ${idOf("cust", "n")}, 'metadata', ${metadata})`)
  yield* copy("webhook_endpoints", 15, `jsonb_build_object('id', ${idOf("we", "n")}, 'metadata', ${metadata})`)
  for (const [kind, prefix] of [
    ["invoice", "inv"],
    ["credit_note", "cn"]
  ] as const) {
    yield* copy(
      "invoices",
      60,
      `jsonb_build_object('id', ${idOf(prefix, "n")}, 'state', 'canceled', 'number', null, 'prefix', null,
        'full_number', null, 'cufe', null, 'issue_date', null, 'issue_time', null, 'resolution_id', null,
        'next_action_at', null, 'kind', '${kind}', 'metadata', ${metadata}, 'lines', '${largeLines}'::jsonb,
        'submitted_at', null,
        'invoice_id', case when '${kind}' = 'credit_note' then t.id end,
        'correction_code', case when '${kind}' = 'credit_note' then '2' end,
        'reason', case when '${kind}' = 'credit_note' then 'r' end)`,
      "kind = 'invoice' and number is not null"
    )
  }
  const body = `(t.body::jsonb || jsonb_build_object('id', ${idOf("evt", "n")}, 'more', ${metadata}))::text`
  yield* copy(
    "events",
    100,
    `jsonb_build_object('id', ${idOf("evt", "n")}, 'seq', 1000 + n, 'object_version', 100 + n, 'body', ${body})`,
    "type = 'invoice.accepted_by_authority'"
  )
  yield* sql.unsafe(`
    insert into deliveries (account_id, livemode, id, endpoint_id, event_id, object_id, seq, status, attempts,
      next_attempt_at, created_at, updated_at)
    select account_id, livemode, ${idOf("whd", "seq")}, '${endpoint.json.id}', id, object_id, seq, 'failed', 60, now(),
      now(), now()
    from events where seq > 1000`)
  // The largest response body of a receiver: each byte becomes six in JSON.
  const answer = text("\u0001", 4_096)
  const headers = JSON.stringify(Object.fromEntries(Array.from({ length: 16 }, (_, n) => [`x-${n}`, text("h", 1_000)])))
  const error = JSON.stringify({ code: "tls", message: text("e", 500) })
  yield* sql`
    insert into attempts (account_id, livemode, delivery_id, number, trigger, started_at, duration_ms, response_status,
      response_headers, response_body, error)
    select account_id, livemode, id, n, 'manual', now(), 1, 200, ${headers}::jsonb, ${answer}, ${error}::jsonb
    from deliveries, generate_series(1, 60) n where status = 'failed'`
  yield* copy("emails", 100, `jsonb_build_object('id', ${idOf("em", "n")}, 'reason', repeat('ñ', 500))`)
  yield* sql`update invoices set metadata = ${largeMetadata}::jsonb where id = ${invoice.json.id}`
  return { invoice: String(invoice.json.id), endpoint: String(endpoint.json.id) }
})

const bytesOf = (answer: string) => Buffer.byteLength(answer)

class Stored extends Context.Service<Stored, Effect.Success<typeof stored>>()("test/Stored") {
  static readonly layer = Layer.effect(Stored, stored).pipe(Layer.provideMerge(TestApp.layer()))
}

describeLive(Layer.merge(Stored.layer, FetchHttpClient.layer))("Lists of the largest objects", (it) => {
  it.effect("exceed no page limit, and their pages contain everything once", function* () {
    const { client } = yield* TestApp.TestApp
    const { endpoint, invoice } = yield* Stored
    const [delivery] = (yield* client.get(`/v1/webhook-endpoints/${endpoint}/deliveries?limit=1&status=failed`)).json
      .data
    for (const [path, count] of [
      ["/v1/customers", 101],
      ["/v1/invoices", 61],
      ["/v1/credit-notes", 60],
      ["/v1/webhook-endpoints", 16],
      ["/v1/events", 102],
      [`/v1/webhook-endpoints/${endpoint}/deliveries`, 101],
      [`/v1/webhook-deliveries/${delivery.id}/attempts`, 60],
      [`/v1/invoices/${invoice}/emails`, 101],
      ["/v1/api-keys", 2],
      ["/v1/resolutions", 1]
    ] as const) {
      for (const cursor of ["starting_after", "ending_before"]) {
        const newest = (yield* client.get(`${path}?limit=1`)).json.data[0].id
        const seen: Array<string> = []
        let next = ""
        // Towards the newest object, starting with the oldest object of the first page.
        if (cursor === "ending_before") {
          next = (yield* client.get(`${path}?limit=100`)).json.data.at(-1).id
          seen.push(next)
        }
        for (;;) {
          const {
            json,
            status,
            text: answer
          } = yield* client.get(`${path}?limit=100${next === "" ? "" : `&${cursor}=${next}`}`)
          assert.strictEqual(status, 200, `${path} ${next}: ${answer.slice(0, 200)}`)
          assert.isAtMost(bytesOf(answer), pageBytesMax + listBytes, path)
          const ids: ReadonlyArray<string> = json.data.map(({ id }: { readonly id: string }) => id)
          seen.push(...(cursor === "ending_before" ? ids.toReversed() : ids))
          if (json.has_more === false) break
          assert.isAbove(ids.length, 0, `${path} has rows on each page`)
          next = String(seen.at(-1))
        }
        assert.strictEqual(new Set(seen).size, seen.length, `${path}: none twice`)
        assert.strictEqual(cursor === "ending_before" ? seen.at(-1) : seen[0], newest)
        if (cursor === "starting_after") assert.lengthOf(seen, count, path)
      }
    }
    // The event feed, the timeline, and one delivery.
    const followed = yield* client.get(`/v1/events?wait=0&limit=100`)
    assert.isAtMost(bytesOf(followed.text), pageBytesMax + listBytes)
    assert.isTrue(followed.json.has_more)
    const timeline = yield* client.get(`/v1/invoices/${invoice}/timeline`)
    assert.isAtMost(bytesOf(timeline.text), pageBytesMax + listBytes)
    assert.isTrue(timeline.json.has_more)
    const alone = yield* client.get(`/v1/webhook-deliveries/${delivery.id}`)
    assert.isAtMost(bytesOf(alone.text), pageBytesMax)
    assert.strictEqual(alone.json.attempts_count, 60)
    assert.deepStrictEqual(
      alone.json.attempts.map(({ number }: { readonly number: number }) => number),
      Array.from({ length: 10 }, (_, index) => 51 + index)
    )
    assert.lengthOf(alone.json.attempts[0].response_body, 4_096)
    assert.deepStrictEqual(
      delivery.attempts.map((attempt: Record<string, unknown>) => [
        attempt["number"],
        Object.keys(attempt["response_headers"] as object).length,
        String(attempt["response_body"]).length
      ]),
      [58, 59, 60].map((number) => [number, 0, 256])
    )
    // An object of another kind is no cursor.
    const foreign = yield* client.get(`/v1/webhook-deliveries/${delivery.id}/attempts?starting_after=${invoice}`)
    assert.strictEqual(foreign.json.error.code, "invalid_cursor")
    // An object larger than a page comes alone: here because of its archive.
    const { text: mail } = yield* client.get(`/v1/invoices/${invoice}/emails?limit=100&content=true`)
    assert.isAtMost(bytesOf(mail), pageBytesMax + listBytes)
  })

  it.effect("start at any id of their kind, and at no other id", function* () {
    const { client: ofAccount, url } = yield* TestApp.TestApp
    const ofPlatform = makeClient(
      url,
      (yield* createPlatform("Plataforma", { accounts_max: null, return_hosts: [] })).key
    )
    yield* ofPlatform.post("/v1/accounts", newAccount(), { key: "account" })
    const { endpoint, invoice } = yield* Stored
    const [delivery] = (yield* ofAccount.get(`/v1/webhook-endpoints/${endpoint}/deliveries?limit=1`)).json.data
    const [credit] = (yield* ofAccount.get("/v1/credit-notes?limit=1")).json.data
    const ids: Readonly<Record<string, string>> = {
      invoices: invoice,
      events: delivery.event_id,
      "credit-notes": credit.id,
      "webhook-endpoints": endpoint,
      "webhook-deliveries": delivery.id
    }
    const lists = Object.entries<{
      get?: { parameters: ReadonlyArray<{ name: string; schema: { pattern?: string } }> }
    }>(JSON.parse(JSON.stringify(openApi)).paths).flatMap(([path, { get }]) => {
      const cursor = get?.parameters.find(({ name }) => name === "starting_after")
      return cursor === undefined ? [] : [{ path, kind: /^\^(\w+?)_/.exec(cursor.schema.pattern ?? "")?.[1] ?? path }]
    })
    assert.lengthOf(lists, 19)
    for (const { kind, path: template } of lists) {
      // No debit note has emails to list. Its list differs from a credit note's only in the path.
      if (template === "/v1/debit-notes/{id}/emails") continue
      const path = template.replace("{id}", ids[template.split("/")[2] ?? ""] ?? "")
      const client = template === "/v1/accounts" ? ofPlatform : ofAccount
      const first = yield* client.get(`${path}?limit=2`)
      assert.strictEqual(first.status, 200, path)
      // Newer than all other objects, as a deleted object may be.
      const gone = template.endsWith("/attempts") ? `${delivery.id}_999999999` : `${kind}_7${"z".repeat(25)}`
      const after = yield* client.get(`${path}?limit=2&starting_after=${gone}`)
      const idsOf = (page: typeof first) => page.json.data?.map(({ id }: { readonly id: string }) => id) ?? page.text
      // The request for the first page is itself in this list.
      if (kind !== "req") assert.deepStrictEqual(idsOf(after), idsOf(first), path)
      assert.strictEqual(after.status, 200, after.text)
      const before = yield* client.get(`${path}?limit=2&ending_before=${gone}`)
      assert.deepStrictEqual([before.status, before.json.data, before.json.has_more], [200, [], false], path)
      for (const strange of [`soft_${"0".repeat(26)}`, `${kind}_1`, ""]) {
        const { json } = yield* client.get(`${path}?starting_after=${strange}`)
        assert.deepInclude(json.error, { code: "invalid_cursor", param: "starting_after" }, path)
      }
    }
  })

  it.effect("end their pages early already in the database", function* () {
    const { accountId } = yield* TestApp.TestApp
    const customers = yield* Customers
    const page = yield* customers.list({ account_id: accountId, livemode: false }, { limit: 100, cursor: null })
    assert.isBelow(page.rows.length, 30)
    assert.isTrue(page.has_more)
  })

  it.effect("let the client follow pages that are shorter than requested", function* () {
    const { apiKey, url } = yield* TestApp.TestApp
    const folio = yield* make({ baseUrl: url, apiKey })
    const customers = yield* Stream.runCollect(folio.customers.allCustomers())
    assert.lengthOf(customers, 101)
    assert.strictEqual(new Set(customers.map(({ id }) => id)).size, 101)
  })
})
