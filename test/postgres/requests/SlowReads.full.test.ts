import { assert } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { openApi } from "../../../src/api/OpenApi.ts"
import { makeApiKey } from "../../../src/accounts/rules/ApiKeyFormat.ts"
import { colombianSandbox } from "../../../src/documents/rules/parties/SandboxIds.ts"
import { Accounts } from "../../../src/accounts/store/Accounts.ts"
import { ApiKeys } from "../../../src/accounts/store/ApiKeys.ts"
import { Ids } from "../../../src/database/Ids.ts"
import { connectionsMax, ReadTimes } from "../../../src/database/SlowReads.ts"
import { type Answer, makeClient } from "../../support/apps/Client.ts"
import { endpointBody, invoiceBody, noteBody } from "../../support/apps/Invoices.ts"
import { layer as app, newCustomer, TestApp } from "../../support/apps/TestApp.ts"
import { until } from "../../support/apps/Until.ts"
import { describeLive } from "../../support/Tests.ts"

const paths = openApi["paths"] as Record<
  string,
  { readonly get?: { readonly operationId: string; readonly responses: Record<string, unknown> } }
>

// Lists from the code, which read no database, and the list of a platform, which reads rows of other accounts.
const notOfAccount: ReadonlySet<string> = new Set(["/v1/accounts", "/v1/catalogs/{catalog}", "/v1/versions"])

const lists = Object.entries(paths).flatMap(([path, { get }]) =>
  get !== undefined && !notOfAccount.has(path) && JSON.stringify(get.responses["200"]).includes("has_more")
    ? [path]
    : []
)

/** The table whose rows a list shows. */
const tableOf = (path: string) => {
  const last = path.slice(path.lastIndexOf("/") + 1).replaceAll("-", "_")
  if (last === "timeline") return "transitions"
  return last.endsWith("notes") ? "invoices" : last
}

const isTooSlow = ({ headers, json, status }: Answer) => {
  assert.strictEqual(status, 400, JSON.stringify(json))
  assert.strictEqual(json.error.code, "query_too_slow")
  assert.match(json.error.message, /did not end within \d\.?\d* s and was stopped\. [A-Z].+\.$|GET /)
  assert.strictEqual(headers.get("svc-should-retry"), "false")
}

const brief = Layer.succeed(ReadTimes, { quickMs: 50, slowMs: 100 })

describeLive(app().pipe(Layer.provide(brief)))("A list", (it) => {
  it.effect("names the filters to narrow when its statement takes too long", function* () {
    const { client } = yield* TestApp
    const sql = yield* SqlClient.SqlClient
    const hook = yield* client.post("/v1/webhook-endpoints", endpointBody("https://hooks.example.com"), { key: "hook" })
    const invoice = yield* client.post("/v1/invoices", invoiceBody(yield* newCustomer(client)), { key: "invoice" })
    yield* until(client.get(`/v1/invoices/${invoice.json.id}`), ({ json }) => json.status === "accepted_by_authority")
    const credit = yield* client.post("/v1/credit-notes", noteBody(invoice.json.id), { key: "credit" })
    const debit = yield* client.post(
      "/v1/debit-notes",
      { ...noteBody(invoice.json.id), correction_code: "3" },
      { key: "debit" }
    )
    const [delivery] = yield* until(
      sql<{ id: string; event_id: string }>`
        select d.id, event_id from deliveries d join attempts a on a.delivery_id = d.id limit 1`,
      (rows) => rows.length > 0
    )
    const idsOf: Record<string, string> = {
      "webhook-endpoints": hook.json.id,
      "webhook-deliveries": delivery!.id,
      events: delivery!.event_id,
      invoices: invoice.json.id,
      "credit-notes": credit.json.id,
      "debit-notes": debit.json.id
    }
    for (const of of ["invoices", "credit-notes", "debit-notes"]) {
      const sent = yield* client.post(`/v1/${of}/${idsOf[of]}/email`, { to: "a@buyer.test" }, { key: `email ${of}` })
      assert.strictEqual(sent.status, 202, sent.text)
    }
    // Authentication and the look-up of a document or delivery read these tables too, and must not wait for a lock.
    const slowRows: ReadonlyArray<string> = ["api_keys", "attempts", "emails"]
    for (const table of slowRows) {
      yield* sql`create policy slow on ${sql(table)} as restrictive to folio_account using (pg_sleep(0.2) is not null)`
    }
    assert.isAtLeast(lists.length, 17)
    for (const path of lists) {
      const target = path.replace(/\{\w+\}/, idsOf[path.split("/")[2] ?? ""] ?? "")
      const table = tableOf(path)
      const answer = yield* slowRows.includes(table)
        ? client.get(target)
        : sql.withTransaction(
            Effect.andThen(sql`lock table ${sql(table)} in access exclusive mode`, client.get(target))
          )
      assert.strictEqual(answer.json.error?.code, "query_too_slow", `${path}: ${answer.text}`)
      isTooSlow(answer)
    }
  })
})

/** The key of another account. */
const anotherAccount = Effect.gen(function* () {
  const ids = yield* Ids
  const accounts = yield* Accounts
  const { issuer } = colombianSandbox
  const made = { id: yield* ids.account, name: "Cuenta", issuer, default_version: "2026-01-01" } as const
  yield* accounts.insert({ ...made, created_at: new Date(), live: false })
  const random = yield* SecureRandom.SecureRandom
  const key = makeApiKey("test", yield* random.randomBytes(32))
  yield* (yield* ApiKeys).insert({
    id: yield* ids.apiKey,
    account_id: made.id,
    mode: "test",
    key,
    created_at: new Date()
  })
  return key
})

describeLive(app())("Slow reads of four accounts", (it) => {
  it.effect("leave most connections to a fifth account", function* () {
    const { client, url } = yield* TestApp
    const sql = yield* SqlClient.SqlClient
    const customer = yield* newCustomer(client)
    const others = yield* Effect.forEach([1, 2, 3, 4], () => Effect.map(anotherAccount, (key) => makeClient(url, key)))
    for (const other of others) yield* newCustomer(other)
    // An account without a row would read quickly, and slowly only once its own requests are in the log.
    const logged = sql`select distinct account_id from requests where path = '/v1/customers'`
    yield* until(logged, (accountIds) => accountIds.length === 1 + others.length)
    // Each row takes as long to read as thousands of rows of a large log.
    yield* sql`
      insert into requests
      select c.* from (select r from requests r where path = '/v1/customers') q, generate_series(1, 200) n,
        jsonb_populate_record(q.r, jsonb_build_object('id', 'req_' || lpad(n::text, 26, '0'))) c
      on conflict do nothing`
    yield* sql`create policy slow on requests as restrictive to folio_account using (pg_sleep(0.05) is not null)`

    const answers: Array<Answer> = []
    const repeated = (other: (typeof others)[number], ended: Deferred.Deferred<void>) =>
      other.get("/v1/requests?path=/v1/none").pipe(
        Effect.tap((answer) => Effect.sync(() => answers.push(answer))),
        Effect.tap(Deferred.succeed(ended, undefined)),
        Effect.forever
      )
    const firstReads = yield* Effect.forEach(
      others.flatMap((other) => [other, other, other, other]),
      (other) =>
        Effect.gen(function* () {
          const ended = yield* Deferred.make<void>()
          return { ended: Deferred.await(ended), fiber: yield* Effect.forkChild(repeated(other, ended)) }
        })
    )
    const slow = sql<{ count: number }>`
      select count(*)::integer as count from pg_stat_activity
      where datname = current_database() and usename <> current_user and state = 'active' and wait_event = 'PgSleep'`
    // Folio does not yet know that the first reads of each account are slow.
    for (const { ended } of firstReads) yield* ended
    let most = 0
    const began = performance.now()
    for (let asked = 0; asked < 20; asked++) {
      const [row] = yield* slow
      most = Math.max(most, row?.count ?? 0)
      assert.strictEqual((yield* client.get(`/v1/customers/${customer}`)).status, 200)
    }
    const each = (performance.now() - began) / 20
    for (const { fiber } of firstReads) yield* Fiber.interrupt(fiber)
    assert.isAtLeast(most, 1)
    assert.isAtMost(most, connectionsMax / 3)
    // When slow reads held every connection, a read took seconds.
    assert.isBelow(each, 500)
    for (const answer of answers) {
      // The response without a turn within 2 s, because of the account's own reads or those of other accounts.
      if ([429, 503].includes(answer.status)) assert.strictEqual(answer.headers.get("retry-after"), "2")
      else isTooSlow(answer)
    }
    assert.isTrue(answers.some(({ status }) => status === 400))
  })
})
