import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { AttemptTrigger } from "../../../schemas/Delivery.ts"
import * as Batcher from "../../database/Batcher.ts"
import * as Input from "../../database/Input.ts"
import type { EndpointKey } from "./WebhookEndpoints.ts"

// No schema decodes these rows, because the table guarantees texts and numbers: no row can be unreadable.
export interface Due {
  readonly id: string
  readonly attempts: number
  readonly scheduled: number
  readonly trigger: AttemptTrigger
  readonly event_id: string
  readonly event_type: string
  readonly body: string
  readonly url: string
}

interface Request extends EndpointKey {
  /** The number of attempts in progress. */
  readonly inFlight: number
  /** The number of further attempts that may begin. */
  readonly atMost: number
}

const takeBatchMax = 100

const input = Input.make<Request>({
  account_id: ["text", (request) => request.account_id],
  livemode: ["boolean", (request) => request.livemode],
  endpoint_id: ["text", (request) => request.id],
  in_flight: ["integer", (request) => request.inFlight],
  at_most: ["integer", (request) => request.atMost]
})

// The due deliveries of an endpoint that one statement examines: more than can wait for the attempts in progress.
export const lineMax = 300

/** The lease of a taken delivery: longer than an attempt, so that two processes never send a delivery concurrently. */
export const deliveryLeaseSeconds = 20

/**
 * Makes the function that takes due deliveries, for many endpoints in one statement. If all due deliveries of an
 * endpoint wait for earlier deliveries of the same object, the function takes none. A delivery that waits for one that
 * is planned for later is then postponed to that time (`moved`).
 */
export const make = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, worker: string) {
  // The first `lineMax` due deliveries of an endpoint.
  const line = sql`
    select d.account_id, d.livemode, d.endpoint_id, d.object_id, d.id, d.seq, d.next_attempt_at from deliveries d
    where d.account_id = n.account_id and d.livemode = n.livemode and d.endpoint_id = n.endpoint_id
      and d.status = 'pending' and d.next_attempt_at <= now()
    order by d.next_attempt_at, d.seq limit ${sql.literal(String(lineMax))}`

  // A subquery that costs one index look-up for each candidate, independent of the planner's statistics.
  const ofItsResource = sql`
    h.account_id = d.account_id and h.livemode = d.livemode and h.endpoint_id = d.endpoint_id
      and h.object_id = d.object_id and h.status = 'pending'`
  const firstOfItsResource = sql`d.seq = (select min(h.seq) from deliveries h where ${ofItsResource})`

  // Whether `d` waits for a delivery `h` that is planned for later. False while `h` has an attempt, which may end soon.
  const isPlannedLater = sql`
    h.worker is null and h.next_attempt_at > d.next_attempt_at and h.next_attempt_at < 'infinity'`

  // Blind, because a repetition would miss the deliveries that the statement took before its connection broke.
  return yield* Batcher.make({
    name: "Deliveries.take",
    max: takeBatchMax,
    blind: true,
    run: Effect.fnUntraced(function* (requests: ReadonlyArray<Request>) {
      const rows = yield* sql<Due & { readonly ord: number; readonly secret: string; readonly moved: boolean }>`
        with request as (
          select n.*, least(w.max_in_flight - n.in_flight, n.at_most) as free from ${input(sql, requests)}
          join webhook_endpoints w on w.account_id = n.account_id and w.livemode = n.livemode and w.id = n.endpoint_id
            and w.is_active and w.max_in_flight > n.in_flight
        ),
        due as (
          select d.*, n.ord from request n
          cross join lateral (
            select t.* from (select d.* from (${line}) d where ${firstOfItsResource}) c
            cross join lateral (
              select d.account_id, d.livemode, d.id from deliveries d
              where d.account_id = c.account_id and d.livemode = c.livemode and d.id = c.id
                and d.status = 'pending' and d.next_attempt_at <= now()
              for update skip locked
            ) t
            limit n.free
          ) d
        ),
        taken as (
          update deliveries d set next_attempt_at = now() + ${deliveryLeaseSeconds} * interval '1 second', worker = ${worker}
          from due where d.account_id = due.account_id and d.livemode = due.livemode and d.id = due.id
          returning d.*, due.ord
        ),
        idle as materialized (select * from request where ord not in (select ord from due)),
        behind as materialized (
          select d.*, n.ord from idle n
          cross join lateral (
            select t.* from (
              select d.*, h.id as head from (${line}) d
              cross join lateral (
                select h.id, h.worker, h.next_attempt_at from deliveries h where ${ofItsResource} order by h.seq limit 1
              ) h
              where ${isPlannedLater}
            ) c
            cross join lateral (
              select d.account_id, d.livemode, d.id, h.next_attempt_at as planned_at from deliveries d
              join deliveries h on h.account_id = c.account_id and h.livemode = c.livemode and h.id = c.head
              where d.account_id = c.account_id and d.livemode = c.livemode and d.id = c.id
                and d.status = 'pending' and d.next_attempt_at = c.next_attempt_at
                and h.status = 'pending' and ${isPlannedLater}
              for no key update skip locked
            ) t
          ) d
        ),
        moved as (
          update deliveries d set next_attempt_at = b.planned_at, worker = null
          from behind b where d.account_id = b.account_id and d.livemode = b.livemode and d.id = b.id
          returning b.ord
        )
        select t.ord::integer, t.id, t.attempts, t.attempts - t.unscheduled as scheduled, t.trigger, t.event_id,
          e.type as event_type, e.body, w.url, w.secret, false as moved, t.seq
        from taken t
        join events e on e.account_id = t.account_id and e.livemode = t.livemode and e.id = t.event_id
        join webhook_endpoints w on w.account_id = t.account_id and w.livemode = t.livemode and w.id = t.endpoint_id
        union all
        select distinct m.ord::integer, null, 0, 0, null, null, null, null, null, null, true, 0 from moved m
        order by seq`
      const byRequest = Map.groupBy(rows, ({ ord }) => ord)
      return requests.map((_, index) => {
        const own = byRequest.get(index + 1) ?? []
        return { taken: own.filter((row) => !row.moved), moved: own.some((row) => row.moved) }
      })
    }, Effect.orDie)
  })
})
