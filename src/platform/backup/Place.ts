/** The empty place that a backup is restored into. */
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { Reactivity } from "effect/reactivity"
import { Migrator, SqlClient, SqlError } from "effect/sql"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { DataDir, makeDirectory } from "../files/DataFiles.ts"
import { lock } from "../files/DataDirLock.ts"
import * as EmbeddedPostgres from "../postgres/EmbeddedPostgres.ts"
import { checkServer, makeRoles } from "../postgres/Postgres.ts"
import { DatabaseError, type Place, unusable, where } from "../postgres/PostgresPlace.ts"
import * as ServiceLock from "../postgres/ServiceLock.ts"
import { isUnfinished, markDirectory, markTable, unmarkDirectory } from "../postgres/UnfinishedRestore.ts"
import { messageMax, sessionParameters } from "./Backup.ts"
import { BackupError } from "./BackupFile.ts"
import { Settings } from "../Settings.ts"

const ofLock = ["folio.lock", "folio.lock-journal", "folio.pid"]
// A directory that holds no more than these is as good as a new one: what a file system has, and what the service finds there.
const mayBeThere = new Set(["lost+found", "secret-key", "test-key", "sandbox-certificate.pem", ...ofLock])

// What is made for an embedded server.
const ofServer = ["postgres", "postgres.log", "postgres.log.1", "postgres.password", "folio.password"]

const notEmptyDirectory = (dataDir: string, found: ReadonlyArray<string>) =>
  new BackupError({
    message: `DATA_DIR ${dataDir} is not empty (${found.slice(0, 3).join(", ")}). Name a new directory in DATA_DIR, or a database that is empty in DATABASE_URL.`
  })

/** Fails with `BackupError` unless the data directory is as good as empty, or was left by a restore that was killed. */
const refuseUsed = Effect.fnUntraced(function* (dataDir: string) {
  if (!Fs.existsSync(dataDir) || isUnfinished(dataDir)) return
  const found = Fs.readdirSync(dataDir).filter((name) => !mayBeThere.has(name))
  if (found.length > 0) return yield* notEmptyDirectory(dataDir, found)
})

/**
 * The data directory for an embedded server, locked, and marked as unfinished until `use` succeeds. A failure leaves the directory as it
 * was; after a kill the mark is left, and the next restore goes on there.
 */
const inDirectory = Effect.fnUntraced(function* <A, E, R>(dataDir: string, use: Effect.Effect<A, E, R>) {
  const attempt = (run: () => void) =>
    Effect.try({
      try: run,
      catch: (cause) =>
        new BackupError({
          message: `DATA_DIR ${dataDir} cannot be used (${String(cause)}). Name a directory that this user may write to.`
        })
    })
  yield* refuseUsed(dataDir)
  yield* attempt(() => makeDirectory(dataDir, 0o700))
  // Whoever does not hold the lock removes nothing: another restore may be under way there, or the service by now.
  yield* lock(Path.resolve(dataDir))
  yield* refuseUsed(dataDir)
  yield* attempt(() => markDirectory(dataDir))
  const undo = Effect.sync(() => {
    const remove = (name: string) =>
      Fs.rmSync(Path.join(dataDir, name), { recursive: true, force: true, maxRetries: 5 })
    ofServer.forEach(remove)
    unmarkDirectory(dataDir)
    // The lock is the last to go: whoever comes now finds an empty directory.
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

const notEmpty = (place: Place, name: string) =>
  new BackupError({
    message: `The database at ${where(place)} is not empty: it has ${name}. Make another one (create database …) and name it in DATABASE_URL, or restore into a new DATA_DIR.`
  })

type OfDatabase = SqlError.SqlError | Migrator.MigrationError

const explained =
  (place: Place) =>
  <E>(error: E): DatabaseError | Exclude<E, OfDatabase> => {
    if (SqlError.isSqlError(error)) return unusable(place, error)
    if (!(error instanceof Migrator.MigrationError)) return error as Exclude<E, OfDatabase>
    return SqlError.isSqlError(error.cause)
      ? unusable(place, error.cause)
      : new DatabaseError({
          message: `The tables at ${where(place)} cannot be made (${error.message}). Restore into another empty database.`
        })
  }

/** A session of the login at a place, without limits of time. */
export const unlimited = (place: Place) =>
  PgClient.make({
    ...place,
    connectTimeout: "5 seconds",
    keepAlive: "30 seconds",
    applicationName: "folio restore",
    maxConnections: 1,
    maxMessageSize: messageMax,
    // With `row_security` off, a statement of the owner that rows are hidden from fails instead of skipping them.
    startupParameters: { ...sessionParameters, row_security: "off", maintenance_work_mem: "256MB" }
  }).pipe(Effect.provide(Reactivity.layer))

/**
 * Runs `use` as the owner of the empty database at `place`, with which no service starts meanwhile. `isDone`: whether an earlier restore
 * that was killed has in truth come to its end.
 */
export const inDatabase = Effect.fnUntraced(
  function* <A, E, R>(
    place: Place,
    options: {
      readonly isMarked: boolean
      readonly isDone: (sql: SqlClient.SqlClient) => Effect.Effect<boolean, SqlError.SqlError>
    },
    use: Effect.Effect<A, E, R>
  ) {
    const { isDone, isMarked } = options
    yield* ServiceLock.take(place, true)
    const sql = yield* unlimited(place)
    yield* checkServer(sql, place)
    const [other] = yield* sql.unsafe<{ name: string }>(relations(isMarked))
    if (other !== undefined) {
      if (isMarked && (yield* isDone(sql))) return undefined
      return yield* notEmpty(place, other.name)
    }
    yield* makeRoles(sql, place)
    const result = yield* Effect.provideService(use, SqlClient.SqlClient, sql)
    // The planner knows nothing of the new rows before.
    yield* sql`analyze`.pipe(Effect.ignore)
    return result
  },
  Effect.scoped,
  (effect, place) => Effect.mapError(effect, explained(place))
)

/** Marks an external database until `use`, which removes the mark in its transaction, has succeeded or failed. */
const marked = <A, E, R>(sql: SqlClient.SqlClient, use: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const mark = sql(markTable)
    yield* sql`create table if not exists ${mark} (since timestamptz not null default now())`
    return yield* Effect.onError(use, () => Effect.ignore(sql`drop table if exists ${mark}`))
  })

/** Removes the mark of an external database; part of the transaction that restores. */
const unmark = (sql: SqlClient.SqlClient) => sql`drop table if exists ${sql(markTable)}`

/**
 * Runs `use` with the database of the settings, or of a new embedded server in `DataDir`, which must be empty. Fails with an error whose
 * message is one line that says what to do, and the place is then as it was before. Undefined: an earlier restore had come to its end.
 */
export const intoEmpty = Effect.fnUntraced(function* <A, E, R>(
  isDone: (sql: SqlClient.SqlClient) => Effect.Effect<boolean, SqlError.SqlError>,
  use: (finish: Effect.Effect<void, SqlError.SqlError>) => Effect.Effect<A, E, R>
) {
  const dataDir = yield* DataDir
  const { databaseUrl } = yield* Settings
  if (databaseUrl === undefined) {
    const restored = Effect.flatMap(EmbeddedPostgres.start({ dataDir, restores: true }), (place) =>
      inDatabase(place, { isMarked: true, isDone }, use(Effect.void))
    )
    return yield* inDirectory(dataDir, Effect.scoped(restored))
  }
  const whole = Effect.flatMap(SqlClient.SqlClient, (sql) => marked(sql, use(Effect.asVoid(unmark(sql)))))
  return yield* inDatabase({ url: databaseUrl }, { isMarked: true, isDone: () => Effect.succeed(false) }, whole)
})
