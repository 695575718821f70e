import { assert, describe } from "@effect/vitest"
import { ConfigProvider, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { TestConsole } from "effect/testing"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { AuditLog, operator } from "../../../src/accounts/store/AuditLog.ts"
import { AuditChains } from "../../../src/operations/store/AuditChains.ts"
import { layerOwner, seedAccount } from "../../support/database/Owners.ts"
import { bareDatabase, dataDirectory, freshDatabase, query } from "../../support/database/Postgres.ts"
import { folio as program } from "../../../src/cli/operator/Folio.ts"
import { run } from "../../../src/service/Run.ts"
import { until } from "../../support/apps/Until.ts"
import { paused } from "../../support/database/TwoOwners.ts"
import { folioHere } from "../../support/processes/FolioHere.ts"
import { it } from "../../support/Tests.ts"

// The key that seals the rows of `layerOwner`.
const FOLIO_KEY = Buffer.from(new Uint8Array(32).fill(7)).toString("base64")

/** A database with the sandbox account, and its entries sealed. */
const sealed = Effect.gen(function* () {
  const url = yield* freshDatabase
  const account = yield* Effect.gen(function* () {
    const seeded = yield* seedAccount
    const log = yield* AuditLog
    for (const id of ["key_1", "key_2", "key_3"]) yield* log.record(seeded.account, operator, "api_key.created", id)
    const chains = yield* AuditChains
    yield* Effect.repeat(chains.seal, { while: (count) => count > 0 })
    return seeded.account.account_id
  }).pipe(Effect.provide(layerOwner(url)))
  const DATA_DIR = yield* dataDirectory
  const env = { DATABASE_URL: url, DATA_DIR, FOLIO_KEY }
  return { account, env, url, folio: (...words: ReadonlyArray<string>) => folioHere(words, env) }
})

describe("folio audit", () => {
  it.live("prints the latest entries, and verifies the chains", function* () {
    const { account, folio, url } = yield* sealed
    const printed = yield* folio("audit", "tail")
    assert.strictEqual(printed.code, 0, printed.error)
    assert.match(printed.out, new RegExp(`${account}  test  operator  api_key.created  key_`))
    assert.strictEqual((yield* folio("audit", "tail", "--live")).out, "")
    assert.strictEqual((yield* folio("audit", "tail", "--account", account)).out, printed.out)

    const made = yield* folio("platforms", "create", "--name", "Mi ERP", "--json")
    const { id } = made.json.platform
    const own = yield* folio("audit", "tail", "--account", id)
    assert.match(own.out, new RegExp(`operator  platform.created  ${id}`), own.error)

    const right = yield* folio("audit", "verify", "--json")
    assert.strictEqual(right.code, 0, right.error)
    const test = right.json.chains.find((one: { readonly account_id: string }) => one.account_id === account)
    assert.deepInclude(test, { entries: 3, position: 3, unsealed: 0, fault: null })
    assert.match((yield* folio("audit", "verify")).out, /test  .*ok, 3 entries/)

    yield* query(url, "alter table audit_log disable trigger user")
    yield* query(url, "update audit_log set actor = 'key_x' where position = 1")
    const broken = yield* folio("audit", "verify", "--account", account)
    assert.strictEqual(broken.code, 1)
    assert.match(broken.out, /WRONG at position 1: The entry or its hash was changed/)
    assert.strictEqual((yield* folio("audit", "verify", "--account", "ten_00000000000000000000000000")).code, 1)
  })

  it.live("follows the log, and prints each entry once, also an entry that commits after a later one", function* () {
    const { account, env, url } = yield* sealed
    yield* Effect.gen(function* () {
      const words = ["audit", "tail", "--follow", "--json"]
      const settings = ConfigProvider.layer(ConfigProvider.fromEnv({ env }))
      const following = yield* Effect.forkScoped(Effect.provide(run(program(words)), settings))
      const printed = Effect.map(TestConsole.logLines, (lines) =>
        lines.map((line) => String(JSON.parse(String(line)).object_id))
      )
      const prints = (count: number) => until(printed, ({ length }) => length >= count)
      yield* prints(3)
      yield* Effect.gen(function* () {
        const log = yield* AuditLog
        const sql = yield* SqlClient.SqlClient
        const record = (id: string) =>
          log.record({ account_id: account, livemode: false }, operator, "api_key.created", id)
        const late = yield* paused((pause) => sql.withTransaction(Effect.andThen(record("key_late"), pause)))
        yield* record("key_4")
        yield* prints(4)
        yield* late.goOn
        yield* prints(5)
        yield* record("key_5")
        yield* prints(6)
      }).pipe(Effect.provide(layerOwner(url)))
      assert.deepStrictEqual(yield* printed, ["key_1", "key_2", "key_3", "key_4", "key_late", "key_5"])
      yield* Fiber.interrupt(following)
    }).pipe(Effect.provide(TestConsole.layer))
  })

  it.live("follows no log while no service runs, so that a service can start", function* () {
    const DATA_DIR = yield* dataDirectory
    const followed = yield* folioHere(["audit", "tail", "--follow"], { DATA_DIR })
    assert.strictEqual(followed.code, 1)
    assert.match(followed.error, /No service runs with DATA_DIR .* Start the service first/)
    assert.isFalse(Fs.existsSync(Path.join(DATA_DIR, "postgres")))
  })

  it.live("verifies a restored backup, and the entries after it", function* () {
    const { env, folio } = yield* sealed
    const file = Path.join(env.DATA_DIR, "backup")
    assert.strictEqual((yield* folio("backup", file, "--json")).code, 0)
    const to = yield* bareDatabase
    const restored = yield* folioHere(["restore", file], { ...env, DATABASE_URL: to })
    assert.strictEqual(restored.code, 0, restored.error)
    const chainsOf = (url: string) =>
      Effect.map(folioHere(["audit", "verify", "--json"], { ...env, DATABASE_URL: url }), ({ json }) => json)
    const before = yield* chainsOf(env.DATABASE_URL)
    assert.isTrue(before.ok)
    assert.strictEqual(before.chains[0].entries, 3)
    const after = yield* chainsOf(to)
    assert.deepStrictEqual(after, before)
  })
})
