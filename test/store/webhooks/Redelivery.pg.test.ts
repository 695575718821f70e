import { assert } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { DueDelivery } from "../../../src/store/webhooks/Deliveries.ts"
import { Ids } from "../../../src/store/sql/Ids.ts"
import { completed } from "../../support/receiver/DeliveryOwners.ts"
import { blocked } from "../../support/database/Owners.ts"
import { type Row, rows, takeOne, world } from "../../support/receiver/Redeliveries.ts"
import { endedOr, onPostgres, paused } from "../../support/database/TwoOwners.ts"

const triggers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const log = yield* sql<{ trigger: string }>`select trigger from attempts order by started_at, number`
  return log.map(({ trigger }) => trigger)
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
    function* () {
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
    }
  )
}

onPostgres(
  "an attempt under way is not doubled when one is asked for, by any number at once: one follows it",
  function* () {
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
  }
)

onPostgres(
  "what rests with an inactive endpoint is tried when it is active again, and goes on after a failure",
  function* () {
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
  }
)

onPostgres(
  "a deletion beside a redelivery waits for it and cancels it as well; after a deletion there is none",
  function* () {
    const it = yield* world(2)
    const [{ id }] = (yield* rows) as [Row]
    yield* it.first.record(completed(yield* takeOne(it, id), true))
    const redelivery = yield* paused((pause) => it.redeliver(id, pause))
    const removal = yield* Effect.forkScoped(it.endpoints.remove(it.key))
    yield* endedOr(removal, blocked("webhook_endpoints"))
    yield* redelivery.goOn
    assert.isTrue(yield* Fiber.join(removal))
    assert.deepStrictEqual(
      (yield* rows).map(({ status }) => status),
      ["canceled", "canceled"]
    )
    assert.strictEqual((yield* Effect.exit(it.redeliver(id)))._tag, "Failure")
  }
)

onPostgres("a sample of an endpoint that is inactive or full leaves nothing behind", function* () {
  const it = yield* world(2)
  const sql = yield* SqlClient.SqlClient
  const stored = sql`select (select count(*) from events) as events, (select count(*) from deliveries) as deliveries`
  const before = yield* stored
  for (const change of [{ is_active: false }, { full_since: new Date() }]) {
    yield* sql`update webhook_endpoints set ${sql.update({ is_active: true, full_since: null, ...change })}`
    assert.isTrue(Exit.isFailure(yield* Effect.exit(it.test(yield* Context.get(it.services, Ids).event))))
    assert.deepStrictEqual(yield* stored, before)
  }
})

onPostgres(
  "a sample is sent once, to its endpoint alone, and its delivery can be looked at and repeated",
  function* () {
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
  }
)
