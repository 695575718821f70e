import { assert } from "@effect/vitest"
import { Array, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { noteRangeBody, originalNoteBody, periodNoteBody, resolutionBody } from "../../support/apps/Invoices.ts"
import * as TestApp from "../../support/apps/TestApp.ts"
import { until } from "../../support/apps/Until.ts"
import { layerAdmin, freshDatabase, quiet } from "../../support/database/Postgres.ts"
import { itOn } from "../../support/Tests.ts"

/** Two processes of the service on one database, each of which considers itself the owner of the account. */
const twoProcesses = Effect.gen(function* () {
  const url = yield* freshDatabase
  const apps = yield* Effect.forEach([1, 2], () => Layer.build(TestApp.layerOn(url)))
  const clients = apps.map((app) => Context.get(app, TestApp.TestApp).client)
  const sql = Context.get(yield* Layer.build(layerAdmin(url)), SqlClient.SqlClient)
  const customer = yield* TestApp.newCustomer(clients[0]!)
  return { clients, sql, customer }
})

const settledNotes = (sql: SqlClient.SqlClient) =>
  until(
    sql<{ state: string; prefix: string; number: bigint }>`
      select state, prefix, number from invoices where kind <> 'invoice' order by prefix, number`,
    (all) => all.every(({ state }) => state === "accepted_by_authority")
  )

itOn(quiet).live(
  "Ranges of notes registered through one process while the other makes notes leave no gap, and at most one counter",
  function* () {
    const { clients, customer, sql } = yield* twoProcesses
    const [one, other] = clients
    const notes = Effect.forEach(
      Array.range(1, 12),
      (index) =>
        clients[index % 2]!.post(
          "/v1/credit-notes",
          index % 3 === 0 ? originalNoteBody(customer) : periodNoteBody(customer),
          { key: `note ${index}` }
        ),
      { concurrency: 8 }
    )
    const ranges = Effect.forEach(["DA", "DB", "DC"], (prefix, index) =>
      clients[index % 2]!.post("/v1/resolutions", noteRangeBody("credit_note", prefix, 101), { key: prefix })
    )
    const [made, registered] = yield* Effect.all([notes, ranges], { concurrency: 2 })
    assert.deepStrictEqual(new Set(made.map(({ status }) => status)), new Set([202]))
    assert.deepStrictEqual(new Set(registered.map(({ status }) => status)), new Set([201]))
    const rows = yield* settledNotes(sql)
    assert.lengthOf(rows, 12)
    for (const prefix of new Set(rows.map((row) => row.prefix))) {
      const numbers = rows.filter((row) => row.prefix === prefix).map(({ number }) => Number(number))
      const first = prefix === "NC" ? 1 : 101
      assert.deepStrictEqual(numbers, Array.range(first, first + numbers.length - 1), prefix)
      const [range] = yield* sql`select next_number from resolutions where prefix = ${prefix}`
      assert.deepStrictEqual(range, { next_number: BigInt(first + numbers.length) })
    }
    const counters = yield* sql`select prefix from resolutions where document_type = 'credit_note' and not registered`
    assert.isAtMost(counters.length, 1)
    // Both processes know the ranges now, and use the oldest of them.
    for (const [index, client] of [one!, other!].entries()) {
      const body = { ...periodNoteBody(customer), prefix: "DC" }
      const { json } = yield* client.post("/v1/credit-notes", body, { key: `late ${index}` })
      const note = yield* until(client.get(`/v1/credit-notes/${json.id}`), (answer) => answer.json.full_number !== "")
      assert.match(note.json.full_number, /^DC/)
    }
  }
)

itOn(quiet).live(
  "A prefix that two processes register concurrently with the account's first note belongs to one range",
  function* () {
    const { clients, customer, sql } = yield* twoProcesses
    for (let round = 0; round < 5; round++) {
      const prefix = `N${"CDEFG".charAt(round)}`
      const bodies = [
        noteRangeBody("credit_note", prefix, 7),
        round % 2 === 0 ? noteRangeBody("debit_note", prefix) : resolutionBody({ prefix, number: String(round + 1) })
      ]
      const [answers, note] = yield* Effect.all(
        [
          Effect.forEach(
            bodies,
            (body, index) => clients[index]!.post("/v1/resolutions", body, { key: `range ${round} ${index}` }),
            { concurrency: 2 }
          ),
          clients[round % 2]!.post("/v1/debit-notes", periodNoteBody(customer), { key: `note ${round}` })
        ],
        { concurrency: 2 }
      )
      const statuses = answers.map(({ status }) => status).toSorted()
      // The note's counter may have come first with the same prefix, and then neither registration succeeds.
      const isTaken = (yield* sql`select from resolutions where prefix = ${prefix} and not registered
        and document_type <> 'invoice'`).length
      assert.deepStrictEqual(statuses, isTaken === 1 ? [409, 409] : [201, 409], JSON.stringify(answers))
      assert.strictEqual(note.status, 202)
    }
    yield* settledNotes(sql)
    const twice = yield* sql`
      select a.prefix from resolutions a join resolutions b on b.prefix = a.prefix and b.id > a.id`
    assert.deepStrictEqual(twice, [])
  }
)

itOn(quiet).live(
  "A process of the previous release makes its counter, and the tables reject a note that corrects nothing",
  function* () {
    const { clients, customer, sql } = yield* twoProcesses
    const [client] = clients
    const { json: made } = yield* client!.post("/v1/credit-notes", originalNoteBody(customer), { key: "note" })
    yield* settledNotes(sql)
    const counter = sql`
    insert into resolutions (account_id, livemode, id, number, document_type, prefix, from_number, to_number, valid_from, valid_to,
      technical_key, is_active, next_number, created_at)
    select account_id, livemode, 'res_01k0000000000000000000000a', '', 'debit_note', 'ND', 1, 9999999999, '2000-01-01', '9999-12-31', '', true, 1, now()
    from resolutions where document_type = 'credit_note'`
    yield* counter
    const registered = yield* client!.post("/v1/resolutions", noteRangeBody("debit_note", "DV"), { key: "range" })
    assert.strictEqual(registered.status, 201)
    const { json: debit } = yield* client!.post("/v1/debit-notes", periodNoteBody(customer), { key: "debit" })
    const numbered = yield* until(client!.get(`/v1/debit-notes/${debit.id}`), ({ json }) => json.full_number !== "")
    assert.strictEqual(numbered.json.full_number, "DV1")

    const [row] = yield* sql`select invoice_id, original, own_rate, operation_type from invoices where id = ${made.id}`
    const { original } = originalNoteBody(customer)
    assert.deepStrictEqual(row, { invoice_id: null, original, own_rate: false, operation_type: "10" })
    const refusedBy = (statement: Effect.Effect<unknown, unknown>) =>
      Effect.match(sql.withTransaction(Effect.andThen(sql`set local session_replication_role = replica`, statement)), {
        onSuccess: () => "not refused",
        onFailure: (error) => JSON.stringify(error)
      })
    for (const statement of [
      sql`update invoices set original = null where id = ${made.id}`,
      sql`update invoices set reason = null where id = ${made.id}`,
      sql`update invoices set kind = 'invoice' where id = ${made.id}`,
      sql`update invoices set details = null where id = ${debit.id}`
    ]) {
      assert.include(yield* refusedBy(statement), "note_corrects_something")
    }
    assert.include(
      yield* refusedBy(
        sql`update resolutions set id = 'res_01k0000000000000000000000b', registered = false where prefix = 'DV'`
      ),
      "resolutions_counter"
    )
  }
)
