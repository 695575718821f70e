import { afterAll, assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { invoiceBody } from "../../support/apps/Invoices.ts"
import * as TestApp from "../../support/apps/TestApp.ts"
import { until } from "../../support/apps/Until.ts"
import { itOn } from "../../support/Tests.ts"

/** An invoice that fails while the database rejects changes, and that is issued afterwards. */
const refusedThenIssued = Effect.fnUntraced(function* <E, R>(
  close: Effect.Effect<unknown, E, R>,
  open: Effect.Effect<unknown, E, R>
) {
  const sql = yield* SqlClient.SqlClient
  const { client } = yield* TestApp.TestApp
  const customer = yield* TestApp.newCustomer(client)
  const stored = sql`
    select (select count(*)::integer from invoices) as invoices, (select count(*)::integer from idempotency_keys) as keys`
  const before = yield* stored
  const issue = client.post("/v1/invoices", invoiceBody(customer), { key: "one" })

  yield* close
  // A request on a connection that was just cut has an unknown outcome. The client gets an error and retries.
  const refused = yield* until(issue, ({ status }) => status !== 500)
  assert.strictEqual(refused.status, 503, refused.text)
  assert.strictEqual(refused.json.error.code, "service_unavailable")
  assert.strictEqual(refused.headers.get("retry-after"), "1")
  assert.deepStrictEqual(yield* stored, before)
  const unready = yield* client.get("/health/ready")
  assert.strictEqual(unready.status, 503, unready.text)
  assert.strictEqual(unready.json.error.code, "service_unavailable")
  assert.match(unready.json.error.message, /accepts no changes/)

  yield* open
  const issued = yield* until(issue, ({ status }) => status === 202)
  yield* until(client.get(`/v1/invoices/${issued.json.id}`), ({ json }) => json.status === "accepted_by_authority")
  yield* until(client.get("/health/ready"), ({ status }) => status === 200)
})

/** Sends only readiness checks. */
const unreadyThenReady = Effect.fnUntraced(function* <E, R>(
  close: Effect.Effect<unknown, E, R>,
  open: Effect.Effect<unknown, E, R>
) {
  const { client } = yield* TestApp.TestApp
  const ready = client.get("/health/ready")
  yield* until(ready, ({ status }) => status === 200)
  yield* close
  const unready = yield* until(ready, ({ status }) => status === 503)
  assert.match(unready.json.error.message, /accepts no changes/)
  yield* open
  yield* until(ready, ({ status }) => status === 200)
})

// Filling a disk needs a small one, and mounting it needs a superuser of the system.
const mount = () => {
  const small = Fs.mkdtempSync(Path.join(Os.tmpdir(), "folio-small-"))
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", small], { stdio: "ignore" })
    return small
  } catch {
    Fs.rmdirSync(small)
    return null
  }
}
const smallDisks = { invoices: mount(), write_probes: mount() }
const isMounted = smallDisks.invoices !== null && smallDisks.write_probes !== null

afterAll(() => {
  for (const small of Object.values(smallDisks)) {
    if (small === null) continue
    execFileSync("umount", [small])
    Fs.rmdirSync(small)
  }
})

const becomeReadOnly = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [{ name }] = (yield* sql`select current_database() as name`) as [{ name: string }]
  const become = (readOnly: string) =>
    Effect.andThen(
      sql`alter database ${sql(name)} set default_transaction_read_only = ${sql.literal(readOnly)}`,
      sql`select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = ${name} and usename <> current_user`
    )
  return [become("on"), Effect.andThen(sql`set default_transaction_read_only = off`, become("off"))] as const
})

/** Moves a table to a small disk, and returns effects that fill and empty the disk. */
const onSmallDisk = Effect.fnUntraced(function* (table: keyof typeof smallDisks) {
  const small = smallDisks[table] ?? ""
  const sql = yield* SqlClient.SqlClient
  const [{ pid }] = (yield* sql`select pg_backend_pid() as pid`) as [{ pid: number }]
  const { gid, uid } = Fs.statSync(`/proc/${pid}`)
  const place = Path.join(small, table)
  Fs.mkdirSync(place)
  Fs.chownSync(place, uid, gid)
  Fs.chmodSync(small, 0o755)
  const space = sql(`small_${table}`)
  yield* Effect.acquireRelease(sql`create tablespace ${space} location ${sql.literal(`'${place}'`)}`, () =>
    Effect.ignore(sql`drop tablespace ${space}`)
  )
  yield* sql`alter table ${sql(table)} set tablespace ${space}`
  yield* Effect.addFinalizer(() => Effect.ignore(sql`alter table ${sql(table)} set tablespace pg_default`))
  const fill = Effect.gen(function* () {
    yield* sql`create table filler (a text storage plain) tablespace ${space}`
    const failure = yield* Effect.flip(Effect.forever(sql`insert into filler values (repeat('x', 7000))`))
    assert.include(String(failure.reason.cause), "No space left on device")
  })
  return [fill, sql`drop table filler`] as const
})

const it = itOn(TestApp.layer())

// Concurrent, because each test waits most of the time.
describe("A database that rejects changes", { concurrent: true }, () => {
  it.live("stores nothing of the requests while it is read-only, and does their work afterwards", function* () {
    yield* refusedThenIssued(...(yield* becomeReadOnly))
  })

  it.live("leaves the service unready while it is read-only, even without requests for changes", function* () {
    yield* unreadyThenReady(...(yield* becomeReadOnly))
  })

  // The table of invoices is empty, so an insert needs a new block.
  it.live.skipIf(!isMounted)(
    "stores nothing of the requests while its disk is full, and does their work afterwards",
    function* () {
      yield* refusedThenIssued(...(yield* onSmallDisk("invoices")))
    }
  )

  it.live.skipIf(!isMounted)(
    "leaves the service unready while its disk is full, even without requests for changes",
    function* () {
      yield* unreadyThenReady(...(yield* onSmallDisk("write_probes")))
    }
  )
})
