import { assert, describe } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { localApiKey } from "../../../src/accounts/rules/ApiKeyFormat.ts"
import { ApiKeys } from "../../../src/accounts/store/ApiKeys.ts"
import { keyName } from "../../../src/database/Secrets.ts"
import { replaceSealed, sealedColumns, sealedPage } from "../../../src/operations/store/SealedValues.ts"
import { secretKey as former } from "../../support/apps/TestSettings.ts"
import { until } from "../../support/apps/Until.ts"
import { bareDatabase, dataDirectory, freshDatabase, layerAdmin, query } from "../../support/database/Postgres.ts"
import { layerOwner } from "../../support/database/Owners.ts"
import { base64Of, newSecretKey, plainSecrets, sealWith, seedSecrets } from "../../support/database/SealedRows.ts"
import { folioHere } from "../../support/processes/FolioHere.ts"
import { it } from "../../support/Tests.ts"

const setUp = Effect.gen(function* () {
  const [url, DATA_DIR, next] = [yield* freshDatabase, yield* dataDirectory, newSecretKey()]
  const account = yield* seedSecrets(url)
  const env = { DATABASE_URL: url, DATA_DIR }
  const keys = { FOLIO_KEY: base64Of(next), FOLIO_KEY_PREVIOUS: base64Of(former) }
  const rekey = (...words: ReadonlyArray<string>) => folioHere(["rekey", ...words], { ...env, ...keys })
  /** What `folio doctor` says about the secrets. */
  const doctor = (settings: Record<string, string>) =>
    Effect.map(folioHere(["doctor", "--json"], { ...env, ...settings }), ({ json }) => {
      const { message, state } = json.checks.find(({ check }: { check: string }) => check === "secrets")
      return `${state}: ${message}`
    })
  return { account, doctor, env, keys, next, rekey, url }
})

const sealedText = /v1\.[A-Za-z0-9+/]{40,}={0,2}/g

/** All rows as text, in order. */
const rowsOf = Effect.fnUntraced(function* (url: string) {
  const tables = yield* query(
    url,
    `select relname::text as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
     and relname <> 'workers' order by 1`
  )
  const all = yield* Effect.forEach(tables.rows, ({ name }) =>
    query(url, `select '${String(name)} ' || t::text as row from ${String(name)} t`)
  )
  return all.flatMap(({ rows }) => rows.map(({ row }) => String(row))).toSorted()
})

const withoutSeals = (rows: ReadonlyArray<string>) => rows.map((row) => row.replaceAll(sealedText, "v1.…")).toSorted()

describe("folio rekey", () => {
  it.live("encrypts every sealed value with the new key, in all tables, and changes nothing else", function* () {
    const { doctor, env, keys, next, rekey, url } = yield* setUp
    const plain = yield* plainSecrets(url, former)
    assert.lengthOf(Object.keys(plain), 11)
    assert.notInclude(Object.values(plain), null)
    const before = yield* rowsOf(url)
    const texts = before.join("\n").match(sealedText) ?? []
    assert.lengthOf(new Set(texts), 11, "the seed seals a value in each column for secrets")
    assert.match(
      yield* doctor(keys),
      /^note: A change of the key is not finished: only FOLIO_KEY_PREVIOUS decrypts 11 of 11/
    )

    const said = yield* rekey("--json")
    assert.strictEqual(said.code, 0, said.error)
    assert.deepStrictEqual([said.json.resealed, said.json.revoked_keys], [10, 0])
    assert.deepStrictEqual(
      said.json.tables.map(({ lost, read, resealed, table }: Record<string, unknown>) => [table, read, resealed, lost]),
      [
        ["webhook_endpoints", 3, 3, 0],
        ["certificates", 1, 1, 0],
        ["softwares", 1, 1, 0],
        ["resolutions", 2, 2, 0],
        ["enablements", 1, 1, 0],
        ["sandbox_certificate", 1, 1, 0],
        ["idempotency_keys", 1, 1, 0]
      ]
    )
    assert.include(said.error, "webhook_endpoints: encrypted 3 of 3 values with the new key")
    assert.deepStrictEqual(yield* plainSecrets(url, next), plain)
    const after = yield* rowsOf(url)
    assert.deepStrictEqual(withoutSeals(after), withoutSeals(before))
    for (const text of texts) assert.notInclude(after.join("\n"), text)

    const again = yield* rekey("--json")
    assert.deepStrictEqual([again.code, again.json.resealed], [0, 0])
    assert.match(
      yield* doctor(keys),
      /^note: FOLIO_KEY decrypts the stored secrets \(11\), and FOLIO_KEY_PREVIOUS none/
    )
    assert.match(yield* doctor({ FOLIO_KEY: keys.FOLIO_KEY }), /^ok: The key decrypts the stored secrets \(11\)/)
    assert.match(yield* doctor({ FOLIO_KEY: base64Of(former) }), /^wrong: The key does not decrypt 11 of 11 secrets/)
    assert.deepStrictEqual(Fs.readdirSync(env.DATA_DIR), [])
  })

  it.live("needs two different keys, one of them the database's", function* () {
    const { env, keys, next, url } = yield* setUp
    const refused = (settings: Record<string, string>) =>
      Effect.map(folioHere(["rekey"], { ...env, ...settings }), ({ code, error }) => {
        assert.strictEqual(code, 1)
        return error
      })
    const before = yield* rowsOf(url)
    const needsTwo = /^folio: folio rekey needs two keys: the new one in FOLIO_KEY .* Both must differ\.$/
    assert.match(yield* refused({ FOLIO_KEY: keys.FOLIO_KEY }), needsTwo)
    assert.match(yield* refused({ FOLIO_KEY_PREVIOUS: keys.FOLIO_KEY_PREVIOUS }), needsTwo)
    assert.match(yield* refused({ ...keys, FOLIO_KEY_PREVIOUS: keys.FOLIO_KEY }), needsTwo)
    assert.match(
      yield* refused({ ...keys, FOLIO_KEY_PREVIOUS: base64Of(newSecretKey()) }),
      /^folio: Neither key decrypts the secrets in the database\. Set FOLIO_KEY_PREVIOUS/
    )
    assert.match(
      yield* refused({ ...keys, FOLIO_KEY_PREVIOUS: "short" }),
      /^folio: FOLIO_KEY_PREVIOUS must be 32 random bytes in base64/
    )
    const file = Path.join(env.DATA_DIR, "secret-key")
    Fs.writeFileSync(file, keys.FOLIO_KEY, { mode: 0o644 })
    const { FOLIO_KEY_PREVIOUS } = keys
    assert.match(yield* refused({ FOLIO_KEY_PREVIOUS }), /secret-key cannot be used\. .*chmod 600/)
    assert.deepStrictEqual(yield* rowsOf(url), before)
    Fs.chmodSync(file, 0o600)
    assert.strictEqual((yield* folioHere(["rekey"], { ...env, FOLIO_KEY_PREVIOUS })).code, 0)
    assert.notInclude(Object.values(yield* plainSecrets(url, next)), null)
  })

  it.live("changes nothing while a running process encrypts with another key", function* () {
    const { next, rekey, url } = yield* setUp
    const before = yield* rowsOf(url)
    const worker = (id: string, name: string | null, seen: string, dead: string) =>
      query(
        url,
        `insert into workers (id, seen_at, dead_since, release, key_name)
         values ('${id}', ${seen}, ${dead}, 99, ${name === null ? "null" : `'${name}'`})`
      )
    yield* worker("with the former key", keyName(former), "now() + interval '1 hour'", "null")
    yield* worker("of an earlier release", null, "now() + interval '1 hour'", "null")
    yield* worker("with the new key", keyName(next), "now()", "null")
    yield* worker("stopped", keyName(former), "now()", "now()")
    yield* worker("killed", keyName(former), "now() - interval '1 minute'", "null")
    const { code, error } = yield* rekey()
    assert.strictEqual(code, 1)
    assert.match(
      error,
      /^folio: 2 processes still encrypt secrets with another key\. Restart all processes with the new/
    )
    assert.deepStrictEqual(yield* rowsOf(url), before)
    yield* query(url, "delete from workers where id in ('with the former key', 'of an earlier release')")
    assert.strictEqual((yield* rekey()).code, 0)
  })

  it.live("keeps the former key the database's while neither key opens a value, unless it is to stay", function* () {
    const { doctor, keys, next, rekey, url } = yield* setUp
    const [endpoint] = (yield* query(url, "select id from webhook_endpoints order by id")).rows
    const lost = yield* sealWith(url, newSecretKey(), "whsec_lost", `webhook_endpoints|${String(endpoint?.["id"])}`)
    yield* query(url, `update webhook_endpoints set secret = '${lost}' where id = '${String(endpoint?.["id"])}'`)
    const said = yield* rekey()
    assert.strictEqual(said.code, 1)
    assert.match(said.error, /\nfolio: Neither key decrypts 1 of 3 values in webhook_endpoints\. Run folio rekey with/)
    const opened = yield* plainSecrets(url, next)
    assert.deepStrictEqual(Object.values(opened).filter((plain) => plain === null).length, 2, "it and the canary")
    assert.isNull(opened["key_canary"])
    assert.match(yield* doctor(keys), /^wrong: The key does not decrypt 1 of 11 secrets/)
    assert.strictEqual((yield* rekey("--leave-lost")).code, 0)
    assert.strictEqual((yield* plainSecrets(url, next))["key_canary"], "canary")
    const [row] = (yield* query(url, `select secret from webhook_endpoints where secret = '${lost}'`)).rows
    assert.isDefined(row)
  })

  it.live("waits for a row that another transaction has locked, longer than a statement may wait", function* () {
    const { next, rekey, url } = yield* setUp
    const waits =
      "select query_start::text as at from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const running = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`select from certificates for update`
          const fiber = yield* Effect.forkScoped(rekey())
          const starts = new Set<unknown>()
          yield* until(
            Effect.map(query(url, waits), ({ rows }) => rows.forEach(({ at }) => starts.add(at))),
            () => starts.size > 1
          )
          return fiber
        })
      )
      assert.strictEqual((yield* Fiber.join(running)).code, 0)
    }).pipe(Effect.provide(layerAdmin(url)))
    assert.notInclude(Object.values(yield* plainSecrets(url, next)), null)
  })

  it.live("never overwrites a secret that was rotated meanwhile", function* () {
    const { url } = yield* setUp
    const column = sealedColumns.find(({ table }) => table === "webhook_endpoints")!
    yield* Effect.gen(function* () {
      const page = yield* sealedPage(column, undefined, 2)
      const rest = yield* sealedPage(column, page.last, 2)
      assert.deepStrictEqual([page.values.length, rest.values.length, rest.last], [2, 1, undefined])
      const [one] = page.values
      yield* query(url, `update webhook_endpoints set secret = 'v1.rotated' where id = '${one!.key["id"]}'`)
      assert.isFalse(yield* replaceSealed(column, one!, "v1.stale"))
      assert.isTrue(yield* replaceSealed(column, rest.values[0]!, "v1.new"))
      const { rows } = yield* query(url, "select secret from webhook_endpoints where length(secret) < 20 order by 1")
      assert.deepStrictEqual(rows, [{ secret: "v1.new" }, { secret: "v1.rotated" }])
    }).pipe(Effect.provide(layerAdmin(url)))
  })

  it.live("revokes the API keys for the service's own calls that are derived from the former key", function* () {
    const { account, next, rekey, url } = yield* setUp
    const keyOf = (key: typeof next) => localApiKey(Redacted.value(key), account)
    yield* Effect.gen(function* () {
      const keys = yield* ApiKeys
      for (const key of [former, next])
        yield* keys.ensure({ ...account, ...keyOf(key), mode: "test", name: "LocalApi" })
    }).pipe(Effect.provide(layerOwner(url)))
    const said = yield* rekey("--json")
    assert.strictEqual(said.json.revoked_keys, 1, said.error)
    const revoked = yield* query(url, "select id from api_keys where revoked_at is not null")
    assert.deepStrictEqual(revoked.rows, [{ id: keyOf(former).id }])
    const audit = yield* query(url, "select actor, object_id from audit_log where action = 'api_key.revoked'")
    assert.deepStrictEqual(audit.rows, [{ actor: "operator", object_id: keyOf(former).id }])
  })

  it.live("leaves each backup restorable with the keys of its time", function* () {
    const { env, keys, next, rekey, url } = yield* setUp
    const file = (name: string) => Path.join(env.DATA_DIR, name)
    const backup = (name: string, settings: Record<string, string>, ...words: ReadonlyArray<string>) =>
      folioHere(["backup", file(name), "--json", ...words], { ...env, ...settings })
    const old = { FOLIO_KEY: base64Of(former) }
    const passphrase = { FOLIO_BACKUP_PASSPHRASE: "a long enough passphrase" }
    assert.isTrue((yield* backup("before", old)).json.authenticated)
    const during = yield* backup("during", { ...keys, ...passphrase }, "--with-key")
    assert.isTrue(during.json.authenticated, during.error)
    assert.strictEqual((yield* rekey()).code, 0)
    assert.isTrue((yield* backup("after", keys)).json.authenticated)

    const restored = Effect.fnUntraced(function* (name: string, settings: Record<string, string>) {
      const to = yield* bareDatabase
      const DATA_DIR = yield* dataDirectory
      const said = yield* folioHere(["restore", file(name)], { DATABASE_URL: to, DATA_DIR, ...settings })
      return { said, to, DATA_DIR }
    })
    const first = yield* restored("before", old)
    assert.strictEqual(first.said.code, 0, first.said.error)
    assert.deepStrictEqual(yield* plainSecrets(first.to, former), yield* plainSecrets(url, next))
    assert.strictEqual((yield* restored("before", keys)).said.code, 0)
    assert.match(
      (yield* restored("before", { FOLIO_KEY: keys.FOLIO_KEY })).said.error,
      /^folio: The key in FOLIO_KEY is not/
    )
    assert.match((yield* restored("after", old)).said.error, /^folio: The key in FOLIO_KEY is not/)

    const { DATA_DIR, said } = yield* restored("during", passphrase)
    assert.strictEqual(said.code, 0, said.error)
    assert.include(said.out, "The backup was taken during a change of the key. Set FOLIO_KEY_PREVIOUS_FILE")
    const read = (name: string) => Fs.readFileSync(Path.join(DATA_DIR, name), "utf8").trim()
    assert.deepStrictEqual([read("secret-key"), read("secret-key-previous")], [keys.FOLIO_KEY, keys.FOLIO_KEY_PREVIOUS])
  })
})
