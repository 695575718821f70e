import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { releaseBefore } from "../../support/database/Releases.ts"
import { it } from "../../support/Tests.ts"

it.live("customers and documents of the releases before are found as those of this one", function* () {
  const { admin, migrate } = yield* releaseBefore("0006_parties.sql")
  yield* Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const register = (id: string) => sql`
      insert into customers (account_id, livemode, id, acquirer, metadata, created_at, updated_at) values (
        'ten_1', false, ${id}, '{"identification": {"type": "13", "number": "1018"}, "legal_name": "Ana  Muñoz",
          "organization_type": "2", "email": "Ana@cliente.test"}', '{"erp": "4711", "a": "b"}', now(), now())`
    // Only what a document is found by is looked at here: the other rules of its table have tests of their own.
    yield* sql`insert into accounts (id, created_at) values ('ten_1', now())`
    yield* register("cust_before")
    yield* migrate
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
  }).pipe(Effect.provide(admin))
})
