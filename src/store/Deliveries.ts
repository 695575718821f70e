import { Cache, Cause, Context, Effect, Exit, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { AttemptTrigger } from "../../schemas/Delivery.ts"
import * as Batcher from "./Batcher.ts"
import type { Due } from "./DeliveryClaims.ts"
import * as DeliveryClaims from "./DeliveryClaims.ts"
import { Secrets } from "./Secrets.ts"
import { EndpointKey, secretPlace } from "./WebhookEndpoints.ts"
import { Workers } from "./Workers.ts"

/**
 * A delivery whose time has come, with what an attempt sends. `attempts` is how many have been completed, `scheduled` how many
 * of them the present schedule counts. The texts are as stored. `secret` null: it cannot be opened, so nothing can be signed.
 */
export interface DueDelivery extends Due {
  readonly endpoint: EndpointKey
  readonly secret: string | null
}

/**
 * What became of an attempt. `retryInMs` null: it succeeded, or the schedule has no further one. When a `manual` one fails, its
 * delivery goes on as if there had been none.
 */
export interface CompletedAttempt {
  readonly delivery: DueDelivery
  readonly trigger: AttemptTrigger
  readonly started_at: Date
  readonly duration_ms: number
  readonly succeeded: boolean
  readonly retryInMs: number | null
  readonly remote_ip: string | null
  readonly response_status: number | null
  readonly response_headers: Readonly<Record<string, string>>
  readonly response_body: string
  readonly error: { readonly code: string; readonly message: string } | null
}

const recordBatchMax = 300

// So often is what waits behind others moved behind them by one taking that finds nothing else; the next one goes on.
const movesMax = 10

const openedMax = 10_000
const openedFor = "1 minute"

// last_success_at is a health sign: it need not move with each of a thousand deliveries a second.
const healthResolutionSeconds = 10

const isKey = Schema.is(EndpointKey)

export class Deliveries extends Context.Service<
  Deliveries,
  {
    /**
     * Takes due deliveries of an active endpoint in event order, each under a lease: as many as its `max_in_flight` leaves
     * beside those `inFlight`, and `atMost` so many. One waits while an earlier delivery of the same resource is pending: where that one is planned
     * for later, so is what waits behind it, so that nobody looks at it again and again. What is taken is given back when this
     * process dies, and at the latest when the lease ends.
     */
    readonly take: (
      endpoint: EndpointKey,
      inFlight: number,
      atMost?: number
    ) => Effect.Effect<ReadonlyArray<DueDelivery>>
    /** Puts to rest what is due for an endpoint that is inactive (until it is active again) or gone (for good). */
    readonly rest: (endpoint: EndpointKey) => Effect.Effect<void>
    /** Whether the endpoint has more that is due by now. */
    readonly record: (attempt: CompletedAttempt) => Effect.Effect<boolean>
    /** Endpoints that have a delivery due, be it behind another one: who takes finds out. */
    readonly dueEndpoints: (limit: number) => Effect.Effect<ReadonlyArray<EndpointKey>>
  }
>()("folio/store/Deliveries") {
  static readonly layer = Layer.effect(
    Deliveries,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const secrets = yield* Secrets
      const workers = yield* Workers

      const claim = yield* DeliveryClaims.make(sql, workers.id)

      // By what is stored: a rotated secret is another text.
      const opened = yield* Cache.makeWith(
        (key: string) => {
          const [endpoint, sealed] = key.split("|") as [EndpointKey["id"], string]
          return secrets.open(sealed, secretPlace(endpoint))
        },
        { capacity: openedMax, timeToLive: (exit) => (Exit.isSuccess(exit) ? openedFor : 0) }
      )

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
        const secret = yield* Cache.get(opened, `${endpoint.id}|${first.secret}`).pipe(
          Effect.catchDefect((defect) =>
            Effect.as(Effect.logError("The signing secret of an endpoint cannot be opened", Cause.die(defect)), null)
          )
        )
        return taken.map((row) => ({ ...row, secret, endpoint }))
      })

      // The lock makes it wait for an activation under way, which would otherwise not see what is put to rest beside it.
      const rest = Effect.fn("Deliveries.rest")(({ account_id, id, livemode }: EndpointKey) =>
        sql`
          with inactive as (
            select 1 from webhook_endpoints
            where account_id = ${account_id} and livemode = ${livemode} and id = ${id} and not is_active
            for share
          )
          update deliveries set updated_at = now(), next_attempt_at = 'infinity',
            status = case when exists (select from inactive) then 'pending' else 'canceled' end
          where account_id = ${account_id} and livemode = ${livemode} and endpoint_id = ${id}
            and status = 'pending' and next_attempt_at <= now()
            and (exists (select from inactive) or not exists (
              select from webhook_endpoints where account_id = ${account_id} and livemode = ${livemode} and id = ${id}
            ))`.pipe(Effect.orDie, Effect.asVoid)
      )

      // Somebody asked for one more attempt while this one was under way.
      const isAskedFor = sql`d.trigger = 'manual' and n.trigger <> 'manual'`
      const outcome = sql`
        case when n.succeeded then 'succeeded' when n.trigger = 'manual' then d.prior_status
          when n.retry_ms < 0 then 'failed' else 'pending' end`
      const outcomeAt = sql`
        case when n.succeeded then d.next_attempt_at when n.trigger = 'manual' then d.prior_attempt_at
          when n.retry_ms < 0 then d.next_attempt_at else now() + n.retry_ms * interval '1 millisecond' end`

      const record = yield* Batcher.make({
        name: "Deliveries.record",
        max: recordBatchMax,
        run: Effect.fnUntraced(function* (attempts: ReadonlyArray<CompletedAttempt>) {
          // In the order of their ids, so that two owners of the same deliveries never wait for each other both at once.
          const rows = yield* sql<{ readonly more: boolean }>`
            with input as (
              select * from unnest(
                ${attempts.map((attempt) => attempt.delivery.endpoint.account_id)}::text[],
                ${attempts.map((attempt) => attempt.delivery.endpoint.livemode)}::boolean[],
                ${attempts.map((attempt) => attempt.delivery.endpoint.id)}::text[],
                ${attempts.map((attempt) => attempt.delivery.id)}::text[],
                ${attempts.map((attempt) => attempt.delivery.attempts)}::integer[],
                ${attempts.map((attempt) => attempt.trigger)}::text[],
                ${attempts.map((attempt) => attempt.started_at)}::timestamptz[],
                ${attempts.map((attempt) => attempt.duration_ms)}::integer[],
                ${attempts.map((attempt) => attempt.succeeded)}::boolean[],
                ${attempts.map((attempt) => attempt.retryInMs ?? -1)}::float8[],
                ${attempts.map((attempt) => attempt.remote_ip ?? "")}::text[],
                ${attempts.map((attempt) => attempt.response_status ?? 0)}::integer[],
                ${attempts.map((attempt) => JSON.stringify(attempt.response_headers))}::text[],
                ${attempts.map((attempt) => attempt.response_body)}::text[],
                ${attempts.map((attempt) => (attempt.error === null ? "" : JSON.stringify(attempt.error)))}::text[]
              ) with ordinality as n (account_id, livemode, endpoint_id, id, attempts, trigger, started_at,
                duration_ms, succeeded, retry_ms, remote_ip, status, headers, body, error, ord)
            ),
            recorded as (
              update deliveries d set attempts = d.attempts + 1, updated_at = now(), worker = null,
                unscheduled = d.unscheduled + (n.trigger = 'manual')::integer,
                status = case when ${isAskedFor} then 'pending' else ${outcome} end,
                next_attempt_at = case when ${isAskedFor} then now() else ${outcomeAt} end,
                trigger = case when ${isAskedFor} then 'manual' else 'auto' end,
                prior_status = case when ${isAskedFor} then ${outcome} end,
                prior_attempt_at = case when ${isAskedFor} then ${outcomeAt} end
              from (select * from input order by id) n
              where d.account_id = n.account_id and d.livemode = n.livemode and d.id = n.id
                and d.attempts = n.attempts and d.status = 'pending'
              returning n.*, d.status = 'pending' and d.next_attempt_at <= now() as is_due
            ),
            log as (
              insert into attempts (account_id, livemode, delivery_id, number, trigger, started_at, duration_ms, remote_ip,
                response_status, response_headers, response_body, error)
              select account_id, livemode, id, attempts + 1, trigger, started_at, duration_ms, nullif(remote_ip, ''),
                nullif(status, 0), headers::jsonb, body, nullif(error, '')::jsonb
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
              select e.*, exists (
                select from deliveries d
                where d.account_id = e.account_id and d.livemode = e.livemode and d.endpoint_id = e.endpoint_id
                  and d.status = 'pending' and d.next_attempt_at <= now()
              ) as is_due
              from (select distinct account_id, livemode, endpoint_id from input) e
            )
            select w.is_due or coalesce(r.is_due, false) as more
            from input n
            join waiting w using (account_id, livemode, endpoint_id)
            left join recorded r on r.ord = n.ord
            order by n.ord`
          return rows.map(({ more }) => more)
        }, Effect.orDie)
      })

      // From one endpoint to the next by looks into an index: a backlog of one does not hide the others behind it.
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
          yield* Effect.logError("Deliveries name an endpoint that no actor can have; they are put to rest")
          yield* rest(row)
        }
        return rows.filter(isKey)
      }, Effect.orDie)

      return Deliveries.of({
        take,
        rest,
        record: Effect.fn("Deliveries.record")(record),
        dueEndpoints
      })
    })
  )
}
