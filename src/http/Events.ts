import { Clock, Effect, Option } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { ApiError } from "../../schemas/ApiError.ts"
import type { EventType } from "../../schemas/Event.ts"
import { pageSizeDefault } from "../../schemas/Page.ts"
import { Api } from "../api/Api.ts"
import { CurrentPrincipal, type Principal } from "../api/Authorization.ts"
import { invalidKey } from "../store/ApiKeys.ts"
import { DeliveryLog, deliveryView } from "../store/DeliveryLog.ts"
import { beginning, type EventFilter, Events, type Position, type StoredEvent } from "../store/Events.ts"
import type { Rows } from "../store/Pages.ts"
import { Concurrency } from "./Concurrency.ts"
import * as EventArrivals from "./EventArrivals.ts"
import { Stopping } from "./Health.ts"
import { pageRequest, pageView } from "./Paging.ts"
import { inTime } from "./Patience.ts"
import { RequestTurns } from "./RequestTurns.ts"

interface Query {
  readonly limit?: string
  readonly starting_after?: string
  readonly ending_before?: string
  readonly type?: EventType
  readonly "types[]"?: ReadonlyArray<EventType>
  readonly object_id?: string
  readonly "created[gte]"?: string
  readonly "created[lte]"?: string
  readonly after?: string
  readonly wait?: string
}

const conflict = (param: string, other: string) =>
  new ApiError({
    code: "parameter_conflict",
    message: `${other} and ${param} exclude each other; send only one of them.`,
    param
  })

const timeOf = (text: string | undefined) => (text === undefined ? null : new Date(text))

const filterOf = (query: Query): Effect.Effect<EventFilter, ApiError> =>
  query.type !== undefined && query["types[]"] !== undefined
    ? Effect.fail(conflict("types[]", "type"))
    : Effect.succeed({
        types: query.type === undefined ? (query["types[]"] ?? null) : [query.type],
        object_id: query.object_id ?? null,
        from: timeOf(query["created[gte]"]),
        to: timeOf(query["created[lte]"])
      })

const bytes = ({ rows }: Rows<StoredEvent>) => rows.reduce((sum, { body }) => sum + body.length, 0)

/** The stored bodies as they are: an event is the same wherever it is seen. */
const page = ({ has_more, rows }: Rows<StoredEvent>) =>
  HttpServerResponse.text(
    `{"object":"list","url":"/v1/events","has_more":${has_more},"data":[${rows.map(({ body }) => body).join(",")}]}`,
    { contentType: "application/json" }
  )

const missing = (id: string) => ApiError.missing("event", id)

export const layer = HttpApiBuilder.group(
  Api,
  "events",
  Effect.fn(function* (handlers) {
    const arrival = yield* EventArrivals.make
    const concurrency = yield* Concurrency
    const events = yield* Events
    const turns = yield* RequestTurns
    const log = yield* DeliveryLog
    const stopping = yield* Stopping

    /** At once when there is something after the position, else when there is, or when the time is over. */
    const follow = Effect.fnUntraced(function* (of: Principal, query: Query, filter: EventFilter) {
      const limit = query.limit === undefined ? pageSizeDefault : Number(query.limit)
      const end = (yield* Clock.currentTimeMillis) + Number(query.wait ?? 0) * 1000
      let position: Position = query.after === undefined ? beginning : yield* inTime(events.position(of, query.after))
      for (;;) {
        const following = yield* turns.read(of, inTime(events.after(of, position, filter, limit)), bytes)
        const left = end - (yield* Clock.currentTimeMillis)
        if (following.rows.length > 0 || left <= 0 || stopping.asked) return following
        position = following.next
        const news = yield* Effect.timeoutOption(arrival(of, position, filter), left)
        if (Option.isNone(news)) return following
        if (news.value === "key_ended") return yield* invalidKey
      }
    })

    const find = Effect.fnUntraced(function* (of: Principal, id: string) {
      return yield* Effect.mapError(Effect.fromOption(yield* events.find(of, id)), () => missing(id))
    })

    return handlers.handleAll({
      listEvents: Effect.fn("listEvents")(function* ({ query }: { readonly query: Query }) {
        const of = yield* CurrentPrincipal
        const request = yield* pageRequest(query)
        const filter = yield* filterOf(query)
        if (query.after === undefined && query.wait === undefined) {
          return page(yield* turns.read(of, inTime(events.list(of, request, filter)), bytes))
        }
        if (request.cursor !== null) {
          return yield* conflict(
            query.after === undefined ? "wait" : "after",
            request.cursor.direction === "after" ? "starting_after" : "ending_before"
          )
        }
        const followed = follow(of, query, filter)
        return page(yield* Number(query.wait ?? 0) > 0 ? concurrency.waiting(of)(followed) : followed)
      }),
      retrieveEvent: Effect.fn("retrieveEvent")(function* ({ params }) {
        const { body } = yield* find(yield* CurrentPrincipal, params.id)
        return HttpServerResponse.text(body, { contentType: "application/json" })
      }),
      listEventDeliveries: Effect.fn("listEventDeliveries")(function* ({ params: { id }, query }) {
        const of = yield* CurrentPrincipal
        const request = yield* pageRequest(query)
        yield* find(of, id)
        return pageView(`/v1/events/${id}/deliveries`, yield* log.listOfEvent(of, id, request), deliveryView)
      })
    })
  })
)
