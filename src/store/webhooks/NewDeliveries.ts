import type { SqlClient, Statement } from "effect/sql"
import type { EventType } from "../../../schemas/Event.ts"
import type { EventId } from "../../../schemas/Id.ts"
import { allEvents } from "../../../schemas/WebhookEndpoint.ts"
import { deliveryId } from "../sql/Ids.ts"
import type * as Input from "../sql/Input.ts"

export interface NewEvent {
  readonly id: EventId
  readonly type: EventType
  readonly body: string
  readonly created_at: Date
}

/** The input columns of the event that an item causes, if it causes an event. */
export const eventColumns: Input.Columns<{ readonly event?: NewEvent | null }> = {
  event_id: ["text", ({ event }) => event?.id],
  event_type: ["text", ({ event }) => event?.type],
  event_body: ["text", ({ event }) => event?.body],
  event_at: ["timestamptz", ({ event }) => event?.created_at]
}

/**
 * The parts `event` and `delivery` of a statement: inserts the events of the rows of `from` that have `eventColumns`, and the
 * deliveries of these events, one for each active endpoint that subscribes to the event's type. When the maximum number of
 * deliveries waits for an endpoint, the delivery is inserted as failed without an attempt; the API shows the delivery as failed,
 * and a recovery sends it.
 */
export const newEvents = (
  sql: SqlClient.SqlClient,
  { from, object_id, object_version }: Record<"from" | "object_id" | "object_version", Statement.Fragment>
) => sql`
  event as (
    insert into events (account_id, livemode, id, type, object_id, object_version, body, created_at)
    select account_id, livemode, event_id, event_type, ${object_id}, ${object_version}, event_body, event_at
    from ${from} where event_id <> '' order by ord
    returning account_id, livemode, id, seq, type, object_id, created_at
  ),
  delivery as (
    insert into deliveries (account_id, livemode, id, endpoint_id, event_id, object_id, seq, status, created_at, updated_at)
    select e.account_id, e.livemode, ${deliveryId(sql, sql`e.id`, sql`w.id`)}, w.id, e.id, e.object_id, e.seq,
      case when w.full_since is null then 'pending' else 'failed' end, now(), now()
    from event e
    join webhook_endpoints w on w.account_id = e.account_id and w.livemode = e.livemode
      and w.is_active and w.subscribed_events && array[e.type, ${allEvents}]
    returning event_id, endpoint_id, status
  )`

/** The SQL array of the endpoints that have a pending delivery of the event `n.event_id`. */
export const endpointsToTell = (sql: SqlClient.SqlClient) => sql`
  coalesce((select array_agg(endpoint_id) from delivery where event_id = n.event_id and status = 'pending'), '{}')`
