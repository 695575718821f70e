import { assert } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { layerAdmin, query } from "../../support/database/Postgres.ts"
import { insist, settleAndReconcile, SeveralProcesses } from "../../support/processes/SeveralProcesses.ts"
import { until } from "../../support/apps/Until.ts"
import { describeLive } from "../../support/Tests.ts"

// Other tests use other databases on this server.
const locks = `select l.* from pg_locks l join pg_database d on d.oid = l.database
  where d.datname = current_database() and l.locktype = 'advisory' and l.objsubid = 2`
const held = `${locks} and l.granted`

/** Closes the database to all sessions and ends the open ones, or opens it again. */
const admit = Effect.fnUntraced(function* (anybody: boolean) {
  const { database } = yield* SeveralProcesses
  const elsewhere = new URL(database)
  const name = elsewhere.pathname.slice(1)
  elsewhere.pathname = "postgres"
  yield* query(elsewhere.href, `alter database ${name} with allow_connections ${anybody}`)
  if (!anybody) {
    yield* query(elsewhere.href, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
  }
})

describeLive(SeveralProcesses.layer(1))("A process that loses its locks or its database", (it) => {
  it.effect("reports not ready after the loss of its locks, until it has taken its shards again", function* () {
    const { database, processes } = yield* SeveralProcesses
    const [{ ready }] = processes as [(typeof processes)[0]]
    assert.strictEqual(yield* ready, 200)
    // A session that queues for every lock of the process: when its session ends, the process cannot get them back
    // immediately.
    const inLine = yield* Effect.forkChild(
      Effect.scoped(
        Effect.gen(function* () {
          const session = yield* (yield* SqlClient.SqlClient).reserve
          yield* session.executeRaw(
            `select pg_advisory_lock(signed(classid), signed(objid)) from (${held}) locks`.replaceAll(
              /signed\((\w+)\)/g,
              "($1::bigint - case when $1::bigint > 2147483647 then 4294967296 else 0 end)::integer"
            ),
            []
          )
          return yield* Effect.never
        })
      ).pipe(Effect.provide(layerAdmin(database)))
    )
    yield* until(query(database, `${locks} and not l.granted`), ({ rowCount }) => rowCount > 0)
    yield* query(database, `select pg_terminate_backend(pid) from (${held}) locks limit 1`)
    yield* until(ready, (status) => status === 503)
    yield* Fiber.interrupt(inLine)
    yield* until(ready, (status) => status === 200)
  })

  it.effect("reports not ready without its database for longer than its lease, and continues afterwards", function* () {
    const { processes } = yield* SeveralProcesses
    const [{ log, ready }] = processes as [(typeof processes)[0]]
    yield* insist("before 0")
    yield* admit(false)
    const began = performance.now()
    const seen = new Set<number>()
    yield* until(ready, (status) => status === 503)
    const during = yield* Effect.forkChild(insist("during 0"))
    // The lease lasts 6 s. No state shows its end, because no other process can take the shards.
    yield* until(
      Effect.tap(ready, (status) => Effect.sync(() => seen.add(status))),
      () => performance.now() - began > 8_000
    )
    // On a busy machine, a request without a response in time does not count.
    seen.delete(0)
    assert.deepStrictEqual([...seen], [503])
    yield* admit(true)
    yield* until(ready, (status) => status === 200)
    yield* Fiber.join(during)
    yield* insist("after 0")
    const { invoices } = yield* settleAndReconcile()
    assert.strictEqual(invoices, 3)
    assert.include(yield* log, "Shard lock storage has recovered")
  })
})
