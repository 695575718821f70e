import { Cache, Cause, Context, Effect, Exit, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import * as Batcher from "../../database/Batcher.ts"
import type { Due } from "./DeliveryClaims.ts"
import * as DeliveryClaims from "./DeliveryClaims.ts"
import * as Input from "../../database/Input.ts"
import { ofAccount, ofKey } from "../../database/Keys.ts"
import { Secrets } from "../../database/Secrets.ts"
import type { TakenDelivery } from "./ReadyEndpoints.ts"
import { EndpointKey, secretContext } from "./WebhookEndpoints.ts"
import { Workers } from "../../database/Workers.ts"

/**
 * A due delivery, with the data that an attempt sends.
 *
 * - `attempts`: the number of completed attempts.
 * - `scheduled`: the number of attempts that count for the current retry schedule.
 * - `secret`: the signing secret; null if the key does not open the encrypted secret.
 */
export interface DueDelivery extends Due {
  readonly endpoint: EndpointKey
  readonly secret: string | null
}

/**
 * The result of an attempt. `retryInMs` is null if the attempt succeeded or the schedule has no further attempt. After
 * a failed `manual` attempt, the delivery returns to the status and next attempt that it had before the request.
 */
export interface CompletedAttempt {
  readonly delivery: DueDelivery
  readonly started_at: Date
  readonly duration_ms: number
  readonly retryInMs: number | null
  readonly remote_ip: string | null
  readonly response_status: number | null
  readonly response_headers: Readonly<Record<string, string>>
  readonly response_body: string
  readonly error: { readonly code: string; readonly message: string } | null
}

/** The size of an endpoint's delivery queue. A few more deliveries can wait, as Folio checks the size periodically. */
export const waitingMax = 50_000

const recordBatchMax = 300

// Maximum repetitions of a claim that only postpones blocked deliveries. The next `take` continues.
const movesMax = 10

const openedMax = 10_000
const openedFor = "1 minute"

// The least time between two changes of `last_success_at`, because an endpoint can have a thousand deliveries a second.
const healthResolutionSeconds = 10

const input = Input.make<CompletedAttempt>({
  account_id: ["text", ({ delivery }) => delivery.endpoint.account_id],
  livemode: ["boolean", ({ delivery }) => delivery.endpoint.livemode],
  endpoint_id: ["text", ({ delivery }) => delivery.endpoint.id],
  id: ["text", ({ delivery }) => delivery.id],
  attempts: ["integer", ({ delivery }) => delivery.attempts],
  trigger: ["text", ({ delivery }) => delivery.trigger],
  started_at: ["timestamptz", (attempt) => attempt.started_at],
  duration_ms: ["integer", (attempt) => attempt.duration_ms],
  succeeded: ["boolean", (attempt) => attempt.error === null],
  retry_ms: ["float8", (attempt) => attempt.retryInMs],
  remote_ip: ["text", (attempt) => attempt.remote_ip],
  status: ["integer", (attempt) => attempt.response_status],
  headers: ["json", (attempt) => attempt.response_headers],
  body: ["text", (attempt) => attempt.response_body],
  error: ["json", (attempt) => attempt.error]
})

const isKey = Schema.is(EndpointKey)

export class Deliveries extends Context.Service<Deliveries>()("folio/webhooks/store/Deliveries", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const secrets = yield* Secrets
    const workers = yield* Workers

    const claim = yield* DeliveryClaims.make(sql, workers.id)

    // The cache key contains the encrypted secret, so that the cache never returns a rotated secret.
    const opened = yield* Cache.makeWith(
      (key: string) => {
        const [endpoint, sealed] = key.split("|") as [EndpointKey["id"], string]
        return secrets.open(sealed, secretContext(endpoint))
      },
      { capacity: openedMax, timeToLive: (exit) => (Exit.isSuccess(exit) ? openedFor : 0) }
    )

    const secretOf = (endpoint: EndpointKey, sealed: string) =>
      Effect.catchDefect(Cache.get(opened, `${endpoint.id}|${sealed}`), (defect) =>
        Effect.as(Effect.logError("The signing secret of an endpoint cannot be decrypted", Cause.die(defect)), null)
      )

    /**
     * Takes due deliveries of an active endpoint in event order, each under a lease: at most `atMost`, and at most its
     * `max_in_flight` minus `inFlight`. A delivery waits while an earlier delivery of the same object is pending. If
     * the earlier delivery is planned for later, postpones the waiting delivery to that time, so that no claim examines
     * it before. A taken delivery is due again if this process dies, and at the latest when its lease ends.
     */
    const take = Effect.fn("Deliveries.take")(function* (
      endpoint: EndpointKey,
      inFlight: number,
      atMost: number = DeliveryClaims.lineMax
    ) {
      const { taken } = yield* claim({ ...endpoint, inFlight, atMost }).pipe(
        Effect.repeat({ while: ({ moved }) => moved, times: movesMax })
      )
      const [first] = taken
      if (first === undefined) return []
      const secret = yield* secretOf(endpoint, first.secret)
      return taken.map((row): DueDelivery => ({ ...row, secret, endpoint }))
    })

    /** Makes a `DueDelivery` of a delivery that its event's statement has taken (`ReadyEndpoints`). */
    const dueOf = (endpoint: EndpointKey, taken: TakenDelivery): Effect.Effect<DueDelivery> =>
      Effect.map(secretOf(endpoint, taken.secret), (secret) => ({
        ...taken,
        secret,
        endpoint,
        attempts: 0,
        scheduled: 0,
        trigger: "auto" as const
      }))

    /** Postpones an inactive endpoint's due deliveries until its activation. Cancels them after its deletion. */
    // The lock waits for a concurrent activation, which would otherwise miss the postponed deliveries.
    const rest = Effect.fn("Deliveries.rest")((endpoint: EndpointKey) =>
      sql`
        with inactive as (
          select 1 from webhook_endpoints
          where ${ofKey(sql, endpoint)} and not is_active for share
        )
        update deliveries set updated_at = now(), next_attempt_at = 'infinity',
          status = case when exists (select from inactive) then 'pending' else 'canceled' end
        where ${ofAccount(sql, endpoint)} and endpoint_id = ${endpoint.id}
          and status = 'pending' and next_attempt_at <= now()
          and (exists (select from inactive) or not exists (
            select from webhook_endpoints where ${ofKey(sql, endpoint)}
          ))`.pipe(Effect.orDie, Effect.asVoid)
    )

    // Whether a client requested a redelivery while the recorded attempt was in progress.
    const isAskedFor = sql`d.trigger = 'manual' and n.trigger <> 'manual'`
    const outcome = sql`
      case when n.succeeded then 'succeeded' when n.trigger = 'manual' then d.prior_status
        when n.retry_ms is null then 'failed' else 'pending' end`
    const outcomeAt = sql`
      case when n.succeeded then d.next_attempt_at when n.trigger = 'manual' then d.prior_attempt_at
        when n.retry_ms is null then d.next_attempt_at else now() + n.retry_ms * interval '1 millisecond' end`

    const record = yield* Batcher.make({
      name: "Deliveries.record",
      max: recordBatchMax,
      run: Effect.fnUntraced(function* (attempts: ReadonlyArray<CompletedAttempt>) {
        // Updates deliveries in id order, so that two owners of the same deliveries cannot deadlock. Compares the
        // status with a column. With a constant, PostgreSQL would read the index of pending deliveries, with every
        // delivery that has ended since the last vacuum.
        const rows = yield* sql<{ readonly more: boolean }>`
          with input as (select * from ${input(sql, attempts)}),
          recorded as (
            update deliveries d set attempts = d.attempts + 1, updated_at = now(), worker = null,
              unscheduled = d.unscheduled + (n.trigger = 'manual')::integer,
              status = case when ${isAskedFor} then 'pending' else ${outcome} end,
              next_attempt_at = case when ${isAskedFor} then now() else ${outcomeAt} end,
              trigger = case when ${isAskedFor} then 'manual' else 'auto' end,
              prior_status = case when ${isAskedFor} then ${outcome} end,
              prior_attempt_at = case when ${isAskedFor} then ${outcomeAt} end
            from (select *, 'pending' as from_status from input order by id) n
            where d.account_id = n.account_id and d.livemode = n.livemode and d.id = n.id
              and d.attempts = n.attempts and d.status = n.from_status
            returning n.*, d.status = 'pending' and d.next_attempt_at <= now() as is_due
          ),
          log as (
            insert into attempts (account_id, livemode, delivery_id, number, trigger, started_at, duration_ms, remote_ip,
              response_status, response_headers, response_body, error)
            select account_id, livemode, id, attempts + 1, trigger, started_at, duration_ms, remote_ip,
              status, headers::jsonb, body, error::jsonb
            from recorded
          ),
          health as (
            update webhook_endpoints w set
              failing_since = case when r.succeeded then null else coalesce(w.failing_since, now()) end,
              last_success_at = case when r.succeeded then now() else w.last_success_at end
            from (
              select account_id, livemode, endpoint_id, bool_or(succeeded) as succeeded from recorded
              group by account_id, livemode, endpoint_id
            ) r
            where w.account_id = r.account_id and w.livemode = r.livemode and w.id = r.endpoint_id
              and case when r.succeeded
                then w.failing_since is not null or w.last_success_at is null
                  or w.last_success_at < now() - ${healthResolutionSeconds} * interval '1 second'
                else w.failing_since is null end
          ),
          waiting as (
            select e.*, (
              select d.next_attempt_at from deliveries d
              where d.account_id = e.account_id and d.livemode = e.livemode and d.endpoint_id = e.endpoint_id
                and d.status = 'pending'
              order by d.next_attempt_at, d.seq limit 1
            ) <= now() as is_due
            from (select distinct account_id, livemode, endpoint_id from input) e
          )
          select coalesce(w.is_due, false) or coalesce(r.is_due, false) as more
          from input n
          join waiting w using (account_id, livemode, endpoint_id)
          left join recorded r on r.ord = n.ord
          order by n.ord`
        return rows.map(({ more }) => more)
      }, Effect.orDie)
    })

    /** Endpoints with a due delivery, at most `limit`. `take` checks whether the delivery waits for an earlier one. */
    // Skips from endpoint to endpoint by index look-ups, so that the queue of one endpoint does not hide the others.
    const dueEndpoints = Effect.fn("Deliveries.dueEndpoints")(function* (limit: number) {
      const next = (after: Statement.Fragment) => sql`
        select account_id, livemode, endpoint_id, next_attempt_at from deliveries
        where status = 'pending' and ${after} order by endpoint_id, next_attempt_at limit 1`
      const rows = yield* sql<EndpointKey>`
        with recursive waiting as (
          (${next(sql`true`)})
          union all
          select n.* from waiting w cross join lateral (${next(sql`endpoint_id > w.endpoint_id`)}) n
        )
        select w.account_id, w.livemode, w.endpoint_id as id from waiting w
        where w.next_attempt_at <= now()
        order by w.next_attempt_at limit ${limit}`
      for (const row of rows) {
        if (isKey(row)) continue
        yield* Effect.logError("Deliveries to an endpoint with an invalid id are postponed or canceled")
        yield* rest(row)
      }
      return rows.filter(isKey)
    }, Effect.orDie)

    /**
     * Sets `full_since` of each endpoint for which `max` deliveries wait, and clears it for the other endpoints.
     * Returns the ids of the endpoints that have become full. Later deliveries of a full endpoint get no attempt.
     */
    // Skips from endpoint to endpoint by index look-ups, and counts at most `max` deliveries of each endpoint.
    const markFull = Effect.fn("Deliveries.markFull")(function* (max: number) {
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

    return {
      take,
      dueOf,
      rest,
      /** Stores an attempt and its effect on the delivery. Returns true if the endpoint has more due deliveries. */
      record: Effect.fn("Deliveries.record")(record),
      dueEndpoints,
      markFull
    }
  })
}) {
  static readonly layer = Layer.effect(Deliveries, Deliveries.make)
}
