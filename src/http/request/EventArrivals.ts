import { Deferred, Effect, Exit } from "effect"
import { type EventFilter, Events, type News, type Position, type Waiter } from "../../store/webhooks/Events.ts"
import { Stopping } from "../service/Health.ts"

// The longest delay before a waiting request gets an event, and before a waiting request with an ended API key fails.
const lookInterval = "250 millis"

interface Waiting extends Waiter {
  position: Position
  readonly told: Deferred.Deferred<News>
}

/**
 * Makes the wait for events. The event rows are the truth, because any process may write them: while any request waits, one
 * statement looks for the events of all waiting requests, and no waiting request holds a connection. After each look a request's
 * position moves beyond the events that do not match its filter, so that hundreds of waiting requests of a busy account do not scan
 * the same events twice. The wait ends with an event after the position that matches the filter, with the end of the request's API
 * key, or when the service is asked to stop.
 */
export const make = Effect.gen(function* () {
  const events = yield* Events
  const scope = yield* Effect.scope
  const stopping = yield* Stopping
  const all = new Set<Waiting>()
  let isLooking = false

  const look = Effect.gen(function* () {
    yield* Effect.sleep(lookInterval)
    const waiters = [...all]
    for (const [index, { news, next }] of (yield* events.news(waiters)).entries()) {
      const waiter = waiters[index]!
      if (news === null) waiter.position = next
      else Deferred.doneUnsafe(waiter.told, Exit.succeed(news))
    }
  }).pipe(Effect.catchCause((cause) => Effect.logWarning("Events could not be looked for; again in a moment", cause)))

  const lookOut = Effect.gen(function* () {
    while (all.size > 0) yield* look
    // Reset in the same tick as the check of `all`, because a request that arrived in between would wait for a loop that has ended.
    isLooking = false
  })

  return (account: Waiter["account"], position: Position, filter: EventFilter) =>
    Effect.suspend(() => {
      const waiter: Waiting = { account, position, filter, told: Deferred.makeUnsafe<News>() }
      all.add(waiter)
      const begin = isLooking ? Effect.void : Effect.forkIn(lookOut, scope)
      isLooking = true
      return begin.pipe(
        Effect.andThen(Effect.raceFirst(Deferred.await(waiter.told), stopping.told.await)),
        Effect.ensuring(Effect.sync(() => all.delete(waiter)))
      )
    })
})
