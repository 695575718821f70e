/**
 * The mark of a database during a restore: a file in the data directory of an embedded server, or a table in the
 * database of an external one. A killed restore leaves the mark, and no service starts there.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { DatabaseError } from "./PostgresAddress.ts"

const markIn = (dataDir: string) => Path.join(dataDir, "restore.unfinished")

export const isUnfinished = (dataDir: string): boolean => Fs.existsSync(markIn(dataDir))

export const markDirectory = (dataDir: string): void =>
  Fs.writeFileSync(markIn(dataDir), "", { mode: 0o600, flush: true })

export const unmarkDirectory = (dataDir: string): void => Fs.rmSync(markIn(dataDir), { force: true })

/** The name of the table that marks a database. */
export const markTable = "folio_restore_unfinished"

/** Fails with `DatabaseError` for a database with an unfinished restore. `at`: the address, for the message. */
export const refuseUnfinished = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, at: string) {
  const rows = yield* sql<{ is_marked: boolean }>`select to_regclass(${markTable}) is not null as is_marked`
  if (rows[0]?.is_marked !== true) return
  return yield* new DatabaseError({
    message: `A restore into the database at ${at} is running, or was not finished. Run it again (folio restore FILE). Or, to begin with an empty database, run there: drop table ${markTable}`
  })
})
