import { Option, Result } from "effect"
import type { AccountMode } from "../../../schemas/Account.ts"
import { AttemptId, DeliveryId, WebhookEndpointId } from "../../../schemas/Id.ts"
import { DeliveryLog, type StoredAttempt, type StoredDelivery } from "../../../src/webhooks/store/DeliveryLog.ts"
import { type EventFilter, Events, type Look, unknownEvent } from "../../../src/webhooks/store/Events.ts"
import { isUsable } from "./MemoryAccounts.ts"
import { pageOf } from "./MemoryPages.ts"
import { type DeliveryRow, type EventRow, isOf, inMemory, optionOf, rowOf, type Tables } from "./MemoryTables.ts"

/* Events and deliveries as their account sees them. A transaction here is a single call: everything has settled. */

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

// Lists show fewer attempts and filter by status, which is tested on PostgreSQL.
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

export const layerDeliveryLog = inMemory(DeliveryLog, ({ call }) => ({
  find: (account, id) =>
    call("DeliveryLog.find", (tables) =>
      Option.map(optionOf(tables.deliveries, account, id), (row) => stored(tables, row))
    ),
  listOfEndpoint: (account, endpointId, _status, request) =>
    call("DeliveryLog.listOfEndpoint", (tables) =>
      pageOf(
        tables.deliveries,
        account,
        request,
        (row) => row.endpoint_id === endpointId,
        (row) => stored(tables, row)
      )
    )
}))
