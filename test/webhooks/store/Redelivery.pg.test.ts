import { assert } from "@effect/vitest"
import { Cause, Context, Effect, Fiber, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { ApiError } from "../../../schemas/ApiError.ts"
import { Ids } from "../../../src/database/Ids.ts"
import { completed } from "../../support/receiver/DeliveryOwners.ts"
import { blocked } from "../../support/database/Owners.ts"
import { type Row, rows, takeOne, world } from "../../support/receiver/Redeliveries.ts"
import { endedOr, onPostgres, paused } from "../../support/database/TwoOwners.ts"

onPostgres(
  "A deletion waits for a concurrent redelivery and cancels it too, and a redelivery after a deletion fails",
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

onPostgres("A sample for an inactive or full endpoint leaves no row behind", function* () {
  const it = yield* world(2)
  const sql = yield* SqlClient.SqlClient
  const stored = sql`select (select count(*) from events) as events, (select count(*) from deliveries) as deliveries`
  const before = yield* stored
  const cases = [
    [{ is_active: false }, /Set is_active to true/],
    [{ full_since: new Date() }, /queue of the webhook endpoint is full/]
  ] as const
  for (const [change, message] of cases) {
    yield* sql`update webhook_endpoints set ${sql.update({ is_active: true, full_since: null, ...change })}`
    const cause = yield* Effect.flip(Effect.sandbox(it.test(yield* Context.get(it.services, Ids).event)))
    const error = Cause.squash(cause)
    assert.deepInclude(error, { code: "endpoint_not_sending" })
    assert.match((error as ApiError).message, message)
    assert.deepStrictEqual(yield* stored, before)
  }
})

onPostgres("A sample is sent once, only to its endpoint, and its delivery can be read and repeated", function* () {
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

onPostgres(
  "An attempt under way is not duplicated by concurrent requests for one: a single attempt follows it",
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
      "its resource's next event waits for it"
    )
    yield* it.first.record({ ...completed(both.flat()[0]!, false), retryInMs: null })
    assert.deepInclude((yield* rows)[0], { status: "succeeded", attempts: 2, trigger: "auto" })
    assert.strictEqual((yield* it.first.take(it.key, 0)).length, 1, "then the next event has its turn")
  }
)
