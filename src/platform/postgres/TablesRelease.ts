import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { lastMigration } from "./Migrations.ts"

/** The release of tables: the last migration that was applied, 0 where there are no tables yet, and the earliest release that can serve them. */
export interface TablesRelease {
  readonly last: number
  readonly oldest: number
}

export const nothingApplied: TablesRelease = { last: 0, oldest: 0 }

/** Reads the release of the tables, with the rights of their owner or of the service. */
export const releaseOfTables = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient
): Effect.fn.Return<TablesRelease, SqlError.SqlError> {
  const [made] = yield* sql<{ migrated: boolean; released: boolean }>`
    select to_regclass('effect_sql_migrations') is not null as migrated, to_regclass('oldest_release') is not null as released`
  if (made?.migrated !== true) return nothingApplied
  const [row] = yield* sql<{
    last: number | null
  }>`select max(migration_id)::integer as last from effect_sql_migrations`
  const last = row?.last ?? 0
  if (!made.released) return { last, oldest: last }
  const [oldest] = yield* sql<{ release: number }>`select release from oldest_release`
  return { last, oldest: oldest?.release ?? last }
})

/** What is wrong with tables that this release cannot serve as they are, and what to do; undefined if it can. */
export const unservable = ({
  last,
  oldest
}: TablesRelease): { readonly what: string; readonly advice: string } | undefined => {
  const what = `are at migration ${last}, and this is the release of ${lastMigration}`
  if (last < lastMigration) return { what, advice: "Start the service, or run: folio migrate" }
  if (oldest <= lastMigration) return undefined
  return { what, advice: `They need a release that knows migration ${oldest}: use a later one.` }
}
