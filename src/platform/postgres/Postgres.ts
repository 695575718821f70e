import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer } from "effect"
import { SqlRunnerStorage } from "effect/cluster"
import { Reactivity } from "effect/reactivity"
import { Migrator, SqlClient, SqlError } from "effect/sql"
import * as EmbeddedPostgres from "./EmbeddedPostgres.ts"
import { lastMigration, migrate } from "./Migrations.ts"
import { DatabaseError, type Place, unusable, where } from "./PostgresPlace.ts"
import * as Roles from "./PostgresRoles.ts"
import * as Socket from "./PostgresSocket.ts"
import * as ServiceLock from "./ServiceLock.ts"
import { Settings } from "../Settings.ts"

// PostgreSQL 17 is the first version with `transaction_timeout`.
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
    const { runner } = yield* Settings
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
 * Opens the database beside a service that may be running: the server of `DATABASE_URL`, or the embedded server, started if none
 * runs. Migrations are applied only if it was started or `migrates` is set; otherwise tables of another release are an error.
 */
const openBeside = Effect.fnUntraced(function* (migrates: boolean) {
  const { dataDir, databaseUrl } = yield* Settings
  const others: Place | undefined = databaseUrl === undefined ? EmbeddedPostgres.running(dataDir) : { url: databaseUrl }
  const place = others ?? (yield* EmbeddedPostgres.start({ dataDir }))
  return yield* Effect.as(prepare(place, migrates || others === undefined), place)
})

/** The place of an existing database; starts an embedded server that does not run. Fails with `DatabaseError` if there is none. */
export const existingPlace = Effect.gen(function* () {
  const { dataDir, databaseUrl } = yield* Settings
  if (databaseUrl !== undefined) return { url: databaseUrl } satisfies Place
  const running = EmbeddedPostgres.running(dataDir)
  if (running !== undefined) return running
  if (EmbeddedPostgres.exists(dataDir)) return yield* EmbeddedPostgres.start({ dataDir })
  return yield* new DatabaseError({ message: `There is no database in ${dataDir} yet.` })
})

/** A `SqlClient` with the role and limits of the service's sessions, at a place that has already been checked. */
export const sessionsAt = (place: Place) => PgClient.layerFrom(PgClient.make({ ...pool, ...place, maxConnections: 2 }))

/** Applies the missing migrations of this release and returns the number of the last migration. */
export const bringUpToDate = openBeside(true).pipe(
  Effect.as(lastMigration),
  Effect.scoped,
  Effect.provide(Reactivity.layer)
)

/** The `SqlClient` of one `folio` command, beside a service that may be running. */
export const commandLayer = PgClient.layerFrom(
  Effect.flatMap(openBeside(false), (place) => PgClient.make({ ...pool, ...place, maxConnections: 2 }))
)

const place = Effect.gen(function* () {
  const { dataDir, databaseUrl } = yield* Settings
  return (databaseUrl === undefined ? yield* EmbeddedPostgres.start({ dataDir }) : { url: databaseUrl }) satisfies Place
})

const sessions = Effect.fnUntraced(function* (at: Place) {
  yield* prepare(at, true)
  return yield* PgClient.make({ ...pool, ...at, stream: Socket.open(at, yield* Socket.Silence) })
})

/** A `SqlClient` of the database, after the missing migrations. Its sessions have the service's role, not the owner's. */
export const layer = PgClient.layerFrom(Effect.flatMap(place, sessions))

/** The `SqlClient` and `ServiceLock` of a process that serves the database; several can only if all have `CLUSTER=socket`. */
export const serviceLayer = Layer.effectContext(
  Effect.gen(function* () {
    const { runner } = yield* Settings
    const at = yield* place
    const lock = yield* ServiceLock.take(at, runner === undefined)
    const clients = yield* Layer.build(PgClient.layerFrom(sessions(at)))
    return Context.add(clients, ServiceLock.ServiceLock, lock)
  })
)
