import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { LoggedRequest, LoggedRequestWithBodies, Operations } from "../../../clients/typescript/Interface.ts"
import { jsonOf } from "../../../clients/typescript/ResponseBody.ts"
import { Api } from "../ApiRequests.ts"
import * as Flags from "../Flags.ts"
import { Output } from "../Output.ts"
import { type Column, fieldLines, type Paint, shown } from "../Table.ts"
import { clock, timeOf, timeOfDay } from "../Times.ts"
import * as Option from "effect/Option"
import { patiently } from "../listen/Patience.ts"

const paintedStatus = (status: number, { green, red, yellow }: Paint) => {
  const text = String(status)
  return status >= 500 ? red(text) : status >= 400 ? yellow(text) : green(text)
}

const remark = ({ error_code, idempotency, objects }: LoggedRequest) =>
  [
    error_code,
    idempotency === null || idempotency.verdict === "executed" ? null : idempotency.verdict,
    error_code === null ? objects[0] : null
  ]
    .filter((text) => text !== null && text !== undefined)
    .join(" ")

const columns: ReadonlyArray<Column<LoggedRequest>> = [
  ["TIME", ({ created }) => timeOfDay(created)],
  ["STATUS", ({ status }, paint) => paintedStatus(status, paint)],
  ["METHOD", ({ method }) => method],
  ["PATH", ({ path, query }) => (query === null ? path : `${path}?${query}`)],
  ["MS", ({ duration_ms }) => String(duration_ms)],
  ["WHAT", remark],
  ["ID", ({ id }) => id, "whole"]
]

const tail = Command.make(
  "tail",
  {
    status: Flags.text("status", "STATUS", "Only with this status: 404, or 4xx"),
    path: Flags.text("path", "PATH", "Only with a path that begins with this text"),
    method: Flags.choice("method", ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"], "Only with this method"),
    object: Flags.text("object", "ID", "Only about this object"),
    key: Flags.text("idempotency-key", "KEY", "Only with this idempotency key"),
    apiKey: Flags.text("api-key", "key_…", "Only with this API key"),
    since: Flags.since,
    limit: Flags.end
  },
  Effect.fnUntraced(function* (flags) {
    const output = yield* Output
    const since = flags.since === undefined ? undefined : yield* timeOf(flags.since)
    // `requests get` takes an id, and a line of 80 columns has no space for it.
    const ids = (process.stdout.columns || 80) < 110 ? " To see ids, widen the terminal or use --json." : ""
    yield* output.say(({ dim }) => dim(`Following requests. Press Ctrl-C to end.${ids}`))
    const { apiKey, key, method, object, path, status } = flags
    const query = Flags.given({ status, path, method, object_id: object, idempotency_key: key, api_key_id: apiKey })
    yield* output.list(Stream.take(requestsFrom(query, since), flags.limit), columns)
  })
).pipe(
  Flags.described(
    "Follow requests to the API, after the latest ten",
    "folio requests tail --status 4xx --path /v1/invoices"
  )
)

const indented = (heading: string, body: string | null, { bold }: Paint) => {
  if (body === null) return []
  const value = jsonOf(body)
  // The log truncates a long body, which then is not JSON.
  const text = value === undefined ? body : JSON.stringify(value, null, 2)
  return ["", bold(heading), ...text.split("\n").map((line) => `  ${shown(line)}`)]
}

const lines = (one: LoggedRequestWithBodies) => (paint: Paint) => {
  const { api_key, idempotency } = one
  const rows: ReadonlyArray<readonly [string, string | null]> = [
    ["id", one.id],
    ["time", `${clock(one.created)}, ${one.duration_ms} ms`],
    ["key", api_key === null ? null : `${api_key.id} …${api_key.last_four ?? ""}`],
    ["session", one.portal_session_id ?? null],
    ["from", one.ip],
    ["version", one.version],
    [
      "idempotency",
      idempotency === null
        ? null
        : `${idempotency.key}: ${idempotency.verdict}${idempotency.of === null ? "" : ` of ${idempotency.of}`}`
    ],
    ["error", one.error_code],
    ["objects", one.objects.length === 0 ? null : one.objects.join(", ")],
    ["events", one.events.length === 0 ? null : one.events.join(", ")]
  ]
  return [
    `${paint.bold(`${one.method} ${one.path}${one.query === null ? "" : `?${one.query}`}`)}  ${paintedStatus(one.status, paint)}`,
    ...fieldLines(rows, paint, 11),
    ...indented("Request body", one.request_body, paint),
    ...indented("Response body", one.response_body, paint)
  ]
}

const get = Command.make(
  "get",
  { request: Flags.argument("request", "Request id, req_…, from the Request-Id header") },
  Effect.fnUntraced(function* (flags) {
    const one = yield* (yield* Api).call("requests", "retrieveRequest", { params: { id: flags.request } })
    yield* (yield* Output).one(one, lines(one))
  })
).pipe(Flags.described("Show a request with its bodies", "folio requests get req_…"))

export const requests = Command.make("requests").pipe(
  Command.withDescription("Follow and show requests to the API"),
  Command.withSubcommands([tail, get]),
  Command.withExamples([{ command: "folio requests tail" }])
)

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
const requestsFrom = (query: LogQuery, since: string | undefined) => {
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
