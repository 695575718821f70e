import { Clock, Deferred, Effect, Exit, Option, type Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import type { ApiError } from "../../../schemas/ApiError.ts"
import type { EventQuery } from "../../../schemas/Event.ts"
import { pageSizeDefault } from "../../../schemas/Page.ts"
import { Api } from "../../api/Api.ts"
import { CurrentPrincipal, type Principal } from "../../api/Authorization.ts"
import { endedKey } from "../../accounts/store/ApiKeys.ts"
import { DeliveryLog, deliveryView } from "../../webhooks/store/DeliveryLog.ts"
import {
  beginning,
  type EventFilter,
  Events,
  type News,
  type Position,
  type StoredEvent,
  type Waiter
} from "../../webhooks/store/Events.ts"
import type { Rows } from "../../database/Pages.ts"
import { Concurrency } from "../limits/Concurrency.ts"
import { Stopping } from "../service/HealthRoutes.ts"
import { conflict, makeFind, pageRequest, readPage, timeOf } from "../request/Paging.ts"
import { inTime } from "../../runtime/PortCall.ts"
import { RequestTurns } from "../limits/RequestTurns.ts"
import { withBody } from "../request/Pipeline.ts"

// Longest delay until a waiting request gets an event, or fails because its API key has ended.
const searchInterval = "250 millis"

interface Waiting extends Waiter {
  position: Position
  readonly found: Deferred.Deferred<News>
}

/**
 * Makes the wait for events.
 *
 * Any process may write events, so only the event rows are complete. A single statement searches the events of all
 * waiting requests, and no waiting request holds a connection.
 *
 * After each search, a request's position moves beyond the events that don't match its filter. Hundreds of waiting
 * requests of a busy account therefore don't scan the same events twice.
 *
 * The wait ends when an event after the position matches the filter, when the request's API key ends, or when the
 * service stops.
 */
const makeWait = Effect.gen(function* () {
  const events = yield* Events
  const scope = yield* Effect.scope
  const stopping = yield* Stopping
  const all = new Set<Waiting>()
  let isSearching = false

  const search = Effect.gen(function* () {
    yield* Effect.sleep(searchInterval)
    const waiters = [...all]
    for (const [index, { news, next }] of (yield* events.news(waiters)).entries()) {
      const waiter = waiters[index]!
      if (news === null) waiter.position = next
      else Deferred.doneUnsafe(waiter.found, Exit.succeed(news))
    }
  }).pipe(Effect.catchCause((cause) => Effect.logWarning("The search for new events failed; Folio will retry", cause)))

  const searchAll = Effect.gen(function* () {
    while (all.size > 0) yield* search
    // Reset in the same tick as the check of `all`. Otherwise a request that arrives in between would wait for a loop
    // that has ended.
    isSearching = false
  })

  return (account: Waiter["account"], position: Position, filter: EventFilter) =>
    Effect.suspend(() => {
      const waiter: Waiting = { account, position, filter, found: Deferred.makeUnsafe<News>() }
      all.add(waiter)
      const begin = isSearching ? Effect.void : Effect.forkIn(searchAll, scope)
      isSearching = true
      return begin.pipe(
        Effect.andThen(Effect.raceFirst(Deferred.await(waiter.found), stopping.drained.await)),
        Effect.ensuring(Effect.sync(() => all.delete(waiter)))
      )
    })
})

type Query = Schema.Struct.Type<typeof EventQuery>

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

/** Writes the stored bodies unchanged, because an event has the same bytes in every list, response and delivery. */
const page = ({ has_more, rows }: Rows<StoredEvent>) =>
  HttpServerResponse.text(
    `{"object":"list","url":"/v1/events","has_more":${has_more},"data":[${rows.map(({ body }) => body).join(",")}]}`,
    { contentType: "application/json" }
  )

export const layer = HttpApiBuilder.group(
  Api,
  "events",
  Effect.fn(function* (handlers) {
    const arrival = yield* makeWait
    const concurrency = yield* Concurrency
    const events = yield* Events
    const find = makeFind("event", events.find)
    const turns = yield* RequestTurns
    const log = yield* DeliveryLog
    const stopping = yield* Stopping

    /**
     * Responds immediately if there are events after the position. Otherwise responds when an event arrives. Responds
     * with an empty page when the wait ends or the service stops. Fails with `invalid_api_key` if the key ends during
     * the wait.
     */
    const follow = Effect.fnUntraced(function* (principal: Principal, query: Query, filter: EventFilter) {
      const limit = query.limit === undefined ? pageSizeDefault : Number(query.limit)
      const end = (yield* Clock.currentTimeMillis) + Number(query.wait ?? 0) * 1000
      let position: Position =
        query.after === undefined ? beginning : yield* inTime(events.position(principal, query.after))
      for (;;) {
        const following = yield* turns.read(principal, inTime(events.after(principal, position, filter, limit)), bytes)
        const left = end - (yield* Clock.currentTimeMillis)
        if (following.rows.length > 0 || left <= 0 || stopping.drained.isOpen()) return following
        position = following.next
        const news = yield* Effect.timeoutOption(arrival(principal, position, filter), left)
        if (Option.isNone(news)) return following
        if (news.value === "key_ended") return yield* endedKey
      }
    })

    return withBody(handlers).handleAll({
      listEvents: Effect.fn("listEvents")(function* ({ query }) {
        const principal = yield* CurrentPrincipal
        const request = yield* pageRequest(query)
        const filter = yield* filterOf(query)
        if (query.after === undefined && query.wait === undefined) {
          return page(yield* turns.read(principal, inTime(events.list(principal, request, filter)), bytes))
        }
        if (request.cursor !== null) {
          return yield* conflict(
            query.after === undefined ? "wait" : "after",
            request.cursor.direction === "after" ? "starting_after" : "ending_before"
          )
        }
        const followed = follow(principal, query, filter)
        return page(yield* Number(query.wait ?? 0) > 0 ? concurrency.waiting(principal)(followed) : followed)
      }),
      retrieveEvent: ({ params }) =>
        Effect.map(find(params.id), ({ body }) => HttpServerResponse.text(body, { contentType: "application/json" })),
      listEventDeliveries: ({ params: { id }, query }) =>
        readPage(
          `/v1/events/${id}/deliveries`,
          query,
          (principal, request) => Effect.andThen(find(id), log.listOfEvent(principal, id, request)),
          deliveryView
        )
    })
  })
)
