import { Effect, Schema } from "effect"
import { Migrator, SqlClient, type SqlError } from "effect/sql"
import * as Fs from "node:fs"
import { migrationNumber, migrationsFolder } from "../../database/SchemaRelease.ts"
import { leaseSeconds } from "../../database/Workers.ts"

/**
 * The migrations of this release. Each migration is a file `0001_name.sql`, or a folder `0001_name` whose files run in
 * the order of their names. A released migration never changes.
 *
 * A migration only adds, so that the previous release can work in parallel. A migration of a later release removes
 * unused parts. It begins with `-- serves: 17`, the earliest release that does not need these parts.
 */
/** Processes of a release that cannot work with the migrated tables serve the database. */
export class EarlierReleaseServes extends Schema.TaggedError<EarlierReleaseServes>()("EarlierReleaseServes", {
  /** The earliest release that serves the database, and the earliest that may serve it. */
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

// Starting processes wait for the lock. The trigger of `workers` then rejects processes of an earlier release.
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
 * Applies the missing migrations of a folder, up to the number `last`, in one transaction. Requires the `SqlClient` of
 * the tables' owner. Fails with `EarlierReleaseServes`, and changes nothing, while a process that could not continue
 * serves the database.
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

/** As `migrate`, but only up to the number `last`. */
export const migrateTo = (last: number) => migrateFrom(migrationsFolder, last)

/**
 * The names of the tables that the migrations up to the number `last` create, in order of creation. Excludes the tables
 * of the cluster and the record of migrations.
 */
export const tablesUpTo = (last: number): ReadonlyArray<string> =>
  namesIn(migrationsFolder)
    .toSorted()
    .filter((name) => migrationNumber(name) <= last)
    .flatMap((name) => filesIn(migrationsFolder, name))
    .flatMap((file) =>
      [...Fs.readFileSync(file, "utf8").matchAll(/^create table (\w+)/gm)].map(([, name = ""]) => name)
    )
