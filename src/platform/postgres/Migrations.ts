import { Effect, Schema } from "effect"
import { Migrator, SqlClient, type SqlError } from "effect/sql"
import * as Fs from "node:fs"
import { migrationNumber, migrationsFolder } from "../../store/SchemaRelease.ts"
import { leaseSeconds } from "../../store/sql/Workers.ts"

/*
 * The migrations of this release. Each migration is a file `0001_name.sql`, or a folder `0001_name` whose files run in the order of
 * their names. A released migration never changes.
 *
 * A migration leaves the release before able to work beside it: it only adds. What is no longer needed is taken away by a migration of a
 * later release, which begins with `-- serves: 17`, the earliest release that needs it no longer.
 */
/** Processes of a release that could not work with the migrated tables serve the database. */
export class EarlierReleaseServes extends Schema.TaggedError<EarlierReleaseServes>()("EarlierReleaseServes", {
  /** The earliest release that serves the database, and the earliest that may. */
  release: Schema.Int,
  serves: Schema.Int
}) {}

const filesIn = (folder: URL, name: string): ReadonlyArray<URL> => {
  const place = new URL(name, folder)
  if (!Fs.statSync(place).isDirectory()) return [place]
  return Fs.readdirSync(place)
    .toSorted()
    .map((file) => new URL(`${name}/${file}`, folder))
}

// Processes that start meanwhile wait for the lock, and are then refused by the trigger of `workers` if they are of an earlier release.
const raise = Effect.fnUntraced(function* (serves: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`lock table workers in share row exclusive mode`
  const [earliest] = yield* sql<{ release: number | null }>`
    select min(release) as release from workers
    where dead_since is null and seen_at >= now() - ${leaseSeconds} * interval '1 second'`
  const release = earliest?.release ?? serves
  if (release < serves) return yield* new EarlierReleaseServes({ release, serves })
  yield* sql`update oldest_release set release = greatest(release, ${serves})`
})

// The driver sends one statement at a time, but `execute` in a `do` block runs all statements of one string.
const run = Effect.fnUntraced(function* (file: URL) {
  const sql = yield* SqlClient.SqlClient
  const statements = yield* Effect.sync(() => Fs.readFileSync(file, "utf8"))
  const serves = /^-- serves: (\d+)$/m.exec(statements)?.[1]
  if (serves !== undefined) yield* raise(Number(serves))
  yield* sql.unsafe(`do $migration$ begin execute $statements$${statements}$statements$; end $migration$`)
})

const namesIn = (folder: URL) => Fs.readdirSync(folder)

/** The name of the first migration, as the record of migrations has it. */
export const firstMigration = "schema"

const because = (error: Migrator.MigrationError) => (error.cause instanceof EarlierReleaseServes ? error.cause : error)

/**
 * Applies the missing migrations of a folder, up to the number `last`, in one transaction. Requires the `SqlClient` of the tables' owner.
 * Fails with `EarlierReleaseServes`, and changes nothing, while a process serves the database that could not go on.
 */
export const migrateFrom = (folder: URL, last: number = Number.POSITIVE_INFINITY) => {
  const migrations = Object.fromEntries(
    namesIn(folder)
      .filter((name) => migrationNumber(name) <= last)
      .map((name) => [
        name.replace(/\.sql$/, ""),
        Effect.suspend(() => Effect.forEach(filesIn(folder, name), run, { discard: true }))
      ])
  )
  return Migrator.make({})({ loader: Migrator.fromRecord(migrations) }).pipe(
    Effect.mapError((error: SqlError.SqlError | Migrator.MigrationError) =>
      error._tag === "MigrationError" ? because(error) : error
    )
  )
}

/** Applies the missing migrations of this release. */
export const migrate = migrateFrom(migrationsFolder)

/** As `migrate`, but no migration after the number `last`. */
export const migrateTo = (last: number) => migrateFrom(migrationsFolder, last)

/**
 * The names of the tables that the migrations up to the number `last` make, in the order in which they are made. Those of the cluster and
 * the record of migrations are made by others.
 */
export const tablesUpTo = (last: number): ReadonlyArray<string> =>
  namesIn(migrationsFolder)
    .toSorted()
    .filter((name) => migrationNumber(name) <= last)
    .flatMap((name) => filesIn(migrationsFolder, name))
    .flatMap((file) =>
      [...Fs.readFileSync(file, "utf8").matchAll(/^create table (\w+)/gm)].map(([, name = ""]) => name)
    )
