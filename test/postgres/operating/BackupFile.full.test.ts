import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { zstdDecompressSync } from "node:zlib"
import { isKeyOfDatabase } from "../../../src/operations/store/KeyCanary.ts"
import { bareDatabase, dataDirectory, freshDatabase, query } from "../../support/database/Postgres.ts"
import { seedAccount, seedDrafts, layerOwner } from "../../support/database/Owners.ts"
import { folioHere } from "../../support/processes/FolioHere.ts"
import { it } from "../../support/Tests.ts"

// The key that seals the rows of `layerOwner`.
const FOLIO_KEY = Buffer.from(new Uint8Array(32).fill(7)).toString("base64")

/** Values that a careless copy changes. */
const strange = `
  insert into audit_log (account_id, livemode, created_at, actor, action, object_id, request_id, ip, details)
  select id, false, '2026-11-21 10:00:00.123456+00', actor, 'a', object_id, '', null, details
  from accounts, (values
    (E'a "quoted" \\\\ back,slash (and) {braces}', E'line\\nbreak\\ttab', '{"a": 1.10, "b": 12345678901234567890.123456789, "ñ": "\\u2028\\ud83d\\ude00"}'::jsonb),
    (E'\\uFEFFbom', '', 'null'::jsonb), ('NULL', null, '"null"'::jsonb), ('null', 'NULL', '[]'::jsonb)
  ) v (actor, object_id, details);
  insert into api_keys (id, account_id, livemode, key_hash, last_four, created_at, expires_at)
  select 'key_' || e, a.id, false, 'hash ' || e, 'abcd', '0099-01-01 00:00:00.000001 BC', e::timestamptz
  from accounts a, unnest(array['infinity', '9999-12-31 23:59:59.999999+00', '2026-02-28 23:00:00-05']) e;
  insert into logos (account_id, livemode, sha256, media_type, bytes)
  select a.id, false, encode(sha256(b), 'hex'), 'image/png', b
  from accounts a, unnest(array['\\x00', '\\x00ff5c27220a', decode(repeat('00ff28292c', 20000), 'hex')]::bytea[]) b;
  insert into requests (account_id, livemode, id, created_at, method, path, status, duration_ms, objects, request_bytes, response_bytes)
  select a.id, false, 'req_' || n, now(), 'GET', '/', 200, 1, o, 0, 0
  from accounts a, (values (1, '{}'::text[]), (2, array['a,b', null]), (3, array['NULL', '"{}\\'])) v (n, o);
  insert into authority_circuits (name, accounts, next_probe_at) values ('live', array['x'], '-infinity')`

const seeded = Effect.gen(function* () {
  const url = yield* freshDatabase
  yield* Effect.gen(function* () {
    const { account } = yield* seedAccount
    assert.isTrue(yield* isKeyOfDatabase)
    yield* seedDrafts(account.account_id, 1_000)
    yield* seedDrafts(account.account_id, 3, "signed")
  }).pipe(Effect.provide(layerOwner(url)))
  yield* Effect.forEach(strange.split(";"), (statement) => query(url, statement))
  return url
})

/** Each table with a digest of its rows in their order. */
const contents = Effect.fnUntraced(function* (url: string) {
  const { rows } = yield* query(
    url,
    `
    select relname::text as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' and relname not in ('restores', 'workers', 'write_probes', 'last_backup', 'resolutions', 'effect_sql_migrations')
    order by 1`
  )
  const digests = yield* Effect.forEach(rows, ({ name }) =>
    query(
      url,
      `
      select '${String(name)}' as name, count(*)::int as count, md5(string_agg(t::text, chr(10) order by t::text collate "C")) as digest
      from ${String(name)} t`
    )
  )
  return digests.map(({ rows: [row] }) => row)
})

/** All entries of the catalogs about the schema. */
const catalog = (url: string) =>
  Effect.map(
    query(
      url,
      `
      select 'column' as what, c.relname::text as of, format('%s %s %s %s %s', a.attname, format_type(atttypid, atttypmod), attnotnull, attidentity, pg_get_expr(d.adbin, d.adrelid)) as is
        from pg_attribute a join pg_class c on c.oid = attrelid left join pg_attrdef d on d.adrelid = c.oid and d.adnum = attnum
        where relnamespace = 'public'::regnamespace and attnum > 0 and relkind = 'r'
      union all select 'constraint', conrelid::regclass::text, format('%s %s %s %s', conname, convalidated, condeferrable, pg_get_constraintdef(oid))
        from pg_constraint where connamespace = 'public'::regnamespace
      union all select 'index', indrelid::regclass::text, format('%s %s', pg_get_indexdef(indexrelid), indisvalid)
        from pg_index i join pg_class c on c.oid = indexrelid where relnamespace = 'public'::regnamespace
      union all select 'trigger', tgrelid::regclass::text, format('%s %s', tgenabled, pg_get_triggerdef(oid)) from pg_trigger where not tgisinternal
      union all select 'reference', tgrelid::regclass::text, format('%s %s %s', tgenabled, tgfoid::regproc, count(*)) from pg_trigger where tgisinternal group by 1, 2, tgenabled, tgfoid
      union all select 'policy', tablename::text, format('%s %s %s %s %s %s', policyname, permissive, roles, cmd, qual, with_check) from pg_policies where schemaname = 'public'
      union all select 'table', relname::text, format('%s %s %s %s %s', relkind, relrowsecurity, relforcerowsecurity, relowner::regrole, relacl)
        from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'S')
      union all select 'function', proname::text, format('%s %s %s', md5(pg_get_functiondef(oid)), proowner::regrole, proacl) from pg_proc where pronamespace = 'public'::regnamespace
      order by 1, 2, 3`
    ),
    ({ rows }) => rows
  )

/** The content of a backup's stream between the first and the last line; undefined if it cannot be unpacked. */
const unpacked = (file: Buffer) => {
  try {
    return zstdDecompressSync(file.subarray("folio-backup 1\n".length, -"folio-end 0000000000000000\n".length))
  } catch {
    return undefined
  }
}

/**
 * The file with one flipped bit, in the first byte from `at` on that matters: zstd may copy equal bytes from elsewhere.
 */
const flippedFrom = (file: Buffer, at: number): Buffer => {
  const flipped = Buffer.from(file)
  flipped[at] = flipped[at]! ^ 0x10
  return unpacked(flipped)?.equals(unpacked(file)!) === true ? flippedFrom(file, at + 1) : flipped
}

/** The relations created in a database. */
const madeIn = (url: string) =>
  Effect.map(
    query(url, "select relname::text as name from pg_class where relnamespace = 'public'::regnamespace"),
    ({ rows }) => rows
  )

describe("a backup file", () => {
  it.live("restores every value exactly, and the schema of a fresh database", function* () {
    const from = yield* seeded
    const DATA_DIR = yield* dataDirectory
    const file = Path.join(DATA_DIR, "backup")
    const env = { DATABASE_URL: from, DATA_DIR, FOLIO_KEY }
    const said = yield* folioHere(["backup", file, "--json"], env)
    assert.strictEqual(said.code, 0, said.error)
    const to = yield* bareDatabase
    const restored = yield* folioHere(["restore", file], { ...env, DATABASE_URL: to })
    assert.strictEqual(restored.code, 0, restored.error)
    // For signed documents, Folio first queries the authority.
    const [at] = (yield* query(to, "select restored_at::text as at from restores")).rows
    yield* query(from, `update invoices set submitted_at = '${String(at?.["at"])}' where state = 'signed'`)
    assert.deepStrictEqual(yield* contents(to), yield* contents(from))
    assert.deepStrictEqual(yield* catalog(to), yield* catalog(from))
    // `pg_dump --role=folio_service` reads every table and every sequence.
    const unreadable = yield* query(
      to,
      `select relname::text from pg_class
       where relnamespace = 'public'::regnamespace
         and case relkind when 'r' then not has_table_privilege('folio_service', oid, 'select')
           when 'S' then not has_sequence_privilege('folio_service', oid, 'select') else false end`
    )
    assert.deepStrictEqual(unreadable.rows, [])
    // New rows continue after the restored rows.
    const [order] = (yield* query(
      to,
      "select current_transaction() > (select coalesce(max(tx), '0') from events) as later, nextval('audit_log_seq_seq') > (select max(seq) from audit_log) as next"
    )).rows
    assert.deepStrictEqual(order, { later: true, next: true })

    const verified = yield* folioHere(["restore", file, "--verify", "--json"], { DATA_DIR, FOLIO_KEY })
    // The signed documents of this test have no bytes, and their range did not assign their numbers.
    const broken = verified.json.promises.filter((one: { broken: ReadonlyArray<string> }) => one.broken.length > 0)
    assert.deepStrictEqual(
      broken.map((one: { promise: string }) => one.promise),
      [
        "Numbers have no gap",
        "No number is beyond its range's counter",
        "Every sent document has its signed bytes, with its code"
      ]
    )
    assert.isTrue(verified.json.key_opens)
    assert.isTrue(verified.json.restored)
  })

  it.live(
    "fails to restore if it is damaged or of a later release, and overwrites neither a file nor data",
    function* () {
      const from = yield* seeded
      const DATA_DIR = yield* dataDirectory
      const file = Path.join(DATA_DIR, "backup")
      const env = { DATABASE_URL: from, DATA_DIR, FOLIO_KEY }
      assert.strictEqual((yield* folioHere(["backup", file], env)).code, 0)
      assert.match((yield* folioHere(["backup", file], env)).error, /exists already, and Folio overwrites no backup/)
      assert.match(
        (yield* folioHere(["backup", Path.join(DATA_DIR, "no", "backup")], env)).error,
        /cannot be written to .*Choose a file in a directory/
      )
      assert.match(
        (yield* folioHere(["backup", `${file}2`], { ...env, DATABASE_URL: yield* bareDatabase })).error,
        /There are no tables to back up at/
      )
      assert.match(
        (yield* folioHere(["restore", file], env)).error,
        /^folio: The database at \S+ is not empty: it has \w+\. Create another/
      )

      const to = yield* bareDatabase
      const whole = Fs.readFileSync(file)
      const refused = Effect.fnUntraced(function* (content: Uint8Array) {
        const other = Path.join(DATA_DIR, randomBytes(4).toString("hex"))
        Fs.writeFileSync(other, content)
        const { error } = yield* folioHere(["restore", other], { ...env, DATABASE_URL: to })
        assert.deepStrictEqual(yield* madeIn(to), [])
        assert.strictEqual(error.split("\n").length, 1)
        return error
      })
      for (const part of [0.01, 0.5, 0.999]) {
        assert.match(yield* refused(whole.subarray(0, Math.floor(whole.length * part))), /is damaged or not whole/)
      }
      for (const at of [30, Math.floor(whole.length * 0.5), Math.floor(whole.length * 0.95)]) {
        assert.match(yield* refused(flippedFrom(whole, at)), /is damaged or not whole/)
      }
      assert.match(yield* refused(Buffer.concat([whole, whole.subarray(15)])), /is damaged or not whole/)
      assert.match(
        yield* refused(Buffer.from("some other file, and a rather long one at that")),
        /is not a backup of Folio/
      )
      assert.match(yield* refused(Buffer.from("folio-backup 2\n and what a later format has")), /is of a later release/)

      const { FOLIO_KEY: _key, ...keyless } = env
      const none = yield* folioHere(["restore", file], { ...keyless, DATABASE_URL: to, DATA_DIR: yield* dataDirectory })
      assert.match(
        none.error,
        /^folio: The secrets of this backup are encrypted, and their key is missing\. Set FOLIO_KEY/
      )

      const used = yield* dataDirectory
      Fs.writeFileSync(Path.join(used, "letter"), "")
      assert.match(
        (yield* folioHere(["restore", file], { DATA_DIR: used, FOLIO_KEY })).error,
        /^folio: DATA_DIR \S+ is not empty \(letter\)/
      )
      assert.deepStrictEqual(Fs.readdirSync(used), ["letter"])
    }
  )
})
