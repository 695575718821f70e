/** The empty target of a restore. */
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { Reactivity } from "effect/reactivity"
import { Migrator, SqlClient, SqlError } from "effect/sql"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { DataDir, makeDirectory } from "../../runtime/process/DataFiles.ts"
import { lock } from "../../runtime/process/DataDirLock.ts"
import * as EmbeddedPostgres from "../../runtime/postgres/EmbeddedPostgres.ts"
import { checkServer, makeRoles } from "../../runtime/postgres/Postgres.ts"
import { DatabaseError, type Address, unusable, where } from "../../runtime/postgres/PostgresAddress.ts"
import * as ServiceLock from "../../runtime/postgres/ServiceLock.ts"
import { isUnfinished, markDirectory, markTable, unmarkDirectory } from "../../runtime/postgres/UnfinishedRestore.ts"
import { messageMax, sessionParameters } from "./Backup.ts"
import { BackupError } from "./BackupFile.ts"
import { Settings } from "../../runtime/process/Settings.ts"

const ofLock = ["folio.lock", "folio.lock-journal", "folio.pid"]
// A directory with only these entries counts as empty: entries of the file system, and files for the service.
const mayBeThere = new Set(["lost+found", "secret-key", "test-key", "sandbox-certificate.pem", ...ofLock])

// Entries of an embedded server.
const ofServer = ["postgres", "postgres.log", "postgres.log.1", "postgres.password", "folio.password"]

const notEmptyDirectory = (dataDir: string, found: ReadonlyArray<string>) =>
  new BackupError({
    message: `DATA_DIR ${dataDir} is not empty (${found.slice(0, 3).join(", ")}). Set DATA_DIR to a new directory, or DATABASE_URL to an empty database.`
  })

/** Fails with `BackupError` unless the data directory counts as empty, or was left by a killed restore. */
const refuseUsed = Effect.fnUntraced(function* (dataDir: string) {
  if (!Fs.existsSync(dataDir) || isUnfinished(dataDir)) return
  const found = Fs.readdirSync(dataDir).filter((name) => !mayBeThere.has(name))
  if (found.length > 0) return yield* notEmptyDirectory(dataDir, found)
})

/**
 * Runs `use` with the locked data directory for an embedded server, marked as unfinished until `use` succeeds. A
 * failure leaves the directory unchanged. A kill leaves the mark, and the next restore continues there.
 */
const inDirectory = Effect.fnUntraced(function* <A, E, R>(dataDir: string, use: Effect.Effect<A, E, R>) {
  const attempt = (run: () => void) =>
    Effect.try({
      try: run,
      catch: (cause) =>
        new BackupError({
          message: `DATA_DIR ${dataDir} cannot be used (${String(cause)}). Choose a directory that this user can write to.`
        })
    })
  yield* refuseUsed(dataDir)
  yield* attempt(() => makeDirectory(dataDir, 0o700))
  // Without the lock, remove nothing: another restore or a service may be running there.
  yield* lock(Path.resolve(dataDir))
  yield* refuseUsed(dataDir)
  yield* attempt(() => markDirectory(dataDir))
  const undo = Effect.sync(() => {
    const remove = (name: string) =>
      Fs.rmSync(Path.join(dataDir, name), { recursive: true, force: true, maxRetries: 5 })
    ofServer.forEach(remove)
    unmarkDirectory(dataDir)
    // Remove the lock's files last, so that the next process finds an empty directory.
    ofLock.forEach(remove)
  })
  const result = yield* Effect.onError(use, () => undo)
  yield* attempt(() => unmarkDirectory(dataDir))
  return result
}, Effect.scoped)

const relations = (isOurs: boolean) => `
  select relname::text as name from pg_class
  where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v', 'm', 'S', 'f')
    and relname <> '${isOurs ? markTable : ""}'
  order by relname limit 1`

const notEmpty = (address: Address, name: string) =>
  new BackupError({
    message: `The database at ${where(address)} is not empty: it has ${name}. Create another (create database …) and set DATABASE_URL to it, or restore into a new DATA_DIR.`
  })

type OfDatabase = SqlError.SqlError | Migrator.MigrationError

const explained =
  (address: Address) =>
  <E>(error: E): DatabaseError | Exclude<E, OfDatabase> => {
    if (SqlError.isSqlError(error)) return unusable(address, error)
    if (!(error instanceof Migrator.MigrationError)) return error as Exclude<E, OfDatabase>
    return SqlError.isSqlError(error.cause)
      ? unusable(address, error.cause)
      : new DatabaseError({
          message: `The tables at ${where(address)} cannot be created (${error.message}). Restore into another empty database.`
        })
  }

/** A session of the login at an address, without time limits. */
export const unlimited = (address: Address) =>
  PgClient.make({
    ...address,
    connectTimeout: "5 seconds",
    keepAlive: "30 seconds",
    applicationName: "folio restore",
    maxConnections: 1,
    maxMessageSize: messageMax,
    // With `row_security` off, a statement that rows are hidden from fails instead of skipping them.
    startupParameters: { ...sessionParameters, row_security: "off", maintenance_work_mem: "256MB" }
  }).pipe(Effect.provide(Reactivity.layer))

/**
 * Runs `use` as the owner of the empty database at `address`; no service can start there meanwhile. `isDone`: whether
 * an earlier, killed restore was in fact complete.
 */
export const inDatabase = Effect.fnUntraced(
  function* <A, E, R>(
    address: Address,
    options: {
      readonly isMarked: boolean
      readonly isDone: (sql: SqlClient.SqlClient) => Effect.Effect<boolean, SqlError.SqlError>
    },
    use: Effect.Effect<A, E, R>
  ) {
    const { isDone, isMarked } = options
    yield* ServiceLock.take(address, true)
    const sql = yield* unlimited(address)
    yield* checkServer(sql, address)
    const [other] = yield* sql.unsafe<{ name: string }>(relations(isMarked))
    if (other !== undefined) {
      if (isMarked && (yield* isDone(sql))) return undefined
      return yield* notEmpty(address, other.name)
    }
    yield* makeRoles(sql, address)
    const result = yield* Effect.provideService(use, SqlClient.SqlClient, sql)
    // Give the planner statistics of the new rows.
    yield* sql`analyze`.pipe(Effect.ignore)
    return result
  },
  Effect.scoped,
  (effect, address) => Effect.mapError(effect, explained(address))
)

/** Marks an external database until `use` succeeds or fails. `use` removes the mark in its transaction. */
const marked = <A, E, R>(sql: SqlClient.SqlClient, use: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const mark = sql(markTable)
    yield* sql`create table if not exists ${mark} (since timestamptz not null default now())`
    return yield* Effect.onError(use, () => Effect.ignore(sql`drop table if exists ${mark}`))
  })

/** Removes the mark of an external database, in the restore's transaction. */
const unmark = (sql: SqlClient.SqlClient) => sql`drop table if exists ${sql(markTable)}`

/**
 * Runs `use` with the database of the settings, or with a new embedded server in `DataDir`, which must be empty. If it
 * fails, the message is one line with the fix, and the target is unchanged. Undefined: an earlier restore was complete.
 */
export const intoEmpty = Effect.fnUntraced(function* <A, E, R>(
  isDone: (sql: SqlClient.SqlClient) => Effect.Effect<boolean, SqlError.SqlError>,
  use: (finish: Effect.Effect<void, SqlError.SqlError>) => Effect.Effect<A, E, R>
) {
  const dataDir = yield* DataDir
  const { databaseUrl } = yield* Settings
  if (databaseUrl === undefined) {
    const restored = Effect.flatMap(EmbeddedPostgres.start({ dataDir, restores: true }), (address) =>
      inDatabase(address, { isMarked: true, isDone }, use(Effect.void))
    )
    return yield* inDirectory(dataDir, Effect.scoped(restored))
  }
  const whole = Effect.flatMap(SqlClient.SqlClient, (sql) => marked(sql, use(Effect.asVoid(unmark(sql)))))
  return yield* inDatabase({ url: databaseUrl }, { isMarked: true, isDone: () => Effect.succeed(false) }, whole)
})
