import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer } from "effect"
import { SqlRunnerStorage } from "effect/cluster"
import { Reactivity } from "effect/reactivity"
import { Migrator, SqlClient, SqlError } from "effect/sql"
import { OwnRunner } from "../cluster/OwnRunner.ts"
import { DataDir } from "../files/DataDir.ts"
import { DatabaseUrl } from "./DatabaseUrl.ts"
import * as EmbeddedPostgres from "./EmbeddedPostgres.ts"
import { lastMigration, migrate } from "./Migrations.ts"
import { DatabaseError, type Place, unusable, where } from "./PostgresPlace.ts"
import * as Roles from "./PostgresRoles.ts"
import * as Socket from "./PostgresSocket.ts"
import * as ServiceLock from "./ServiceLock.ts"

// PostgreSQL 17 is the first version with `transaction_timeout`.
/**
 * The lowest version of PostgreSQL that the service runs on: the first with `transaction_timeout`.
 *
 * @internal
 */
export const versionMin = 17

const session = {
  connectTimeout: "5 seconds",
  keepAlive: "30 seconds",
  applicationName: "folio"
} as const

// A process that stands still must not block its successor: these limits bound how long its statements and transactions hold locks.
const limits = {
  statement_timeout: "10s",
  lock_timeout: "3s",
  idle_in_transaction_session_timeout: "5s",
  transaction_timeout: "20s"
} as const

const pool = {
  ...session,
  maxConnections: 10,
  minConnections: 1,
  // Much shorter than the limit on silence, so that an idle connection is not mistaken for a server that is gone.
  idleTimeout: "5 seconds",
  startupParameters: {
    ...limits,
    role: Roles.service,
    // Every statement of the service finds rows by an index. A plan that was cached while a table was small would read the whole
    // table until the next ANALYZE.
    enable_seqscan: "off",
    enable_mergejoin: "off"
  }
} as const

const checkServer = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, place: Place) {
  const rows = yield* sql<{ version: number }>`
    select current_setting('server_version_num')::integer / 10000 as version`
  const version = rows[0]?.version ?? 0
  if (version < versionMin) {
    return yield* new DatabaseError({
      message: `The database at ${where(place)} is PostgreSQL ${version}. Folio needs ${versionMin} or later.`
    })
  }
})

const makeRoles = (sql: SqlClient.SqlClient, place: Place) =>
  sql.unsafe(Roles.make("session_user")).pipe(
    Effect.catchIf(
      (error) => error.reason instanceof SqlError.AuthorizationError,
      Effect.fnUntraced(function* () {
        const rows = yield* sql.unsafe<{ statement: string }>(Roles.statement("session_user"))
        return yield* new DatabaseError({
          message: `Folio may not make its roles in the database at ${where(place)}. Let an administrator run there once: ${rows[0]?.statement}`
        })
      })
    )
  )

const sqlErrorIn = (error: unknown): SqlError.SqlError | undefined => {
  if (SqlError.isSqlError(error)) return error
  return error instanceof Migrator.MigrationError ? sqlErrorIn(error.cause) : undefined
}

/** Maps every failure of the database to a `DatabaseError` with a message of one line. */
const explained = (place: Place) =>
  Effect.mapError((error: SqlError.SqlError | Migrator.MigrationError | DatabaseError) => {
    const refused = sqlErrorIn(error)
    if (refused !== undefined) return unusable(place, refused)
    if (error instanceof DatabaseError) return error
    const message = `The tables at ${where(place)} cannot be brought to this release (${error.message}). Start again when no other process migrates them.`
    return new DatabaseError({ message })
  })

/** The number of the last migration that was applied; 0 where there are no tables yet. */
const lastMigrationOf = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const query = sql<{ last: number }>`select max(migration_id)::integer as last from effect_sql_migrations`
  return (yield* Effect.orElseSucceed(query, () => []))[0]?.last ?? 0
})

const otherRelease = (place: Place, last: number) => {
  const advice =
    last < lastMigration
      ? "Stop all processes of Folio and run: folio migrate"
      : "They are of a later release: use that one."
  const message = `The tables at ${where(place)} are at migration ${last}, and this is the release of ${lastMigration}. ${advice}`
  return new DatabaseError({ message })
}

/**
 * Checks the version of the server and of the tables. Creates the missing roles and applies the missing migrations, as the owner of
 * the tables in a separate session; without `migrates`, tables of an earlier release are an error, as those of a later one always are.
 */
const prepare = Effect.fnUntraced(
  function* (place: Place, migrates: boolean) {
    const runner = yield* OwnRunner
    // A migration may run for long, but must not make others wait for locks. With `row_security` off, a migration that has not
    // taken on a role that sees the rows it touches fails instead of skipping these rows.
    const startupParameters = { lock_timeout: limits.lock_timeout, row_security: "off" }
    const sql = yield* PgClient.make({ ...session, ...place, maxConnections: 1, startupParameters })
    yield* checkServer(sql, place)
    const last = yield* lastMigrationOf(sql)
    if (last > lastMigration) return yield* otherRelease(place, last)
    if (!migrates) return last === lastMigration ? undefined : yield* otherRelease(place, last)
    yield* makeRoles(sql, place)
    const runners = runner === undefined ? Layer.empty : SqlRunnerStorage.layerMigrations({})
    yield* Effect.andThen(migrate, Layer.build(runners)).pipe(Effect.provideService(SqlClient.SqlClient, sql))
  },
  Effect.scoped,
  (effect, place) => explained(place)(effect)
)

/**
 * Opens the database beside a service that may be running: the server of `DatabaseUrl`, or the embedded server, started if none
 * runs. Migrations are applied only if it was started or `migrates` is set; otherwise tables of another release are an error.
 */
const openBeside = Effect.fnUntraced(function* (migrates: boolean) {
  const dataDir = yield* DataDir
  const databaseUrl = yield* DatabaseUrl
  const others: Place | undefined = databaseUrl === undefined ? EmbeddedPostgres.running(dataDir) : { url: databaseUrl }
  const place = others ?? (yield* EmbeddedPostgres.start({ dataDir }))
  return yield* Effect.as(prepare(place, migrates || others === undefined), place)
})

/**
 * The place of an existing database; starts an embedded server that does not run. Fails with `DatabaseError` if there is none.
 *
 * @internal
 */
export const existingPlace = Effect.gen(function* () {
  const dataDir = yield* DataDir
  const databaseUrl = yield* DatabaseUrl
  if (databaseUrl !== undefined) return { url: databaseUrl } satisfies Place
  const running = EmbeddedPostgres.running(dataDir)
  if (running !== undefined) return running
  if (EmbeddedPostgres.exists(dataDir)) return yield* EmbeddedPostgres.start({ dataDir })
  return yield* new DatabaseError({ message: `There is no database in ${dataDir} yet.` })
})

/**
 * A `SqlClient` with the role and limits of the service's sessions, at a place that has already been checked.
 *
 * @internal
 */
export const sessionsAt = (place: Place) => PgClient.layerFrom(PgClient.make({ ...pool, ...place, maxConnections: 2 }))

/**
 * Applies the missing migrations of this release and returns the number of the last migration.
 *
 * @internal
 */
export const bringUpToDate = openBeside(true).pipe(
  Effect.as(lastMigration),
  Effect.scoped,
  Effect.provide(Reactivity.layer)
)

/**
 * The `SqlClient` of one `folio` command, beside a service that may be running.
 *
 * @internal
 */
export const commandLayer = PgClient.layerFrom(
  Effect.flatMap(openBeside(false), (place) => PgClient.make({ ...pool, ...place, maxConnections: 2 }))
)

const place = Effect.gen(function* () {
  const dataDir = yield* DataDir
  const databaseUrl = yield* DatabaseUrl
  return (databaseUrl === undefined ? yield* EmbeddedPostgres.start({ dataDir }) : { url: databaseUrl }) satisfies Place
})

const sessions = Effect.fnUntraced(function* (at: Place) {
  yield* prepare(at, true)
  return yield* PgClient.make({ ...pool, ...at, stream: Socket.open(at, yield* Socket.Silence) })
})

/**
 * A `SqlClient` of the database, after the missing migrations. Its sessions have the role of the service, not that of the
 * tables' owner. Requires `DatabaseUrl`, `DataDir` and `OwnRunner`. Fails with an error whose message is one line that says what
 * to do. A process that serves uses `serviceLayer`.
 *
 * @example
 * ```ts
 * import { DatabaseUrl, DataDir, OwnRunner, Postgres } from "@folio-einvoicing/service/platform"
 * import { Effect, Layer, Redacted } from "effect"
 * import { SqlClient } from "effect/sql"
 *
 * const url = Redacted.make("postgres://folio:secret@db.example.com:5432/folio")
 * const database = Postgres.layer.pipe(
 *   Layer.provide([DatabaseUrl.layer(url), DataDir.layer("./data"), OwnRunner.layer()])
 * )
 *
 * const program = Effect.gen(function* () {
 *   const sql = yield* SqlClient.SqlClient
 *   return yield* sql`select current_user`
 * })
 *
 * Effect.runPromise(Effect.provide(program, database))
 * ```
 */
export const layer = PgClient.layerFrom(Effect.flatMap(place, sessions))

/**
 * The `SqlClient` of a process that serves the database, after the missing migrations, and the `ServiceLock` that keeps other
 * services away. Several processes can serve one database only if each has an `OwnRunner` (CLUSTER=socket). Requires what
 * `layer` requires.
 *
 * @example
 * ```ts
 * import * as App from "@folio-einvoicing/service"
 * import { Postgres, Settings } from "@folio-einvoicing/service/platform"
 * import { Layer } from "effect"
 *
 * // The stores on the database that DATABASE_URL names, or on the embedded one in DATA_DIR.
 * export const stores = App.storeLayer.pipe(
 *   Layer.provideMerge(Postgres.serviceLayer),
 *   Layer.provideMerge(Settings.layer("1.0.0"))
 * )
 * ```
 */
export const serviceLayer = Layer.effectContext(
  Effect.gen(function* () {
    const runner = yield* OwnRunner
    const at = yield* place
    const lock = yield* ServiceLock.take(at, runner === undefined)
    const clients = yield* Layer.build(PgClient.layerFrom(sessions(at)))
    return Context.add(clients, ServiceLock.ServiceLock, lock)
  })
)
