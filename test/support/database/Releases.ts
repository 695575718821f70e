import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { layerAdmin, bareDatabase } from "./Postgres.ts"

const folder = Path.join(import.meta.dirname, "../../../migrations")

/** The statements of the migrations of the releases before, in their order. */
const earlier = (migration: string) =>
  Fs.readdirSync(folder)
    .toSorted()
    .filter((name) => name < migration)
    .flatMap((name) =>
      name.endsWith(".sql")
        ? [name]
        : Fs.readdirSync(Path.join(folder, name))
            .toSorted()
            .map((file) => `${name}/${file}`)
    )

const apply = Effect.fnUntraced(function* (file: string) {
  const sql = yield* SqlClient.SqlClient
  const statements = Fs.readFileSync(Path.join(folder, file), "utf8")
  yield* sql.withTransaction(
    sql.unsafe(`do $migration$ begin execute $statements$${statements}$statements$; end $migration$`)
  )
})

/**
 * A database of the release before a migration (the name of its file). `migrate` runs the migration as its owner does; `admin` are the
 * superuser's statements.
 */
export const releaseBefore = Effect.fnUntraced(function* (migration: string) {
  const url = yield* bareDatabase
  const owner = PgClient.layer({ url: Redacted.make(url), ssl: false, startupParameters: { row_security: "off" } })
  yield* Effect.forEach(earlier(migration), apply).pipe(Effect.provide(owner))
  return { migrate: Effect.provide(apply(migration), owner), admin: layerAdmin(url) }
})
