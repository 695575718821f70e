import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { type AccountMode, RequestLogLevel } from "../../../schemas/Account.ts"
import { ApiKeyId, PortalSessionId, RequestId } from "../../../schemas/Id.ts"
import type { PageRequest } from "../../../schemas/Page.ts"
import { IdempotencyVerdict, LoggedRequest, LoggedRequestWithBodies } from "../../../schemas/Request.ts"
import { secret } from "../../runtime/json/RequestMask.ts"
import { createdWithin } from "../../database/Ids.ts"
import { columnsOf, ofAccount } from "../../database/Keys.ts"
import * as Pages from "../../database/Pages.ts"
import * as Query from "../../database/Query.ts"
import { viewOf } from "../../database/View.ts"

const Text = Schema.NullOr(Schema.String)

/** A request as stored, after masking. */
const Written = Schema.Struct({
  account_id: Schema.String,
  livemode: Schema.Boolean,
  id: RequestId,
  created_at: Schema.Date,
  method: Schema.String,
  path: Schema.String,
  query: Text,
  status: Schema.Int,
  duration_ms: Schema.Int,
  api_key_id: Schema.NullOr(ApiKeyId),
  portal_session_id: Schema.NullOr(PortalSessionId),
  ip: Text,
  version: Text,
  idempotency_key: Text,
  verdict: Schema.NullOr(IdempotencyVerdict),
  error_code: Text,
  objects: Schema.Array(Schema.String),
  request_bytes: Schema.Int,
  request_body: Text,
  response_bytes: Schema.Int,
  response_body: Text
})
export type WrittenRequest = typeof Written.Type

/** A request as read. Each read looks up `of` and `events`, because events may happen after the request was written. */
const Row = Schema.Struct({
  ...Written.fields,
  last_four: Text,
  of: Schema.NullOr(RequestId),
  events: Schema.Array(Schema.String)
})
export type StoredRequest = typeof Row.Type

/**
 * The filter of a list of requests. A null field matches all requests. `status` is the first and the last matching
 * status code.
 */
export interface RequestFilter {
  readonly status: readonly [first: number, last: number] | null
  readonly method: string | null
  /** The beginning of the path. */
  readonly path: string | null
  readonly api_key_id: string | null
  readonly idempotency_key: string | null
  readonly object_id: string | null
  /** `from` and `to` are inclusive. */
  readonly from: Date | null
  readonly to: Date | null
}

const eventsMax = 20

const Level = Schema.Struct({ account_id: Schema.String, livemode: Schema.Boolean, request_log: RequestLogLevel })

/** The table of the request log. */
export class Requests extends Context.Service<Requests>()("folio/operations/store/Requests", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const written = Object.keys(Written.fields).filter((name) => !name.endsWith("_body"))
    // Folio executes an idempotency key once within its window. A request whose client disconnected (499) may not have
    // been executed, so `of` names it only if there is no other. Keys that are masked as secrets are not compared,
    // because they may differ.
    const found = sql`
      ${sql.literal(written.join(", "))},
      (select last_four from api_keys k where k.id = api_key_id) as last_four,
      case when verdict <> 'executed' and idempotency_key <> ${secret} then (
        select o.id from requests o
        where o.account_id = requests.account_id and o.livemode = requests.livemode and o.api_key_id = requests.api_key_id
          and o.idempotency_key = requests.idempotency_key and o.id < requests.id and o.verdict = 'executed'
          and (o.status between 200 and 299 or o.status = 499) and o.created_at > requests.created_at - interval '25 hours'
        order by o.status = 499, o.id desc limit 1
      ) end as of,
      array(
        select e.id from events e
        where e.object_id = any(objects) and e.account_id = requests.account_id and e.livemode = requests.livemode
          and not e.is_test and e.created_at >= requests.created_at
        order by e.id limit ${eventsMax}
      ) as events`
    const { find, list } = Pages.readers(sql, {
      service: "Requests",
      narrow: "Narrow it with created[gte] and created[lte], or search by object_id, idempotency_key or status=4xx.",
      table: "requests",
      row: Row,
      columns: sql`${found}, request_body, response_body`,
      listed: sql`${found}, null as request_body, null as response_body`
    })

    // Each of the two indexes has its own query, because the planner uses neither index for an `or`.
    const about = (account: AccountMode, object: string) => {
      const look = (place: 1 | 2) => sql`
        select id from requests where ${ofAccount(sql, account)} and objects[${sql.literal(String(place))}] = ${object}`
      return sql`id = any(array(${look(1)} union all ${look(2)}))`
    }

    const fits = (account: AccountMode, filter: RequestFilter): Statement.Fragment => {
      const { api_key_id, idempotency_key, method, object_id, path, status } = filter
      return sql.and([
        sql`true`,
        // The exact condition of the index `requests_refused`, because a plan with only parameters could not use that
        // index.
        ...(status === null || status[0] < 400 ? [] : [sql`status >= 400`]),
        ...(status === null ? [] : [sql`status between ${status[0]} and ${status[1]}`]),
        ...(method === null ? [] : [sql`method = ${method}`]),
        ...(path === null ? [] : [sql`starts_with(path, ${path})`]),
        ...(api_key_id === null ? [] : [sql`api_key_id = ${api_key_id}`]),
        ...(idempotency_key === null ? [] : [sql`idempotency_key = ${idempotency_key}`]),
        ...(object_id === null ? [] : [about(account, object_id)]),
        ...createdWithin(sql, "req", filter)
      ])
    }

    const levels = Query.all(
      Level,
      (accounts: ReadonlyArray<string>) => sql`
        select account_id, livemode, request_log from account_modes where account_id = any(${accounts}::text[])`
    )
    const columns = columnsOf(sql, Written)

    return {
      find,
      list: (account: AccountMode, request: PageRequest, filter: RequestFilter) =>
        list(account, request, fits(account, filter)),
      /** The level of the request log of each of these accounts and their modes. */
      levels,
      /**
       * Writes requests in one statement. A crash of the database can lose only the requests that were written last.
       */
      insert: (requests: ReadonlyArray<WrittenRequest>) =>
        Effect.gen(function* () {
          yield* sql`set local synchronous_commit = off`
          yield* sql`
            insert into requests (${columns})
            select ${columns} from jsonb_populate_recordset(null::requests, ${JSON.stringify(requests)}::jsonb)
            on conflict do nothing`
        }).pipe(sql.withTransaction, Effect.orDie, Effect.asVoid)
    }
  })
}) {
  static readonly layer = Layer.effect(Requests, Requests.make)
}

/** The fields that the API shows in another form than the row. */
const otherwise = (row: StoredRequest) => ({
  created: row.created_at,
  api_key: row.api_key_id === null ? null : { id: row.api_key_id, last_four: row.last_four },
  idempotency:
    row.idempotency_key === null || row.verdict === null
      ? null
      : { key: row.idempotency_key, verdict: row.verdict, of: row.of }
})

const view = viewOf(LoggedRequest)
const viewWithBodies = viewOf(LoggedRequestWithBodies)

export const requestView = (row: StoredRequest): LoggedRequest => view({ ...row, ...otherwise(row) })

export const requestWithBodiesView = (row: StoredRequest): LoggedRequestWithBodies =>
  viewWithBodies({ ...row, ...otherwise(row) })
