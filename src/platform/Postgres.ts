import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted, Schema } from "effect"
import { Migrator } from "effect/sql"
import tables from "../../migrations/0001_tables.ts"
import workers from "../../migrations/0002_workers.ts"
import * as EmbeddedPostgres from "./EmbeddedPostgres.ts"
import { Settings } from "./Settings.ts"

/** The database cannot be used. The message is one line that says what to do. */
export class DatabaseError extends Schema.TaggedError<DatabaseError>()("DatabaseError", { message: Schema.String }) {}

const pool = {
  maxConnections: 10,
  minConnections: 2,
  connectTimeout: "5 seconds",
  keepAlive: "30 seconds",
  applicationName: "folio",
  // A frozen owner must not hold its successor up: what it has locked is free again after these.
  startupParameters: {
    statement_timeout: "10s",
    lock_timeout: "3s",
    idle_in_transaction_session_timeout: "5s",
    // Every statement of the service looks rows up by an index. A plan that was cached while a table was small would go on
    // reading the whole of it until the next ANALYZE.
    enable_seqscan: "off",
    enable_mergejoin: "off"
  }
} as const

const where = (url: string) => (URL.canParse(url) ? new URL(url).host : "DATABASE_URL")

/** A pool on an external server, once that has answered. */
const external = (url: Redacted.Redacted<string>) =>
  PgClient.make({ ...pool, url }).pipe(
    Effect.tap((sql) => sql`select 1`),
    Effect.mapError(
      (error) =>
        new DatabaseError({
          message: `The database at ${where(Redacted.value(url))} cannot be used (${error.message}). Check DATABASE_URL and that the server runs, or leave it unset to use the embedded PostgreSQL.`
        })
    )
  )

const embedded = (dataDir: string) =>
  Effect.flatMap(EmbeddedPostgres.start({ dataDir }), (connection) => PgClient.make({ ...pool, ...connection }))

const client = PgClient.layerFrom(
  Effect.gen(function* () {
    const { dataDir, databaseUrl } = yield* Settings
    return yield* databaseUrl === undefined ? embedded(dataDir) : external(databaseUrl)
  })
)

const migrate = Migrator.make({})({ loader: Migrator.fromRecord({ "0001_tables": tables, "0002_workers": workers }) })

/** A `SqlClient` of a database whose tables are there. */
export const layer = Layer.effectDiscard(migrate).pipe(Layer.provideMerge(client))
