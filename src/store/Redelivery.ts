import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountMode } from "../../schemas/Account.ts"
import { ApiError } from "../../schemas/ApiError.ts"
import { EventType } from "../../schemas/Event.ts"
import { type DeliveryId, type EventId, WebhookEndpointId } from "../../schemas/Id.ts"
import { deliveryId, firstIdAt } from "./Ids.ts"
import type { EndpointKey } from "./WebhookEndpoints.ts"

/** The most deliveries that one recovery takes up: as many as a statement makes in well under a second. */
export const recoveredMax = 10_000

export const inactive = new ApiError({
  code: "endpoint_not_sending",
  message: "The webhook endpoint is inactive. Set is_active to true, and then send it a sample."
})

export const full = new ApiError({
  code: "endpoint_not_sending",
  message:
    "As many deliveries wait for the webhook endpoint as may. Send it a sample when they have been delivered: full_since is null then."
})

/** A sample, to be sent to one endpoint. */
export interface SampleEvent {
  readonly id: EventId
  readonly type: EventType
  readonly object_id: string
  readonly body: string
  readonly created_at: Date
}

/**
 * Attempts that an account asks for. All of it is part of the caller's transaction, in the account's view, and fails with
 * `resource_missing` when there is no such delivery or no such endpoint any more. An endpoint is locked against its deletion
 * alone, so that attempts are recorded meanwhile.
 */
export class Redelivery extends Context.Service<
  Redelivery,
  {
    /**
     * One attempt out of schedule, also of a delivery that has succeeded or failed: at once if its resource's order allows it,
     * else in its turn. If it fails, everything is as it was before. Requests that come before it has ended are one.
     */
    readonly redeliver: (key: AccountMode & { readonly id: DeliveryId }) => Effect.Effect<EndpointKey, ApiError>
    /**
     * Makes due again what has failed for good of the events since then, with a schedule that begins anew, and what the endpoint
     * subscribes to and never got; the oldest first, at most `recoveredMax` of them, and none while as many wait for it as may.
     */
    readonly recover: (
      key: EndpointKey,
      since: Date
    ) => Effect.Effect<{ readonly deliveries: number; readonly has_more: boolean }, ApiError>
    /**
     * Sends the sample that `make` gives for an endpoint's subscriptions, once; gives its delivery. Fails with
     * `endpoint_not_sending`: what is never sent is never purged either.
     */
    readonly test: (
      key: EndpointKey,
      make: (subscribed: ReadonlyArray<EventType>) => SampleEvent
    ) => Effect.Effect<DeliveryId, ApiError>
  }
>()("folio/store/Redelivery") {
  static readonly layer = Layer.effect(
    Redelivery,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const decodeEndpointIds = Schema.decodeUnknownEffect(
        Schema.Array(Schema.Struct({ endpoint_id: WebhookEndpointId }))
      )
      const decodeEndpoints = Schema.decodeUnknownEffect(
        Schema.Array(
          Schema.Struct({
            subscribed_events: Schema.Array(EventType),
            is_active: Schema.Boolean,
            is_full: Schema.Boolean
          })
        )
      )
      const decodeRecovered = Schema.decodeUnknownEffect(
        Schema.Tuple([Schema.Struct({ deliveries: Schema.Int, has_more: Schema.Boolean })])
      )
      const where = (key: AccountMode & { readonly id: string }) =>
        sql`account_id = ${key.account_id} and livemode = ${key.livemode} and id = ${key.id}`

      /** Keeps the endpoint from being deleted until the commit; `is_full`: as much waits for it as may. */
      const hold = Effect.fnUntraced(function* (key: EndpointKey) {
        const [endpoint] = yield* sql`
          select subscribed_events, is_active, full_since is not null as is_full from webhook_endpoints
          where ${where(key)} for key share`.pipe(Effect.flatMap(decodeEndpoints), Effect.orDie)
        return endpoint ?? (yield* ApiError.missing("webhook endpoint", key.id))
      })

      const redeliver: Redelivery["Service"]["redeliver"] = Effect.fn("Redelivery.redeliver")(function* (key) {
        const [delivery] = yield* sql`select endpoint_id from deliveries where ${where(key)}`.pipe(
          Effect.flatMap(decodeEndpointIds),
          Effect.orDie
        )
        if (delivery === undefined) return yield* ApiError.missing("webhook delivery", key.id)
        const endpoint: EndpointKey = { account_id: key.account_id, livemode: key.livemode, id: delivery.endpoint_id }
        yield* hold(endpoint)
        // An attempt under way keeps its lease; the one that was asked for follows it.
        yield* sql`
          update deliveries set status = 'pending', trigger = 'manual', updated_at = now(),
            prior_status = case when trigger = 'manual' then prior_status else status end,
            prior_attempt_at = case when trigger = 'manual' then prior_attempt_at
              when next_attempt_at = 'infinity' then now() else next_attempt_at end,
            next_attempt_at = case when status = 'pending' and worker is not null then next_attempt_at else now() end
          where ${where(key)} and status <> 'canceled'`.pipe(Effect.orDie)
        // What was planned for its time because it waits behind it may come sooner as well.
        yield* sql`
          update deliveries d set next_attempt_at = now()
          from deliveries h
          where h.account_id = ${key.account_id} and h.livemode = ${key.livemode} and h.id = ${key.id}
            and h.prior_status = 'pending' and d.account_id = h.account_id and d.livemode = h.livemode
            and d.endpoint_id = h.endpoint_id and d.object_id = h.object_id and d.seq > h.seq
            and d.status = 'pending' and d.next_attempt_at = h.prior_attempt_at`.pipe(Effect.orDie)
        return endpoint
      })

      const recover: Redelivery["Service"]["recover"] = Effect.fn("Redelivery.recover")(function* (key, since) {
        // One at a time: two would take up the same rows in any order, and wait for each other.
        yield* Effect.orDie(sql`select pg_advisory_xact_lock(hashtextextended(${`recover ${key.id}`}, 0))`)
        const { is_full, subscribed_events } = yield* hold(key)
        const most = is_full ? 0 : recoveredMax
        const [recovered] = yield* sql`
          with missed as materialized (
            select e.account_id, e.livemode, e.id, e.seq, e.object_id, d.id as delivery_id
            from events e
            left join lateral (
              select d.id, d.status from deliveries d
              where d.event_id = e.id and d.endpoint_id = ${key.id} and d.account_id = e.account_id
                and d.livemode = e.livemode limit 1
            ) d on true
            where e.account_id = ${key.account_id} and e.livemode = ${key.livemode}
              and e.id >= ${firstIdAt("evt", since)} and e.created_at >= ${since} and not e.is_test
              and (d.status = 'failed' or d.id is null and e.type = any(${subscribed_events}::text[]))
            order by e.id limit ${most + 1}
          ),
          portion as materialized (select * from missed order by id limit ${most}),
          revived as (
            update deliveries d set status = 'pending', trigger = 'recover', unscheduled = d.attempts, worker = null,
              next_attempt_at = now(), updated_at = now()
            from portion p
            where d.account_id = p.account_id and d.livemode = p.livemode and d.id = p.delivery_id and d.status = 'failed'
            returning 1
          ),
          made as (
            insert into deliveries (account_id, livemode, id, endpoint_id, event_id, object_id, seq, trigger, created_at,
              updated_at)
            select account_id, livemode, ${deliveryId(sql, sql`p.id`, sql`${key.id}::text`)}, ${key.id}, id, object_id, seq,
              'recover', now(), now()
            from portion p where delivery_id is null order by seq
            on conflict do nothing
            returning 1
          )
          select ((select count(*) from revived) + (select count(*) from made))::integer as deliveries,
            (select count(*) from missed) > ${most} as has_more`.pipe(Effect.flatMap(decodeRecovered), Effect.orDie)
        return recovered
      })

      const test: Redelivery["Service"]["test"] = Effect.fn("Redelivery.test")(function* (key, make) {
        const { is_active, is_full, subscribed_events } = yield* hold(key)
        if (!is_active) return yield* inactive
        if (is_full) return yield* full
        const { body, created_at, id, object_id, type } = make(subscribed_events)
        const made = yield* sql<{ id: DeliveryId }>`
          with event as (
            insert into events (account_id, livemode, id, type, object_id, object_version, body, is_test, created_at)
            values (${key.account_id}, ${key.livemode}, ${id}, ${type}, ${object_id}, 1, ${body}, true, ${created_at})
            returning id, seq
          )
          insert into deliveries (account_id, livemode, id, endpoint_id, event_id, object_id, seq, trigger, created_at,
            updated_at)
          select ${key.account_id}, ${key.livemode}, ${deliveryId(sql, sql`e.id`, sql`${key.id}::text`)}, ${key.id}, e.id,
            ${object_id}, e.seq, 'test', now(), now()
          from event e
          returning id`.pipe(Effect.orDie)
        return made[0]?.id ?? (yield* Effect.die("a test made no delivery"))
      })

      return Redelivery.of({ redeliver, recover, test })
    })
  )
}
