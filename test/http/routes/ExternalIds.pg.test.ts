import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as AccountView from "../../../src/database/AccountView.ts"
import { type NamedKind, withExternalId } from "../../../src/database/ExternalIds.ts"
import { ofAccount } from "../../../src/database/Keys.ts"
import { testMode } from "../../support/apps/Accounts.ts"
import { issue, settled } from "../../support/apps/Correcting.ts"
import { accepted, FakeAuthority, rejected } from "../../support/apps/Fakes.ts"
import { customerBody, invoiceBody, partialNoteBody } from "../../support/apps/Invoices.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { addCustomer, addInvoice, become, pastGuards } from "../../support/apps/PostgresRows.ts"
import { get, post, send } from "../../support/apps/Requests.ts"
import { describeLive } from "../../support/Tests.ts"

const many = 2_000

const paths = {
  customer: "/v1/customers",
  invoice: "/v1/invoices",
  credit_note: "/v1/credit-notes",
  debit_note: "/v1/debit-notes"
} as const

const kinds = Object.keys(paths) as ReadonlyArray<NamedKind>

/** A request for a new object of each kind, without an external id. */
const makeBodies = Effect.gen(function* () {
  const { customer_id, id } = yield* issue
  const note = partialNoteBody(id, "1000.00")
  return {
    customer: customerBody(),
    invoice: invoiceBody(customer_id),
    credit_note: { ...note, correction_code: "1" },
    debit_note: { ...note, correction_code: "4" }
  }
})

const idsAt = (path: string) =>
  Effect.map(get(path), ({ json, text }) => {
    assert.isArray(json.data, text)
    return json.data.map(({ id }: { readonly id: string }) => id) as ReadonlyArray<string>
  })

const put = (external_id?: string) =>
  send({
    method: "PUT",
    path: "/v1/customers/31-900373115",
    body: { ...customerBody("900373115"), ...(external_id === undefined ? {} : { external_id }) }
  })

const numberOf = (full_number: string) => Number(/\d+$/.exec(full_number)?.[0])

describeLive(app)("an external id", (it) => {
  it.effect("names one object of each kind, finds it, and rejects a second one with the first one's id", function* () {
    const bodies = yield* makeBodies
    for (const kind of kinds) {
      const path = paths[kind]
      const body = { ...bodies[kind], external_id: `Pedido Nº 7 "ñ"` }
      const headers = { "idempotency-key": `${kind} first` }
      const first = yield* post(path, body, headers)
      assert.include([201, 202], first.status, first.text)
      const { id } = first.json
      const shown = (yield* get(`${path}/${id}`)).json
      assert.strictEqual(shown.external_id, body.external_id)
      const query = `external_id=${encodeURIComponent(body.external_id)}`
      const list = (yield* get(`${path}?${query}`)).json.data
      assert.deepStrictEqual([list.length, list[0].id, list[0].external_id], [1, id, body.external_id])
      assert.deepStrictEqual(yield* idsAt(`${path}?${query}&metadata[none]=1`), [])
      assert.deepStrictEqual(yield* idsAt(`${path}?external_id=pedido`), [])

      const second = yield* post(path, body, { "idempotency-key": `${kind} second` })
      assert.deepStrictEqual(
        [second.status, second.json.error.code, second.json.error.param],
        [409, "external_id_taken", "external_id"]
      )
      assert.include(second.json.error.message, `names the ${kind.replace("_", " ")} ${id}, and`)
      const { json: validation } = yield* post(`${path}/validate`, body)
      assert.deepStrictEqual(
        validation.errors.map(({ code, param }: Record<string, string>) => [code, param]),
        [["external_id_taken", "external_id"]]
      )
      // A retry gets the stored response, and a rejected request leaves its key free.
      assert.strictEqual((yield* post(path, body, headers)).text, first.text)
      const other = yield* post(path, { ...body, external_id: "8" }, { "idempotency-key": `${kind} second` })
      assert.include([201, 202], other.status, other.text)
      const { json: unnamed } = yield* post(path, bodies[kind])
      assert.isNull((yield* get(`${path}/${unnamed.id}`)).json.external_id)
    }
  })

  it.effect("uses no number, and stays in use after its document was canceled or has failed", function* () {
    const customer = yield* addCustomer()
    const { full_number: before } = yield* addInvoice(customer)
    const body = { ...invoiceBody(customer), external_id: "order-9" }
    const { json: made } = yield* post("/v1/invoices", body)
    yield* settled(`/v1/invoices/${made.id}`)
    const unnumbered = { resolution_id: null, prefix: null, number: null, full_number: null, cufe: null }
    for (const state of ["canceled", "failed"] as const) {
      yield* become(made.id, state, { ...unnumbered, issue_date: null, issue_time: null, submitted_at: null })
      const again = yield* post("/v1/invoices", body)
      assert.strictEqual(again.json.error.code, "external_id_taken", state)
      assert.include(again.json.error.message, made.id)
    }
    const { full_number: after } = yield* addInvoice(customer)
    assert.strictEqual(numberOf(after), numberOf(before) + 2)
    const events = yield* get(`/v1/events?object_id=${made.id}`)
    assert.notProperty(events.json.data[0].data.object, "external_id")
  })

  it.effect("never changes: not by PUT of a customer, and not by a correction", function* () {
    const made = yield* put("crm-1")
    assert.deepStrictEqual([made.status, made.json.external_id], [201, "crm-1"], made.text)
    for (const external_id of [undefined, "crm-1"]) {
      const replaced = yield* put(external_id)
      assert.deepStrictEqual([replaced.status, replaced.json.external_id], [200, "crm-1"], replaced.text)
    }
    const other = yield* put("crm-2")
    assert.deepStrictEqual(
      [other.status, other.json.error?.code, other.json.error?.param],
      [400, "parameter_invalid", "external_id"]
    )
    const path = `/v1/customers/${made.json.id}`
    assert.strictEqual((yield* send({ method: "DELETE", path })).status, 200)
    const again = yield* put("crm-1")
    assert.deepStrictEqual([again.status, again.json.error.code], [409, "external_id_taken"])
    assert.include(again.json.error.message, `${made.json.id}, which was deleted`)

    const authority = yield* FakeAuthority
    const bodies = yield* makeBodies
    for (const kind of ["invoice", "credit_note"] as const) {
      for (const external_id of ["order-1", null]) {
        const content = { ...bodies[kind], ...(external_id === null ? {} : { external_id }) }
        authority.onSubmit = () => Effect.succeed(rejected)
        const { json } = yield* post(paths[kind], content)
        const document = `${paths[kind]}/${json.id}`
        assert.strictEqual((yield* settled(document)).status, "rejected_by_authority")
        authority.onSubmit = () => Effect.succeed(accepted)
        const wrong = yield* post(`${document}/correct`, { ...content, external_id: "order-2" })
        assert.deepStrictEqual([wrong.status, wrong.json.error.param], [400, "external_id"], wrong.text)
        assert.match(wrong.json.error.message, external_id === null ? /must be omitted/ : /"order-1" or be omitted/)
        const right = yield* post(`${document}/correct`, content)
        assert.deepStrictEqual([right.status, right.json.external_id], [202, external_id], right.text)
        yield* settled(document)
      }
    }
  })

  it.effect("names the credit note of an annulment", function* () {
    const { id } = yield* issue
    const body = { reason: "Anulación", external_id: "annulment-1" }
    const { json } = yield* post(`/v1/invoices/${id}/annul`, body)
    assert.deepStrictEqual(yield* idsAt("/v1/credit-notes?external_id=annulment-1"), [json.id])
  })

  it.effect("finds its object by an index among many", function* () {
    const sql = yield* SqlClient.SqlClient
    const customer = yield* addCustomer()
    yield* post("/v1/invoices", { ...invoiceBody(customer), external_id: "needle" })
    yield* pastGuards(sql`
      insert into customers (account_id, livemode, id, acquirer, metadata, external_id, created_at, updated_at)
      select c.account_id, c.livemode, 'cust_' || lpad(n::text, 26, '0'), c.acquirer, '{}', 'many-' || n, now(), now()
      from customers c, generate_series(1, ${many}::integer) n where c.id = ${customer}`)
    yield* pastGuards(sql`
      insert into invoices select (jsonb_populate_record(i, jsonb_build_object(
        'id', 'inv_' || lpad(n::text, 26, '0'), 'external_id', 'many-' || n, 'state', 'canceled', 'resolution_id', null,
        'prefix', null, 'number', null, 'full_number', null, 'cufe', null, 'issue_date', null, 'issue_time', null,
        'submitted_at', null, 'next_action_at', null
      ))).* from invoices i, generate_series(1, ${many}::integer) n where i.external_id = 'needle'`)
    yield* pastGuards(sql`
      insert into external_ids select account_id, livemode, 'customer', external_id, id from customers
      where external_id like 'many-%'
      union all select account_id, livemode, kind, external_id, id from invoices where external_id like 'many-%'`)
    yield* Effect.forEach(["customers", "invoices", "external_ids"], (table) => sql`analyze ${sql(table)}`)
    for (const [kind, table] of [
      ["customer", "customers"],
      ["invoice", "invoices"]
    ] as const) {
      const [found] = withExternalId(sql, testMode, kind, `many-${many / 2}`)
      const rows = yield* AccountView.within(
        sql,
        testMode
      )(
        sql<Record<string, string>>`
          explain select id from ${sql(table)}
          where ${ofAccount(sql, testMode)} and ${found ?? sql`false`} order by id desc limit 11`
      )
      const plan = rows.flatMap((row) => Object.values(row)).join("\n")
      assert.include(plan, "external_ids_pkey", plan)
      assert.include(plan, `${table}_pkey`, plan)
      assert.notInclude(plan, "Seq Scan", plan)
    }
    assert.deepStrictEqual(yield* idsAt(`/v1/customers?external_id=many-7`), [`cust_${"7".padStart(26, "0")}`])
  })
})
