import { Option, Result } from "effect"
import { typesOf } from "../../../src/webhooks/rules/Subscriptions.ts"
import type { AccountMode } from "../../../schemas/Account.ts"
import { ApiError } from "../../../schemas/ApiError.ts"
import { AttemptId, DeliveryId, WebhookEndpointId } from "../../../schemas/Id.ts"
import { DeliveryLog, type StoredAttempt, type StoredDelivery } from "../../../src/webhooks/store/DeliveryLog.ts"
import { type EventFilter, Events, type Look, unknownEvent } from "../../../src/webhooks/store/Events.ts"
import { full, inactive, recoveredMax, Redelivery } from "../../../src/webhooks/store/Redelivery.ts"
import type { EndpointKey } from "../../../src/webhooks/store/WebhookEndpoints.ts"
import { isUsable } from "./MemoryAccounts.ts"
import { pageOf } from "./MemoryPages.ts"
import { type DeliveryRow, type EventRow, isOf, inMemory, newDelivery, rowOf, type Tables } from "./MemoryTables.ts"

/*
 * Events and deliveries as their account sees and repeats them. A transaction here is a single call: everything has
 * settled.
 */

const fits =
  ({ from, object_id, to, types }: EventFilter) =>
  (row: EventRow) =>
    !row.is_test &&
    (types === null || types.includes(row.type)) &&
    (object_id === null || row.object_id === object_id) &&
    (from === null || row.created_at >= from.getTime()) &&
    (to === null || row.created_at <= to.getTime())

const byId = (events: ReadonlyArray<EventRow>) => new Map(events.map((row) => [row.id as string, row]))

const later = (events: ReadonlyArray<EventRow>, account: AccountMode, seq: bigint) =>
  events.filter((row) => isOf(row, account) && !row.is_test && BigInt(row.seq) > seq)

export const layerEvents = inMemory(Events, ({ attempt, call }) => ({
  find: (account, id) =>
    call("Events.find", ({ events }) => Option.fromUndefinedOr(rowOf(byId(events), { ...account, id }))),
  list: (account, request, filter) =>
    call("Events.list", ({ events }) => pageOf(byId(events), account, request, fits(filter))),
  position: (account, id) =>
    attempt("Events.position", ({ events }) => {
      const row = rowOf(byId(events), { ...account, id })
      if (row === undefined || row.is_test) return Result.fail(unknownEvent(id))
      return Result.succeed({ tx: "1", seq: BigInt(row.seq) })
    }),
  after: (account, { seq }, filter, limit) =>
    call("Events.after", ({ events }) => {
      const found = later(events, account, seq).filter(fits(filter))
      const next = { tx: "1", seq: BigInt(events.length) }
      const rows = found.slice(0, limit)
      return { rows, has_more: found.length > rows.length, next }
    }),
  news: (waiters) =>
    call("Events.news", ({ apiKeys, events }, now) =>
      waiters.map(({ filter, account, position }): Look => {
        const next = { tx: "1", seq: BigInt(events.length) }
        const key = apiKeys.get(account.api_key_id)
        if (key === undefined || !isUsable(key, now)) return { news: "key_ended", next }
        return { news: later(events, account, position.seq).some(fits(filter)) ? "arrived" : null, next }
      })
    )
}))

const attemptsOf = ({ attempts }: Tables, deliveryId: string): ReadonlyArray<StoredAttempt> =>
  attempts
    .filter(({ delivery }) => delivery.id === deliveryId)
    .map((attempt) => ({
      ...attempt,
      id: AttemptId.make(`${deliveryId}_${attempt.number}`),
      started_at_ms: attempt.started_at.getTime()
    }))

// Lists show fewer attempts, which is tested on PostgreSQL.
const stored = (tables: Tables, row: DeliveryRow): StoredDelivery => {
  const event = tables.events.find(({ id }) => id === row.event_id)
  if (event === undefined) throw new Error(`no event ${row.event_id}`)
  const isPlanned = row.status === "pending" && !row.isUnderWay && row.next_attempt_at < Infinity
  return {
    ...row,
    id: DeliveryId.make(row.id),
    endpoint_id: WebhookEndpointId.make(row.endpoint_id),
    event_type: event.type,
    planned_at: isPlanned ? new Date(row.next_attempt_at) : null,
    attempts: attemptsOf(tables, row.id),
    attempts_count: row.attempts,
    created_at: new Date(row.created_at),
    updated_at: new Date(row.updated_at)
  }
}

export const layerDeliveryLog = inMemory(DeliveryLog, ({ call }) => {
  const list = (account: AccountMode, request: Parameters<typeof pageOf>[2], isOne: (row: DeliveryRow) => boolean) =>
    call("DeliveryLog.list", (tables) =>
      pageOf(tables.deliveries, account, request, isOne, (row) => stored(tables, row))
    )
  return {
    find: (account, id) =>
      call("DeliveryLog.find", (tables) => {
        const row = rowOf(tables.deliveries, { ...account, id })
        return row === undefined ? Option.none() : Option.some(stored(tables, row))
      }),
    listOfEvent: (account, eventId, request) => list(account, request, (row) => row.event_id === eventId),
    listOfEndpoint: (account, endpointId, status, request) =>
      list(account, request, (row) => row.endpoint_id === endpointId && (status === null || row.status === status))
  }
})

const held = ({ endpoints }: Tables, key: EndpointKey) =>
  Result.fromNullishOr(rowOf(endpoints, key), () => ApiError.missing("webhook endpoint", key.id))

/** Makes failed deliveries due again, and creates missed ones, oldest first. */
const recover = (tables: Tables, key: EndpointKey, since: Date, now: number) =>
  Result.map(held(tables, key), ({ full_since, subscribed_events }) => {
    const deliveryOf = (event: EventRow) =>
      [...tables.deliveries.values()].find((row) => row.event_id === event.id && row.endpoint_id === key.id)
    const missed = tables.events
      .filter((event) => isOf(event, key) && !event.is_test && event.created_at >= since.getTime())
      .map((event) => ({ event, delivery: deliveryOf(event) }))
      .filter(({ delivery, event }) =>
        delivery === undefined ? typesOf(subscribed_events).includes(event.type) : delivery.status === "failed"
      )
    const portion = missed.slice(0, full_since === null ? recoveredMax : 0)
    for (const { delivery, event } of portion) {
      const row: DeliveryRow =
        delivery === undefined
          ? newDelivery(event, key.id, now, "recover")
          : {
              ...delivery,
              status: "pending",
              trigger: "recover",
              unscheduled: delivery.attempts,
              next_attempt_at: now,
              updated_at: now
            }
      tables.deliveries.set(row.id, row)
    }
    return { deliveries: portion.length, has_more: missed.length > portion.length }
  })

export const layerRedelivery = inMemory(Redelivery, ({ attempt }) => ({
  redeliver: (key) =>
    attempt("Redelivery.redeliver", (tables, now) => {
      const row = rowOf(tables.deliveries, key)
      if (row === undefined) return Result.fail(ApiError.missing("webhook delivery", key.id))
      const { account_id, livemode } = key
      const endpoint = { account_id, livemode, id: WebhookEndpointId.make(row.endpoint_id) }
      return Result.map(held(tables, endpoint), () => {
        const { next_attempt_at, status } = row
        const prior = { status, next_attempt_at: next_attempt_at === Infinity ? now : next_attempt_at }
        tables.deliveries.set(row.id, {
          ...row,
          status: "pending",
          trigger: "manual",
          prior: row.trigger === "manual" ? row.prior : prior,
          next_attempt_at: row.isUnderWay ? next_attempt_at : now,
          updated_at: now
        })
        const asked = tables.deliveries.get(row.id)?.prior
        for (const other of tables.deliveries.values()) {
          const isBehind =
            asked?.status === "pending" &&
            other.status === "pending" &&
            other.endpoint_id === row.endpoint_id &&
            other.object_id === row.object_id &&
            other.seq > row.seq &&
            other.next_attempt_at === asked.next_attempt_at
          if (isBehind) tables.deliveries.set(other.id, { ...other, next_attempt_at: now })
        }
        return endpoint
      })
    }),
  recover: (key, since) => attempt("Redelivery.recover", (tables, now) => recover(tables, key, since, now)),
  test: (key, make) =>
    attempt("Redelivery.test", (tables, now) =>
      Result.flatMap(held(tables, key), ({ full_since, is_active, subscribed_events }) => {
        if (!is_active) return Result.fail(inactive)
        if (full_since !== null) return Result.fail(full)
        const { body, created_at, id, object_id, type } = make(typesOf(subscribed_events))
        const seq = tables.events.length + 1
        const account = { account_id: key.account_id, livemode: key.livemode, object_id, object_version: 1 }
        const event: EventRow = {
          ...account,
          id,
          seq,
          type,
          body,
          is_test: true,
          created_at: created_at.getTime()
        }
        tables.events.push(event)
        const row = newDelivery(event, key.id, now, "test")
        tables.deliveries.set(row.id, row)
        return Result.succeed(DeliveryId.make(row.id))
      })
    )
}))
