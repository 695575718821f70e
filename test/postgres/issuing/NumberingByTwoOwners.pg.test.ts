import { assert } from "@effect/vitest"
import { Array, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Totals } from "../../../schemas/Line.ts"
import { cufe, cufeTail } from "../../../src/documents/rules/Cufe.ts"
import { taxTotal } from "../../../src/documents/rules/Totals.ts"
import { invoiceBody, scripted } from "../../support/apps/Invoices.ts"
import { seedDrafts } from "../../support/database/Owners.ts"
import * as TestApp from "../../support/apps/TestApp.ts"
import { until } from "../../support/apps/Until.ts"
import { itOn } from "../../support/Tests.ts"

interface Row {
  readonly id: string
  readonly state: string
  readonly number: bigint | null
  readonly full_number: string | null
  readonly cufe: string | null
  readonly issue_date: string
  readonly issue_time: string
  readonly totals: Totals
  readonly failure: { readonly code: string; readonly retryable: boolean } | null
}

const post = (app: TestApp.TestApp["Service"], customer: string, count: number, name: string) =>
  Effect.forEach(
    Array.range(1, count),
    (index) => app.client.post("/v1/invoices", invoiceBody(customer), { key: `${name} ${index}` }),
    { concurrency: "unbounded" }
  )

/** All invoices in order of creation, when `count` of them have a final status. */
const ended = (count: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return yield* until(
      sql<Row>`
        select id, state, number, full_number, cufe, issue_date::text, issue_time, totals, failure
        from invoices order by id`,
      (rows) => rows.filter((row) => row.state === "accepted_by_authority" || row.state === "failed").length === count
    )
  })

const first = 990_000_000n
const fromTo = (from: bigint, count: number) => Array.range(0, count - 1).map((index) => from + BigInt(index))

const it = itOn(TestApp.layer())

it.live("numbers 200 invoices of one account in order of creation, each with the CUFE of its content", function* () {
  const app = yield* TestApp.TestApp
  const answers = yield* post(app, yield* TestApp.newCustomer(app.client), 200, "parallel")
  assert.deepStrictEqual([...new Set(answers.map((answer) => answer.status))], [202])
  const rows = yield* ended(200)
  assert.deepStrictEqual(
    rows.map((row) => row.full_number),
    fromTo(first, 200).map((number) => `SETP${number}`)
  )
  for (const row of rows) {
    const tail = cufeTail({
      issue_date: row.issue_date,
      issue_time: row.issue_time,
      line_extension_amount: row.totals.line_extension_amount,
      tax_01: taxTotal(row.totals, "01"),
      tax_04: taxTotal(row.totals, "04"),
      tax_03: taxTotal(row.totals, "03"),
      payable_amount: row.totals.payable_amount,
      supplier_nit: "900373115",
      customer_id: "900000001",
      key: "fc8eac422eba16e22ffd8c6f94b3f40a6e38162c",
      environment: "2"
    })
    assert.strictEqual(row.cufe, cufe(row.full_number ?? "", tail))
  }
})

it.live("numbers drafts without a notification, beyond one page of them, in order of creation", function* () {
  const app = yield* TestApp.TestApp
  const sql = yield* SqlClient.SqlClient
  yield* seedDrafts(app.accountId, 620)
  yield* sql`update invoices set next_action_at = now()`
  // The sweeper notifies the actor only once. The actor finds the other drafts itself.
  yield* until(sql`select 1 from invoices where number is not null limit 1`, (some) => some.length > 0)
  yield* sql`update invoices set next_action_at = now() + interval '1 hour' where state = 'queued'`
  const rows = yield* ended(620)
  assert.deepStrictEqual(
    rows.map((row) => row.number),
    fromTo(first, 620)
  )
})

it.live("fails the drafts for which a range has no number, and uses no number for them", function* () {
  const app = yield* TestApp.TestApp
  const sql = yield* SqlClient.SqlClient
  yield* sql`update resolutions set to_number = from_number + 2`
  yield* post(app, yield* TestApp.newCustomer(app.client, scripted.notified), 5, "too many")
  const rows = yield* ended(5)
  assert.deepStrictEqual(
    rows.map((row) => [row.state, row.number, row.failure?.code, row.failure?.retryable]),
    [
      ...fromTo(first, 3).map((number) => ["accepted_by_authority", number, undefined, undefined]),
      ...Array.makeBy(2, () => ["failed", null, "range_exhausted", true])
    ]
  )
  assert.deepStrictEqual(yield* sql`select next_number - to_number as beyond from resolutions`, [{ beyond: 1n }])
  const events = yield* sql<{
    object_id: string
  }>`select object_id from events where type = 'invoice.failed' order by 1`
  assert.deepStrictEqual(
    events.map((event) => event.object_id),
    rows.slice(3).map((row) => row.id)
  )
  const invoice = yield* app.client.get(`/v1/invoices/${rows[4]?.id}`)
  assert.strictEqual(invoice.json.status, "failed")
  assert.strictEqual(invoice.json.full_number, "")
})
