import type { SqlClient } from "effect/sql"
import { deliveryId } from "./Ids.ts"

/**
 * The statement that makes the deliveries of the rows of `event`, one for each endpoint that is active and subscribes to it: as the
 * part `delivery` of a statement. Where as many wait already as may, a delivery is made as one that has failed without an attempt: it
 * is shown as such, and a recovery sends it.
 */
export const newDeliveries = (sql: SqlClient.SqlClient) => sql`
  insert into deliveries (account_id, livemode, id, endpoint_id, event_id, object_id, seq, status, created_at, updated_at)
  select e.account_id, e.livemode, ${deliveryId(sql, sql`e.id`, sql`w.id`)}, w.id, e.id, e.object_id, e.seq,
    case when w.full_since is null then 'pending' else 'failed' end, now(), now()
  from event e
  join webhook_endpoints w on w.account_id = e.account_id and w.livemode = e.livemode
    and w.is_active and e.type = any(w.subscribed_events)
  returning event_id, endpoint_id, status`

/** The endpoints that have a delivery of the event of this id to make. */
export const endpointsToTell = (sql: SqlClient.SqlClient) => sql`
  coalesce((select array_agg(endpoint_id) from delivery where event_id = n.event_id and status = 'pending'), '{}')`
