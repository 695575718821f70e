import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { assert, describe } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { AccountId, WebhookEndpointId } from "../../../schemas/Id.ts"
import { testKey } from "../../../src/service/TestKeyFile.ts"
import * as Postgres from "../../../src/runtime/postgres/Postgres.ts"
import { layerOf, layerSecretKey } from "../../../src/service/DatabaseKey.ts"
import { PreviousSecretKey, SecretKey, Secrets } from "../../../src/database/Secrets.ts"
import { secretContext } from "../../../src/webhooks/store/WebhookEndpoints.ts"
import { serviceProcess } from "../../support/processes/ServiceProcess.ts"
import { dataDirectory, freshDatabase, query, quiet, layerSettings } from "../../support/database/Postgres.ts"
import { refusalOf } from "../../support/processes/Refusing.ts"
import { it } from "../../support/Tests.ts"

const newKey = () => randomBytes(32).toString("base64")

/** The key that a start with these settings has, in base64. */
const keyOf = (env: Record<string, string>, layer: typeof layerSecretKey = layerSecretKey) =>
  Layer.build(
    layer.pipe(
      Layer.provide([Postgres.layer, NodeCrypto.layer]),
      Layer.provide(layerSettings(env)),
      Layer.provide(quiet),
      Layer.fresh
    )
  ).pipe(
    Effect.map((context) => Buffer.from(Redacted.value(Context.get(context, SecretKey))).toString("base64")),
    Effect.scoped
  )

const refusedWith = (...what: Parameters<typeof keyOf>) =>
  Effect.match(keyOf(...what), { onSuccess: () => "not refused", onFailure: ({ message }) => message })

const redacted = (key: string) => Redacted.make(new Uint8Array(Buffer.from(key, "base64")))

const own = (key: string, previous?: string) =>
  layerOf(
    Layer.merge(
      Layer.succeed(SecretKey, redacted(key)),
      Layer.succeed(PreviousSecretKey, previous === undefined ? undefined : redacted(previous))
    )
  )

/** An endpoint whose secret is encrypted with this key, as a release without a canary has left it. */
const endpointSealedWith = Effect.fnUntraced(function* (url: string, key: string) {
  const id = WebhookEndpointId.make(`we_${"0".repeat(26)}`)
  const account = AccountId.make(`ten_${"0".repeat(26)}`)
  const secrets = Layer.provide(Secrets.layerOf(redacted(key)), NodeCrypto.layer)
  const sealed = yield* Effect.provide(
    Effect.flatMap(Secrets, ({ seal }) => seal("whsec_x", secretContext(id))),
    secrets
  )
  yield* query(url, `insert into accounts (id, created_at) values ('${account}', now())`)
  yield* query(
    url,
    `insert into webhook_endpoints (account_id, livemode, id, url, subscribed_events, max_in_flight, metadata,
       api_version, secret, created_at, updated_at)
     values ('${account}', false, '${id}', '', '{}', 1, '{}', '', '${sealed}', now(), now())`
  )
})

describe("The encryption key", () => {
  it.live(
    "belongs to its database for ever: a start with another key or none fails, and creates no new key",
    function* () {
      const [first, second, other] = [yield* dataDirectory, yield* dataDirectory, newKey()]
      const DATABASE_URL = yield* freshDatabase
      const key = yield* keyOf({ DATABASE_URL, DATA_DIR: first })
      const file = Path.join(first, "secret-key")
      assert.strictEqual(Fs.readFileSync(file, "utf8").trim(), key)
      assert.strictEqual(yield* keyOf({ DATABASE_URL, DATA_DIR: first }), key)
      assert.strictEqual(yield* keyOf({ DATABASE_URL, DATA_DIR: second, FOLIO_KEY: key }), key)

      const lost = yield* refusedWith({ DATABASE_URL, DATA_DIR: second })
      assert.match(
        lost,
        /^There is no .*secret-key, and the database holds encrypted secrets\. Restore that file .*FOLIO_KEY/
      )
      assert.deepStrictEqual(Fs.readdirSync(second), [])
      const wrong = /^The key in FOLIO_KEY is not the one that encrypted the secrets in the database\. Restore/
      assert.match(yield* refusedWith({ DATABASE_URL, DATA_DIR: first, FOLIO_KEY: other }), wrong)
      assert.strictEqual(yield* keyOf({ DATABASE_URL, DATA_DIR: second }, own(key)), key)
      const ofTeam = /^The key in the part secretKey is not the one that encrypted the secrets in the database\./
      assert.match(yield* refusedWith({ DATABASE_URL, DATA_DIR: second }, own(other)), ofTeam)
      Fs.writeFileSync(file, other)
      assert.match(
        yield* refusedWith({ DATABASE_URL, DATA_DIR: first }),
        /^The key in .*secret-key is not the one that/
      )
    }
  )

  it.live("must open the secrets that an earlier release has encrypted in the database", function* () {
    const [key, other] = [newKey(), newKey()]
    const DATABASE_URL = yield* freshDatabase
    yield* endpointSealedWith(DATABASE_URL, key)
    const DATA_DIR = yield* dataDirectory
    assert.match(yield* refusedWith({ DATABASE_URL, DATA_DIR }), /^There is no .*secret-key/)
    assert.match(yield* refusedWith({ DATABASE_URL, DATA_DIR, FOLIO_KEY: other }), /^The key in FOLIO_KEY is not/)
    assert.strictEqual((yield* query(DATABASE_URL, "select from key_canary")).rowCount, 0)
    assert.strictEqual(yield* keyOf({ DATABASE_URL, DATA_DIR, FOLIO_KEY: key }), key)
    yield* query(DATABASE_URL, "delete from webhook_endpoints")
    assert.match(yield* refusedWith({ DATABASE_URL, DATA_DIR, FOLIO_KEY: other }), /^The key in FOLIO_KEY is not/)
  })

  it.live("may be a new one while the previous one is the database's", function* () {
    const [key, next, other] = [newKey(), newKey(), newKey()]
    const DATABASE_URL = yield* freshDatabase
    const [DATA_DIR, empty] = [yield* dataDirectory, yield* dataDirectory]
    yield* keyOf({ DATABASE_URL, DATA_DIR, FOLIO_KEY: key })
    const with2 = (FOLIO_KEY: string, FOLIO_KEY_PREVIOUS: string) => ({
      DATABASE_URL,
      DATA_DIR: empty,
      FOLIO_KEY,
      FOLIO_KEY_PREVIOUS
    })
    assert.strictEqual(yield* keyOf(with2(next, key)), next)
    assert.strictEqual(yield* keyOf(with2(key, next)), key)
    const neither = /^The key in FOLIO_KEY is not the one that encrypted the secrets .*, nor is FOLIO_KEY_PREVIOUS\./
    assert.match(yield* refusedWith(with2(next, other)), neither)
    const refused = yield* refusedWith({ DATABASE_URL, DATA_DIR: empty, FOLIO_KEY: next })
    assert.match(refused, /To change the key, set FOLIO_KEY_PREVIOUS to the former key, and run folio rekey\.$/)
    // A key file in DATA_DIR can be the new key, and a team's own part has both keys.
    Fs.writeFileSync(Path.join(DATA_DIR, "secret-key"), next, { mode: 0o600 })
    assert.strictEqual(yield* keyOf({ DATABASE_URL, DATA_DIR, FOLIO_KEY_PREVIOUS: key }), next)
    assert.strictEqual(yield* keyOf({ DATABASE_URL, DATA_DIR: empty }, own(next, key)), next)
    assert.match(
      yield* refusedWith({ DATABASE_URL, DATA_DIR: empty }, own(next, other)),
      /^The key in the part secretKey/
    )
    assert.deepStrictEqual(Fs.readdirSync(empty), [])
  })

  it.live("exists only once when several processes without a key start concurrently", function* () {
    const DATABASE_URL = yield* freshDatabase
    const directories = yield* Effect.all([dataDirectory, dataDirectory, dataDirectory, dataDirectory])
    const started = yield* Effect.forEach(directories, (DATA_DIR) => Effect.result(keyOf({ DATABASE_URL, DATA_DIR })), {
      concurrency: "unbounded"
    })
    assert.lengthOf(
      started.filter(({ _tag }) => _tag === "Success"),
      1
    )
    // The other processes have left no file that their next start would take for the key.
    const left = directories.flatMap((path) => Fs.readdirSync(path))
    assert.deepStrictEqual(left, ["secret-key"])
  })

  it.live("causes one line when its file is empty, short or damaged", function* () {
    const DATABASE_URL = yield* freshDatabase
    const DATA_DIR = yield* dataDirectory
    for (const content of ["", "c2hvcnQ=", "\u0000\u0001 garbage", randomBytes(33).toString("base64")]) {
      Fs.writeFileSync(Path.join(DATA_DIR, "secret-key"), content)
      const message = yield* refusedWith({ DATABASE_URL, DATA_DIR })
      const fault = content === "" ? "is empty" : "is damaged"
      assert.include(message, `secret-key ${fault}: it should hold 32 bytes in base64. Restore that file`)
    }
  })
})

describe("An empty or damaged file of DATA_DIR", () => {
  const contents = ["", "garbage", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"]
  it.live("causes a message with its name and the fix", function* () {
    const DATA_DIR = yield* dataDirectory
    const edge = Layer.merge(NodeCrypto.layer, layerSettings({ DATA_DIR }))
    for (const content of contents) {
      Fs.writeFileSync(Path.join(DATA_DIR, "test-key"), content)
      const { message } = yield* Effect.flip(Effect.provide(testKey, edge))
      const fault = content === "" ? "is empty" : "is damaged"
      assert.include(message, `test-key ${fault}: it should hold `)
      assert.match(message, /^[^\n]+ Remove it: the next start makes another\.$/)
    }
  })

  it.live("ends the start of the service with one line", function* () {
    const service = yield* serviceProcess({ webhookAllow: "" })
    yield* service.start()
    yield* service.signal("SIGTERM")
    yield* service.ended
    const { dataDir: DATA_DIR } = service
    const spoiled = [
      ["postgres/PG_VERSION", "garbage", /PostgreSQL in .* does not start: .*data directory\. .* from a backup/],
      ["secret-key", undefined, /There is no .*secret-key, and the database holds encrypted secrets/],
      ["sandbox-certificate.pem", "", /sandbox-certificate\.pem is empty.* Remove it/],
      ["sandbox-certificate.pem", "garbage", /sandbox-certificate\.pem is damaged.* Remove it/]
    ] as const
    for (const [name, content, told] of spoiled) {
      const path = Path.join(DATA_DIR, name)
      const before = Fs.existsSync(path) ? Fs.readFileSync(path) : undefined
      if (content === undefined) Fs.rmSync(path)
      else Fs.writeFileSync(path, content)
      assert.match(yield* refusalOf({ DATA_DIR }), told)
      assert.strictEqual(yield* service.postmaster, 0, name)
      if (before === undefined) Fs.rmSync(path)
      else Fs.writeFileSync(path, before)
    }
    yield* service.start()
  })
})
