import type { SqlClient, Statement } from "effect/sql"
import type { EventType } from "../../../schemas/Event.ts"
import type { EventId } from "../../../schemas/Id.ts"
import { allEvents } from "../../../schemas/WebhookEndpoint.ts"
import { deliveryId } from "../../database/Ids.ts"
import { deliveryLeaseSeconds } from "./DeliveryClaims.ts"
import type * as Input from "../../database/Input.ts"

export interface NewEvent {
  readonly id: EventId
  readonly type: EventType
  readonly body: string
  readonly created_at: Date
}

/** The input columns of an item's event; null without an event. */
export const eventColumns: Input.Columns<{ readonly event?: NewEvent | null }> = {
  event_id: ["text", ({ event }) => event?.id],
  event_type: ["text", ({ event }) => event?.type],
  event_body: ["text", ({ event }) => event?.body],
  event_at: ["timestamptz", ({ event }) => event?.created_at]
}

interface Rows extends Record<"from" | "object_id" | "object_version", Statement.Fragment> {
  /** The process that takes deliveries for its reserved places, which the JSON column `places` of `from` contains. */
  readonly worker?: string
}

// Whether the first attempt of event `e` at endpoint `w` may begin immediately: a place is reserved, no delivery of the
// endpoint is due, and no delivery of the same object is pending. The endpoint's first delivery costs one look-up in
// the index `deliveries_turn`. A search for any due delivery would read all pending deliveries of the endpoint.
const mayBegin = (sql: SqlClient.SqlClient, from: Statement.Fragment) => sql`
  w.full_since is null and coalesce((
    select w.max_in_flight > (f.places::jsonb ->> w.id)::integer from ${from} f where f.event_id = e.id
  ), false) and coalesce((
    select p.next_attempt_at from deliveries p
    where p.account_id = e.account_id and p.livemode = e.livemode and p.endpoint_id = w.id and p.status = 'pending'
    order by p.next_attempt_at, p.seq limit 1
  ) > now(), true) and not exists (
    select from deliveries p
    where p.account_id = e.account_id and p.livemode = e.livemode and p.endpoint_id = w.id and p.status = 'pending'
      and p.object_id = e.object_id
  )`

/**
 * The parts `event` and `delivery` of a statement. `event` inserts the events in the rows of `from`, which have
 * `eventColumns`. `delivery` inserts a delivery for each active endpoint that subscribes to the event's type. If the
 * endpoint's queue is full, the delivery is failed without an attempt, and a recovery sends it.
 */
export const newEvents = (sql: SqlClient.SqlClient, { from, object_id, object_version, worker }: Rows) => sql`
  event as (
    insert into events (account_id, livemode, id, type, object_id, object_version, body, created_at)
    select account_id, livemode, event_id, event_type, ${object_id}, ${object_version}, event_body, event_at
    from ${from} where event_id is not null order by ord
    returning account_id, livemode, id, seq, type, object_id, created_at
  ),
  delivery as (
    insert into deliveries (account_id, livemode, id, endpoint_id, event_id, object_id, seq, status, next_attempt_at, worker,
      created_at, updated_at)
    select e.account_id, e.livemode, ${deliveryId(sql, sql`e.id`, sql`w.id`)}, w.id, e.id, e.object_id, e.seq,
      case when w.full_since is null then 'pending' else 'failed' end,
      case when t.is_taken then now() + ${deliveryLeaseSeconds} * interval '1 second' else now() end,
      case when t.is_taken then ${worker ?? null}::text end, now(), now()
    from event e
    join webhook_endpoints w on w.account_id = e.account_id and w.livemode = e.livemode
      and w.is_active and w.subscribed_events && array[e.type, ${allEvents}]
    -- With the offset, PostgreSQL evaluates is_taken once, and not for each column.
    cross join lateral (select ${worker === undefined ? sql`false` : mayBegin(sql, from)} as is_taken offset 0) t
    returning account_id, livemode, event_id, endpoint_id, id, status, worker
  )`

/**
 * The part `notified` of a statement with the part `delivery`. For each event, `endpoints` are the endpoints with a
 * pending delivery that no process has taken. `taken` are the deliveries that the statement has taken, as
 * `TakenDelivery` without the event.
 */
export const notifiedEndpoints = (sql: SqlClient.SqlClient) => sql`
  notified as (
    select d.event_id, array_agg(d.endpoint_id) filter (where d.status = 'pending' and d.worker is null) as endpoints,
      json_agg(json_build_object('id', d.id, 'endpoint_id', d.endpoint_id, 'url', w.url, 'secret', w.secret))
        filter (where d.worker is not null) as taken
    from delivery d
    left join webhook_endpoints w on d.worker is not null
      and w.account_id = d.account_id and w.livemode = d.livemode and w.id = d.endpoint_id
    group by d.event_id
  )`
