import { Duration, Effect, Layer, Option } from "effect"
import { AccountId } from "../../../schemas/Id.ts"
import { Backlog, everyKind } from "../../../src/store/sql/Backlog.ts"
import { Retention } from "../../../src/store/sql/Retention.ts"
import { Incidents } from "../../../src/store/incidents/Incidents.ts"
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
export const layerRetention = Layer.mock(Retention)({})

// Nothing goes wrong here, and there is nobody to tell.
export const layerIncidents = Layer.mock(Incidents)({
  sources: [],
  open: Effect.succeed([]),
  record: () => Effect.void,
  take: () => Effect.succeed([])
})

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

// There may always be work: the sweeps themselves find none.
export const layerBacklog = Layer.mock(Backlog)({
  look: Effect.succeed(everyKind),
  turn: Effect.succeed(Duration.zero)
})
