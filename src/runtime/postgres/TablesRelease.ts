import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { firstMigration } from "./Migrations.ts"
import { schemaRelease } from "../../database/SchemaRelease.ts"

/**
 * The release of tables: the last applied migration, 0 if there are no tables yet, and the earliest release that can
 * serve them.
 */
export interface TablesRelease {
  readonly last: number
  readonly oldest: number
  /** The name of the first migration; null if there are no tables yet. */
  readonly first: string | null
}

export const nothingApplied: TablesRelease = { last: 0, oldest: 0, first: null }

/** Reads the release of the tables, with the rights of their owner or of the service. */
export const releaseOfTables = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient
): Effect.fn.Return<TablesRelease, SqlError.SqlError> {
  const [made] = yield* sql<{ migrated: boolean; released: boolean }>`
    select to_regclass('effect_sql_migrations') is not null as migrated, to_regclass('oldest_release') is not null as released`
  if (made?.migrated !== true) return nothingApplied
  const [row] = yield* sql<{ last: number | null; first: string | null }>`
    select max(migration_id)::integer as last, max(name) filter (where migration_id = 1) as first
    from effect_sql_migrations`
  const { first, last } = { first: row?.first ?? null, last: row?.last ?? 0 }
  if (!made.released) return { last, oldest: last, first }
  const [oldest] = yield* sql<{ release: number }>`select release from oldest_release`
  return { last, oldest: oldest?.release ?? last, first }
})

/**
 * The reason why this release cannot serve the tables, and the fix; undefined if it can. `isEarlier`: this release's
 * missing migrations are the fix.
 */
export const unservable = ({
  first,
  last,
  oldest
}: TablesRelease): { readonly what: string; readonly advice: string; readonly isEarlier: boolean } | undefined => {
  if (last > 0 && first !== firstMigration) {
    const what = "were made by a version of Folio from before its first release"
    return { what, advice: "Use an empty database, or the version that made them.", isEarlier: false }
  }
  const what = `are at migration ${last}, and this is the release of ${schemaRelease}`
  if (last < schemaRelease) return { what, advice: "Start the service, or run: folio migrate", isEarlier: true }
  if (oldest <= schemaRelease) return undefined
  return { what, advice: `They need a release that knows migration ${oldest}: use a later one.`, isEarlier: false }
}
