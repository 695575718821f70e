import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountMode } from "../../../schemas/Account.ts"
import { ApiError } from "../../../schemas/ApiError.ts"
import type { EventType } from "../../../schemas/Event.ts"
import type { DeliveryId } from "../../../schemas/Id.ts"
import { allEvents, Subscription } from "../../../schemas/WebhookEndpoint.ts"
import { typesOf } from "../rules/Subscriptions.ts"
import { deliveryId, firstIdAt } from "../../database/Ids.ts"
import { type Key, ofKey } from "../../database/Keys.ts"
import * as Query from "../../database/Query.ts"
import type { NewEvent } from "./NewDeliveries.ts"
import { EndpointKey } from "./WebhookEndpoints.ts"

/** Maximum deliveries of one recovery, which one statement inserts in well under a second. */
export const recoveredMax = 10_000

export const inactive = new ApiError({
  code: "endpoint_not_sending",
  message: "The webhook endpoint is inactive. Set is_active to true, and then send a test event."
})

export const full = new ApiError({
  code: "endpoint_not_sending",
  message:
    "The delivery queue of the webhook endpoint is full. Send the test event after full_since of the endpoint has become null."
})

/** A test event for one endpoint. */
export interface SampleEvent extends NewEvent {
  readonly object_id: string
}

/**
 * Attempts that an account requests. Every method runs in the caller's transaction and account view. It fails with
 * `resource_missing` if the delivery or the endpoint does not exist. The endpoint's lock prevents only its deletion, so
 * that attempts can be recorded.
 */
export class Redelivery extends Context.Service<Redelivery>()("folio/webhooks/store/Redelivery", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const lockEndpoint = Query.first(
      Schema.Struct({
        subscribed_events: Schema.Array(Subscription),
        is_active: Schema.Boolean,
        is_full: Schema.Boolean
      }),
      (key: EndpointKey) => sql`
        select subscribed_events, is_active, full_since is not null as is_full from webhook_endpoints
        where ${ofKey(sql, key)} for key share`
    )
    /** Locks the endpoint against deletion until the commit. `is_full`: whether the delivery queue is full. */
    const hold = Effect.fnUntraced(function* (key: EndpointKey) {
      return Option.getOrUndefined(yield* lockEndpoint(key)) ?? (yield* ApiError.missing("webhook endpoint", key.id))
    })

    const endpointOf = Query.first(
      EndpointKey,
      (key: Key) => sql`select account_id, livemode, endpoint_id as id from deliveries where ${ofKey(sql, key)}`
    )
    /**
     * Requests one attempt outside the schedule, also of a delivery that has succeeded or failed. The attempt begins
     * immediately, or after the earlier pending deliveries of the same object. If the attempt fails, the delivery
     * returns to its prior status and schedule. Further requests before the end of the attempt add no other attempt.
     */
    const redeliver = Effect.fn("Redelivery.redeliver")(function* (key: AccountMode & { readonly id: DeliveryId }) {
      const endpoint = Option.getOrUndefined(yield* endpointOf(key))
      if (endpoint === undefined) return yield* ApiError.missing("webhook delivery", key.id)
      yield* hold(endpoint)
      // An attempt in progress keeps its lease, and the requested attempt follows it.
      yield* sql`
        update deliveries set status = 'pending', trigger = 'manual', updated_at = now(),
          prior_status = case when trigger = 'manual' then prior_status else status end,
          prior_attempt_at = case when trigger = 'manual' then prior_attempt_at
            when next_attempt_at = 'infinity' then now() else next_attempt_at end,
          next_attempt_at = case when status = 'pending' and worker is not null then next_attempt_at else now() end
        where ${ofKey(sql, key)} and status <> 'canceled'`.pipe(Effect.orDie)
      // Later deliveries of the object that were postponed to this delivery's planned time become due with it.
      yield* sql`
        update deliveries d set next_attempt_at = now()
        from deliveries h
        where h.account_id = ${key.account_id} and h.livemode = ${key.livemode} and h.id = ${key.id}
          and h.prior_status = 'pending' and d.account_id = h.account_id and d.livemode = h.livemode
          and d.endpoint_id = h.endpoint_id and d.object_id = h.object_id and d.seq > h.seq
          and d.status = 'pending' and d.next_attempt_at = h.prior_attempt_at`.pipe(Effect.orDie)
      return endpoint
    })

    const revive = Query.one(
      Schema.Struct({ deliveries: Schema.Int, has_more: Schema.Boolean }),
      (key: EndpointKey, since: Date, subscribed_events: ReadonlyArray<Subscription>, most: number) => sql`
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
            and (d.status = 'failed' or d.id is null and array[e.type, ${allEvents}] && ${subscribed_events}::text[])
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
          (select count(*) from missed) > ${most} as has_more`
    )
    /**
     * Recovers an endpoint's events since a time, oldest first, at most `recoveredMax`. Failed deliveries become due
     * with a new schedule, and subscribed events without a delivery get one. Recovers nothing while the queue is full.
     */
    const recover = Effect.fn("Redelivery.recover")(function* (key: EndpointKey, since: Date) {
      // Recoveries of an endpoint run one at a time, because two of them could deadlock on the same rows.
      yield* Effect.orDie(sql`select pg_advisory_xact_lock(hashtextextended(${`recover ${key.id}`}, 0))`)
      const { is_full, subscribed_events } = yield* hold(key)
      return yield* revive(key, since, subscribed_events, is_full ? 0 : recoveredMax)
    })

    /**
     * Stores the test event that `make` returns for an endpoint's subscriptions, and a delivery with one attempt.
     * Returns the delivery's id. Fails with `endpoint_not_sending` if the endpoint is inactive or its queue is full,
     * because an unsent delivery is never purged.
     */
    const test = Effect.fn("Redelivery.test")(function* (
      key: EndpointKey,
      make: (subscribed: ReadonlyArray<EventType>) => SampleEvent
    ) {
      const { is_active, is_full, subscribed_events } = yield* hold(key)
      if (!is_active) return yield* inactive
      if (is_full) return yield* full
      const { body, created_at, id, object_id, type } = make(typesOf(subscribed_events))
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

    return { redeliver, recover, test }
  })
}) {
  static readonly layer = Layer.effect(Redelivery, Redelivery.make)
}
