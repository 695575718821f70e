import { assert } from "@effect/vitest"
import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Numbering } from "../../src/invoices/store/Numbering.ts"
import { oneOwner, onPostgres } from "../support/database/TwoOwners.ts"
import { completed } from "../support/receiver/DeliveryOwners.ts"
import { rows, world } from "../support/receiver/Redeliveries.ts"

/*
 * Until the next vacuum, an index of waiting rows keeps every row that has waited. A statement that finds its rows
 * there instead of by their key becomes slower with each completed row.
 */

// More than the connections of a pool, so that each connection is used.
const everySession = Array.from({ length: 40 })

/** Number of index reads by `work` with the pool `service`. */
const readsBy = Effect.fnUntraced(function* <E, R>(
  index: string,
  service: SqlClient.SqlClient,
  work: Effect.Effect<unknown, E, R>
) {
  const sql = yield* SqlClient.SqlClient
  const reads = Effect.gen(function* () {
    // A session reports its reads after a second without work, or on request.
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

onPostgres("Numbering finds drafts by their keys instead of the index of drafts", function* () {
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
  "A record of an attempt finds its delivery by key, and reads the index of due rows only for the next one",
  function* () {
    const it = yield* world(rounds)
    const sql = yield* SqlClient.SqlClient
    const service = Context.get(it.services, SqlClient.SqlClient)
    // The usual statistics come from a time without waiting rows, and make the index of due rows look cheaper.
    for (const delivery of [...(yield* it.first.take(it.key, 0)), ...(yield* it.first.take(it.key, 0))])
      yield* it.first.record(completed(delivery, true))
    yield* sql`update deliveries set status = 'succeeded'`
    yield* sql`analyze deliveries`
    for (const { id } of yield* rows) yield* it.redeliver(id)
    const taken = yield* it.first.take(it.key, 0)
    assert.isAtLeast(taken.length, rounds / 2)
    const record = Effect.forEach(taken, (delivery) => it.first.record(completed(delivery, true)))
    // A single read per record: the search for the endpoint's next delivery.
    assert.strictEqual(yield* readsBy("deliveries_due", service, record), taken.length)
  }
)
