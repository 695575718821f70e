import { assert } from "@effect/vitest"
import { Array, Context, Effect, Fiber, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { cents } from "../../../src/documents/rules/Decimal.ts"
import { noteBody, partialNoteBody, invoiceBody } from "../../support/apps/Invoices.ts"
import { blocked } from "../../support/database/Owners.ts"
import { layerAdmin, freshDatabase, quiet } from "../../support/database/Postgres.ts"
import { refusal, refusedIn } from "../../support/database/Refusals.ts"
import * as TestApp from "../../support/apps/TestApp.ts"
import { until } from "../../support/apps/Until.ts"
import { Ids } from "../../../src/database/Ids.ts"
import { Notes } from "../../../src/invoices/store/Notes.ts"
import { Resolutions } from "../../../src/accounts/store/Resolutions.ts"
import * as AccountView from "../../../src/database/AccountView.ts"
import type { Client } from "../../support/apps/Client.ts"
import { itOn, describeLive } from "../../support/Tests.ts"

/** Accepted invoices of 119000.00. */
const issue = Effect.fnUntraced(function* (client: Client, count: number) {
  const customer = yield* TestApp.newCustomer(client)
  const ids = yield* Effect.forEach(Array.range(1, count), (index) =>
    Effect.map(
      client.post("/v1/invoices", invoiceBody(customer), { key: `invoice ${customer} ${index}` }),
      ({ json }) => String(json.id)
    )
  )
  for (const id of ids)
    yield* until(client.get(`/v1/invoices/${id}`), ({ json }) => json.status === "accepted_by_authority")
  return ids
})

/** Two processes of the service on one database, each of which considers itself the owner of the account. */
const twoProcesses = Effect.gen(function* () {
  const url = yield* freshDatabase
  const apps = yield* Effect.forEach([1, 2], () => Layer.build(TestApp.layerOn(url)))
  const clients = apps.map((app) => Context.get(app, TestApp.TestApp).client)
  const sql = Context.get(yield* Layer.build(layerAdmin(url)), SqlClient.SqlClient)
  return { clients, sql }
})

itOn(quiet).live(
  "Fifty concurrent credit notes through two processes credit exactly the invoice's amount",
  function* () {
    const { clients, sql } = yield* twoProcesses
    const [first] = clients
    const [invoice = ""] = yield* issue(first!, 1)
    // Blocks all notes until two notes of each process have reached the invoice, so that none may use an older read.
    const held = yield* Effect.forkScoped(
      sql.withTransaction(Effect.andThen(sql`select from invoices where id = ${invoice} for update`, Effect.never))
    )
    yield* until(sql`select 1 from invoices where id = ${invoice} for update skip locked`, (free) => free.length === 0)
    const asked = yield* Effect.forkScoped(
      Effect.forEach(
        Array.range(1, 50),
        (index) =>
          clients[index % 2]!.post("/v1/credit-notes", partialNoteBody(invoice, "10000.00"), { key: `note ${index}` }),
        { concurrency: "unbounded" }
      )
    )
    yield* until(blocked("acquirer_number"), (pids) => pids.length === 4).pipe(
      Effect.provideService(SqlClient.SqlClient, sql)
    )
    yield* Fiber.interrupt(held)
    const answers = yield* Fiber.join(asked)
    const refused = answers.filter(({ status }) => status === 409)
    assert.lengthOf(
      answers.filter(({ status }) => status === 202),
      11,
      answers.map(({ text }) => text).join("\n")
    )
    assert.lengthOf(refused, 39)
    for (const { json } of refused) assert.strictEqual(json.error.code, "credit_exceeds_invoice")
    assert.isTrue(refused.some(({ json }) => json.error.message.includes("9000.00 left")))

    const rows = yield* until(
      sql<{ state: string; number: bigint; amount: string }>`
      select state, number, totals ->> 'payable_amount' as amount from invoices where kind = 'credit_note' order by number`,
      (all) => all.every(({ state }) => state === "accepted_by_authority")
    )
    assert.deepStrictEqual(
      rows.map(({ number }) => Number(number)),
      Array.range(1, 11)
    )
    assert.strictEqual(
      rows.reduce((sum, { amount }) => sum + cents(amount), 0n),
      cents("110000.00")
    )
    const [rest] = yield* Effect.forEach([first!], (client) =>
      client.post("/v1/credit-notes", partialNoteBody(invoice, "9000.00"), { key: "the rest" })
    )
    assert.strictEqual(rest?.status, 202)
  }
)

itOn(quiet).live(
  "The first notes of an account, concurrent and through two processes, make one counter without a gap",
  function* () {
    const { clients, sql } = yield* twoProcesses
    const invoices = yield* issue(clients[0]!, 12)
    const answers = yield* Effect.forEach(
      invoices,
      (id, index) => clients[index % 2]!.post("/v1/debit-notes", noteBody(id), { key: `note ${index}` }),
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual(new Set(answers.map(({ status }) => status)), new Set([202]))
    const rows = yield* until(
      sql<{ state: string; full_number: string }>`
    select state, full_number from invoices where kind = 'debit_note' order by number`,
      (all) => all.every(({ state }) => state === "accepted_by_authority")
    )
    assert.deepStrictEqual(
      rows.map(({ full_number }) => full_number),
      Array.range(1, 12).map((number) => `ND${number}`)
    )
    const counters = yield* sql`select next_number from resolutions where document_type = 'debit_note'`
    assert.deepStrictEqual(counters, [{ next_number: 13n }])
  }
)

describeLive(TestApp.layer())("The guard of a note", (it) => {
  it.effect("lets a draft without a notification be found, numbered and issued", function* () {
    const sql = yield* SqlClient.SqlClient
    const notes = yield* Notes
    const resolutions = yield* Resolutions
    const ids = yield* Ids
    const { accountId, client } = yield* TestApp.TestApp
    const account = { account_id: accountId, livemode: false }
    const [id = ""] = yield* issue(client, 1)
    const note = yield* ids.creditNote
    yield* AccountView.within(
      sql,
      account
    )(
      Effect.gen(function* () {
        const invoice = yield* Effect.flatMap(notes.lock(account, id), Effect.fromOption)
        yield* resolutions.ensureCounter({ ...account, id: yield* ids.resolution }, "credit_note")
        const request = { ...noteBody(id), ...(yield* notes.content(account, id)) }
        const created_at = new Date()
        yield* notes.insert({
          account,
          id: note,
          kind: "credit_note",
          invoice,
          request,
          totals: invoice.totals,
          created_at
        })
      })
    )
    yield* until(client.get(`/v1/credit-notes/${note}`), ({ json }) => json.status === "accepted_by_authority")
    const [row] = yield* sql`
      select (n.acquirer, n.currency, n.payment_means, n.customer_id) = (i.acquirer, i.currency, i.payment_means, i.customer_id)
        as copied from invoices n join invoices i on i.id = n.invoice_id where n.id = ${note}`
    assert.deepStrictEqual(row, { copied: true })
  })

  it.effect("lets only one of a retried failed note and a new note fit", function* () {
    const sql = yield* SqlClient.SqlClient
    const { client } = yield* TestApp.TestApp
    const [invoice = ""] = yield* issue(client, 1)
    const failed = yield* client.post("/v1/credit-notes", noteBody(invoice), { key: "fails" })
    yield* until(client.get(`/v1/credit-notes/${failed.json.id}`), ({ json }) => json.stage === "done")
    yield* sql`alter table invoices disable trigger rules_of_documents`
    yield* sql`
      update invoices set state = 'failed', version = version + 1, number = null, prefix = null, full_number = null,
        cufe = null, issue_date = null, issue_time = null, resolution_id = null, submitted_at = null,
        failure = '{"code": "authority_refused", "message": "No.", "retryable": true}'
      where id = ${failed.json.id}`
    yield* sql`alter table invoices enable trigger rules_of_documents`
    const answers = yield* Effect.all(
      [
        client.post(`/v1/credit-notes/${failed.json.id}/retry`, undefined, { key: "again" }),
        client.post("/v1/credit-notes", noteBody(invoice), { key: "another" })
      ],
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [202, 409]
    )
  })

  it.effect(
    "lets an account's transaction make only drafts of notes, and lets no role change what a note corrects",
    function* () {
      const sql = yield* SqlClient.SqlClient
      const { accountId, client } = yield* TestApp.TestApp
      const [invoice = ""] = yield* issue(client, 1)
      const { json } = yield* client.post("/v1/credit-notes", noteBody(invoice), { key: "guarded" })
      yield* until(client.get(`/v1/credit-notes/${json.id}`), (one) => one.json.stage === "done")
      const view = AccountView.within(sql, { account_id: accountId, livemode: false })
      const copy = (change: object) => sql`
    insert into invoices select c.* from invoices i, jsonb_populate_record(i, ${JSON.stringify(change)}::jsonb) c
    where i.id = ${json.id}`
      const draft = {
        state: "queued",
        version: 1,
        number: null,
        prefix: null,
        full_number: null,
        cufe: null,
        issue_date: null,
        issue_time: null,
        resolution_id: null,
        submitted_at: null,
        next_action_at: "infinity"
      }
      const invoiceLike = { kind: "invoice", invoice_id: null, correction_code: null, reason: null }
      for (const [change, why] of [
        [{ ...draft, ...invoiceLike, id: "inv_x" }, /row-level security/],
        [{ ...draft, id: "cn_x", state: "accepted_by_authority" }, /row-level security/],
        [{ ...draft, id: "cn_x", number: 1 }, /row-level security/],
        [{ ...draft, id: "cn_x", invoice_id: "inv_nobody" }, /foreign key/],
        [{ ...draft, id: "cn_x", reason: null }, /"note_corrects_something"/],
        [{ ...draft, id: "cn_x", kind: "receipt" }, /"known_kind"/]
      ] as const) {
        assert.match(yield* refusedIn(view, copy(change)), why, JSON.stringify(change))
      }
      const service = (statement: Effect.Effect<unknown, SqlError.SqlError>) =>
        refusal(sql.withTransaction(Effect.andThen(sql`set local role folio_service`, statement)))
      for (const column of ["invoice_id", "correction_code", "reason", "range_prefix", "kind"]) {
        const statement = sql`update invoices set ${sql(column)} = 'x' where id = ${json.id}`
        assert.match(yield* service(statement), /permission denied/, column)
      }
    }
  )
})
