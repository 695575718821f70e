import { assert } from "@effect/vitest"
import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Numbering } from "../../../src/store/documents/Numbering.ts"
import { oneOwner, onPostgres } from "../../support/database/TwoOwners.ts"
import { completed } from "../../support/receiver/DeliveryOwners.ts"
import { rows, world } from "../../support/receiver/Redeliveries.ts"

/*
 * An index of what waits keeps every row that has waited until the next vacuum. A statement that finds its rows there, and not by their
 * key, gets dearer with each row that has been worked off.
 */

// More than a pool has connections, so that each of them is asked.
const everySession = Array.from({ length: 40 })

/** How often `work` of the pool `service` reads an index. */
const readsBy = Effect.fnUntraced(function* <E, R>(
  index: string,
  service: SqlClient.SqlClient,
  work: Effect.Effect<unknown, E, R>
) {
  const sql = yield* SqlClient.SqlClient
  const reads = Effect.gen(function* () {
    // A session tells of its reads when it has been idle for a second, or is asked to.
    yield* Effect.forEach(everySession, () => service`select pg_stat_force_next_flush(), pg_sleep(0.02)`, {
      concurrency: "unbounded"
    })
    const [row] = yield* sql<{ reads: number }>`
      select idx_scan::integer as reads from pg_stat_user_indexes where indexrelname = ${index}`
    return row?.reads ?? Number.NaN
  })
  const before = yield* reads
  yield* work
  return (yield* reads) - before
})

const rounds = 12

onPostgres("drafts are numbered by their keys, and not by the index of drafts", function* () {
  const { account, first, resolution, seed, service, sql } = yield* oneOwner
  const numbering = Context.get(first, Numbering)
  const drafts = yield* seed(rounds * 10)
  yield* sql`analyze invoices`
  const number = Effect.forEach(
    Array.from({ length: rounds }, (_, round) => drafts.slice(round * 10, round * 10 + 10)),
    (batch) =>
      Effect.forEach(
        batch,
        (id) =>
          numbering.number({
            key: { ...account, id },
            resolution_id: resolution,
            issue_date: "2026-11-21",
            issue_time: "10:00:00-05:00",
            issuer_version: 1,
            cufe_tail: `tail of ${id}`
          }),
        { concurrency: "unbounded" }
      )
  )
  assert.strictEqual(yield* readsBy("invoices_queued", service, number), 0)
})

onPostgres(
  "attempts are recorded by the keys of their deliveries, and the index of what is due is read only for the next one",
  function* () {
    const it = yield* world(rounds)
    const sql = yield* SqlClient.SqlClient
    const service = Context.get(it.services, SqlClient.SqlClient)
    // The statistics are of a time when nothing waits, as they mostly are: the index of what is due then seems to be the shorter way.
    for (const delivery of [...(yield* it.first.take(it.key, 0)), ...(yield* it.first.take(it.key, 0))])
      yield* it.first.record(completed(delivery, true))
    yield* sql`update deliveries set status = 'succeeded'`
    yield* sql`analyze deliveries`
    for (const { id } of yield* rows) yield* it.redeliver(id)
    const taken = yield* it.first.take(it.key, 0)
    assert.isAtLeast(taken.length, rounds / 2)
    const record = Effect.forEach(taken, (delivery) => it.first.record(completed(delivery, true)))
    // One read of each record: which delivery of the endpoint is next.
    assert.strictEqual(yield* readsBy("deliveries_due", service, record), taken.length)
  }
)
