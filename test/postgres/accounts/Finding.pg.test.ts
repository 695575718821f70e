import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { customerBody, invoiceBody } from "../../support/apps/Invoices.ts"
import { layer as app, newCustomer, TestApp } from "../../support/apps/TestApp.ts"
import { describeLive } from "../../support/Tests.ts"

const many = 5_000

const person = (number: string) => ({
  identification: { type: "13", number },
  legal_name: "Ana Muñoz",
  organization_type: "2"
})

describeLive(app())("The customer search on PostgreSQL", (it) => {
  it.effect("finds customers by their current content: after a change, a replacement and a removal", function* () {
    const { client } = yield* TestApp
    const found = (query: string) =>
      Effect.map(client.get(`/v1/customers?${query}`), ({ json, text }) => {
        assert.isArray(json.data, text)
        return json.data.map(({ id }: { readonly id: string }) => id)
      })
    const body = { ...person("1018"), email: "Ana@Cliente.test", metadata: { erp: "4711", other: "1" } }
    const { id } = (yield* client.post("/v1/customers", body, { key: "ana" })).json
    const shop = { ...customerBody(), legal_name: "Über-Straße S.A.S.", trade_name: "100%_\\ Café" }
    const { id: shopId } = (yield* client.post("/v1/customers", shop, { key: "shop" })).json
    for (const query of [
      "identification[type]=13&identification[number]=1018",
      "email=aNA@cliente.TEST",
      "name=munoz",
      "name=A%20%20MUN%CC%83",
      "metadata[erp]=4711",
      "metadata[erp]=4711&metadata[other]=1&name=ana"
    ]) {
      assert.deepStrictEqual(yield* found(query), [id], query)
    }
    for (const query of ["name=%25_%5C", "name=UBER", "name=cafe"]) {
      assert.deepStrictEqual(yield* found(query), [shopId], query)
    }
    for (const query of [
      "name=s.%20100",
      "metadata[erp]=4712",
      "metadata[4711]=erp",
      "name=anna",
      "email=unknown@a.test"
    ]) {
      assert.deepStrictEqual(yield* found(query), [], query)
    }
    const path = `/v1/customers/${id}`
    yield* client.request("PATCH", path, { body: { email: "eva@cliente.test", legal_name: "Eva" } })
    assert.deepStrictEqual(yield* found("email=ana@cliente.test"), [])
    assert.deepStrictEqual(yield* found("email=EVA@cliente.test&name=EVA&metadata[erp]=4711"), [id])
    const put = yield* client.request("PUT", "/v1/customers/13-1018", { body: person("1018") })
    assert.deepStrictEqual([put.status, put.json.id], [200, id], put.text)
    assert.deepStrictEqual(yield* found("metadata[erp]=4711"), [])
    assert.deepStrictEqual(yield* found("name=muñoz&identification[type]=13&identification[number]=1018"), [id])
    yield* client.request("DELETE", path)
    assert.deepStrictEqual(yield* found("name=muñoz"), [])
    const sql = yield* SqlClient.SqlClient
    for (const table of ["marks", "customer_names"]) {
      assert.deepStrictEqual(yield* sql`select * from ${sql(table)} where id = ${id}`, [], table)
    }
  })

  it.effect("finds exactly one customer after concurrent PUT requests for it", function* () {
    const { client } = yield* TestApp
    const sql = yield* SqlClient.SqlClient
    const count = Effect.map(
      sql<{ count: bigint; customers: bigint }>`
        select count(c.id), max(m.customers) as customers
        from account_modes m left join customers c using (account_id, livemode) where not livemode`,
      ([row]) => [row?.count, row?.customers]
    )
    const [before = 0n] = yield* count
    const replies = yield* Effect.forEach(
      Array.from({ length: 8 }, (_, index) => index),
      (index) =>
        client.request("PUT", "/v1/customers/13-5000", { body: { ...person("5000"), metadata: { n: `${index}` } } }),
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual(replies.map(({ status }) => status).toSorted(), [...Array(7).fill(200), 201])
    assert.strictEqual(new Set(replies.map(({ json }) => json.id)).size, 1)
    assert.deepStrictEqual(yield* count, [before + 1n, before + 1n])
    yield* client.post("/v1/customers", person("5000"), { key: "a second one" })
    const twice = yield* client.request("PUT", "/v1/customers/13-5000", { body: person("5000") })
    assert.deepStrictEqual([twice.status, twice.json.error?.code], [409, "customer_ambiguous"])
  })

  it.effect("finds one customer among many by an index, and documents by their metadata by an index", function* () {
    const { accountId, client } = yield* TestApp
    const sql = yield* SqlClient.SqlClient
    const customer = yield* newCustomer(client)
    yield* client.post("/v1/invoices", invoiceBody(customer, { order: "needle" }), { key: "needle" })
    yield* sql`
      insert into customers (account_id, livemode, id, acquirer, metadata, created_at, updated_at)
      select ${accountId}, false, 'cust_' || lpad(n::text, 26, '0'), jsonb_build_object(
        'identification', jsonb_build_object('type', '13', 'number', n::text),
        'legal_name', 'Cliente ' || md5(n::text) || ' S.A.S.', 'organization_type', '1', 'email', n || '@many.test'
      ), case when n % 2 = 0 then '{"source": "shop"}'::jsonb else '{}'::jsonb end, now(), now()
      from generate_series(1, ${many}::integer) n`
    yield* sql`analyze customers`
    yield* sql`analyze marks`
    yield* sql`analyze customer_names`
    const middle = Math.floor(many / 2)
    const [{ name } = { name: "" }] = yield* sql<{ name: string }>`select md5(${String(middle)}) as name`
    const wanted = `cust_${String(middle).padStart(26, "0")}`
    for (const [query, id] of [
      [`identification[type]=13&identification[number]=${middle}`, wanted],
      [`email=${middle}@MANY.test`, wanted],
      [`name=${name.slice(3, 15)}`, wanted],
      [`name=${name.slice(3, 15)}&metadata[source]=shop`, middle % 2 === 0 ? wanted : undefined],
      ["metadata[source]=shop", `cust_${String(many - (many % 2)).padStart(26, "0")}`],
      ["name=cliente%20", undefined],
      ["name=zzzzzz", undefined]
    ] as const) {
      const { json, status, text } = yield* client.get(`/v1/customers?${query}&limit=3`)
      assert.strictEqual(status, 200, text)
      if (id !== undefined)
        assert.include(
          json.data.map((one: { readonly id: string }) => one.id),
          id,
          query
        )
    }
    const plan = Effect.fnUntraced(function* (statement: string) {
      const rows = yield* sql.unsafe<Record<string, string>>(`explain ${statement}`)
      return rows.flatMap((row) => Object.values(row)).join("\n")
    })
    const ofAccount = `account_id = '${accountId}' and not livemode`
    assert.match(
      yield* plan(`select id from customer_names where ${ofAccount}
        and strpos(names, (select plain_text('${name.slice(3, 15)}'))) > 0 order by id desc limit 4`),
      /Index Scan Backward using customer_names_pkey/
    )
    assert.match(
      yield* plan(`select id from customers where ${ofAccount} and id in (
        select id from marks where ${ofAccount} and mark = mark('email', '', '${middle}@many.test')) order by id desc limit 4`),
      /marks_pkey/
    )
    const { json } = yield* client.get("/v1/invoices?metadata[order]=needle")
    assert.lengthOf(json.data, 1)
  })
})
