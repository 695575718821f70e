import { assert } from "@effect/vitest"
import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountMode } from "../../../schemas/Account.ts"
import { countedMax } from "../../../src/webhooks/store/DeliveryHealth.ts"
import { DeliveryLog } from "../../../src/webhooks/store/DeliveryLog.ts"
import { onPostgres } from "../../support/database/TwoOwners.ts"
import { completed } from "../../support/receiver/DeliveryOwners.ts"
import { rows, world } from "../../support/receiver/Redeliveries.ts"

const hourMs = 3_600_000
const dayAgo = () => new Date(Date.now() - 24 * hourMs)

/** Sets the start and the duration of an attempt. */
const change = Effect.fnUntraced(function* (delivery: string, at: Date, duration_ms: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table attempts disable trigger user`
  yield* sql`
    update attempts set started_at = ${at}, duration_ms = ${duration_ms} where delivery_id = ${delivery} and number = 1`
})

onPostgres("The attempts of an endpoint are counted by the hour of their start", function* () {
  const it = yield* world(8)
  const health = Context.get(it.services, DeliveryLog)
  assert.deepStrictEqual(yield* health.healthSince(it.account, dayAgo()), { hours: [], from: null })

  const taken = yield* it.first.take(it.key, 0)
  assert.strictEqual(taken.length, 4)
  for (const [index, delivery] of taken.entries()) yield* it.first.record(completed(delivery, index !== 1))
  const hour = Math.floor(Date.now() / hourMs) - 2
  const start = hour * hourMs
  const places = [
    [start, 10],
    [start + 1000, 99],
    [start + hourMs - 1, 40],
    [start + hourMs, 20]
  ] as const
  for (const [index, [at, duration]] of places.entries()) {
    yield* change(taken[index]?.id ?? "", new Date(at), duration)
  }

  const found = yield* health.healthSince(it.account, dayAgo())
  assert.isNull(found.from)
  assert.deepStrictEqual(
    found.hours.toSorted((a, b) => a.hour - b.hour),
    [
      {
        endpoint_id: it.key.id,
        hour,
        succeeded: 2,
        failed: 1,
        median_ms: 10,
        slowest_ms: 40,
        last_failure: {
          at_ms: start + 1000,
          event_id: taken[1]?.event_id as never,
          status: 500,
          error: { code: "status", message: "500" }
        }
      },
      {
        endpoint_id: it.key.id,
        hour: hour + 1,
        succeeded: 1,
        failed: 0,
        median_ms: 20,
        slowest_ms: 20,
        last_failure: null
      }
    ]
  )
  // Attempts before the time do not count.
  const later = yield* health.healthSince(it.account, new Date(start + hourMs))
  assert.deepStrictEqual(
    later.hours.map((one) => one.hour),
    [hour + 1]
  )
})

onPostgres("The counts exclude deliveries of other accounts and of the other mode", function* () {
  const it = yield* world(2)
  const health = Context.get(it.services, DeliveryLog)
  const sql = yield* SqlClient.SqlClient
  const [delivery] = yield* it.first.take(it.key, 0)
  if (delivery === undefined) throw new Error("nothing was taken")
  yield* it.first.record(completed(delivery, true))
  const events = (yield* sql<{ id: string }>`select id from events`).map(({ id }) => id)
  const look = (account: AccountMode) =>
    Effect.all([
      Effect.map(health.healthSince(account, dayAgo()), ({ hours }) => hours.length),
      health.countsOf(account, events)
    ])

  const others = [
    { ...it.account, livemode: !it.account.livemode },
    { ...it.account, account_id: "ten_00000000000000000000000000" as never }
  ]
  for (const other of others) assert.deepStrictEqual(yield* look(other), [0, []])
  const [hours, counts] = yield* look(it.account)
  assert.strictEqual(hours, 1)
  assert.deepStrictEqual(
    counts.toSorted((a, b) => (a.status < b.status ? -1 : 1)),
    [
      { event_id: events[1] as never, status: "pending", count: 1 },
      { event_id: delivery.event_id as never, status: "succeeded", count: 1 }
    ]
  )
})

onPostgres("Only the newest deliveries are counted, and the result states their start", function* () {
  const it = yield* world(2)
  const health = Context.get(it.services, DeliveryLog)
  const sql = yield* SqlClient.SqlClient
  const [first] = yield* rows
  const at = new Date()
  // As if the event had gone to thousands of endpoints.
  yield* sql`
    insert into deliveries (account_id, livemode, id, endpoint_id, event_id, object_id, seq, status, attempts, created_at,
      updated_at)
    select account_id, livemode, substr(id, 1, 14) || lpad(n::text, 16, '0'), 'we_' || lpad(n::text, 26, '0'), event_id,
      object_id, seq, 'succeeded', 1, ${at}, ${at}
    from deliveries, generate_series(1, ${countedMax + 20}) n where id = ${first?.id ?? ""}`
  yield* sql`
    insert into attempts (account_id, livemode, delivery_id, number, trigger, started_at, duration_ms, response_headers,
      response_body)
    select account_id, livemode, id, 1, 'auto', ${at}, 5, '{}', '' from deliveries where attempts = 1`
  const found = yield* health.healthSince(it.account, dayAgo())
  assert.closeTo(found.from?.getTime() ?? 0, at.getTime(), hourMs)
  const counted = found.hours.reduce((sum, { succeeded }) => sum + succeeded, 0)
  assert.closeTo(counted, countedMax, 2, "two of them were not sent yet")
})
