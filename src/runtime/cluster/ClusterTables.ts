import { Effect, Layer } from "effect"
import { SqlRunnerStorage } from "effect/cluster"
import { SqlClient } from "effect/sql"
import { Revision } from "../Revision.ts"

/**
 * The processes of one revision of the actors' messages form a cluster, with its own tables and shard locks. During an
 * upgrade to another revision, two clusters work on the same rows, and no process gets a message that it does not
 * understand.
 */

const prefix = Effect.map(Revision, (revision) => `cluster_${revision}`)

// A killed process leaves its row, with an old heartbeat.
const unusedAfter = "1 hour"

/** Drops the tables of clusters without a process. The release before this rule has the tables `cluster_…`. */
const dropUnused = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, own: string) {
  yield* sql.unsafe(`
    do $$ declare found text; used boolean; begin
      for found in
        select left(relname, -length('_runners')) from pg_class
        where relkind = 'r' and relnamespace = current_schema()::regnamespace
          and relname ~ '^cluster(_[0-9a-f]{8})?_runners$' and relname <> '${own}_runners'
          and pg_has_role(relowner, 'usage')
      loop
        execute format('select exists (select from %I where last_heartbeat > now() - interval ''${unusedAfter}'')', found || '_runners')
          into used;
        if not used then
          execute format('drop table if exists %I, %I, %I', found || '_runners', found || '_locks', found || '_runner_migrations');
        end if;
      end loop;
    end $$`)
})

/** Creates the tables of this process's cluster. Requires the `SqlClient` of the tables' owner. */
export const make = Effect.gen(function* () {
  const own = yield* prefix
  yield* Layer.build(SqlRunnerStorage.layerMigrations({ prefix: own }))
  yield* dropUnused(yield* SqlClient.SqlClient, own)
})

// Only a clean stop removes a process's row, so delete the rows of killed processes here.
const forgetRunners = Layer.effectDiscard(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`delete from ${sql(`${yield* prefix}_runners`)} where last_heartbeat < now() - interval '1 hour'`
  })
)

/** The storage of this process's cluster. Requires its tables, a `SqlClient` and the configuration of the sharding. */
export const layerStorage = Layer.unwrap(
  Effect.map(prefix, (own) => forgetRunners.pipe(Layer.provideMerge(SqlRunnerStorage.layerStorage({ prefix: own }))))
)

/**
 * Deletes all processes of this cluster, at a start when none can be running. Otherwise Folio would look for actors in
 * dead processes until their leases end. Ignores a missing table, before the first start.
 */
export const forgetAll = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from ${sql(`${yield* prefix}_runners`)}`
}).pipe(Effect.ignore)
