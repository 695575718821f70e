import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

/** Maximum deliveries that wait for one endpoint. The limit is checked every few seconds, so a few more deliveries can wait. */
export const waitingMax = 50_000

/** Limits the deliveries that wait for a slow endpoint: later events' are stored as failed, neither lost nor attempted. */
export class DeliveryLimit extends Context.Service<DeliveryLimit>()("folio/store/DeliveryLimit", {
  make: Effect.map(SqlClient.SqlClient, (sql) => {
    // Skips from one endpoint to the next by index look-ups, and counts at most `max` deliveries of each endpoint.
    /**
     * Sets `full_since` of each endpoint for which `max` deliveries wait, and clears it for the other endpoints. Later deliveries
     * of a full endpoint are not attempted. Gives the ids of the endpoints that have become full.
     */
    const mark = Effect.fn("DeliveryLimit.mark")(function* (max: number) {
      const rows = yield* sql<{ id: string; is_full: boolean }>`
        with recursive endpoint as (
          (select account_id, livemode, endpoint_id from deliveries where status = 'pending' order by endpoint_id limit 1)
          union all
          select n.* from endpoint e cross join lateral (
            select account_id, livemode, endpoint_id from deliveries
            where status = 'pending' and endpoint_id > e.endpoint_id order by endpoint_id limit 1
          ) n
        ),
        full_ones as materialized (
          select e.* from endpoint e where (
            select count(*) from (
              select from deliveries d
              where d.account_id = e.account_id and d.livemode = e.livemode and d.endpoint_id = e.endpoint_id
                and d.status = 'pending' limit ${max}
            ) counted
          ) >= ${max}
        ),
        changed as (
          select w.account_id, w.livemode, w.id, true as is_full
          from full_ones f
          join webhook_endpoints w on w.account_id = f.account_id and w.livemode = f.livemode and w.id = f.endpoint_id
          where w.full_since is null
          union all
          select w.account_id, w.livemode, w.id, false from webhook_endpoints w
          where w.full_since is not null and not exists (select from full_ones f where f.endpoint_id = w.id)
        )
        update webhook_endpoints w set full_since = case when c.is_full then now() end
        from (select * from changed order by id) c
        where w.account_id = c.account_id and w.livemode = c.livemode and w.id = c.id
        returning w.id, c.is_full`
      return rows.filter(({ is_full }) => is_full).map(({ id }) => id)
    }, Effect.orDie)
    return { mark }
  })
}) {
  static readonly layer = Layer.effect(DeliveryLimit, DeliveryLimit.make)
}
