import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { localDate } from "../../../src/runtime/AuthorityTime.ts"
import { readSignedDocument } from "../../../src/documents/signature/SignedDocument.ts"
import { seedDrafts } from "../../support/database/Owners.ts"
import * as TestApp from "../../support/apps/TestApp.ts"
import { until } from "../../support/apps/Until.ts"
import { describeLive } from "../../support/Tests.ts"

const commandsOf = (json: { readonly data: ReadonlyArray<{ readonly command?: string }> }) =>
  json.data.flatMap(({ command }) => command ?? [])

/** A document with a number from yesterday, and an actor that is notified now. */
const numberedYesterday = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { accountId } = yield* TestApp.TestApp
  const [id = ""] = yield* seedDrafts(accountId, 1, "numbered")
  yield* sql`
    update invoices set issue_date = issue_date - 1, cufe = ${`the code of yesterday, of ${id}`}, next_action_at = now()
    where id = ${id}`
  return `/v1/invoices/${id}`
})

describeLive(TestApp.layer())("A document with a number from yesterday", (it) => {
  it.effect("gets today's date at its signature, keeps its number and is accepted", function* () {
    const sql = yield* SqlClient.SqlClient
    const { client } = yield* TestApp.TestApp
    const path = yield* numberedYesterday
    const today = localDate(Date.now())
    const { json } = yield* until(client.get(path), (shown) => shown.json.status === "accepted_by_authority")
    // Midnight may have passed in between.
    assert.include([today, localDate(Date.now())], json.issue_date)
    assert.match(json.cufe, /^[0-9a-f]{96}$/)
    assert.deepStrictEqual(commandsOf((yield* client.get(`${path}/timeline`)).json), [
      "create",
      "redate",
      "sign",
      "submit",
      "accept"
    ])
    const [row] = yield* sql<{ signed: Uint8Array }>`
      select signed from invoice_documents where invoice_id = ${String(json.id)}`
    const { cufe, full_number, issue_date } = json
    assert.deepInclude(Object(readSignedDocument(row!.signed)), { cufe, full_number, issue_date })
  })

  it.effect(
    "fails if its range has ended, and continues when the range is extended and the document retried",
    function* () {
      const sql = yield* SqlClient.SqlClient
      const { client } = yield* TestApp.TestApp
      yield* sql`update resolutions set valid_to = current_date - 2`
      const path = yield* numberedYesterday
      const failed = yield* until(client.get(path), ({ json }) => json.status === "failed")
      assert.deepInclude(failed.json.failure, { code: "range_expired", retryable: true })
      assert.notStrictEqual(failed.json.issue_date, localDate(Date.now()))

      const range = `/v1/resolutions/${failed.json.resolution_id}`
      const extended = yield* client.request("PATCH", range, { body: { valid_to: "2040-01-01" } })
      assert.strictEqual(extended.status, 200, extended.text)
      assert.strictEqual((yield* client.post(`${path}/retry`, undefined, { key: "retry" })).status, 202)
      const { json } = yield* until(client.get(path), (shown) => shown.json.status === "accepted_by_authority")
      assert.strictEqual(json.full_number, failed.json.full_number)
      assert.deepStrictEqual(commandsOf((yield* client.get(`${path}/timeline`)).json), [
        "create",
        "fail",
        "retry",
        "redate",
        "sign",
        "submit",
        "accept"
      ])
    }
  )
})
