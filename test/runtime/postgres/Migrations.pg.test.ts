import { PgClient } from "@effect/sql-pg"
import { assert } from "@effect/vitest"
import { Effect, Redacted, Result } from "effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { pathToFileURL } from "node:url"
import { EarlierReleaseServes, migrateFrom } from "../../../src/runtime/postgres/Migrations.ts"
import { schemaRelease } from "../../../src/database/SchemaRelease.ts"
import { refusal } from "../../support/database/Refusals.ts"
import { dataDirectory, freshDatabase, query } from "../../support/database/Postgres.ts"
import { it } from "../../support/Tests.ts"

const [added, dropped] = [schemaRelease + 1, schemaRelease + 2]
const file = (number: number, name: string) => `${String(number).padStart(4, "0")}_${name}.sql`

/** A database of this release, and a folder with two later migrations: one adds a table, the other drops a column. */
const later = Effect.gen(function* () {
  const url = yield* freshDatabase
  const folder = yield* dataDirectory
  Fs.writeFileSync(Path.join(folder, file(added, "more")), "create table more (a integer);\n")
  Fs.writeFileSync(
    Path.join(folder, file(dropped, "less")),
    `-- Nothing reads the column any more.\n-- serves: ${added}\nalter table more drop column a;\n`
  )
  const migrate = (last?: number) =>
    migrateFrom(pathToFileURL(`${folder}/`), last).pipe(
      Effect.provide(
        PgClient.layer({ url: Redacted.make(url), ssl: false, startupParameters: { row_security: "off" } })
      )
    )
  return { url, migrate }
})

const worker = (id: string, release: number) => `insert into workers (id, release) values ('${id}', ${release})`
const columns =
  "select attname::text as name from pg_attribute where attrelid = to_regclass('more') and attnum > 0 and not attisdropped"

it.live("A migration that removes something waits until no process needs it", function* () {
  const { migrate, url } = yield* later
  yield* query(url, worker("early", schemaRelease))
  yield* query(url, worker("in time", added))
  assert.deepStrictEqual(
    yield* Effect.result(migrate()),
    Result.fail(new EarlierReleaseServes({ release: schemaRelease, serves: added }))
  )
  assert.deepStrictEqual((yield* query(url, "select to_regclass('more')::text as more")).rows, [{ more: null }])

  // A migration that only adds runs next to the early process.
  assert.deepStrictEqual(
    (yield* migrate(added)).map(([id]) => id),
    [added]
  )
  yield* query(url, "update workers set seen_at = now() - interval '9 seconds' where id = 'early'")
  assert.deepStrictEqual(
    (yield* migrate()).map(([id]) => id),
    [dropped]
  )
  assert.deepStrictEqual((yield* query(url, columns)).rows, [])
  assert.deepStrictEqual((yield* query(url, "select release from oldest_release")).rows, [{ release: added }])
})

it.live(
  "A process of an early release can neither start nor continue after the tables have moved past it",
  function* () {
    const { migrate, url } = yield* later
    yield* migrate()
    const refused = /the tables are of a release that process early does not know/
    assert.match(yield* refusal(query(url, worker("early", schemaRelease))), refused)
    const unknown = yield* refusal(query(url, "insert into workers (id) values ('early')"))
    assert.match(unknown, /null value in column "release"/)
    yield* query(url, worker("in time", added))
    yield* query(url, `${worker("in time", added)} on conflict (id) do update set seen_at = now()`)
  }
)
