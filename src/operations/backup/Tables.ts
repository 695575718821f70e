/** The header of a backup, and the tables that it contains. */
import { Effect, Schema } from "effect"
import type { PgConnection } from "@effect/sql-pg/PgConnection"
import type { SqlError } from "effect/sql"

/** The header of a backup, in its first frame. */
export const Header = Schema.Struct({
  /** Version of the release that took the backup. */
  release: Schema.String,
  /** Number of the tables' last migration. */
  migration: Schema.Int,
  /** Time of the snapshot, in PostgreSQL's format. */
  taken_at: Schema.String,
  /** Version of the PostgreSQL server. */
  server: Schema.String,
  /** Transaction number above all transactions in the rows of events. */
  transaction: Schema.String,
  /** A known text, encrypted with the key of the database's secrets; null if nothing was encrypted yet. */
  canary: Schema.NullOr(Schema.String),
  tables: Schema.Array(Schema.String),
  /** Whether the encrypted keys follow the header. */
  has_keys: Schema.Boolean
})
export type Header = typeof Header.Type

// Tables of no use elsewhere: the running processes, the test of a full disk, and the time of this database's backup.
// The earliest release that can serve the tables follows from the migrations of a restore.
const ofProcesses = new Set(["workers", "write_probes", "oldest_release", "last_backup"])

/** Whether a backup includes a table's rows. */
export const isKept = (table: string): boolean => !ofProcesses.has(table)

/**
 * A table of a backup. Each row is one text of the columns in `columns`, in this order and in PostgreSQL's row format,
 * followed by the bytes of each bytea column.
 */
export const TableHead = Schema.Struct({
  table: Schema.String,
  columns: Schema.Array(Schema.Struct({ name: Schema.String, type: Schema.String })),
  bytes: Schema.Array(Schema.String)
})
export type TableHead = typeof TableHead.Type

export const TableEnd = Schema.Struct({ table: Schema.String, rows: Schema.Int, sha256: Schema.String })

/** The last value of each counter of the database; null if it has given none. */
export const Sequences = Schema.Array(Schema.Struct({ name: Schema.String, last: Schema.NullOr(Schema.String) }))

/** Quotes a name for a statement. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

// The database computes generated columns again.
const columns = `
  select c.relname::text, a.attname::text, format_type(a.atttypid, a.atttypmod)
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
  order by c.relname, a.attnum`

/** The tables of the current schema, by name. */
export const headsIn = (
  session: Pick<PgConnection, "queryValues">
): Effect.Effect<ReadonlyMap<string, TableHead>, SqlError.SqlError> =>
  Effect.map(session.queryValues(columns), (rows) => {
    const byTable = Map.groupBy(
      rows.map(([table, name, type]) => ({ table: String(table), name: String(name), type: String(type) })),
      ({ table }) => table
    )
    return new Map(
      [...byTable].map(([table, all]) => [
        table,
        {
          table,
          columns: all.filter(({ type }) => type !== "bytea").map(({ name, type }) => ({ name, type })),
          bytes: all.filter(({ type }) => type === "bytea").map(({ name }) => name)
        }
      ])
    )
  })
