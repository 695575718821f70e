import { Effect } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import * as Fs from "node:fs"

/*
 * The migrations of this release. Each migration is a file `0001_name.sql`, or a folder `0001_name` whose files run in the order of
 * their names. A released migration never changes.
 */
const folder = new URL("../../../migrations/", import.meta.url)

const filesOf = (name: string): ReadonlyArray<URL> => {
  const place = new URL(name, folder)
  if (!Fs.statSync(place).isDirectory()) return [place]
  return Fs.readdirSync(place)
    .toSorted()
    .map((file) => new URL(`${name}/${file}`, folder))
}

// The driver sends one statement at a time, but `execute` in a `do` block runs all statements of one string.
const run = Effect.fnUntraced(function* (file: URL) {
  const sql = yield* SqlClient.SqlClient
  const statements = yield* Effect.sync(() => Fs.readFileSync(file, "utf8"))
  yield* sql.unsafe(`do $migration$ begin execute $statements$${statements}$statements$; end $migration$`)
})

const migrations = Object.fromEntries(
  Fs.readdirSync(folder).map((name) => [
    name.replace(/\.sql$/, ""),
    Effect.suspend(() => Effect.forEach(filesOf(name), run, { discard: true }))
  ])
)

/** The number of the last migration that this release knows. */
export const lastMigration = Math.max(...Object.keys(migrations).map((name) => Number(name.slice(0, 4))))

/** Applies the missing migrations of this release in one transaction. Requires the `SqlClient` of the tables' owner. */
export const migrate = Migrator.make({})({ loader: Migrator.fromRecord(migrations) })
