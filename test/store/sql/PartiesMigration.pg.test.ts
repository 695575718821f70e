import { PgClient } from "@effect/sql-pg"
import { assert } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { adminLayer, bareDatabase } from "../../support/database/Postgres.ts"
import { it } from "../../support/Tests.ts"

const folder = Path.join(import.meta.dirname, "../../../migrations")
const parties = "0006_parties.sql"

/** The statements of the migrations of the releases before, in their order. */
const earlier = () =>
  Fs.readdirSync(folder)
    .toSorted()
    .filter((name) => name < parties)
    .flatMap((name) =>
      name.endsWith(".sql")
        ? [name]
        : Fs.readdirSync(Path.join(folder, name))
            .toSorted()
            .map((file) => `${name}/${file}`)
    )

const apply = Effect.fnUntraced(function* (file: string) {
  const sql = yield* SqlClient.SqlClient
  const statements = Fs.readFileSync(Path.join(folder, file), "utf8")
  yield* sql.withTransaction(
    sql.unsafe(`do $migration$ begin execute $statements$${statements}$statements$; end $migration$`)
  )
})

it.live("customers and documents of the releases before are found as those of this one", function* () {
  const url = yield* bareDatabase
  const owner = PgClient.layer({ url: Redacted.make(url), ssl: false, startupParameters: { row_security: "off" } })
  yield* Effect.forEach(earlier(), apply).pipe(Effect.provide(owner))
  yield* Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const register = (id: string) => sql`
      insert into customers (account_id, livemode, id, acquirer, metadata, created_at, updated_at) values (
        'ten_1', false, ${id}, '{"identification": {"type": "13", "number": "1018"}, "legal_name": "Ana  Muñoz",
          "organization_type": "2", "email": "Ana@cliente.test"}', '{"erp": "4711", "a": "b"}', now(), now())`
    // Only what a document is found by is looked at here: the other rules of its table have tests of their own.
    yield* sql`insert into accounts (id, created_at) values ('ten_1', now())`
    yield* register("cust_before")
    yield* Effect.provide(apply(parties), owner)
    yield* register("cust_after")
    for (const table of ["marks", "customer_names"]) {
      const [before, after] = yield* Effect.forEach(
        ["cust_before", "cust_after"],
        (id) => sql`select to_jsonb(t) - 'id' as row from ${sql(table)} t where id = ${id} order by 1`
      )
      assert.deepStrictEqual(before, after, table)
    }
    const [{ marks, names } = { marks: 0, names: "" }] = yield* sql<{ marks: number; names: string }>`
      select count(*)::integer as marks, (select names from customer_names where id = 'cust_before') as names
      from marks where id = 'cust_before'`
    assert.deepStrictEqual([marks, names], [4, "ana munoz"])
  }).pipe(Effect.provide(adminLayer(url)))
})
