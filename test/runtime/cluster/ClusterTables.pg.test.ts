import { PgClient } from "@effect/sql-pg"
import { assert } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as ClusterTables from "../../../src/runtime/cluster/ClusterTables.ts"
import { Revision } from "../../../src/runtime/Revision.ts"
import { freshDatabase, query, queryAs } from "../../support/database/Postgres.ts"
import { it } from "../../support/Tests.ts"

it.live(
  "The migration creates separate tables for each message revision, and drops those without a process",
  function* () {
    const url = yield* freshDatabase
    const owner = PgClient.layer({ url: Redacted.make(url), ssl: false })
    const make = (revision: string) =>
      Effect.scoped(Effect.provideService(ClusterTables.make, Revision, revision)).pipe(Effect.provide(owner))
    const tables = Effect.map(
      query(url, "select relname::text as name from pg_class where relname like 'cluster%\\_runners' order by name"),
      ({ rows }) => rows.map((row) => row["name"])
    )
    const beat = (revision: string, age: string) =>
      query(
        url,
        `insert into cluster_${revision}_runners (address, runner, last_heartbeat) values ('a', 'a', now() - interval '${age}')`
      )

    yield* make("0000aaaa")
    assert.deepStrictEqual(yield* tables, ["cluster_0000aaaa_runners"])
    yield* beat("0000aaaa", "2 seconds")
    yield* queryAs(url, "create table cluster_runners (last_heartbeat timestamptz)")
    yield* queryAs(url, "create table cluster_of_a_team_runners (a integer)")
    yield* make("0000bbbb")
    assert.deepStrictEqual(yield* tables, [
      "cluster_0000aaaa_runners",
      "cluster_0000bbbb_runners",
      "cluster_of_a_team_runners"
    ])
    yield* query(url, "update cluster_0000aaaa_runners set last_heartbeat = now() - interval '2 hours'")
    yield* make("0000bbbb")
    assert.deepStrictEqual(yield* tables, ["cluster_0000bbbb_runners", "cluster_of_a_team_runners"])
    // An earlier release may start again.
    yield* make("0000aaaa")
    assert.include(yield* tables, "cluster_0000aaaa_runners")
  }
)
