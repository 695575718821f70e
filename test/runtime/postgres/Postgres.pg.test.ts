import { PgClient } from "@effect/sql-pg"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { assert, describe } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { start } from "../../../src/runtime/postgres/EmbeddedPostgres.ts"
import { layerOwner, seedAccount, seedDrafts } from "../../support/database/Owners.ts"
import { bareDatabase, connect } from "../../support/database/Postgres.ts"
import { refusal } from "../../support/database/Refusals.ts"
import { dataDirectory } from "../platform/FolioProcess.ts"
import { it } from "../../support/Tests.ts"

/** A pool of the login itself, which owns the tables. */
const ofOwner = (url: string, startupParameters: Record<string, string> = {}) =>
  PgClient.layer({ url: Redacted.make(url), ssl: false, startupParameters })

const operating = Fs.readFileSync(Path.resolve(import.meta.dirname, "../../../src/docs/operating.md"), "utf8")

describe("Postgres", () => {
  it.live(
    "makes the tables once when two processes start concurrently, and grants the use of later tables",
    function* () {
      const url = yield* bareDatabase
      const [store] = yield* Effect.all([Layer.build(layerOwner(url)), Layer.build(layerOwner(url))], {
        concurrency: 2
      })
      const { account } = yield* seedAccount.pipe(Effect.provideContext(store))
      yield* seedDrafts(account.account_id, 1).pipe(Effect.provideContext(store))

      // The owner sees no rows. A migration that has not become a role which sees them fails instead of missing rows.
      const owner = Context.get(yield* Layer.build(ofOwner(url)), SqlClient.SqlClient)
      assert.deepStrictEqual(yield* owner`select id from invoices`, [])
      const migrating = yield* Layer.build(ofOwner(url, { row_security: "off" }))
      const touched = Context.get(migrating, SqlClient.SqlClient)`update invoices set reason = 'y'`
      assert.include(yield* refusal(touched), "query would be affected by row-level security policy")
      yield* owner`create table latest (id serial)`
      const service = Context.get(store, SqlClient.SqlClient)
      assert.deepStrictEqual(yield* service`insert into latest default values returning id`, [{ id: 1 }])
      yield* service`update latest set id = 2`
      yield* service`delete from latest`
      assert.include(yield* refusal(service`truncate latest`), "permission denied")
    }
  )

  it.live(
    "names the statements for an administrator if the login may not make the roles, and otherwise makes the roles",
    function* () {
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
      assert.strictEqual(said, `Folio has no right to create its roles in the database at ${host}:${port}. `)
      const grant = "grant folio_service, folio_account to app with inherit false, set true"
      assert.strictEqual(statements, `create role folio_service nologin; create role folio_account nologin; ${grant}`)
      for (const statement of statements?.split("; ") ?? []) {
        assert.include(operating, `\n${statement.replace(" app ", " folio ")};\n`)
      }
      yield* run(statements ?? "")
      assert.deepStrictEqual(yield* starting("app"), [{ role: "folio_service" }])
      assert.strictEqual((yield* told("other")).split(advice)[1], grant.replace("app", "other"))

      yield* run("drop database app; drop role folio_service; drop role folio_account")
      assert.deepStrictEqual(yield* starting("maker"), [{ role: "folio_service" }])
    }
  )
})
