import * as PgConnection from "@effect/sql-pg/PgConnection"
import { assert } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Redacted, Schedule } from "effect"
import { AuthenticationError } from "effect/sql/SqlError"
import { spawn, spawnSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { isSharedUser, start } from "../../../src/runtime/postgres/EmbeddedPostgres.ts"
import {
  CHECKOUT,
  copyOf,
  dataDirectory,
  isAlive,
  otherProcess,
  postmasterOf,
  query,
  until
} from "../platform/FolioProcess.ts"
import { describeLive } from "../../support/Tests.ts"

const unprivileged = { uid: 65_534, gid: 65_534 }
const DAEMON = { uid: 1, gid: 1 }
const isRoot = process.getuid?.() === 0
const othersReadCheckout =
  isRoot && spawnSync(process.execPath, ["-e", "0"], { ...DAEMON, cwd: CHECKOUT, stdio: "ignore" }).status === 0

/** A directory in which a server has started and stopped. Each test of a later start has a copy. */
class Made extends Context.Service<Made, string>()("test/Made") {
  static readonly layer = Layer.effect(
    Made,
    Effect.tap(dataDirectory(), (dataDir) => Effect.scoped(start({ dataDir })))
  )
  static readonly copy = Effect.flatMap(Made, copyOf)
}

// Whether the login may become the role, and whether it has the role's rights without becoming it.
const memberships = `
  select role, pg_has_role(role, 'set'), pg_has_role(role, 'usage')
  from unnest(array['folio_account', 'folio_service']) role`
const mayTakeOnBoth = [
  ["folio_account", true, false],
  ["folio_service", true, false]
]

describeLive(Made.layer)("EmbeddedPostgres", (it) => {
  it.effect("creates a database owned by a role without privileges, and leaves no process behind", function* () {
    const dataDir = yield* dataDirectory()
    const postmaster = yield* Effect.scoped(
      Effect.gen(function* () {
        const connection = yield* start({ dataDir })
        const rows = yield* query(
          connection,
          `select current_user::text, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb,
                 pg_get_userbyid(d.datdba)::text, pg_encoding_to_char(d.encoding)::text, d.datcollate
               from pg_roles, pg_database d where rolname = current_user and datname = current_database()`
        )
        assert.deepStrictEqual(rows, [["folio", false, false, false, false, "folio", "UTF8", "C"]])
        const settings = "select current_setting('fsync'), current_setting('synchronous_commit')"
        assert.deepStrictEqual(yield* query(connection, settings), [["on", "on"]])
        assert.deepStrictEqual(yield* query(connection, memberships), mayTakeOnBoth)
        const wrong = { ...connection, password: Redacted.make("wrong") }
        assert.instanceOf((yield* Effect.flip(query(wrong, "select 1"))).reason, AuthenticationError)
        for (const name of ["folio.password", "postgres.password", "postgres.log"]) {
          assert.strictEqual(Fs.statSync(Path.join(dataDir, name)).mode & 0o777, 0o600, name)
        }
        assert.strictEqual(Fs.readFileSync(Path.join(dataDir, "folio.pid"), "utf8"), `${process.pid}\n`)
        return postmasterOf(dataDir)
      })
    )
    assert.isFalse(isAlive(postmaster))
    const files = ["folio.lock", "folio.password", "postgres", "postgres.log", "postgres.password"]
    assert.sameMembers(Fs.readdirSync(dataDir), files)
  })

  it.effect(
    "keeps the rows at a warm start, repairs a half-finished start, and mistakes no other process for the old server",
    function* () {
      const dataDir = yield* Made.copy
      yield* Effect.scoped(
        Effect.gen(function* () {
          const connection = yield* start({ dataDir })
          yield* query(connection, "create table kept as select 42 as answer")
          const password = Redacted.make(Fs.readFileSync(Path.join(dataDir, "postgres.password"), "utf8"))
          const superuser = { ...connection, username: "postgres", password }
          // As if killed after the role of an earlier release, before its attributes, the other roles and the database.
          yield* query(superuser, "alter role folio superuser")
          yield* query(superuser, "alter role folio set statement_timeout = '1ms'")
          yield* query(superuser, "drop role folio_service")
          yield* query(superuser, "revoke folio_account from folio")
          yield* query({ ...superuser, database: "postgres" }, "alter database folio rename to moved")
        })
      )
      const impostor = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], isRoot ? unprivileged : {})
      yield* Effect.addFinalizer(() => Effect.sync(() => impostor.kill("SIGKILL")))
      const pidFile = `${impostor.pid}\n/proc/self/cwd\n1\n5432\n\n127.0.0.1\n1 1\nready\n`
      Fs.writeFileSync(Path.join(dataDir, "postgres/postmaster.pid"), pidFile)
      const connection = yield* start({ dataDir })
      const rows = yield* query(
        connection,
        "select rolsuper, current_setting('statement_timeout') from pg_roles where rolname = current_user"
      )
      assert.deepStrictEqual(rows, [[false, "0"]])
      assert.deepStrictEqual(yield* query(connection, memberships), mayTakeOnBoth)
      const kept = yield* query({ ...connection, database: "moved" }, "select answer from kept")
      assert.deepStrictEqual(kept, [[42]])
      assert.isTrue(isAlive(impostor.pid ?? 0))
    }
  )

  it.effect("restarts a killed postmaster on the same port with the committed rows", function* () {
    const dataDir = yield* Made.copy
    const connection = yield* start({ dataDir })
    yield* query(connection, "create table kept as select 42 as answer")
    const killed = postmasterOf(dataDir)
    process.kill(killed, "SIGKILL")
    const rows = yield* query(connection, "select answer from kept").pipe(
      Effect.retry(Schedule.spaced("20 millis")),
      Effect.timeout("60 seconds")
    )
    assert.deepStrictEqual(rows, [[42]])
    assert.notStrictEqual(postmasterOf(dataDir), killed)
  })

  it.effect("takes over the server of a killed process, supervises it and stops it", function* () {
    const dataDir = yield* Made.copy
    const other = yield* otherProcess(dataDir)
    const before = yield* other.hears("STARTED")
    const postmaster = postmasterOf(dataDir)
    yield* other.kill
    assert.isTrue(isAlive(postmaster))
    yield* Effect.scoped(
      Effect.gen(function* () {
        const connection = yield* start({ dataDir })
        assert.strictEqual(connection.port, before.port)
        assert.strictEqual(postmasterOf(dataDir), postmaster)
        assert.deepStrictEqual(yield* query(connection, "select 1"), [[1]])
      })
    )
    assert.isFalse(isAlive(postmaster))

    const third = yield* otherProcess(dataDir)
    yield* third.hears("STARTED")
    yield* third.kill
    const connection = yield* start({ dataDir })
    process.kill(postmasterOf(dataDir), "SIGKILL")
    yield* query(connection, "select 1").pipe(Effect.retry(Schedule.spaced("20 millis")), Effect.timeout("60 seconds"))
  })

  it.effect("waits at the start until the remains of a killed postmaster are gone", function* () {
    const dataDir = yield* Made.copy
    const other = yield* otherProcess(dataDir)
    const { password, ...connection } = yield* other.hears("STARTED")
    const session = yield* PgConnection.make({ ...connection, password: Redacted.make(password), ssl: false })
    const backend = session.processId
    yield* Effect.addFinalizer(() => Effect.ignore(Effect.try(() => process.kill(backend, "SIGKILL"))))
    // A stopped backend keeps the shared memory of its postmaster.
    process.kill(backend, "SIGSTOP")
    const postmaster = postmasterOf(dataDir)
    yield* other.kill
    process.kill(postmaster, "SIGKILL")
    const starting = yield* Effect.forkChild(start({ dataDir }))
    const log = Path.join(dataDir, "postgres.log")
    yield* until(() => Fs.readFileSync(log, "utf8").includes("pre-existing shared memory"))
    process.kill(backend, "SIGCONT")
    assert.deepStrictEqual(yield* query(yield* Fiber.join(starting), "select 1"), [[1]])
  })

  it.effect("rejects a second process on the same directory, and does no harm to the first", function* () {
    const dataDir = yield* Made.copy
    const connection = yield* start({ dataDir })
    const other = yield* otherProcess(dataDir)
    const message = yield* other.hears("FAILED")
    const refused = `Another Folio (pid ${process.pid}) is already running with DATA_DIR ${dataDir}.`
    assert.isTrue(message.startsWith(refused), message)
    const here = yield* Effect.flip(Effect.scoped(start({ dataDir })))
    assert.isTrue(here.message.startsWith(refused), here.message)
    assert.deepStrictEqual(yield* query(connection, "select 1"), [[1]])
    assert.isTrue(Fs.existsSync(Path.join(dataDir, "folio.pid")))
  })

  it.effect("starts in a directory that a process killed during initdb has left", function* () {
    const dataDir = yield* dataDirectory()
    const other = yield* otherProcess(dataDir)
    const staged = () =>
      Fs.existsSync(dataDir) ? Fs.readdirSync(dataDir).filter((name) => name.startsWith("postgres.new-")) : []
    yield* until(() => staged().some((name) => Fs.existsSync(Path.join(dataDir, name, "cluster/pg_wal"))))
    yield* other.kill
    assert.isFalse(Fs.existsSync(Path.join(dataDir, "postgres")))
    const connection = yield* start({ dataDir })
    assert.deepStrictEqual(yield* query(connection, "select 1"), [[1]])
    assert.deepStrictEqual(staged(), [])
  })

  it.effect("leaves no process behind when its start is interrupted", function* () {
    const dataDir = yield* Made.copy
    const starting = yield* Effect.forkChild(Effect.scoped(start({ dataDir })))
    yield* until(() => postmasterOf(dataDir) > 0)
    const postmaster = postmasterOf(dataDir)
    yield* Fiber.interrupt(starting)
    assert.isFalse(isAlive(postmaster))
  })

  it.effect("reports an unusable directory in one line", function* () {
    const dataDir = yield* dataDirectory()
    Fs.writeFileSync(dataDir, "a file")
    const error = yield* Effect.flip(start({ dataDir }))
    assert.match(error.message, /^Cannot keep data in DATA_DIR .*Choose a directory that this user can write to\.$/)
  })

  it.effect("reports an empty or damaged file there in one line, with the fix", function* () {
    const dataDir = yield* Made.copy
    const told = (name: string, content: string) =>
      Effect.gen(function* () {
        const path = Path.join(dataDir, name)
        const before = Fs.existsSync(path) ? Fs.readFileSync(path) : undefined
        Fs.writeFileSync(path, content)
        const { message } = yield* Effect.flip(Effect.scoped(start({ dataDir })))
        if (before === undefined) Fs.rmSync(path)
        else Fs.writeFileSync(path, before)
        assert.notInclude(message, "\n")
        return message
      })
    assert.match(yield* told("folio.password", "x'; drop"), /folio\.password: it should hold 48 hex digits.* Remove it/)
    assert.match(yield* told("postgres.password", ""), /postgres\.password: it should hold 48 hex digits.* Restore it/)
    assert.match(yield* told("folio.lock", "garbage".repeat(1_000)), /folio\.lock is damaged\. Remove it/)
    assert.match(yield* told("postgres/PG_VERSION", "x"), /does not start: .*\/postgres" is not a valid data directory/)
    assert.match(yield* told("postgres/global/pg_control", ""), /does not start: .*pg_control.* from a backup/)
    assert.match(yield* told("postgres/postmaster.pid", "garbage"), /remove what is left of .*postmaster\.pid$/)
    yield* start({ dataDir })
  })

  it.effect("reports immediately a directory that it can never create", function* () {
    const error = yield* Effect.flip(start({ dataDir: "/proc/folio/data" })).pipe(Effect.timeout("10 seconds"))
    assert.match(error.message, /^Cannot keep data in DATA_DIR \/proc\/folio\/data: .*can write to\.$/)
  })

  it.effect.skipIf(!isRoot || process.platform !== "linux")(
    "uses a directory that only root may enter by serving as another user (root only)",
    function* () {
      const dataDir = yield* dataDirectory(undefined, 0o700)
      yield* Effect.scoped(start({ dataDir }))
      const connection = yield* start({ dataDir })
      assert.deepStrictEqual(yield* query(connection, "select 1"), [[1]])
      assert.strictEqual(Fs.statSync(`/proc/${postmasterOf(dataDir)}`).uid, unprivileged.uid)
      assert.isTrue(isSharedUser(dataDir))
      assert.strictEqual(Fs.statSync(Path.join(dataDir, "postgres")).mode & 0o777, 0o700)
      assert.strictEqual(Fs.statSync(dataDir).uid, 0)
    }
  )

  it.effect.skipIf(!othersReadCheckout)(
    "starts as a user other than root, and root continues with that directory (root only)",
    function* () {
      const dataDir = yield* dataDirectory(DAEMON, 0o700)
      const other = yield* otherProcess(dataDir, DAEMON)
      const { password, ...connection } = yield* other.hears("STARTED")
      const rows = yield* query({ ...connection, password: Redacted.make(password) }, "select current_user::text")
      assert.deepStrictEqual(rows, [["folio"]])
      yield* other.kill
      assert.strictEqual((yield* start({ dataDir })).port, connection.port)
    }
  )

  it.effect.skipIf(!othersReadCheckout)("reports another user's directory in one line (root only)", function* () {
    const dataDir = yield* dataDirectory()
    const other = yield* otherProcess(dataDir, DAEMON)
    assert.match(yield* other.hears("FAILED"), /^Cannot keep data in DATA_DIR .*EACCES.*can write to\.$/)
  })
})
