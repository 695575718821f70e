import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { completed } from "../../support/receiver/DeliveryOwners.ts"
import { world } from "../../support/receiver/Redeliveries.ts"
import { onPostgres } from "../../support/database/TwoOwners.ts"

/** Documents with two deliveries each: the first is planned for in an hour, and the second is due. */
const seedBlocked = (like: string, documents: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      insert into events (account_id, livemode, id, type, object_id, object_version, body, created_at)
      select account_id, livemode, 'evt_' || n, type, 'inv_' || n / 2, n % 2 + 1, body, created_at
      from events cross join generate_series(0, ${documents * 2 - 1}::integer) n where id = ${like}`
    yield* sql`
      insert into deliveries (account_id, livemode, id, endpoint_id, event_id, object_id, seq, attempts, next_attempt_at,
        created_at, updated_at)
      select d.account_id, d.livemode, 'whd_' || e.id, d.endpoint_id, e.id, e.object_id, e.seq, 0,
        case when right(e.id, 1)::integer % 2 = 0 then now() + interval '1 hour' else now() - interval '1 hour' end,
        now(), now()
      from events e join deliveries d on d.event_id = ${like} where e.object_id ~ '^inv_[0-9]+$' and length(e.object_id) < 10`
    yield* sql`analyze deliveries, events`
  })

const state = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [counts] = yield* sql<{ due: number; pending: number; apart: number }>`
    select count(*) filter (where next_attempt_at <= now())::integer as due, count(*)::integer as pending,
      count(*) filter (where next_attempt_at <> (
        select h.next_attempt_at from deliveries h where h.object_id = d.object_id and h.status = 'pending' order by h.seq limit 1
      ))::integer as apart
    from deliveries d where status = 'pending'`
  return counts
})

onPostgres(
  "Deliveries behind planned ones are planned with them, in bounded numbers, and hide no due delivery",
  function* () {
    const it = yield* world(2)
    const sql = yield* SqlClient.SqlClient
    const [own] = yield* sql<{ id: string; event_id: string }>`select id, event_id from deliveries order by seq limit 1`
    yield* seedBlocked(own!.event_id, 4_000)
    const before = yield* state
    assert.deepStrictEqual([before?.due, before?.pending], [4_002, 8_002])
    // As many deliveries as one call moves. The next call finds the due ones behind them.
    assert.deepStrictEqual(yield* it.first.take(it.key, 0), [])
    const between = (yield* state)?.due ?? 0
    assert.isBelow(between, 1_000)
    assert.isAbove(between, 500)
    assert.deepStrictEqual(yield* it.first.dueEndpoints(10), [it.key])
    const found = yield* it.first.take(it.key, 0)
    assert.deepStrictEqual(
      found.map(({ id }) => id),
      [own!.id]
    )
    assert.isTrue(yield* it.first.record(completed(found[0]!, true)))
    const [last] = yield* it.first.take(it.key, 0)
    yield* it.first.record(completed(last!, true))
    assert.deepStrictEqual(yield* it.first.take(it.key, 0), [])
    assert.deepStrictEqual(yield* state, { due: 0, pending: 8_000, apart: 0 })
    assert.deepStrictEqual(yield* it.first.dueEndpoints(10), [])

    // When they are due they are sent in order, each once.
    yield* sql`update deliveries set next_attempt_at = next_attempt_at - interval '2 hours' where status = 'pending' and object_id in ('inv_7', 'inv_8')`
    const sent: Array<string> = []
    for (let round = 0; round < 2; round++) {
      const due = yield* it.second.take(it.key, 0)
      sent.push(...due.map(({ id }) => id))
      yield* Effect.forEach(due, (delivery) => it.second.record(completed(delivery, true)))
    }
    assert.deepStrictEqual(sent, ["whd_evt_14", "whd_evt_16", "whd_evt_15", "whd_evt_17"])
    assert.deepStrictEqual(yield* state, { due: 0, pending: 7_996, apart: 0 })
  }
)

onPostgres(
  "A delivery behind one under way is due when that one succeeds, and is planned with it when it fails",
  function* () {
    const it = yield* world(4)
    const [first, second] = yield* it.first.take(it.key, 0)
    assert.deepStrictEqual(yield* it.second.take(it.key, 0), [])
    assert.strictEqual((yield* state)?.due, 2)
    yield* it.first.record(completed(first!, true))
    yield* it.first.record(completed(second!, false))
    assert.strictEqual((yield* it.second.take(it.key, 0)).length, 1)
    assert.deepStrictEqual(yield* it.second.take(it.key, 0), [])
    assert.deepStrictEqual(yield* state, { due: 0, pending: 3, apart: 0 })
  }
)
