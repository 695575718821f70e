import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer } from "effect"
import { SqlRunnerStorage } from "effect/cluster"
import { Reactivity } from "effect/reactivity"
import { Migrator, SqlClient, SqlError } from "effect/sql"
import tables from "../../migrations/0001_tables.ts"
import workers from "../../migrations/0002_workers.ts"
import fences from "../../migrations/0003_fences.ts"
import retention from "../../migrations/0004_retention.ts"
import redelivery from "../../migrations/0006_redelivery.ts"
import audit from "../../migrations/0007_audit.ts"
import commands from "../../migrations/0008_commands.ts"
import customers from "../../migrations/0009_customers.ts"
import papers from "../../migrations/0010_papers.ts"
import notes from "../../migrations/0011_notes.ts"
import contingency from "../../migrations/0012_contingency.ts"
import certificates from "../../migrations/0013_certificates.ts"
import emails from "../../migrations/0014_emails.ts"
import writeProbes from "../../migrations/0015_write_probes.ts"
import modes from "../../migrations/0017_modes.ts"
import fullNumbers from "../../migrations/0018_full_numbers.ts"
import limitsOfAccounts from "../../migrations/0019_limits.ts"
import keyCanary from "../../migrations/0020_key_canary.ts"
import webhookAllow from "../../migrations/0021_webhook_allow.ts"
import rareRows from "../../migrations/0022_rare_rows.ts"
import * as EmbeddedPostgres from "./EmbeddedPostgres.ts"
import { DatabaseError, type Place, unusable, where } from "./PostgresPlace.ts"
import * as Roles from "./PostgresRoles.ts"
import * as Socket from "./PostgresSocket.ts"
import * as ServiceLock from "./ServiceLock.ts"
import { Settings } from "./Settings.ts"

// transaction_timeout is of this version.
export const versionMin = 17

const session = {
  connectTimeout: "5 seconds",
  keepAlive: "30 seconds",
  applicationName: "folio"
} as const

// A frozen owner must not hold its successor up: what it has locked is free again after these.
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
  // Long before its silence could be taken for the server's.
  idleTimeout: "5 seconds",
  startupParameters: {
    ...limits,
    role: Roles.service,
    // Every statement of the service looks rows up by an index. A plan that was cached while a table was small would go on
    // reading the whole of it until the next ANALYZE.
    enable_seqscan: "off",
    enable_mergejoin: "off"
  }
} as const

const migrations = {
  "0001_tables": tables,
  "0002_workers": workers,
  "0003_fences": fences,
  "0004_retention": retention,
  "0006_redelivery": redelivery,
  "0007_audit": audit,
  "0008_commands": commands,
  "0009_customers": customers,
  "0010_papers": papers,
  "0011_notes": notes,
  "0012_contingency": contingency,
  "0013_certificates": certificates,
  "0014_emails": emails,
  "0015_write_probes": writeProbes,
  "0017_modes": modes,
  "0018_full_numbers": fullNumbers,
  "0019_limits": limitsOfAccounts,
  "0020_key_canary": keyCanary,
  "0021_webhook_allow": webhookAllow,
  "0022_rare_rows": rareRows
}

const migrate = Migrator.make({})({ loader: Migrator.fromRecord(migrations) })

/** The number of the last migration that this release knows. */
export const lastMigration = Math.max(...Object.keys(migrations).map((name) => Number(name.slice(0, 4))))

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

/** Whatever the database refuses is told in one line. */
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
  const rows = yield* sql<{
    last: number
  }>`select max(migration_id)::integer as last from effect_sql_migrations`.pipe(Effect.orElseSucceed(() => []))
  return rows[0]?.last ?? 0
})

const otherRelease = (place: Place, last: number) => {
  const advice =
    last < lastMigration
      ? "Stop all processes of Folio and run: folio migrate"
      : "They are of a later release: use that one."
  const message = `The tables at ${where(place)} are at migration ${last}, and this is the release of ${lastMigration}. ${advice}`
  return new DatabaseError({ message })
}

/** Brings roles and tables to where this release wants them: as their owner, in a session of its own. */
const prepare = Effect.fnUntraced(
  function* (place: Place) {
    const { runner } = yield* Settings
    // A migration may take its time, but not make others wait for locks; and one that has not taken on a role that sees the rows
    // it touches fails, instead of overlooking them.
    const startupParameters = { lock_timeout: limits.lock_timeout, row_security: "off" }
    const sql = yield* PgClient.make({ ...session, ...place, maxConnections: 1, startupParameters })
    yield* checkServer(sql, place)
    const last = yield* lastMigrationOf(sql)
    if (last > lastMigration) return yield* otherRelease(place, last)
    yield* makeRoles(sql, place)
    const runners = runner === undefined ? Layer.empty : SqlRunnerStorage.layerMigrations({})
    yield* Effect.andThen(migrate, Layer.build(runners)).pipe(Effect.provideService(SqlClient.SqlClient, sql))
  },
  Effect.scoped,
  (effect, place) => explained(place)(effect)
)

const readLastMigration = Effect.fnUntraced(
  function* (place: Place) {
    const sql = yield* PgClient.make({ ...session, ...place, maxConnections: 1 })
    yield* checkServer(sql, place)
    return yield* lastMigrationOf(sql)
  },
  Effect.scoped,
  (effect, place) => explained(place)(effect)
)

/**
 * The database beside a service that may be running: its own server, or the embedded one, which is started if nobody runs it.
 * Only then, and when it is asked to, are the tables brought to where this release wants them.
 */
const openBeside = Effect.fnUntraced(function* (migrates: boolean) {
  const { dataDir, databaseUrl } = yield* Settings
  const others: Place | undefined = databaseUrl === undefined ? EmbeddedPostgres.running(dataDir) : { url: databaseUrl }
  const place = others ?? (yield* EmbeddedPostgres.start({ dataDir }))
  if (others === undefined || migrates) return yield* Effect.as(prepare(place), place)
  const last = yield* readLastMigration(place)
  return last === lastMigration ? place : yield* otherRelease(place, last)
})

/** Where the database is, if there is one: nothing is made, but an embedded one that nobody runs is started. */
export const existingPlace = Effect.gen(function* () {
  const { dataDir, databaseUrl } = yield* Settings
  if (databaseUrl !== undefined) return { url: databaseUrl } satisfies Place
  const running = EmbeddedPostgres.running(dataDir)
  if (running !== undefined) return running
  if (EmbeddedPostgres.exists(dataDir)) return yield* EmbeddedPostgres.start({ dataDir })
  return yield* new DatabaseError({ message: `There is no database in ${dataDir} yet.` })
})

/** A `SqlClient` whose sessions are the service's, at a place that is known to be good. */
export const sessionsAt = (place: Place) => PgClient.layerFrom(PgClient.make({ ...pool, ...place, maxConnections: 2 }))

/** Brings the tables to where this release wants them; gives the number of the last migration. */
export const bringUpToDate = openBeside(true).pipe(
  Effect.as(lastMigration),
  Effect.scoped,
  Effect.provide(Reactivity.layer)
)

/** A `SqlClient` for one command, beside a service that may be running. */
export const commandLayer = PgClient.layerFrom(
  Effect.flatMap(openBeside(false), (place) => PgClient.make({ ...pool, ...place, maxConnections: 2 }))
)

const place = Effect.gen(function* () {
  const { dataDir, databaseUrl } = yield* Settings
  return (databaseUrl === undefined ? yield* EmbeddedPostgres.start({ dataDir }) : { url: databaseUrl }) satisfies Place
})

const sessions = Effect.fnUntraced(function* (at: Place) {
  yield* prepare(at)
  return yield* PgClient.make({ ...pool, ...at, stream: Socket.open(at, yield* Socket.Silence) })
})

/** A `SqlClient` of a database whose tables are there. Its sessions are the service, not the owner. */
export const layer = PgClient.layerFrom(Effect.flatMap(place, sessions))

/** The same, for who serves the database: nobody else does who does not know of the others. */
export const serviceLayer = Layer.effectContext(
  Effect.gen(function* () {
    const { runner } = yield* Settings
    const at = yield* place
    const lock = yield* ServiceLock.take(at, runner === undefined)
    const clients = yield* Layer.build(PgClient.layerFrom(sessions(at)))
    return Context.add(clients, ServiceLock.ServiceLock, lock)
  })
)
