import { PgClient } from "@effect/sql-pg"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import * as Fs from "node:fs"
import * as Path from "node:path"
import tables from "../../migrations/0001_tables.ts"
import workers from "../../migrations/0002_workers.ts"
import type { AccountMode } from "../../schemas/Account.ts"
import type { InvoiceId, ResolutionId } from "../../schemas/Id.ts"
import { start } from "../../src/platform/EmbeddedPostgres.ts"
import { Accounts } from "../../src/store/Accounts.ts"
import { Customers } from "../../src/store/Customers.ts"
import * as Inspection from "../../src/store/Inspection.ts"
import { Ids } from "../../src/store/Ids.ts"
import { Invoices } from "../../src/store/Invoices.ts"
import { Numbering } from "../../src/store/Numbering.ts"
import { testRange } from "../../src/store/SandboxAccount.ts"
import { acquirer, ownerLayer, seedDrafts, storeOn } from "../support/Owners.ts"
import { bareDatabase, connect } from "../support/Postgres.ts"
import { refusal } from "../support/Refusals.ts"
import { dataDirectory } from "./FolioProcess.ts"

const unfenced = Migrator.make({})({
  loader: Migrator.fromRecord({ "0001_tables": tables, "0002_workers": workers })
})

/** A pool of the login itself, as a release without fences had it. */
const ofOwner = (url: string, startupParameters: Record<string, string> = {}) =>
  PgClient.layer({ url: Redacted.make(url), ssl: false, startupParameters })

const number = Effect.fnUntraced(function* (of: AccountMode, resolution_id: ResolutionId, id: InvoiceId) {
  const issue = { issue_date: "2026-11-21", issue_time: "10:00:00-05:00", issuer_version: 1, cufe_tail: id }
  return yield* (yield* Numbering).number({ key: { ...of, id }, resolution_id, ...issue })
})

const oldIssuer = {
  ...acquirer,
  email: "a@folio.test",
  address: "Calle 1",
  city_code: "11001",
  department_code: "11",
  country_code: "CO",
  tax_responsibilities: ["R-99-PN"]
}

/** What a release without fences has made of one customer and two drafts. */
const firstWork = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // As migrations that stand between that release and this one.
  yield* sql`create table later (id int)`
  yield* sql`alter table invoices add later text`
  const ids = yield* Ids
  const [of, key, resolution] = [
    { account_id: yield* ids.account, livemode: false },
    yield* ids.apiKey,
    yield* ids.resolution
  ]
  yield* sql`
    insert into accounts (id, name, issuer, default_version, created_at)
    values (${of.account_id}, 'Cuenta', ${JSON.stringify(oldIssuer)}, '2026-01-01', now())`
  yield* sql`
    insert into api_keys (id, account_id, livemode, key_hash, last_four, created_at)
    values (${key}, ${of.account_id}, false, 'hash', 'last', now())`
  yield* sql`insert into resolutions ${sql.insert({ ...of, id: resolution, ...testRange, created_at: new Date() })}`
  const id = yield* ids.customer
  yield* sql`
    insert into customers (account_id, livemode, id, acquirer, metadata, created_at, updated_at)
    values (${of.account_id}, false, ${id}, ${JSON.stringify(acquirer)}, '{}', now(), now())`
  const [numbered, queued, ...twins] = yield* seedDrafts(of.account_id, 4)
  yield* sql`
    update invoices set state = 'numbered', version = 2, resolution_id = ${resolution}, prefix = 'SETP', number = 990000000,
      full_number = 'SETP990000000', cufe = 'c', issue_date = '2026-11-21', issue_time = '10:00:00-05:00'
    where id = ${numbered}`
  // Two with one full number, as two ranges gave it once.
  for (const [index, twin] of twins.entries()) {
    yield* sql`
      update invoices set state = 'numbered', version = 2, resolution_id = ${resolution}, full_number = 'Q123',
        prefix = ${["Q", "Q1"][index] ?? ""}, number = ${[123, 23][index] ?? 0}, cufe = ${`twin ${index}`},
        issue_date = '2026-11-21', issue_time = '10:00:00-05:00'
      where id = ${twin}`
  }
  yield* sql`update resolutions set next_number = next_number + 1`
  // Another account, with a live key.
  const live = yield* ids.account
  yield* sql`
    insert into accounts (id, name, issuer, default_version, created_at)
    select ${live}, 'En vivo', issuer, default_version, now() from accounts`
  yield* sql`
    insert into api_keys (id, account_id, livemode, key_hash, last_four, created_at, revoked_at)
    values (${yield* ids.apiKey}, ${live}, true, 'live hash', 'last', now(), now())`
  return { of, live, twins, resolution, customer: id, numbered, queued: queued! }
})

describe("Postgres", () => {
  it.live("brings a database without fences to this release, with its rows, and may use what lies between", () =>
    Effect.gen(function* () {
      const url = yield* bareDatabase
      yield* Effect.provide(unfenced, ofOwner(url))
      const before = yield* firstWork.pipe(Effect.provide(storeOn(ofOwner(url))), Effect.scoped)
      const { customer, live, numbered, of, queued, resolution, twins } = before
      // Two processes of the new release start at once.
      const [store] = yield* Effect.all([Layer.build(ownerLayer(url)), Layer.build(ownerLayer(url))], {
        concurrency: 2
      })
      yield* Effect.gen(function* () {
        const invoices = yield* Invoices
        const sql = yield* SqlClient.SqlClient
        assert.isTrue(Option.isSome(yield* (yield* Customers).find(of, customer)))
        assert.deepStrictEqual(yield* (yield* Accounts).issuer(of, 1), oldIssuer)
        // What never was live has no live issuer; what was keeps the one that it had.
        const accounts = yield* (yield* Accounts).list
        assert.deepStrictEqual(
          accounts.map((one) => [one.account_id, one.livemode, one.name, one.issuer, one.issuer_version]),
          [
            [of.account_id, false, "Cuenta", oldIssuer, 1],
            [of.account_id, true, "Cuenta", null, 0],
            [live, false, "En vivo", oldIssuer, 1],
            [live, true, "En vivo", oldIssuer, 1]
          ]
        )
        assert.deepStrictEqual(yield* (yield* Accounts).issuer({ account_id: live, livemode: true }, 1), oldIssuer)
        assert.deepStrictEqual(
          yield* sql`select customers::integer as customers from account_modes where account_id = ${of.account_id} order by livemode`,
          [{ customers: 1 }, { customers: 0 }]
        )
        assert.strictEqual(yield* number(of, resolution, queued), "numbered")
        const rows = yield* Effect.forEach([numbered, queued], (id) => invoices.find(of, id))
        assert.deepStrictEqual(
          rows.map((row) => Option.getOrThrow(row).full_number),
          ["SETP990000000", "SETP990000001"]
        )
        assert.deepStrictEqual(yield* Inspection.twins, [{ full_number: "Q123", ids: twins }])
        const third = sql`
          insert into invoices (account_id, livemode, id, customer_id, state, currency, operation_type, payment_means, lines,
            totals, acquirer, metadata, full_number, created_at, updated_at)
          select account_id, livemode, 'inv_third', customer_id, state, currency, operation_type, payment_means, lines, totals,
            acquirer, metadata, full_number, created_at, updated_at from invoices where id = ${twins[0] ?? ""}`
        assert.include(yield* refusal(third), "invoices_full_number")
        yield* sql`update invoices set later = 'x' where id = ${numbered}`
        yield* sql`insert into later values (1)`
        yield* sql`update later set id = 2`
        yield* sql`delete from later`
      }).pipe(Effect.provideContext(store))

      const owner = Context.get(yield* Layer.build(ofOwner(url)), SqlClient.SqlClient)
      assert.deepStrictEqual(yield* owner`select id from invoices`, [])
      const migrating = yield* Layer.build(ofOwner(url, { row_security: "off" }))
      const touched = Context.get(migrating, SqlClient.SqlClient)`update invoices set later = 'y'`
      assert.include(yield* refusal(touched), "query would be affected by row-level security policy")
      yield* owner`create table latest (id serial)`
      const service = Context.get(store, SqlClient.SqlClient)
      assert.deepStrictEqual(yield* service`insert into latest default values returning id`, [{ id: 1 }])
      assert.include(yield* refusal(service`truncate latest`), "permission denied")
    }).pipe(Effect.scoped)
  )

  it.live("tells a login that may not make the roles what an administrator has to run, and makes them if it may", () =>
    Effect.gen(function* () {
      const dataDir = yield* dataDirectory()
      const { host, port } = yield* start({ dataDir })
      const password = Redacted.make(Fs.readFileSync(Path.join(dataDir, "postgres.password"), "utf8"))
      const admin = yield* PgConnection.make({
        host,
        port,
        ssl: false,
        database: "postgres",
        username: "postgres",
        password
      })
      const run = (statements: string) =>
        Effect.forEach(statements.split("; "), (statement) => admin.query(statement), { discard: true })
      const starting = (login: string) =>
        Layer.build(connect(`postgres://${login}:secret@${host}:${port}/${login}`)).pipe(
          Effect.flatMap((context) => Context.get(context, SqlClient.SqlClient)`select current_user::text as role`),
          Effect.scoped
        )
      const told = (login: string) => Effect.map(Effect.flip(starting(login)), ({ message }) => message)
      const advice = "Let an administrator run there once: "
      for (const login of ["app", "other", "maker"]) {
        yield* run(`create role ${login} login password 'secret'; create database ${login} owner ${login}`)
      }
      yield* run("alter role maker createrole; drop role folio_service; drop role folio_account")

      const [said, statements] = (yield* told("app")).split(advice)
      assert.strictEqual(said, `Folio may not make its roles in the database at ${host}:${port}. `)
      const grant = "grant folio_service, folio_account to app with inherit false, set true"
      assert.strictEqual(statements, `create role folio_service nologin; create role folio_account nologin; ${grant}`)
      yield* run(statements ?? "")
      assert.deepStrictEqual(yield* starting("app"), [{ role: "folio_service" }])
      assert.strictEqual((yield* told("other")).split(advice)[1], grant.replace("app", "other"))

      yield* run("drop database app; drop role folio_service; drop role folio_account")
      assert.deepStrictEqual(yield* starting("maker"), [{ role: "folio_service" }])
    }).pipe(Effect.scoped)
  )
})
