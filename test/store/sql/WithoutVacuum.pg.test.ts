import { assert } from "@effect/vitest"
import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Numbering } from "../../../src/store/documents/Numbering.ts"
import { until } from "../../support/apps/Until.ts"
import { oneOwner, onPostgres } from "../../support/database/TwoOwners.ts"
import { completed } from "../../support/receiver/DeliveryOwners.ts"
import { world } from "../../support/receiver/Redeliveries.ts"

/*
 * An index of what waits keeps every row that has waited until the next vacuum. A statement that finds its rows there, and not by their
 * key, gets dearer with each row that has been worked off.
 */

/** How often an index has been read. Each session tells of its reads when it has been idle for a while. */
const readsOf = Effect.fnUntraced(function* (index: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ reads: number }>`
    select idx_scan::integer as reads from pg_stat_user_indexes where indexrelname = ${index}`
  return row?.reads ?? 0
})

/** How often `work` reads the index `waiting`, when it reads the index `key` at least `atLeast` times. */
const readsBy = Effect.fnUntraced(function* <E, R>(
  waiting: string,
  key: string,
  atLeast: number,
  work: Effect.Effect<unknown, E, R>
) {
  const [before, keyBefore] = [yield* readsOf(waiting), yield* readsOf(key)]
  yield* work
  yield* until(readsOf(key), (reads) => reads >= keyBefore + atLeast)
  return (yield* readsOf(waiting)) - before
})

const rounds = 12

onPostgres("drafts are numbered by their keys, and not by the index of drafts", function* () {
  const { account, first, resolution, seed, sql } = yield* oneOwner
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
  assert.strictEqual(yield* readsBy("invoices_queued", "invoices_pkey", rounds, number), 0)
})

onPostgres("attempts are recorded by the keys of their deliveries, and not by the index of what is due", function* () {
  const it = yield* world(2 * rounds)
  const sql = yield* SqlClient.SqlClient
  yield* sql`analyze deliveries`
  const taken = yield* it.first.take(it.key, 0)
  assert.isAtLeast(taken.length, rounds / 2)
  const record = Effect.forEach(taken, (delivery) => it.first.record(completed(delivery, true)))
  assert.strictEqual(yield* readsBy("deliveries_due", "deliveries_pkey", taken.length, record), 0)
})
