import { assert } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { AccountMode } from "../../schemas/Account.ts"
import * as AccountView from "../../src/database/AccountView.ts"
import type { CustomerFilter } from "../../src/accounts/store/Customers.ts"
import { acquirer, conditionOf, everyInvoice } from "../support/database/Owners.ts"
import { refusal, refusedIn } from "../support/database/Refusals.ts"
import { type Owned, TwoAccounts } from "../support/database/TwoAccounts.ts"
import { until } from "../support/apps/Until.ts"
import { freshDatabase, queryAs } from "../support/database/Postgres.ts"
import { describeLive } from "../support/Tests.ts"

const tables = [
  "customers",
  "customer_names",
  "external_ids",
  "marks",
  "logos",
  "acquirers",
  "resolutions",
  "invoices",
  "invoice_documents",
  "transitions",
  "acceptances",
  "daily_usage",
  "events",
  "webhook_endpoints",
  "deliveries",
  "attempts",
  "requests",
  "notices",
  "audit_log"
]

const rowsOf = (sql: SqlClient.SqlClient, table: string) =>
  sql<AccountMode>`select distinct account_id, livemode from ${sql(table)} order by 1, 2`

const byEmail: CustomerFilter = { marks: [{ _tag: "Email", address: "A@buyer.test" }], external_id: null, name: null }
const byExternalId: CustomerFilter = { marks: [], external_id: "customer-1", name: null }
const byName: CustomerFilter = { marks: [], external_id: null, name: acquirer.legal_name.slice(2).toUpperCase() }

/** The objects in `owned` that statements find, list and change by their ids in the name of `account`. */
const askFor = Effect.fnUntraced(function* (account: AccountMode, owned: Owned) {
  const { customers, endpoints, invoices, keys } = (yield* TwoAccounts).store
  const page = { limit: 10, cursor: null }
  const endpoint = { ...owned.endpoint, ...account }
  const update = Effect.map(endpoints.update(endpoint, { description: "" }, new Date()), (row) => ({
    status: 200,
    location: null,
    body: String(Option.isSome(row))
  }))
  return {
    customer: Option.isSome(yield* customers.find(account, owned.customer)),
    customers: (yield* customers.list(account, page)).rows.some((row) => row.id === owned.customer),
    found: (yield* customers.list(account, page, byEmail)).rows.some((row) => row.id === owned.customer),
    external: (yield* customers.list(account, page, byExternalId)).rows.some((row) => row.id === owned.customer),
    named: (yield* customers.list(account, page, byName)).rows.some((row) => row.id === owned.customer),
    invoice: Option.isSome(yield* invoices.find(account, owned.invoice)),
    invoices: (yield* invoices.list(account, page, everyInvoice)).rows.some((row) => row.id === owned.invoice),
    endpoint: Option.isSome(yield* endpoints.find(account, endpoint.id)),
    endpoints: (yield* endpoints.list(account, page)).rows.some((row) => row.id === endpoint.id),
    updated: (yield* keys.once(account, null, update)).answer.body === "true",
    removed: yield* endpoints.remove(endpoint)
  }
})

const nothing = {
  customer: false,
  customers: false,
  found: false,
  external: false,
  named: false,
  invoice: false,
  invoices: false,
  endpoint: false,
  endpoints: false,
  updated: false,
  removed: false
}

describeLive(TwoAccounts.layer)("An account's view", (it) => {
  it.effect("shows only its own rows, even if a statement has no condition", function* () {
    const { mine, others, service } = yield* TwoAccounts
    for (const owned of [mine, ...others]) {
      const view = AccountView.within(service, owned.account)
      for (const table of tables) {
        assert.deepStrictEqual(yield* view(rowsOf(service, table)), [owned.account], table)
        assert.lengthOf(yield* rowsOf(service, table), 3, table)
      }
      const keys = yield* view(service`select id from api_keys`)
      const claims = yield* view(service`select api_key_id as id from idempotency_keys`)
      assert.include(
        keys.map((row) => row["id"]),
        owned.apiKey
      )
      assert.deepStrictEqual(claims, [{ id: owned.apiKey }])
      assert.deepStrictEqual(yield* view(service`select id from accounts`), [{ id: owned.account.account_id }])
    }
  })

  it.effect("changes no row of another account or mode, and makes none", function* () {
    const { mine, others, service } = yield* TwoAccounts
    const view = AccountView.within(service, mine.account)
    for (const other of others) {
      const statements = [
        service`update webhook_endpoints set url = '' where id = ${other.endpoint.id} returning id`,
        service`delete from webhook_endpoints where id = ${other.endpoint.id} returning id`,
        service`update deliveries set status = 'canceled' where endpoint_id = ${other.endpoint.id} returning id`,
        service`update customers set acquirer = '{}' where id = ${other.customer} returning id`,
        service`delete from customers where id = ${other.customer} returning id`,
        service`update idempotency_keys set body = '' where api_key_id = ${other.apiKey} returning value`
      ]
      for (const statement of statements) assert.deepStrictEqual(yield* view(statement), [])
      const wrongly = [
        service`
          insert into webhook_endpoints select c.* from webhook_endpoints w, jsonb_populate_record(w, ${JSON.stringify({ ...other.account, id: "we_x" })}::jsonb) c`,
        service`update webhook_endpoints set account_id = ${other.account.account_id}, livemode = ${other.account.livemode}`,
        service`insert into idempotency_keys (api_key_id, value, fingerprint, status, body) values (${other.apiKey}, 'x', '', 0, '')`
      ]
      for (const statement of wrongly) {
        assert.include(yield* refusedIn(view, statement), "violates row-level security policy")
      }
    }
  })

  it.effect("allows only the rows that its requests write", function* () {
    const { mine, service } = yield* TwoAccounts
    const refused = [
      "update invoices set number = 1",
      "update transitions set at = now()",
      "update resolutions set next_number = next_number + 1",
      "update accounts set created_at = now()",
      "update issuers set issuer = '{}'",
      "select * from audit_chains",
      "update audit_log set actor = ''",
      "update audit_log set position = 1",
      "delete from audit_log",
      "update customers set created_at = now()",
      "update customers set external_id = 'other'",
      "update invoices set external_id = 'other'",
      "update external_ids set external_id = 'other'",
      "delete from external_ids",
      "delete from deliveries",
      "delete from idempotency_keys",
      "insert into requests select * from requests",
      "update requests set path = ''",
      "delete from requests",
      "select key_hash from api_keys",
      "update api_keys set key_hash = ''",
      "delete from api_keys",
      "truncate webhook_endpoints",
      "create table mine (a int)"
    ]
    for (const statement of refused) {
      const view = AccountView.within(service, mine.account)
      assert.match(yield* refusedIn(view, service.unsafe(statement)), /^permission denied/, statement)
    }
  })

  it.effect("shows nothing before an account is named, or after its transaction with any outcome", function* () {
    const { mine, service } = yield* TwoAccounts
    const pid = service<{ pid: number }>`select pg_backend_pid() as pid`
    const left = service<{ role: string; account: string | null; mode: string | null }>`
      select current_user::text as role, nullif(current_setting('folio.account_id', true), '') as account,
        nullif(current_setting('folio.livemode', true), '') as mode`
    const noAccount = [{ role: "folio_service", account: null, mode: null }]
    const unnamed = (statement: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>) =>
      service.withTransaction(Effect.andThen(service`set local role folio_account`, statement))
    const session = yield* pid
    const seesNothing = Effect.gen(function* () {
      assert.deepStrictEqual(yield* left, noAccount)
      for (const table of [...tables, "accounts", "api_keys", "idempotency_keys"]) {
        assert.deepStrictEqual(
          yield* unnamed(service.unsafe(`select count(*)::int as rows from (select from ${table} limit 1) t`)),
          [{ rows: 0 }],
          table
        )
      }
      const insert = service`insert into webhook_endpoints select * from webhook_endpoints`
      assert.deepStrictEqual(yield* unnamed(service`update webhook_endpoints set url = '' returning id`), [])
      const claim = service`insert into idempotency_keys (api_key_id, value, fingerprint, status, body) values (${mine.apiKey}, 'y', '', 0, '')`
      assert.deepStrictEqual(yield* unnamed(insert), [])
      assert.include(yield* refusal(unnamed(claim)), "violates row-level security policy")
      assert.deepStrictEqual(yield* pid, session)
    })
    yield* seesNothing
    const view = AccountView.within(service, mine.account)
    assert.lengthOf(yield* view(service`select id from customers`), 1)
    yield* seesNothing
    yield* Effect.flip(view(Effect.fail("rolled back")))
    yield* seesNothing
    const cut = yield* Effect.forkScoped(view(Effect.andThen(service`select id from customers`, Effect.never)))
    const admin = yield* SqlClient.SqlClient
    yield* until(
      admin`select 1 from pg_stat_activity where pid = ${session[0]?.pid ?? 0} and state = 'idle in transaction' and query like '%customers%'`,
      (rows) => rows.length === 1
    )
    yield* Fiber.interrupt(cut)
    yield* seesNothing
  })

  it.effect("allows only the steps of a document that clients request", function* () {
    const { mine, service } = yield* TwoAccounts
    // Towards a state from which the guard of invoices would allow the acceptance.
    for (const state of ["numbered", "signed", "submitted"] as const) {
      yield* service`
        update invoices set state = ${state}, version = version + 1, next_action_at = 'infinity', failure = null,
          submitted_at = ${conditionOf(state).submitted_at} where id = ${mine.invoice}`
    }
    const view = AccountView.within(service, mine.account)
    for (const statement of [
      "update invoices set state = 'accepted_by_authority', version = version + 1, next_action_at = null",
      "insert into transitions select account_id, livemode, id, 99, 'Accept', 'submitted', state, now() from invoices"
    ]) {
      assert.include(yield* refusedIn(view, service.unsafe(statement)), "violates row-level security policy", statement)
    }
  })
})

describeLive(TwoAccounts.layer)("Either protection alone", (it) => {
  it.effect("separates accounts and modes by the predicates without row-level security", function* () {
    const { mine, others } = yield* TwoAccounts
    const admin = yield* SqlClient.SqlClient
    const shown = ["customers", "customer_names", "marks", "invoices", "webhook_endpoints", "deliveries"]
    for (const table of shown) yield* admin`alter table ${admin(table)} disable row level security`
    for (const other of others) assert.deepStrictEqual(yield* askFor(mine.account, other), nothing)
    for (const table of shown) yield* admin`alter table ${admin(table)} enable row level security`
    for (const other of others) assert.deepStrictEqual(yield* askFor(mine.account, other), nothing)
  })

  it.effect("restricts each request: with a policy that shows nothing, no row is found", function* () {
    const { mine } = yield* TwoAccounts
    const admin = yield* SqlClient.SqlClient
    const shown = ["customers", "invoices", "webhook_endpoints"]
    for (const table of shown) yield* admin`alter policy account on ${admin(table)} using (false)`
    assert.deepStrictEqual(yield* askFor(mine.account, mine), nothing)
    const own =
      "account_id = current_setting('folio.account_id', true) and livemode = current_setting('folio.livemode', true)::boolean"
    for (const table of shown) yield* admin`alter policy account on ${admin(table)} using (${admin.literal(own)})`
    const all = Object.fromEntries(Object.keys(nothing).map((name) => [name, true]))
    assert.deepStrictEqual(yield* askFor(mine.account, mine), all)
  })

  it.effect("covers every table that belongs to accounts, for its owner too", function* () {
    const { service } = yield* TwoAccounts
    const walls = yield* service<{ name: string; fenced: boolean }>`
      select relname as name, relrowsecurity and relforcerowsecurity as fenced from pg_class c
      where relkind = 'r' and relnamespace = 'public'::regnamespace and (relname = 'accounts' or exists (
        select from pg_attribute where attrelid = c.oid and attname in ('account_id', 'api_key_id')
      ))`
    assert.includeMembers(
      walls.map(({ name }) => name),
      [...tables, "accounts", "api_keys", "idempotency_keys"]
    )
    assert.deepStrictEqual(
      walls.filter(({ fenced }) => !fenced),
      []
    )
  })

  it.effect("can cover the table of a later migration, in a separate session", function* () {
    const url = yield* freshDatabase
    yield* queryAs(url, "create table later (account_id text, livemode boolean)")
    yield* queryAs(url, "call isolate_accounts('later')")
    const fence = "select from pg_policies where tablename = 'later' and policyname in ('service', 'account')"
    assert.strictEqual((yield* queryAs(url, fence)).rows.length, 2)
    const allowed =
      "select from pg_proc where proname = 'fence' and has_function_privilege('folio_service', oid, 'execute')"
    assert.lengthOf((yield* queryAs(url, allowed)).rows, 0)
  })
})
