/** Takes away what slows down or refuses rows that are as they were, and puts it back as it was. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { quoted } from "./Tables.ts"

interface Made {
  readonly table: string
  readonly name: string
  readonly definition: string
}

// A constraint that is not valid for all rows keeps new ones from being like the old ones.
const constraints = `
  select conrelid::regclass::text as table, conname::text as name, pg_get_constraintdef(oid) as definition from pg_constraint
  where connamespace = current_schema()::regnamespace and conrelid <> 0 and (contype = 'f' or contype = 'c' and not convalidated)
  order by oid`

const indexes = `
  select i.indrelid::regclass::text as table, c.relname::text as name, pg_get_indexdef(i.indexrelid) as definition
  from pg_index i join pg_class c on c.oid = i.indexrelid
  where c.relnamespace = current_schema()::regnamespace and not exists (select from pg_constraint where conindid = i.indexrelid)
  order by i.indexrelid`

const tables = `
  select c.oid::regclass::text as name, c.relforcerowsecurity as forces from pg_class c
  where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' order by c.oid`

/**
 * Runs `load` on the tables of the current schema without their triggers, references, indexes and row level security for the owner, and
 * makes all of them again. References and unique indexes are so checked for all rows at once. Runs in the caller's transaction.
 */
export const bare = Effect.fnUntraced(function* <A, E, R>(sql: SqlClient.SqlClient, load: Effect.Effect<A, E, R>) {
  const all = yield* sql.unsafe<{ name: string; forces: boolean }>(tables)
  const dropped = yield* sql.unsafe<Made>(constraints)
  const unindexed = yield* sql.unsafe<Made>(indexes)
  const run = (statements: ReadonlyArray<string>) =>
    Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })

  yield* run(all.map(({ name }) => `alter table ${name} disable trigger user, no force row level security`))
  yield* run(dropped.map(({ name, table }) => `alter table ${table} drop constraint ${quoted(name)}`))
  yield* run(unindexed.map(({ name }) => `drop index ${quoted(name)}`))
  const result = yield* load
  yield* run(unindexed.map(({ definition }) => definition))
  yield* run(
    dropped.map(({ definition, name, table }) => `alter table ${table} add constraint ${quoted(name)} ${definition}`)
  )
  yield* run(
    all.map(
      ({ forces, name }) => `alter table ${name} enable trigger user${forces ? ", force row level security" : ""}`
    )
  )
  return result
})
