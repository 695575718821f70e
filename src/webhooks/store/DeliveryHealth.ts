import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { AccountMode } from "../../../schemas/Account.ts"
import { DeliveryStatus } from "../../../schemas/Delivery.ts"
import { EventId, WebhookEndpointId } from "../../../schemas/Id.ts"
import { firstIdAt } from "../../database/Ids.ts"
import { ofAccount } from "../../database/Keys.ts"
import * as Query from "../../database/Query.ts"
import { bounded } from "../../database/SlowReads.ts"

/** The number of an account's newest deliveries, over all endpoints, whose attempts are counted. */
export const countedMax = 2_000

/** The newest attempts of a delivery that are counted: all scheduled attempts and some redeliveries. */
const attemptsMax = 10

const Failure = Schema.Struct({
  at_ms: Schema.Finite,
  event_id: EventId,
  status: Schema.NullOr(Schema.Int),
  error: Schema.Struct({ code: Schema.String, message: Schema.String })
})

/**
 * The attempts of one endpoint that began within an hour.
 *
 * - `hour`: the number of hours since 1970.
 * - `median_ms`, `slowest_ms`: the durations of successful attempts; null if no attempt succeeded.
 * - `last_failure`: the failed attempt that began last.
 */
const Hour = Schema.Struct({
  endpoint_id: WebhookEndpointId,
  hour: Schema.Int,
  succeeded: Schema.Int,
  failed: Schema.Int,
  median_ms: Schema.NullOr(Schema.Int),
  slowest_ms: Schema.NullOr(Schema.Int),
  last_failure: Schema.NullOr(Failure)
})
export type HealthHour = typeof Hour.Type

/** The number of an event's deliveries with a status. */
const Count = Schema.Struct({ event_id: EventId, status: DeliveryStatus, count: Schema.Int })
export type DeliveryCount = typeof Count.Type

export interface Health {
  /** The hours with an attempt, in no order. */
  readonly hours: ReadonlyArray<HealthHour>
  /** The time of the oldest counted delivery if `countedMax` deliveries are counted; null if fewer are counted. */
  readonly from: Date | null
}

const read = { name: "delivery health", narrow: "Open the list of deliveries instead." }

/** Makes the functions that count the deliveries to an account's endpoints and their attempts. */
export const make = (sql: SqlClient.SqlClient) => {
  // Ids begin with the event's time, so the newest deliveries are at the end of the primary key. Redeliveries of older
  // events are not counted.
  const newest = (account: AccountMode, since: Date) => sql`
      select id, endpoint_id, event_id, created_at from deliveries
      where ${ofAccount(sql, account)} and id >= ${firstIdAt("whd", since)} order by id desc limit ${countedMax}`

  const findHours = Query.all(
    Hour,
    (account: AccountMode, since: Date) => sql`
        with newest as materialized (${newest(account, since)}),
        made as (
          select n.endpoint_id, n.event_id, a.* from newest n
          cross join lateral (
            select started_at, duration_ms, response_status, error from attempts
            where ${ofAccount(sql, account)} and delivery_id = n.id order by number desc limit ${attemptsMax}
          ) a
          where a.started_at >= ${since}
        )
        select endpoint_id, floor(extract(epoch from started_at) / 3600)::integer as hour,
          (count(*) filter (where error is null))::integer as succeeded,
          (count(*) filter (where error is not null))::integer as failed,
          percentile_disc(0.5) within group (order by duration_ms) filter (where error is null) as median_ms,
          max(duration_ms) filter (where error is null) as slowest_ms,
          (array_agg(json_build_object(
            'at_ms', floor(extract(epoch from started_at) * 1000)::float8, 'event_id', event_id, 'status', response_status,
            'error', error
          ) order by started_at desc) filter (where error is not null))[1] as last_failure
        from made group by endpoint_id, hour`
  )
  const findEdge = Query.one(
    Schema.Struct({ edge: Schema.NullOr(Schema.Date) }),
    (account: AccountMode, since: Date) => sql`
        select case when count(*) = ${countedMax} then min(created_at) end as edge from (${newest(account, since)}) n`
  )

  const countDeliveries = Query.all(
    Count,
    (account: AccountMode, events: ReadonlyArray<string>) => sql`
        select event_id, status, count(*)::integer as count from deliveries
        where ${ofAccount(sql, account)} and event_id = any(${events}::text[]) group by event_id, status`
  )

  return {
    /** The attempts since a time to deliver events since that time, by endpoint and hour. */
    healthSince: Effect.fn("DeliveryLog.healthSince")(
      function* (account: AccountMode, since: Date) {
        const hours = yield* findHours(account, since)
        const { edge } = yield* findEdge(account, since)
        return { hours, from: edge } satisfies Health as Health
      },
      (effect, account) => bounded(sql, account, read)(effect)
    ),
    /** The number of deliveries by event and status, for the events of a page. */
    countsOf: Effect.fn("DeliveryLog.countsOf")((account: AccountMode, events: ReadonlyArray<string>) =>
      bounded(sql, account, read)(countDeliveries(account, events))
    )
  }
}
