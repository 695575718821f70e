import { assert } from "@effect/vitest"
import { Array, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import type { Deliveries, DueDelivery } from "../../../src/webhooks/store/Deliveries.ts"
import { answered } from "../../support/database/Refusals.ts"
import { completed, deliveryOwners } from "../../support/receiver/DeliveryOwners.ts"
import { blocked, withRepeats } from "../../support/database/Owners.ts"
import { TestDatabase } from "../../support/database/Postgres.ts"
import { until } from "../../support/apps/Until.ts"
import { describeLive } from "../../support/Tests.ts"
import { endedOr, lockRows, paused } from "../../support/database/TwoOwners.ts"

const record = (owner: Deliveries["Service"], due: ReadonlyArray<DueDelivery>) =>
  Effect.forEach(due, (delivery) => owner.record(completed(delivery, true)), { concurrency: "unbounded" })

interface Row {
  readonly status: string
  readonly attempts: number
  readonly resting: boolean
}

const rows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<Row>`
    select status, attempts, next_attempt_at = 'infinity' as resting from deliveries order by seq`
})

const elapse = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update deliveries set next_attempt_at = now() where status = 'pending'`
})

describeLive(TestDatabase.layer)("Deliveries", (it) => {
  it.effect("gives each delivery to one of two concurrent owners, the events of a document in order", function* () {
    const { first, key, second } = yield* deliveryOwners(120)
    const sql = yield* SqlClient.SqlClient
    const taken: Array<string> = []
    const work = (owner: Deliveries["Service"]) =>
      owner.take(key, 0).pipe(
        Effect.tap((due) => Effect.sync(() => taken.push(...due.map((delivery) => delivery.id)))),
        Effect.tap((due) =>
          Effect.forEach(due, (delivery) => owner.record(completed(delivery, true)), { concurrency: "unbounded" })
        ),
        Effect.repeat({ until: (due) => due.length === 0 })
      )
    while (taken.length < 120) yield* Effect.all([work(first), work(second)], { concurrency: 2 })
    assert.strictEqual(new Set(taken).size, 120)
    const wrong = yield* sql`
      select 1 from deliveries a join deliveries b on b.object_id = a.object_id and b.seq > a.seq
      where array_position(${taken}::text[], a.id) > array_position(${taken}::text[], b.id)`
    assert.strictEqual(wrong.length, 0)
  })

  it.effect("takes nothing that another owner is taking", function* () {
    const { first, key, second } = yield* deliveryOwners(2)
    const sql = yield* SqlClient.SqlClient
    const { release } = yield* lockRows(sql`deliveries`)
    const both = Effect.all([first.take(key, 0), second.take(key, 0)], { concurrency: 2 })
    const taking = yield* Effect.forkScoped(both, { startImmediately: true })
    yield* endedOr(taking, blocked("max_in_flight"), 2)
    yield* release
    assert.deepStrictEqual(yield* Fiber.join(taking), [[], []])
    assert.strictEqual((yield* first.take(key, 0)).length, 1)
  })

  it.effect("lets two owners that record the same attempts wait for each other without a deadlock", function* () {
    const { first, key, second } = yield* deliveryOwners(6)
    const sql = yield* SqlClient.SqlClient
    const taken = yield* first.take(key, 0)
    const { release } = yield* lockRows(sql`deliveries where id = ${taken[1]!.id}`)
    const recording = Effect.all([record(first, taken), record(second, taken.toReversed())], { concurrency: 2 })
    const both = yield* Effect.forkScoped(withRepeats("Deliveries.record", recording))
    yield* until(blocked("duration_ms, succeeded"), (pids) => pids.length === 2)
    yield* release
    assert.deepStrictEqual((yield* Fiber.join(both)).repeats, 0)
    assert.strictEqual((yield* rows).filter((row) => row.status === "succeeded").length, 3)
  })

  it.effect("does not suspend deliveries that an activation has just made due", function* () {
    const { endpoints, first, key } = yield* deliveryOwners(2)
    const sql = yield* SqlClient.SqlClient
    yield* endpoints.update(key, { is_active: false }, new Date())
    // The statements of `WebhookEndpoints.update`, with the commit under the test's control.
    const activation = yield* paused((pause) =>
      sql.withTransaction(
        Effect.all([
          sql`update webhook_endpoints set is_active = true where id = ${key.id}`,
          sql`update deliveries set next_attempt_at = now() where status = 'pending' and next_attempt_at = 'infinity'`,
          pause
        ])
      )
    )
    const rest = yield* Effect.forkScoped(first.rest(key), { startImmediately: true })
    yield* endedOr(rest, blocked(""))
    yield* activation.goOn
    yield* Fiber.join(rest)
    assert.deepStrictEqual(
      (yield* rows).map((row) => row.resting),
      [false, false]
    )
  })

  it.effect(
    "suspends due deliveries of an inactive endpoint until its activation, and cancels those of a deleted one",
    function* () {
      const { endpoints, first, key } = yield* deliveryOwners(4)
      const sql = yield* SqlClient.SqlClient
      yield* endpoints.update(key, { is_active: false }, new Date())
      assert.deepStrictEqual(yield* first.take(key, 0), [])
      yield* first.rest(key)
      assert.deepStrictEqual([...new Set((yield* rows).map((row) => row.resting))], [true])
      assert.deepStrictEqual(yield* first.dueEndpoints(10), [])
      yield* endpoints.update(key, { is_active: true }, new Date())
      assert.deepStrictEqual(yield* first.dueEndpoints(10), [key])

      // An outcome committed concurrently with the deletion leaves a delivery without an endpoint.
      yield* sql`delete from webhook_endpoints where id = ${key.id}`
      assert.deepStrictEqual(yield* first.take(key, 0), [])
      yield* first.rest(key)
      assert.deepStrictEqual([...new Set((yield* rows).map((row) => row.status))], ["canceled"])
    }
  )

  it.effect(
    "gives a document's later event to no owner while an earlier one is under way or waits for a retry",
    function* () {
      const { first, key, second } = yield* deliveryOwners(4)
      const due = yield* first.take(key, 0)
      assert.strictEqual(due.length, 2)
      assert.deepStrictEqual(yield* second.take(key, 0), [])
      yield* first.record(completed(due[0]!, false))
      yield* first.record(completed(due[1]!, true))
      const next = yield* second.take(key, 0)
      assert.strictEqual(next.length, 1)
      assert.deepStrictEqual(
        (yield* rows).map((row) => [row.status, row.attempts]),
        [
          ["pending", 1],
          ["succeeded", 1],
          ["pending", 0],
          ["pending", 0]
        ]
      )
    }
  )

  it.effect("gives a delivery again after its lease, and ignores the later record of its first owner", function* () {
    const { first, key, second } = yield* deliveryOwners(2)
    const sql = yield* SqlClient.SqlClient
    const [frozen] = yield* first.take(key, 0)
    yield* elapse
    const [again] = yield* second.take(key, 0)
    assert.deepStrictEqual(again, frozen)
    yield* second.record(completed(again!, true))
    yield* answered(first.record(completed(frozen!, false)))
    const [row] = yield* rows
    assert.deepStrictEqual(row, { status: "succeeded", attempts: 1, resting: false })
    const logged = yield* sql`select response_status from attempts`
    assert.deepStrictEqual(logged, [{ response_status: 200 }])
  })

  it.effect("records an attempt once, even if a batch contains it twice and another owner made it too", function* () {
    const { first, key, second } = yield* deliveryOwners(2)
    const [delivery] = yield* first.take(key, 0)
    const attempts = Array.makeBy(3, () => completed(delivery!, false))
    yield* answered(Effect.forEach(attempts, first.record, { concurrency: "unbounded" }))
    yield* answered(second.record(completed(delivery!, false)))
    assert.strictEqual((yield* rows)[0]?.attempts, 1)
  })
})
