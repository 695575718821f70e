/** What a backup says of itself, and the tables of the service as it sees them. */
import { Effect, Schema } from "effect"
import type { PgConnection } from "@effect/sql-pg/PgConnection"
import type { SqlError } from "effect/sql"

/** What a backup says of itself, in its first frame. */
export const Header = Schema.Struct({
  /** The version of the release that took it. */
  release: Schema.String,
  /** The number of the last migration that the tables had. */
  migration: Schema.Int,
  /** When the snapshot was taken, as PostgreSQL writes a time. */
  taken_at: Schema.String,
  /** The version of the server. */
  server: Schema.String,
  /** Beyond all transactions that the rows of events name. */
  transaction: Schema.String,
  /** A known text, sealed with the key of the database's secrets; null where nothing was sealed yet. */
  canary: Schema.NullOr(Schema.String),
  tables: Schema.Array(Schema.String),
  /** Whether the sealed keys follow. */
  has_keys: Schema.Boolean
})
export type Header = typeof Header.Type

// What is of no use elsewhere: which processes live, room for trying out whether the disk is full, and when this database was backed up.
// The earliest release that can serve the tables follows from the migrations that a restore runs.
const ofProcesses = new Set(["workers", "write_probes", "oldest_release", "last_backup"])

/** Whether rows of a table are kept. */
export const isKept = (table: string): boolean => !ofProcesses.has(table)

/**
 * A table of a backup. Each row is one text of the columns in `columns`, in this order and in the form in which PostgreSQL writes a row,
 * followed by the bytes of each column of type bytea.
 */
export const TableHead = Schema.Struct({
  table: Schema.String,
  columns: Schema.Array(Schema.Struct({ name: Schema.String, type: Schema.String })),
  bytes: Schema.Array(Schema.String)
})
export type TableHead = typeof TableHead.Type

export const TableEnd = Schema.Struct({ table: Schema.String, rows: Schema.Int, sha256: Schema.String })

/** The last value that each counter of the database has given; null while it has given none. */
export const Sequences = Schema.Array(Schema.Struct({ name: Schema.String, last: Schema.NullOr(Schema.String) }))

/** A name as part of a statement. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

// Generated columns are computed anew.
const columns = `
  select c.relname::text, a.attname::text, format_type(a.atttypid, a.atttypmod)
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
  order by c.relname, a.attnum`

/** The tables of the current schema, by their names. */
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
