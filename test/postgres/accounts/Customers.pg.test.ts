import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { readSignedDocument } from "../../../src/documents/signature/SignedDocument.ts"
import { customerBody, endpointBody, invoiceBody } from "../../support/apps/Invoices.ts"
import { layer as app, newCustomer, TestApp } from "../../support/apps/TestApp.ts"
import { until } from "../../support/apps/Until.ts"
import { describeLive } from "../../support/Tests.ts"

/** Omits the links, which change every minute. */
const withoutLinks = (invoice: object) => ({ ...invoice, pdf_url: null, xml_url: null })

describeLive(app())("Customers and invoices on PostgreSQL", (it) => {
  it.effect("keep invoices to the byte when their customer changes and is deleted", function* () {
    const { client } = yield* TestApp
    const sql = yield* SqlClient.SqlClient
    const id = yield* newCustomer(client)
    const path = `/v1/customers/${id}`
    const issue = Effect.fnUntraced(function* (key: string) {
      const { json } = yield* client.post("/v1/invoices", invoiceBody(id), { key })
      yield* until(client.get(`/v1/invoices/${json.id}`), (seen) => seen.json.status === "accepted_by_authority")
      return String(json.id)
    })
    const stored = (invoice: string) =>
      sql<{ signed: Uint8Array; acquirer: unknown }>`
        select d.signed, i.acquirer from invoices i join invoice_documents d on d.invoice_id = i.id
        where i.id = ${invoice}`
    const first = yield* issue("first")
    const before = yield* stored(first)
    const shown = yield* client.get(`/v1/invoices/${first}`)

    const body = { legal_name: "Después S.A.S.", metadata: { order: "1" } }
    const changed = yield* client.request("PATCH", path, { body })
    assert.strictEqual(changed.status, 200, changed.text)
    const [second] = yield* stored(yield* issue("second"))
    assert.strictEqual(readSignedDocument(second?.signed ?? new Uint8Array())?.acquirer.legal_name, body.legal_name)
    assert.deepStrictEqual(yield* stored(first), before)

    assert.strictEqual((yield* client.request("DELETE", path)).status, 200)
    assert.deepStrictEqual(yield* stored(first), before)
    const { json } = yield* client.get(`/v1/invoices/${first}`)
    assert.deepStrictEqual(withoutLinks(json), withoutLinks(shown.json))
    assert.lengthOf((yield* client.get(`/v1/invoices?customer_id=${id}`)).json.data, 2)
  })

  it.effect("end with an empty list when a client lists and deletes page by page", function* () {
    const { client } = yield* TestApp
    for (const [path, body] of [
      ["/v1/customers", customerBody()],
      ["/v1/webhook-endpoints", endpointBody("https://hooks.example.com")]
    ] as const) {
      for (const key of ["1", "2", "3", "4", "5"]) yield* client.post(path, body, { key: `${path} ${key}` })
      for (let cursor = ""; ;) {
        const { json, status, text } = yield* client.get(`${path}?limit=2${cursor}`)
        assert.strictEqual(status, 200, text)
        const ids: ReadonlyArray<string> = json.data.map(({ id }: { readonly id: string }) => id)
        yield* Effect.forEach(ids, (id) => client.request("DELETE", `${path}/${id}`))
        if (json.has_more === false) break
        cursor = `&starting_after=${ids.at(-1)}`
      }
      assert.deepStrictEqual((yield* client.get(path)).json.data, [])
    }
  })

  it.effect("lose no change when several changes run concurrently", function* () {
    const { client } = yield* TestApp
    const path = `/v1/customers/${yield* newCustomer(client)}`
    const bodies = [
      { legal_name: "Otra S.A.S." },
      { email: "otra@example.com" },
      { address: "Calle 9" },
      { organization_type: "2" },
      { metadata: { order: "9" } }
    ]
    for (let round = 0; round < 4; round++) {
      yield* client.request("PATCH", path, {
        body: { legal_name: "x", email: null, address: null, organization_type: "1", metadata: {} }
      })
      yield* Effect.forEach(bodies, (body) => client.request("PATCH", path, { body }), { concurrency: "unbounded" })
      assert.deepInclude((yield* client.get(path)).json, Object.assign({}, ...bodies))
    }
  })

  it.effect("list invoices by customer, status, number and time, page by page", function* () {
    const { client } = yield* TestApp
    const sql = yield* SqlClient.SqlClient
    const good = yield* newCustomer(client)
    const bad = yield* newCustomer(client, "900000002")
    for (const [index, customer] of [good, bad, good, good, bad].entries()) {
      yield* client.post("/v1/invoices", invoiceBody(customer), { key: `listed ${index}` })
    }
    const open = sql<{ count: bigint }>`select count(*) from invoices where next_action_at is not null`
    yield* until(open, ([row]) => row?.count === 0n)
    const all = (yield* client.get("/v1/invoices?limit=100")).json.data as ReadonlyArray<Record<string, string>>
    const walk = Effect.fnUntraced(function* (query: string) {
      const ids: Array<string> = []
      for (let cursor = ""; ;) {
        const { json } = yield* client.get(`/v1/invoices?limit=2&${query}${cursor}`)
        ids.push(...json.data.map((one: { readonly id: string }) => one.id))
        if (json.has_more === false) return ids
        cursor = `&starting_after=${ids.at(-1)}`
      }
    })
    const time = encodeURIComponent(all[2]?.["created_at"] ?? "")
    const at = Date.parse(all[2]?.["created_at"] ?? "")
    const fits: ReadonlyArray<readonly [query: string, fits: (one: Record<string, string>) => boolean]> = [
      [`customer_id=${good}`, (one) => one["customer_id"] === good],
      [`customer_id=${bad}&status=rejected_by_authority`, (one) => one["customer_id"] === bad],
      [`customer_id=${bad}&status=accepted_by_authority`, () => false],
      ["status=accepted_by_authority", (one) => one["status"] === "accepted_by_authority"],
      ["status=draft", () => false],
      ["customer_id=cust_1", () => false],
      [`full_number=${all[1]?.["full_number"]}`, (one) => one === all[1]],
      ["full_number=SETP1", () => false],
      ["full_number=nothing", () => false],
      ["full_number=", () => false],
      [`created[gte]=${time}`, (one) => Date.parse(one["created_at"] ?? "") >= at],
      [`created[lte]=${time}`, (one) => Date.parse(one["created_at"] ?? "") <= at],
      [`created[gte]=${time}&created[lte]=${time}`, (one) => Date.parse(one["created_at"] ?? "") === at]
    ]
    for (const [query, isThere] of fits) {
      const expected = all.filter(isThere).map(({ id }) => id)
      assert.deepStrictEqual(yield* walk(query), expected, query)
    }
  })

  it.effect("find the invoices of one customer, and one number, through an index", function* () {
    const { client } = yield* TestApp
    const sql = yield* SqlClient.SqlClient
    const customer = yield* newCustomer(client)
    const { json } = yield* client.post("/v1/invoices", invoiceBody(customer), { key: "one of many" })
    yield* until(client.get(`/v1/invoices/${json.id}`), (seen) => seen.json.status === "accepted_by_authority")
    const { json: one } = yield* client.get(`/v1/invoices/${json.id}`)
    // The same number of invoices for other customers, each with a number.
    yield* sql`
      insert into invoices
      select c.* from invoices i, generate_series(1, 5000) n, jsonb_populate_record(i, jsonb_build_object(
        'id', 'inv_' || lpad(n::text, 26, '0'), 'number', n, 'full_number', i.prefix || n, 'cufe', 'cufe ' || n,
        'customer_id', 'cust_' || n
      )) c where i.id = ${one.id}`
    yield* sql`analyze invoices`
    const scans = Effect.map(
      sql<{ name: string; count: bigint }>`
        select indexrelname as name, idx_scan as count from pg_stat_user_indexes where relname = 'invoices'`,
      (rows) => new Map(rows.map(({ count, name }) => [name, count]))
    )
    for (const [index, query] of [
      ["invoices_of_customer", `customer_id=${customer}`],
      ["invoices_full_number", `full_number=${one.full_number}`]
    ] as const) {
      const before = (yield* scans).get(index) ?? 0n
      yield* until(
        Effect.andThen(
          Effect.map(client.get(`/v1/invoices?${query}`), (seen) =>
            assert.deepStrictEqual(
              seen.json.data.map(({ id }: { readonly id: string }) => id),
              [one.id]
            )
          ),
          scans
        ),
        (after) => (after.get(index) ?? 0n) > before
      )
    }
  })
})
