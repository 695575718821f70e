import { Effect, type Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { LoggedRequestQuery } from "../../../schemas/Request.ts"
import { Api } from "../../api/Api.ts"
import { RequestLog } from "../../operations/store/RequestLog.ts"
import { type RequestFilter, Requests, requestView, requestWithBodiesView } from "../../operations/store/Requests.ts"
import { makeFind, readPage, timeOf } from "../request/Paging.ts"

const statusesOf = (status: string): RequestFilter["status"] =>
  status.endsWith("xx")
    ? [Number(status.charAt(0)) * 100, Number(status.charAt(0)) * 100 + 99]
    : [Number(status), Number(status)]

const filterOf = (query: Schema.Struct.Type<typeof LoggedRequestQuery>): RequestFilter => ({
  status: query.status === undefined ? null : statusesOf(query.status),
  method: query.method ?? null,
  path: query.path ?? null,
  api_key_id: query.api_key_id ?? null,
  idempotency_key: query.idempotency_key ?? null,
  object_id: query.object_id ?? null,
  from: timeOf(query["created[gte]"]),
  to: timeOf(query["created[lte]"])
})

// `flush` before each read, so that a client finds a request that this process has just completed.
export const layer = HttpApiBuilder.group(
  Api,
  "requests",
  Effect.fn(function* (handlers) {
    const log = yield* RequestLog
    const requests = yield* Requests
    const find = makeFind("request", requests.find)
    return handlers.handleAll({
      listRequests: ({ query }) =>
        Effect.andThen(
          log.flush,
          readPage(
            "/v1/requests",
            query,
            (principal, page) => requests.list(principal, page, filterOf(query)),
            requestView
          )
        ),
      retrieveRequest: ({ params }) => Effect.andThen(log.flush, Effect.map(find(params.id), requestWithBodiesView))
    })
  })
)
