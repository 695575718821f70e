import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { LoggedRequest, Operations } from "../client/Interface.ts"
import { Api } from "./Api.ts"
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

// Processes of the service write the log in batches, so that a request may appear after one that came later.
const overlapMs = 10_000

/** The time from which the next look begins, given the requests of this one, newest first. */
const nextFrom = (rows: ReadonlyArray<LoggedRequest>, from: string | undefined) => {
  const [newest, oldest] = [rows[0], rows.at(-1)]
  if (newest === undefined || oldest === undefined) return from
  const time = Date.parse(newest.created) - overlapMs
  return new Date(from === undefined ? Math.max(time, Date.parse(oldest.created)) : time).toISOString()
}

/** The requests since a time, or the latest ones, and those to come: oldest first. */
export const requestsFrom = (query: LogQuery, since: string | undefined) => {
  let seen: ReadonlySet<string> | undefined
  return Stream.paginate(since, (from) =>
    Effect.gen(function* () {
      if (seen !== undefined) yield* Effect.sleep("1 second")
      const look = from === undefined ? latest(query) : sinceTime(query, from)
      // A service that never answered is not waited for: its address may be wrong.
      const rows: ReadonlyArray<LoggedRequest> = yield* seen === undefined ? look : patiently(look)
      const fresh = rows.filter(({ id }) => seen?.has(id) !== true)
      seen = new Set(rows.map(({ id }) => id))
      return [fresh.toReversed(), Option.some(nextFrom(rows, from))] as const
    })
  )
}
