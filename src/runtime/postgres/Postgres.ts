import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Schedule } from "effect"
import { Reactivity } from "effect/reactivity"
import { Migrator, SqlClient, SqlError } from "effect/sql"
import * as Metrics from "../Metrics.ts"
import { connectionsMax } from "../../database/SlowReads.ts"
import * as ClusterTables from "../cluster/ClusterTables.ts"
import { DataDir } from "../process/DataFiles.ts"
import { Supervised } from "../process/Supervised.ts"
import * as EmbeddedPostgres from "./EmbeddedPostgres.ts"
import { EarlierReleaseServes, migrate } from "./Migrations.ts"
import { schemaRelease } from "../../database/SchemaRelease.ts"
import { DatabaseError, type Address, unusable, where } from "./PostgresAddress.ts"
import * as Roles from "./PostgresRoles.ts"
import { refuseUnfinished } from "./UnfinishedRestore.ts"
import * as Socket from "./PostgresSocket.ts"
import * as ServiceLock from "./ServiceLock.ts"
import { releaseOfTables, unservable } from "./TablesRelease.ts"
import { Settings } from "../process/Settings.ts"

// PostgreSQL 17 is the first version with `transaction_timeout`.
/**
 * The lowest version of PostgreSQL that the service supports: the first with `transaction_timeout`.
 *
 * @internal
 */
export const versionMin = 17

const session = {
  connectTimeout: "5 seconds",
  keepAlive: "30 seconds",
  applicationName: "folio"
} as const

// A hanging process must not block its successor: these limits bound how long its statements and transactions hold
// locks.
const limits = {
  statement_timeout: "10s",
  lock_timeout: "3s",
  idle_in_transaction_session_timeout: "5s",
  transaction_timeout: "20s"
} as const

const pool = {
  ...session,
  maxConnections: connectionsMax,
  minConnections: 1,
  // Much shorter than the limit on silence, so that an idle connection is not mistaken for a dead server.
  idleTimeout: "5 seconds",
  startupParameters: {
    ...limits,
    role: Roles.service,
    // Every statement of the service uses an index. A plan that was cached while a table was small would scan the whole
    // table until the next ANALYZE.
    enable_seqscan: "off",
    enable_mergejoin: "off"
  }
} as const

/**
 * The advice for a database that cannot store every character.
 *
 * @internal
 */
export const encodingAdvice = (database: string) =>
  `Create another: create database ${database} encoding 'UTF8' template template0. Then set DATABASE_URL to it.`

/**
 * Fails with `DatabaseError` if the server is older than the service requires, or if the database's encoding is not
 * UTF8.
 *
 * @internal
 */
export const checkServer = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, address: Address) {
  const rows = yield* sql<{ version: number; encoding: string; name: string }>`
    select current_setting('server_version_num')::integer / 10000 as version, current_setting('server_encoding') as encoding,
      current_database()::text as name`
  const { encoding, name, version } = rows[0] ?? { encoding: "", name: "", version: 0 }
  if (version < versionMin) {
    return yield* new DatabaseError({
      message: `The database at ${where(address)} is PostgreSQL ${version}. Folio needs ${versionMin} or later.`
    })
  }
  if (encoding !== "UTF8") {
    return yield* new DatabaseError({
      message: `The database at ${where(address)} has the encoding ${encoding}. Folio needs UTF8. ${encodingAdvice(`${name}_utf8`)}`
    })
  }
})

/**
 * Creates the missing roles of the service. Fails with `DatabaseError` if the login has no right to.
 *
 * @internal
 */
export const makeRoles = (sql: SqlClient.SqlClient, address: Address) =>
  sql.unsafe(Roles.make("session_user")).pipe(
    Effect.catchIf(
      (error) => error.reason instanceof SqlError.AuthorizationError,
      Effect.fnUntraced(function* () {
        const rows = yield* sql.unsafe<{ statement: string }>(Roles.statement("session_user"))
        return yield* new DatabaseError({
          message: `Folio has no right to create its roles in the database at ${where(address)}. Let an administrator run there once: ${rows[0]?.statement}`
        })
      })
    )
  )

const sqlErrorIn = (error: unknown): SqlError.SqlError | undefined => {
  if (SqlError.isSqlError(error)) return error
  return error instanceof Migrator.MigrationError ? sqlErrorIn(error.cause) : undefined
}

/** Maps every failure of the database to a `DatabaseError` with a one-line message. */
const explained = (address: Address) =>
  Effect.mapError((error: SqlError.SqlError | Migrator.MigrationError | DatabaseError | EarlierReleaseServes) => {
    const refused = sqlErrorIn(error)
    if (refused !== undefined) return unusable(address, refused)
    if (error instanceof DatabaseError) return error
    const why =
      error instanceof EarlierReleaseServes
        ? `a process of the release of migration ${error.release} serves them and could not continue). First upgrade every process to a release of ${error.serves} or later, or stop all.`
        : `${error.message}). Start again when no other process migrates them.`
    const message = `The tables at ${where(address)} cannot be migrated to this release (${why}`
    return new DatabaseError({ message })
  })

// A migration that waits for a table's lock soon fails and retries, so that the statements behind it do not wait.
const migrationRetries = Schedule.spaced("500 millis").pipe(Schedule.upTo({ times: 10 }))
const isLockTaken = (error: unknown) => sqlErrorIn(error)?.reason instanceof SqlError.LockTimeoutError

/**
 * Checks the versions of the server and of the tables. Creates the missing roles and applies the missing migrations, as
 * the owner of the tables in a separate session. Without `migrates`, tables of an earlier release are an error. Tables
 * of a later release are an error if this release cannot serve them.
 */
const prepare = Effect.fnUntraced(
  function* (address: Address, migrates: boolean) {
    const { runner } = yield* Settings
    // A migration may take long, but must not make others wait for locks. With `row_security` off, a migration without
    // the role that sees its rows fails instead of skipping them.
    const startupParameters = { lock_timeout: "1s", row_security: "off" }
    const sql = yield* PgClient.make({ ...session, ...address, maxConnections: 1, startupParameters })
    yield* checkServer(sql, address)
    yield* refuseUnfinished(sql, where(address))
    const wrong = unservable(yield* releaseOfTables(sql))
    if (wrong !== undefined && !(migrates && wrong.isEarlier)) {
      return yield* new DatabaseError({ message: `The tables at ${where(address)} ${wrong.what}. ${wrong.advice}` })
    }
    if (!migrates) return
    yield* makeRoles(sql, address)
    const made = runner === undefined ? Effect.void : ClusterTables.make
    yield* Effect.andThen(migrate, made).pipe(
      Effect.retry({ schedule: migrationRetries, while: isLockTaken }),
      Effect.provideService(SqlClient.SqlClient, sql)
    )
  },
  Effect.scoped,
  (effect, address) => explained(address)(effect)
)

/**
 * Opens the database, in parallel with a service that may be running: the server of the settings, or the embedded
 * server, started if none runs. Applies migrations only if it started the server or `migrates` is set; otherwise tables
 * of another release are an error.
 */
const openBeside = Effect.fnUntraced(function* (migrates: boolean) {
  const dataDir = yield* DataDir
  const { databaseUrl } = yield* Settings
  const others: Address | undefined =
    databaseUrl === undefined ? EmbeddedPostgres.running(dataDir) : { url: databaseUrl }
  const address = others ?? (yield* EmbeddedPostgres.start({ dataDir }))
  return yield* Effect.as(prepare(address, migrates || others === undefined), address)
})

/**
 * The address of an existing database. Starts an embedded server that does not run. Fails with `DatabaseError` if there
 * is none.
 *
 * @internal
 */
export const existingAddress = Effect.gen(function* () {
  const dataDir = yield* DataDir
  const { databaseUrl } = yield* Settings
  if (databaseUrl !== undefined) return { url: databaseUrl } satisfies Address
  const running = EmbeddedPostgres.running(dataDir)
  if (running !== undefined) return running
  if (EmbeddedPostgres.exists(dataDir)) return yield* EmbeddedPostgres.start({ dataDir })
  return yield* new DatabaseError({ message: `There is no database in ${dataDir} yet.` })
})

/**
 * A `SqlClient` with the role and limits of the service's sessions, at an address that has already been checked.
 *
 * @internal
 */
export const sessionsAt = (address: Address) =>
  PgClient.layerFrom(PgClient.make({ ...pool, ...address, maxConnections: 2 }))

/**
 * Applies the missing migrations of this release and returns the number of the last migration.
 *
 * @internal
 */
export const bringUpToDate = openBeside(true).pipe(
  Effect.as(schemaRelease),
  Effect.scoped,
  Effect.provide(Reactivity.layer)
)

/**
 * The `SqlClient` of a `folio` command, in parallel with a service that may be running.
 *
 * @internal
 */
export const layerCommand = PgClient.layerFrom(
  Effect.flatMap(openBeside(false), (address) => PgClient.make({ ...pool, ...address, maxConnections: 2 }))
)

/**
 * The `SqlClient` of a command that runs until it is interrupted. The command starts no embedded server, because no
 * service could start in the meantime. Fails with `DatabaseError` if no server runs.
 *
 * @internal
 */
export const layerWhileServed = Layer.unwrap(
  Effect.gen(function* () {
    const dataDir = yield* DataDir
    const { databaseUrl } = yield* Settings
    if (databaseUrl !== undefined || EmbeddedPostgres.running(dataDir) !== undefined) return layerCommand
    return yield* new DatabaseError({
      message: `No service runs with DATA_DIR ${dataDir}. Start the service first, or set DATABASE_URL.`
    })
  })
)

/**
 * The address of a service's database: from the settings, or an embedded server that runs until the scope closes.
 *
 * @internal
 */
export const address = Effect.gen(function* () {
  const dataDir = yield* DataDir
  const { databaseUrl } = yield* Settings
  return (
    databaseUrl === undefined ? yield* EmbeddedPostgres.start({ dataDir }) : { url: databaseUrl }
  ) satisfies Address
})

const sessions = Effect.fnUntraced(function* (at: Address) {
  yield* prepare(at, true)
  const { connect, count } = Socket.open(at, yield* Socket.Silence)
  yield* Metrics.observe(Metrics.databaseConnections(), () => ({ value: count() }))
  yield* Metrics.observe(Metrics.databaseConnectionsMax(), () => ({ value: pool.maxConnections }))
  return yield* PgClient.make({ ...pool, ...at, stream: connect })
})

/**
 * A `SqlClient` of the database, after the missing migrations. Its sessions have the service's role, not the role of
 * the tables' owner. Requires `Settings` and `DataDir`. Fails with an error whose message is one line with the fix. A
 * process that serves uses `layerService`.
 */
export const layer = PgClient.layerFrom(Effect.flatMap(address, sessions))

/**
 * The `SqlClient` of a process that serves the database, after the missing migrations, and the `ServiceLock` that
 * excludes other services. Several processes can serve one database only if each has a `runner` in its settings
 * (CLUSTER=socket). Requires the same as `layer`.
 */
export const layerService = Layer.effectContext(
  Effect.gen(function* () {
    const { runner } = yield* Settings
    const at = yield* address
    const isSupervised = (yield* Supervised) !== undefined
    // The supervisor holds the lock for its processes, which end with it.
    const lock = isSupervised ? { lost: Effect.never } : yield* ServiceLock.take(at, runner === undefined)
    const clients = yield* Layer.build(PgClient.layerFrom(sessions(at)))
    return Context.add(clients, ServiceLock.ServiceLock, lock)
  })
)
