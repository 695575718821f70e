import { assert } from "@effect/vitest"
import { Context, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { Deliveries } from "../../../src/webhooks/store/Deliveries.ts"
import { Idempotency } from "../../../src/accounts/store/Idempotency.ts"
import { Ids } from "../../../src/database/Ids.ts"
import { recoveredMax, Redelivery } from "../../../src/webhooks/store/Redelivery.ts"
import { completed } from "../../support/receiver/DeliveryOwners.ts"
import { blocked } from "../../support/database/Owners.ts"
import { answer, rows, world } from "../../support/receiver/Redeliveries.ts"

import { anotherOwner, endedOr, onPostgres, paused } from "../../support/database/TwoOwners.ts"

onPostgres(
  "Two concurrent recoveries make failed and missing deliveries due, each once, in order, within max_in_flight",
  function* () {
    const it = yield* world(40)
    const sql = yield* SqlClient.SqlClient
    const since = new Date(Date.now() - 60_000)
    const all = yield* rows
    // A quarter of the deliveries has failed, a quarter is missing, and no other may change.
    const failed = all.slice(0, 10).map(({ id }) => id)
    const missed = all.slice(10, 20).map(({ id }) => id)
    yield* sql`update deliveries set status = 'succeeded', attempts = 2`
    yield* sql`update deliveries set status = 'failed', attempts = 4 where id = any(${failed})`
    yield* sql`delete from deliveries where id = any(${missed})`
    const untouched = (yield* rows).slice(10)

    const owner = yield* anotherOwner
    const other = Context.get(owner, Idempotency).once(
      it.key,
      null,
      Effect.as(Context.get(owner, Redelivery).recover(it.key, since), answer)
    )
    const [recovered] = yield* Effect.all([it.recover(since), Effect.orDie(other)], { concurrency: 2 })
    assert.include([0, 20], recovered.deliveries)
    assert.isFalse(recovered.has_more)
    const due = (yield* rows).filter((row) => row.status === "pending")
    assert.deepStrictEqual(
      due.map(({ id }) => id),
      [...failed, ...missed]
    )
    assert.deepStrictEqual([...new Set(due.map(({ trigger }) => trigger))], ["recover"])
    assert.deepStrictEqual((yield* rows).slice(20), untouched)

    // In the order of events, at most ten at a time, each with a new schedule.
    const order: Array<string> = []
    for (let turn = 0; turn < 2; turn++) {
      const taken = yield* it.first.take(it.key, 0)
      assert.strictEqual(taken.length, 10)
      for (const delivery of taken) {
        assert.deepInclude(delivery, { trigger: "recover", scheduled: 0 })
        order.push(delivery.id)
        yield* it.first.record(completed(delivery, delivery.id !== failed[0]))
      }
    }
    assert.deepStrictEqual(order, [...failed, ...missed])
    const [again] = yield* rows
    assert.deepInclude(again, { status: "pending", attempts: 5, unscheduled: 4, trigger: "auto" })
    assert.strictEqual((yield* it.recover(since)).deliveries, 0)
  }
)

onPostgres(
  "A recovery skips older events, other types, samples, and deliveries with a requested attempt",
  function* () {
    const it = yield* world(10)
    const sql = yield* SqlClient.SqlClient
    const [old, typed, , hand, ...rest] = yield* rows
    const sample = yield* it.test(yield* Context.get(it.services, Ids).event)
    yield* sql`alter table events disable trigger events_never_change`
    yield* sql`
    update events set created_at = now() - interval '1 hour'
    where id = (select event_id from deliveries where id = ${old!.id})`
    yield* sql`
    update events set type = 'invoice.email.bounced' where id = (select event_id from deliveries where id = ${typed!.id})`
    yield* sql`update deliveries set status = 'failed' where id = any(${[old!.id, hand!.id, sample]})`
    yield* it.redeliver(hand!.id)
    yield* sql`delete from deliveries where id = ${typed!.id} or id = any(${rest.map(({ id }) => id)}) and id <> ${sample}`
    const { deliveries } = yield* it.recover(new Date(Date.now() - 60_000))
    const made = (yield* rows).filter(({ trigger }) => trigger === "recover").map(({ id }) => id)
    assert.deepStrictEqual(
      made,
      rest.map(({ id }) => id)
    )
    assert.strictEqual(deliveries, made.length)
  }
)

onPostgres("A recovery does not block records of attempts for the same endpoint", function* () {
  const it = yield* world(4)
  const sql = yield* SqlClient.SqlClient
  const taken = yield* it.first.take(it.key, 0)
  const recovery = yield* paused((pause) => it.recover(new Date(0), pause))
  const owner = yield* anotherOwner
  const recording = yield* Effect.forkScoped(
    Effect.forEach(taken, (delivery) => Context.get(owner, Deliveries).record(completed(delivery, false)))
  )
  yield* endedOr(recording, blocked("duration_ms, succeeded"))
  assert.deepStrictEqual(yield* blocked("duration_ms, succeeded"), [])
  yield* Fiber.join(recording)
  yield* recovery.goOn
  assert.strictEqual((yield* sql`select 1 from attempts`).length, 2)
})

onPostgres("A recovery handles a limited number, the oldest first, and reports whether more remain", function* () {
  const it = yield* world(2)
  const sql = yield* SqlClient.SqlClient
  yield* sql`truncate events cascade`
  yield* sql`
    insert into events (account_id, livemode, id, type, object_id, object_version, body, created_at)
    select ${it.key.account_id}, false, ${(yield* Context.get(it.services, Ids).event).slice(0, 20)} || to_char(n, 'FM000000'),
      'invoice.failed', 'inv_' || n, 1, '{}', now()
    from generate_series(1, ${recoveredMax + 5}) n`
  const since = new Date(Date.now() - 60_000)
  assert.deepStrictEqual(yield* it.recover(since), { deliveries: recoveredMax, has_more: true })
  assert.deepStrictEqual(yield* sql`select max(seq) - min(seq) + 1 as span from deliveries`, [
    { span: BigInt(recoveredMax) }
  ])
  assert.deepStrictEqual(yield* it.recover(since), { deliveries: 5, has_more: false })
})

onPostgres(
  "A recovery makes deliveries for events of any type, also of a later release, if the endpoint subscribes to all",
  function* () {
    const it = yield* world(4)
    const sql = yield* SqlClient.SqlClient
    yield* sql`alter table events disable trigger events_never_change`
    yield* sql`update events set type = 'invoice.of_a_later_release' where seq = (select min(seq) from events)`
    yield* sql`delete from deliveries`
    yield* sql`update webhook_endpoints set subscribed_events = '{invoice.failed}'`
    assert.strictEqual((yield* it.recover(new Date(Date.now() - 60_000))).deliveries, 0)
    yield* sql`update webhook_endpoints set subscribed_events = '{*}'`
    assert.strictEqual((yield* it.recover(new Date(Date.now() - 60_000))).deliveries, 4)
  }
)
