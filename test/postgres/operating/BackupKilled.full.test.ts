import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { layerAdmin, bareDatabase, dataDirectory, freshDatabase, query } from "../../support/database/Postgres.ts"
import { seedAccount, seedDrafts, layerOwner } from "../../support/database/Owners.ts"
import { folioHere } from "../../support/processes/FolioHere.ts"
import { killed } from "../../support/processes/KilledCommand.ts"
import { it } from "../../support/Tests.ts"

// The key that seals the rows of `layerOwner`.
const FOLIO_KEY = Buffer.from(new Uint8Array(32).fill(7)).toString("base64")

/** Runs an effect while a lock on a table makes other sessions wait. */
const holding = <A, E, R>(url: string, lock: string, effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.withTransaction(Effect.andThen(sql.unsafe(`lock table ${lock} mode`), effect))
  ).pipe(Effect.provide(layerAdmin(url)))

const isWaitedFor = (url: string) =>
  Effect.map(
    query(url, "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"),
    ({ rows }) => rows.length > 0
  )

describe("a backup file", () => {
  it.live(
    "never exists half-written: after a kill there is no file under its name, and no service starts in a half-restored place",
    function* () {
      const from = yield* freshDatabase
      yield* Effect.flatMap(seedAccount, ({ account }) => seedDrafts(account.account_id, 100)).pipe(
        Effect.provide(layerOwner(from))
      )
      const DATA_DIR = yield* dataDirectory
      const file = Path.join(DATA_DIR, "backup")
      const env = { DATABASE_URL: from, DATA_DIR, FOLIO_KEY }
      const isBegun = () => Fs.readdirSync(DATA_DIR).some((name) => name.startsWith("backup.unfinished"))
      // The command cannot end before the kill: the backup waits for a table, and the restore waits to create a
      // function.
      const isHalf = Effect.map(isWaitedFor(from), (waits) => waits && isBegun())
      const backup = killed(["backup", file], env, isHalf)
      assert.isTrue(yield* holding(from, "webhook_endpoints in access exclusive", backup))
      assert.isFalse(Fs.existsSync(file))
      assert.strictEqual((yield* folioHere(["backup", file], env)).code, 0)

      const to = yield* bareDatabase
      const place = { ...env, DATABASE_URL: to }
      const isMarked = Effect.map(
        query(to, "select to_regclass('folio_restore_unfinished') is not null as yes"),
        ({ rows }) => rows[0]?.["yes"] === true
      )
      const isAtWork = Effect.zipWith(isMarked, isWaitedFor(to), (marked, waits) => marked && waits)
      const restore = killed(["restore", file], place, isAtWork)
      assert.isTrue(yield* holding(to, "pg_proc in share", restore))
      assert.match(
        (yield* folioHere(["migrate"], place)).error,
        /^folio: A restore into the database at \S+ is running, or was not finished\. Run it again/
      )
      assert.strictEqual((yield* folioHere(["restore", file], place)).code, 0)
      assert.strictEqual((yield* folioHere(["migrate"], place)).code, 0)

      const own = Path.join(DATA_DIR, "new")
      const embedded = { DATA_DIR: own, FOLIO_KEY }
      const isThere = Effect.sync(() => Fs.existsSync(Path.join(own, "postgres", "postmaster.pid")))
      assert.isTrue(yield* killed(["restore", file], embedded, isThere))
      assert.match(
        (yield* folioHere(["migrate"], embedded)).error,
        /^folio: A restore into DATA_DIR \S+ was not finished\. Run it again/
      )
      const again = yield* folioHere(["restore", file], embedded)
      assert.strictEqual(again.code, 0, again.error)
      assert.strictEqual((yield* folioHere(["migrate"], embedded)).code, 0)
    }
  )
})
