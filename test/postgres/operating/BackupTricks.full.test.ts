import { assert, describe } from "@effect/vitest"
import { Effect, Fiber, Redacted, Stream } from "effect"
import { randomBytes } from "node:crypto"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { read, write } from "../../../src/operations/backup/BackupFile.ts"
import { until } from "../../support/apps/Until.ts"
import { bareDatabase, dataDirectory, freshDatabase, query } from "../../support/database/Postgres.ts"
import { layerOwner, seedAccount, seedDrafts } from "../../support/database/Owners.ts"
import { folioHere } from "../../support/processes/FolioHere.ts"
import { it } from "../../support/Tests.ts"

const FOLIO_KEY = Buffer.from(new Uint8Array(32).fill(7)).toString("base64")

/** Writes the backup in `file` again, with other content in its frames. */
const changed = Effect.fnUntraced(function* (
  file: string,
  change: (kind: string, content: string) => string | undefined,
  key?: Redacted.Redacted<Uint8Array>
) {
  const other = `${file}-${randomBytes(4).toString("hex")}`
  const frames = yield* Stream.runCollect(read(file))
  yield* write(other, (put) =>
    Effect.forEach(
      frames.filter(({ kind }) => kind !== "last"),
      ({ content, kind }) => {
        const instead = change(kind, content.toString())
        return put(kind, instead === undefined ? content : Buffer.from(instead))
      },
      { discard: true }
    ).pipe(Effect.as(key))
  )
  return other
})

describe("a backup", () => {
  it.live("restores a database of several processes, and treats names in a file never as statements", function* () {
    const from = yield* freshDatabase
    yield* query(from, "create table cluster_0badcafe_runners (machine_id serial primary key)")
    yield* query(from, "insert into cluster_0badcafe_runners default values")
    const DATA_DIR = yield* dataDirectory
    const file = Path.join(DATA_DIR, "backup")
    const env = { DATA_DIR, FOLIO_KEY }
    assert.strictEqual((yield* folioHere(["backup", file], { ...env, DATABASE_URL: from })).code, 0)
    const restored = yield* folioHere(["restore", file], { ...env, DATABASE_URL: yield* bareDatabase })
    assert.strictEqual(restored.code, 0, restored.error)

    const name = "x' || pg_terminate_backend(pg_backend_pid())::text || '"
    const injected = yield* changed(file, (kind) =>
      kind === "sequences" ? JSON.stringify([{ name, last: "1" }]) : undefined
    )
    const said = yield* folioHere(["restore", injected, "--unauthenticated"], {
      ...env,
      DATABASE_URL: yield* bareDatabase
    })
    assert.strictEqual(said.code, 0, said.error)

    // A restore rejects a file that was changed without the database's key, and a verification reports it.
    const otherKey = Redacted.make(new Uint8Array(32).fill(8))
    for (const [altered, message] of [
      [injected, /has no authentication code/],
      [yield* changed(file, () => undefined, otherKey), /was altered, or was written with another key/]
    ] as const) {
      const to = yield* bareDatabase
      const refused = yield* folioHere(["restore", altered], { ...env, DATABASE_URL: to })
      assert.deepStrictEqual([refused.code, message.test(refused.error)], [1, true], refused.error)
      assert.deepStrictEqual((yield* query(to, "select from pg_class where relname = 'accounts'")).rows, [])
      const looked = yield* folioHere(["restore", altered, "--verify"], env)
      assert.deepStrictEqual([looked.code, message.test(looked.error)], [1, true], looked.error)
    }
    const whole = yield* folioHere(["restore", file, "--verify", "--json"], env)
    assert.deepStrictEqual([whole.code, whole.json.authentic], [0, true], whole.error)
    // Without the key, no check proves that the service wrote the file.
    const keyless = { DATA_DIR: yield* dataDirectory }
    const unchecked = yield* folioHere(["restore", file, "--verify", "--json"], keyless)
    assert.deepStrictEqual([unchecked.code, unchecked.json.ok], [1, false], unchecked.error)
    const trusted = yield* folioHere(["restore", file, "--verify", "--unauthenticated", "--json"], keyless)
    assert.deepStrictEqual([trusted.code, trusted.json.ok, trusted.json.authentic], [0, true, null], trusted.error)

    const foreign = yield* changed(file, (kind, content) =>
      kind === "header" ? content.replace('"accounts"', '"effect_sql_migrations"') : undefined
    )
    assert.match(
      (yield* folioHere(["restore", foreign], { ...env, DATABASE_URL: yield* bareDatabase })).error,
      /"effect_sql_migrations" is no table of migration/
    )
  })

  it.live("restores with one command at a time, and a second command removes nothing", function* () {
    const DATA_DIR = yield* dataDirectory
    const file = Path.join(DATA_DIR, "backup")
    assert.strictEqual(
      (yield* folioHere(["backup", file], { DATABASE_URL: yield* freshDatabase, DATA_DIR, FOLIO_KEY })).code,
      0
    )
    const env = { DATA_DIR: Path.join(DATA_DIR, "new"), FOLIO_KEY }
    const first = yield* Effect.forkScoped(folioHere(["restore", file], env))
    yield* until(
      Effect.sync(() => Fs.existsSync(Path.join(env.DATA_DIR, "postgres", "postmaster.pid"))),
      (yes) => yes
    )
    assert.match(
      (yield* folioHere(["restore", file], env)).error,
      /^folio: Another Folio \(pid \d+\) is already running/
    )
    const said = yield* Fiber.join(first)
    assert.strictEqual(said.code, 0, said.error)
    assert.strictEqual((yield* folioHere(["migrate"], env)).code, 0)
    assert.match((yield* folioHere(["restore", file], env)).error, /^folio: DATA_DIR \S+ is not empty/)
  })

  it.live(
    "holds live ranges of accounts newer than the restore, and lists documents that may have been issued",
    function* () {
      const url = yield* freshDatabase
      const { account, drafts } = yield* Effect.gen(function* () {
        const seeded = yield* seedAccount
        return { ...seeded, drafts: yield* seedDrafts(seeded.account.account_id, 2) }
      }).pipe(Effect.provide(layerOwner(url)))
      const env = { DATABASE_URL: url, DATA_DIR: yield* dataDirectory, FOLIO_KEY }
      assert.strictEqual((yield* folioHere(["resume", "--hold"], env)).code, 0)

      const listed = yield* folioHere(["resume", "--json"], env)
      assert.deepStrictEqual(
        listed.json.drafts_of_backup.map((row: { ids: ReadonlyArray<string> }) => row.ids),
        [drafts.toSorted()]
      )
      assert.match(
        (yield* folioHere(["resume"], env)).out,
        /test: 2 documents had no number in the backup.*First cancel each document/
      )

      yield* query(url, "insert into accounts (id, created_at) values ('ten_later', now() + interval '1 second')")
      const range = (id: string, livemode: boolean, next: number, from: string) =>
        query(
          url,
          `insert into resolutions select 'ten_later', ${livemode}, '${id}', number, 'invoice', prefix, 1, 100, ${from}, ${from} + 9,
           technical_key, true, ${next}, now()
         from resolutions where account_id = '${account.account_id}' limit 1`
        )
      yield* range("lost", true, 1, "current_date - 3")
      yield* range("told", true, 7, "current_date - 3")
      yield* range("new", true, 1, "current_date + 3")
      yield* range("test", false, 1, "current_date - 3")
      const { rows } = yield* query(
        url,
        "select id from resolutions where account_id = 'ten_later' and held_since is not null"
      )
      assert.deepStrictEqual(rows, [{ id: "lost" }])
    }
  )
})
