import { Duration, Effect, Layer, Option } from "effect"
import { AccountId } from "../../../schemas/Id.ts"
import { Backlog, everyKind } from "../../../src/store/sql/Backlog.ts"
import { Retention } from "../../../src/store/sql/Retention.ts"
import { RequestLog } from "../../../src/store/requests/RequestLog.ts"
import {
  type RequestFilter,
  Requests,
  type StoredRequest,
  type WrittenRequest
} from "../../../src/store/requests/Requests.ts"
import { pageOf } from "./MemoryPages.ts"
import { inMemory, rowOf, type Tables } from "./MemoryTables.ts"

/* The part of the memory store that keeps the house: what breaks, what is past its time, what is waiting. */

// Nothing here lives for a day: there is never anything to remove.
export const layerRetention = inMemory(Retention, ({ call }) => ({
  idempotency_keys: call("Retention.idempotency_keys", () => 0),
  deliveries: call("Retention.deliveries", () => 0),
  api_keys: call("Retention.api_keys", () => 0),
  portal_sessions: call("Retention.portal_sessions", () => 0),
  acquirers: call("Retention.acquirers", () => 0),
  enablement_documents: call("Retention.enablement_documents", () => 0),
  incidents: call("Retention.incidents", () => 0),
  audit_log: call("Retention.audit_log", () => 0),
  events: call("Retention.events", () => 0),
  requests: call("Retention.requests", () => 0)
}))

const readRequest = ({ apiKeys, events, requests }: Tables, row: WrittenRequest): StoredRequest => {
  const first = [...requests.values()].findLast(
    (other) =>
      other.idempotency_key === row.idempotency_key &&
      other.api_key_id === row.api_key_id &&
      other.verdict === "executed" &&
      other.status < 300 &&
      other.id < row.id
  )
  return {
    ...row,
    last_four: apiKeys.get(row.api_key_id ?? "")?.last_four ?? null,
    of: row.verdict === null || row.verdict === "executed" ? null : (first?.id ?? null),
    events: events
      .filter((event) => row.objects.includes(event.object_id) && event.created_at >= row.created_at.getTime())
      .map(({ id }) => id)
  }
}

const fitsRequest = (filter: RequestFilter) => (row: WrittenRequest) =>
  (filter.status === null || (row.status >= filter.status[0] && row.status <= filter.status[1])) &&
  (filter.method === null || row.method === filter.method) &&
  (filter.path === null || row.path.startsWith(filter.path)) &&
  (filter.api_key_id === null || row.api_key_id === filter.api_key_id) &&
  (filter.idempotency_key === null || row.idempotency_key === filter.idempotency_key) &&
  (filter.object_id === null || row.objects.includes(filter.object_id)) &&
  (filter.from === null || row.created_at >= filter.from) &&
  (filter.to === null || row.created_at <= filter.to)

const layerRequests = inMemory(Requests, ({ call }) => ({
  find: (account, id) =>
    call("Requests.find", (tables) => {
      const row = rowOf(tables.requests, { ...account, id })
      return Option.fromUndefinedOr(row === undefined ? undefined : readRequest(tables, row))
    }),
  list: (account, page, filter) =>
    call("Requests.list", (tables) =>
      pageOf(tables.requests, account, page, fitsRequest(filter), (row) => ({
        ...readRequest(tables, row),
        request_body: null,
        response_body: null
      }))
    ),
  levels: (ids) =>
    call("Requests.levels", ({ accounts }) =>
      [...accounts.values()].filter(({ account_id }) => ids.includes(account_id))
    ),
  insert: (rows) =>
    call("Requests.insert", ({ requests }) => {
      for (const row of rows) requests.set(row.id, { ...row, account_id: AccountId.make(row.account_id) })
    })
}))

/** The table of the request log, and the log itself as it is. */
export const layerRequestLog = RequestLog.layer.pipe(Layer.provideMerge(layerRequests))

export const layerBacklog = inMemory(Backlog, ({ call }) => ({
  // There may always be work: the sweeps themselves find none.
  look: Effect.succeed(everyKind),
  turn: Effect.succeed(Duration.zero),
  waiting: call("Backlog.waiting", ({ circuits, deliveries, invoices }, now) => {
    const open = [...invoices.values()].filter((row) => row.next_action_at !== null)
    const pending = [...deliveries.values()].filter((row) => row.status === "pending")
    const due = pending.filter((row) => row.next_attempt_at <= now)
    const contingent = open.filter(({ state }) => state === "accepted_contingency")
    const ofCircuits = (live: boolean, isOpen: boolean) =>
      [...circuits].filter(
        ([name, row]) => row.failing_since !== null && (name === "live") === live && (row.opened_at !== null) === isOpen
      ).length
    const troublesOf = (live: boolean) => {
      const found = [...circuits].flatMap(([name, { failing_since, trouble }]) =>
        failing_since === null || trouble === null || (name === "live") !== live ? [] : [trouble]
      )
      return Object.fromEntries(found.map((trouble) => [trouble, found.filter((one) => one === trouble).length]))
    }
    const age = (since: ReadonlyArray<number>) => (now - Math.min(now, ...since)) / 1000
    return {
      oldest_invoice: age(open.map((row) => row.created_at.getTime())),
      oldest_unsettled_event: 0,
      oldest_delivery: age(due.map((row) => row.next_attempt_at)),
      invoices: Object.fromEntries(open.map(({ state }) => [state, open.filter((row) => row.state === state).length])),
      deliveries: { due: due.length, scheduled: pending.length - due.length },
      in_contingency: contingent.length,
      contingency_overdue: contingent.filter((row) => (row.transmit_before?.getTime() ?? Infinity) < now).length,
      ranges_held: 0,
      oldest_contingency: age(contingent.map((row) => row.contingency_since?.getTime() ?? now)),
      circuits: {
        live_failing: ofCircuits(true, false),
        live_open: ofCircuits(true, true),
        test_failing: ofCircuits(false, false),
        test_open: ofCircuits(false, true)
      },
      troubles: { live: troublesOf(true), test: troublesOf(false) },
      incidents: {}
    }
  })
}))
