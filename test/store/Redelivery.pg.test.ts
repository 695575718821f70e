import { assert, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { AttemptTrigger } from "../../schemas/Delivery.ts"
import { DeliveryId, type EventId } from "../../schemas/Id.ts"
import { Deliveries, type DueDelivery } from "../../src/store/Deliveries.ts"
import { DeliveryLog } from "../../src/store/DeliveryLog.ts"
import { IdempotencyKeys } from "../../src/store/IdempotencyKeys.ts"
import { Ids } from "../../src/store/Ids.ts"
import { recoveredMax, Redelivery } from "../../src/store/Redelivery.ts"
import { completed, twoOwners } from "../support/DeliveryOwners.ts"
import { blocked, ownerLayer } from "../support/Owners.ts"
import { TestDatabase } from "../support/Postgres.ts"
import { until } from "../support/Until.ts"

interface Row {
  readonly id: string
  readonly status: string
  readonly attempts: number
  readonly trigger: AttemptTrigger
  readonly unscheduled: number
  readonly prior_status: string | null
  readonly is_due: boolean
}

const rows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<Row>`
    select id, status, attempts, trigger, unscheduled, prior_status, next_attempt_at <= now() as is_due
    from deliveries order by seq`
})

const triggers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const log = yield* sql<{ trigger: string }>`select trigger from attempts order by started_at, number`
  return log.map(({ trigger }) => trigger)
})

const answer = { status: 202, location: null, body: "" }

/** An endpoint with `count` deliveries of documents with two events each, and what an account may ask for, in its view. */
const world = Effect.fnUntraced(function* (count: number) {
  const owners = yield* twoOwners(count)
  const { key, services } = owners
  const keys = Context.get(services, IdempotencyKeys)
  const redelivery = Context.get(services, Redelivery)
  const inView = <A>(effect: Effect.Effect<A, never>) =>
    Effect.gen(function* () {
      let result: A | undefined
      yield* Effect.orDie(
        keys.once(
          key,
          null,
          Effect.as(
            Effect.tap(effect, (a) => Effect.sync(() => (result = a))),
            answer
          )
        )
      )
      return result as A
    })
  return {
    ...owners,
    log: Context.get(services, DeliveryLog),
    redeliver: (id: string) =>
      inView(
        Effect.orDie(redelivery.redeliver({ account_id: key.account_id, livemode: false, id: DeliveryId.make(id) }))
      ),
    recover: (since: Date) => inView(Effect.orDie(redelivery.recover(key, since))),
    test: (event: EventId) =>
      inView(
        Effect.orDie(
          redelivery.test(key, ([type = "invoice.failed"]) => ({
            id: event,
            type,
            object_id: "inv_sample",
            body: "{}",
            created_at: new Date()
          }))
        )
      )
  }
})

type World = Effect.Success<ReturnType<typeof world>>

const onPostgres = (name: string, test: Effect.Effect<void, unknown, Effect.Services<ReturnType<typeof world>>>) =>
  it.live(name, () => test.pipe(Effect.provide(TestDatabase.layer)))

const takeOne = ({ first, key }: World, id: string) =>
  Effect.map(first.take(key, 0), (due) => {
    const found = due.find((delivery) => delivery.id === id)
    if (found === undefined) throw new Error(`${id} was not taken`)
    return found
  })

const endOfSchedule = (delivery: DueDelivery) => ({ ...completed(delivery, false), retryInMs: null })

const dueNow = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update deliveries set next_attempt_at = now() where status = 'pending'`
})

/** What is recorded of the first attempt, and what an attempt that was asked for then leaves behind. */
const asked = [
  { was: "succeeded", succeeded: true, status: "succeeded" },
  { was: "succeeded", succeeded: false, status: "succeeded" },
  { was: "failed", succeeded: true, status: "succeeded" },
  { was: "failed", succeeded: false, status: "failed" },
  { was: "pending", succeeded: true, status: "succeeded" },
  { was: "pending", succeeded: false, status: "pending" }
] as const

for (const { status, succeeded, was } of asked) {
  onPostgres(
    `an attempt asked for of a delivery that is ${was} ${succeeded ? "succeeds" : "fails"}: it is ${status}`,
    Effect.gen(function* () {
      const it = yield* world(2)
      const [{ id }] = (yield* rows) as [Row]
      const sql = yield* SqlClient.SqlClient
      const delivery = yield* takeOne(it, id)
      yield* it.first.record(was === "failed" ? endOfSchedule(delivery) : completed(delivery, was === "succeeded"))
      // Of the same resource: it goes before, or comes after.
      yield* sql`update deliveries set status = 'canceled' where id <> ${id}`
      const [before] = yield* sql<{ at: Date }>`select next_attempt_at as at from deliveries where id = ${id}`

      yield* it.redeliver(id)
      yield* it.redeliver(id)
      assert.deepInclude((yield* rows)[0], { status: "pending", trigger: "manual", prior_status: was, is_due: true })
      const again = yield* takeOne(it, id)
      assert.deepInclude(again, { event_id: delivery.event_id, body: delivery.body, trigger: "manual", attempts: 1 })
      yield* it.first.record({ ...completed(again, succeeded), retryInMs: null })

      const [row] = yield* rows
      assert.deepInclude(row, { status, attempts: 2, unscheduled: 1, trigger: "auto", prior_status: null })
      assert.deepStrictEqual(yield* triggers, ["auto", "manual"])
      const [after] = yield* sql<{ at: Date }>`select next_attempt_at as at from deliveries where id = ${id}`
      if (status === "pending") {
        assert.deepStrictEqual(after, before, "the schedule goes on as it was")
        yield* dueNow
        assert.deepInclude(yield* takeOne(it, id), { trigger: "auto", attempts: 2, scheduled: 1 })
      }
    })
  )
}

onPostgres(
  "an attempt under way is not doubled when one is asked for, by any number at once: one follows it",
  Effect.gen(function* () {
    const it = yield* world(2)
    const [{ id }] = (yield* rows) as [Row]
    const first = yield* takeOne(it, id)
    yield* Effect.all([it.redeliver(id), it.redeliver(id), it.redeliver(id)], { concurrency: 3 })
    assert.deepStrictEqual(yield* it.second.take(it.key, 0), [])
    yield* it.first.record(completed(first, true))
    assert.deepInclude((yield* rows)[0], {
      status: "pending",
      trigger: "manual",
      prior_status: "succeeded",
      is_due: true
    })
    const both = yield* Effect.all([it.first.take(it.key, 0), it.second.take(it.key, 0)], { concurrency: 2 })
    assert.deepStrictEqual(
      both.flat().map((delivery) => [delivery.id, delivery.trigger]),
      [[id, "manual"]],
      "and its resource's next waits for it"
    )
    yield* it.first.record({ ...completed(both.flat()[0]!, false), retryInMs: null })
    assert.deepInclude((yield* rows)[0], { status: "succeeded", attempts: 2, trigger: "auto" })
    assert.strictEqual((yield* it.first.take(it.key, 0)).length, 1, "then it has its turn")
  })
)

onPostgres(
  "what rests with an inactive endpoint is tried when it is active again, and goes on after a failure",
  Effect.gen(function* () {
    const it = yield* world(2)
    const [{ id }] = (yield* rows) as [Row]
    yield* it.endpoints.update(it.key, { is_active: false }, new Date())
    yield* it.first.rest(it.key)
    yield* it.redeliver(id)
    assert.deepStrictEqual(yield* it.first.take(it.key, 0), [])
    yield* it.first.rest(it.key)
    yield* it.endpoints.update(it.key, { is_active: true }, new Date())
    const delivery = yield* takeOne(it, id)
    yield* it.first.record({ ...completed(delivery, false), retryInMs: null })
    assert.deepInclude((yield* rows)[0], { status: "pending", trigger: "auto", is_due: true, unscheduled: 1 })
  })
)

onPostgres(
  "a deletion and a redelivery at once: whichever comes first, nothing is left pending",
  Effect.gen(function* () {
    const it = yield* world(2)
    const all = yield* rows
    yield* it.first.record(completed(yield* takeOne(it, all[0]!.id), true))
    yield* Effect.all([Effect.exit(it.redeliver(all[0]!.id)), it.endpoints.remove(it.key)], { concurrency: 2 })
    assert.notInclude(
      (yield* rows).map((row) => row.status),
      "pending"
    )
    assert.strictEqual((yield* Effect.exit(it.redeliver(all[0]!.id)))._tag, "Failure")
  })
)

onPostgres(
  "two recoveries at once make due what failed and what was never got, each once, in order, within max_in_flight",
  Effect.gen(function* () {
    const it = yield* world(40)
    const sql = yield* SqlClient.SqlClient
    const since = new Date(Date.now() - 60_000)
    const all = yield* rows
    // A quarter has failed for good, a quarter was never made, and of the rest nothing may be touched.
    const failed = all.slice(0, 10).map(({ id }) => id)
    const missed = all.slice(10, 20).map(({ id }) => id)
    yield* sql`update deliveries set status = 'succeeded', attempts = 2`
    yield* sql`update deliveries set status = 'failed', attempts = 4 where id = any(${failed})`
    yield* sql`delete from deliveries where id = any(${missed})`
    const untouched = (yield* rows).slice(10)

    const owner = yield* Layer.build(ownerLayer((yield* TestDatabase).url))
    const other = Context.get(owner, IdempotencyKeys).once(
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

    // In the order of events and no more than ten at a time; the schedule of each begins anew.
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
  })
)

onPostgres(
  "a recovery leaves out what is older, of other types, a sample, or being tried by hand",
  Effect.gen(function* () {
    const it = yield* world(10)
    const sql = yield* SqlClient.SqlClient
    const [old, typed, , hand, ...rest] = yield* rows
    const sample = yield* it.test(yield* Context.get(it.services, Ids).event)
    yield* sql`alter table events disable trigger events_change`
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
  })
)

onPostgres(
  "a recovery keeps nobody from recording attempts of the same endpoint",
  Effect.gen(function* () {
    const it = yield* world(4)
    const sql = yield* SqlClient.SqlClient
    const taken = yield* it.first.take(it.key, 0)
    const recovered = yield* Deferred.make<void>()
    const commit = yield* Deferred.make<void>()
    const keys = Context.get(it.services, IdempotencyKeys)
    const redelivery = Context.get(it.services, Redelivery)
    const recovery = yield* Effect.forkScoped(
      keys.once(
        it.key,
        null,
        redelivery
          .recover(it.key, new Date(0))
          .pipe(
            Effect.andThen(Deferred.succeed(recovered, undefined)),
            Effect.andThen(Deferred.await(commit)),
            Effect.as(answer)
          )
      )
    )
    yield* Deferred.await(recovered)
    const owner = yield* Layer.build(ownerLayer((yield* TestDatabase).url))
    const recording = yield* Effect.forkScoped(
      Effect.forEach(taken, (delivery) => Context.get(owner, Deliveries).record(completed(delivery, false)))
    )
    yield* until(
      Effect.zip(
        Effect.sync(() => recording.pollUnsafe()),
        blocked("duration_ms, succeeded")
      ),
      ([exit, waiting]) => exit !== undefined || waiting.length > 0
    )
    assert.deepStrictEqual(yield* blocked("duration_ms, succeeded"), [])
    yield* Fiber.join(recording)
    yield* Deferred.succeed(commit, undefined)
    yield* Fiber.join(recovery)
    assert.strictEqual((yield* sql`select 1 from attempts`).length, 2)
  })
)

onPostgres(
  "one recovery takes up so many, the oldest first, and says that there are more",
  Effect.gen(function* () {
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
)

onPostgres(
  "a sample is sent once, to its endpoint alone, and its delivery can be looked at and repeated",
  Effect.gen(function* () {
    const it = yield* world(2)
    const event = yield* Context.get(it.services, Ids).event
    const id = yield* it.test(event)
    const sample = yield* takeOne(it, id)
    assert.deepInclude(sample, { event_id: event, trigger: "test", scheduled: 0 })
    yield* it.first.record({ ...completed(sample, false), retryInMs: null })
    const shown = yield* it.log.find(it.key, id)
    assert.deepInclude(shown.pipe(Option.getOrUndefined), { status: "failed", planned_at: null, event_id: event })
    assert.deepInclude(shown.pipe(Option.getOrUndefined)?.attempts[0], {
      number: 1,
      trigger: "test",
      response_status: 500
    })
    yield* it.redeliver(id)
    yield* it.first.record(completed(yield* takeOne(it, id), true))
    assert.deepInclude((yield* it.log.find(it.key, id)).pipe(Option.getOrUndefined), { status: "succeeded" })
  })
)
