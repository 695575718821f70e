import { assert } from "@effect/vitest"
import { Array, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { FiscalDocument } from "../../../src/documents/ubl/FiscalDocument.ts"
import type { Submission } from "../../../src/invoices/authority/Authority.ts"
import { Numbering } from "../../../src/invoices/store/Numbering.ts"
import { ResolutionId } from "../../../schemas/Id.ts"
import { customerBody, invoiceBody } from "../../support/apps/Invoices.ts"
import * as TestApp from "../../support/apps/TestApp.ts"
import { until } from "../../support/apps/Until.ts"
import * as Borduria from "../../support/authority/Borduria.ts"
import { seedDrafts } from "../../support/database/Owners.ts"
import { itOn } from "../../support/Tests.ts"

const submissions: Array<Submission> = []

const it = itOn(
  Layer.unwrap(
    Effect.sync(() => {
      submissions.length = 0
      return TestApp.layer({ profile: Borduria.layer, authority: Borduria.authorityOf(submissions) })
    })
  )
)

interface Row {
  readonly id: string
  readonly state: string
  readonly number: bigint
  readonly full_number: string
  readonly cufe: string
  readonly issue_date: string
  readonly signed: Uint8Array
  readonly commands: ReadonlyArray<string>
}

/** All documents in order of creation, when each of them has its final status. */
const ended = (count: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    until(
      sql<Row>`
        select i.id, i.state, i.number, i.full_number, i.cufe, i.issue_date::text, d.signed, (
          select array_agg(t.command order by t.version) from transitions t where t.invoice_id = i.id
        ) as commands
        from invoices i left join invoice_documents d on d.invoice_id = i.id order by i.id`,
      (rows) => rows.filter((row) => ["accepted_by_authority", "failed"].includes(row.state)).length === count
    )
  )

const contentOf = (signed: Uint8Array): FiscalDocument =>
  JSON.parse(Buffer.from(signed).toString().split("\n")[0] ?? "")

const first = 990_000_000n

it.live(
  "numbers 60 invoices of another country without a gap, and computes each code before the signature",
  function* () {
    const { client } = yield* TestApp.TestApp
    const { json: customer } = yield* client.post("/v1/customers", customerBody(), { key: "customer" })
    const body = { ...invoiceBody(customer.id), currency: Borduria.currency }
    const answers = yield* Effect.forEach(
      Array.range(1, 60),
      (index) => client.post("/v1/invoices", body, { key: `invoice ${index}` }),
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual([...new Set(answers.map(({ status }) => status))], [202])
    const rows = yield* ended(60)
    assert.deepStrictEqual(
      rows.map(({ number }) => number),
      Array.range(0, 59).map((index) => first + BigInt(index))
    )
    for (const { commands, cufe, full_number, number, signed, state } of rows) {
      assert.strictEqual(state, "accepted_by_authority")
      assert.strictEqual(full_number, `SETP-000${number}`)
      assert.deepStrictEqual(commands, ["Number", "Redate", "Sign", "Submit", "Accept"])
      assert.strictEqual(cufe, Borduria.codeOf(contentOf(signed)))
    }
    // Each document once, and exactly the stored bytes.
    assert.deepStrictEqual(
      submissions.map((one) => `${one.cufe} ${Buffer.from(one.signed).toString("base64")}`).toSorted(),
      rows.map((row) => `${row.cufe} ${Buffer.from(row.signed).toString("base64")}`).toSorted()
    )
    const found = yield* client.get(`/v1/invoices?full_number=SETP-000${first + 7n}`)
    assert.strictEqual(found.json.data[0].qr_url, Borduria.pageOf(rows[7]!.cufe))
  }
)

it.live(
  "changes the date of waiting documents after that country's midnight, with or without code or signature",
  function* () {
    const { accountId } = yield* TestApp.TestApp
    const numbering = yield* Numbering
    const sql = yield* SqlClient.SqlClient
    const today = Borduria.localDate(Date.now())
    const yesterday = Borduria.localDate(Date.now() - 86_400_000)
    const drafts = yield* seedDrafts(accountId, 3)
    yield* sql`update invoices set currency = ${Borduria.currency}`
    const [range] = yield* sql<{ id: string }>`select id from resolutions`
    const date = { issue_date: yesterday, issue_time: "23:59:59", issuer_version: 1, cufe_tail: null }
    for (const id of drafts) {
      const key = { account_id: accountId, livemode: false, id }
      const numbered = yield* numbering.number({ key, resolution_id: ResolutionId.make(range?.id ?? ""), ...date })
      assert.strictEqual(numbered.result, "numbered")
    }
    const [, coded, signed] = drafts
    assert.deepStrictEqual(yield* sql`select distinct cufe from invoices`, [{ cufe: null }])
    yield* sql.withTransaction(
      Effect.all([
        sql`update invoices set cufe = 'the code of yesterday, of ' || id where id in (${coded!}, ${signed!})`,
        sql`update invoices set state = 'signed', version = version + 1 where id = ${signed!}`,
        sql`
        insert into invoice_documents (account_id, livemode, invoice_id, signed, created_at)
        select account_id, livemode, id, 'bytes of yesterday', now() from invoices where id = ${signed!}`,
        sql`update invoices set next_action_at = now(), worker = null`
      ])
    )
    const rows = yield* ended(3)
    for (const [index, row] of rows.entries()) {
      assert.strictEqual(row.id, drafts[index])
      assert.deepInclude(row, { state: "accepted_by_authority", number: first + BigInt(index), issue_date: today })
      assert.deepStrictEqual(row.commands, ["Number", "Redate", "Sign", "Submit", "Accept"])
      const content = contentOf(row.signed)
      assert.deepInclude(content, { issue_date: today, cufe: row.cufe })
      assert.strictEqual(row.cufe, Borduria.codeOf(content))
    }
    assert.lengthOf(submissions, 3)
  }
)

it.live("counts the days of a range from that country's date", function* () {
  const { client } = yield* TestApp.TestApp
  const sql = yield* SqlClient.SqlClient
  const today = Borduria.localDate(Date.now())
  yield* sql`update resolutions set valid_to = ${today}`
  const last = yield* client.get("/v1/resolutions")
  assert.strictEqual(last.json.data[0].status, "active")
  yield* sql`update resolutions set valid_to = ${today}::date - 1`
  const over = yield* client.get("/v1/resolutions")
  assert.strictEqual(over.json.data[0].status, "expired")
})
