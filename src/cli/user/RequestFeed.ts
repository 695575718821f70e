import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { LoggedRequest, Operations } from "../../clients/typescript/Interface.ts"
import { Api } from "./ApiRequests.ts"
import { patiently } from "./listen/Patience.ts"

type LogQuery = NonNullable<Operations["requests"]["listRequests"]["request"]["query"]>

const latestCount = 10

/** The latest requests, newest first. */
const latest = (query: LogQuery) =>
  Effect.flatMap(Api, (api) =>
    Effect.map(api.call("requests", "listRequests", { query: { ...query, limit: latestCount } }), ({ data }) => data)
  )

/** All requests since a time, newest first. */
const sinceTime = (query: LogQuery, since: string) =>
  Effect.flatMap(Api, (api) =>
    Stream.runCollect(api.all("requests", "allRequests", { query: { ...query, "created[gte]": since } }))
  )

// Processes of the service write the log in batches, so that an older request may appear after a newer one.
const overlapMs = 10_000

/** The start time of the next query, given this query's requests, newest first. */
const nextFrom = (rows: ReadonlyArray<LoggedRequest>, from: string | undefined) => {
  const [newest, oldest] = [rows[0], rows.at(-1)]
  if (newest === undefined || oldest === undefined) return from
  const time = Date.parse(newest.created) - overlapMs
  return new Date(from === undefined ? Math.max(time, Date.parse(oldest.created)) : time).toISOString()
}

/** The requests since a time, or the latest requests, and then new ones as they happen. Oldest first. */
export const requestsFrom = (query: LogQuery, since: string | undefined) => {
  let seen: ReadonlySet<string> | undefined
  return Stream.paginate(since, (from) =>
    Effect.gen(function* () {
      if (seen !== undefined) yield* Effect.sleep("1 second")
      const look = from === undefined ? latest(query) : sinceTime(query, from)
      // Retries only after a first response: until then the address may be wrong.
      const rows: ReadonlyArray<LoggedRequest> = yield* seen === undefined ? look : patiently(look)
      const fresh = rows.filter(({ id }) => seen?.has(id) !== true)
      seen = new Set(rows.map(({ id }) => id))
      return [fresh.toReversed(), Option.some(nextFrom(rows, from))] as const
    })
  )
}
