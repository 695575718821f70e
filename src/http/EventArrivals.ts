import { Deferred, Effect, Exit } from "effect"
import { type EventFilter, Events, type News, type Position, type Waiter } from "../store/Events.ts"
import { Stopping } from "./Health.ts"

// How late an event may be told to who waits for it, and for how long one waits whose key has ended.
const lookInterval = "250 millis"

interface Waiting extends Waiter {
  position: Position
  readonly told: Deferred.Deferred<News>
}

/**
 * Requests that wait for events. Rows are the truth, whichever process writes them: as long as anybody waits, one statement
 * looks for all of them, and none of them holds a connection. What fits nobody is looked at once: an account may have hundreds
 * wait for what never comes while it issues all the time. Gives the wait for an event after a position that fits a filter; it
 * also ends with the key of who waits, and when the service is asked to stop.
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
    // In the same tick as the look at `all`, or one who comes in between would wait for nothing.
    isLooking = false
  })

  return (of: Waiter["of"], position: Position, filter: EventFilter) =>
    Effect.suspend(() => {
      const waiter: Waiting = { of, position, filter, told: Deferred.makeUnsafe<News>() }
      all.add(waiter)
      const begin = isLooking ? Effect.void : Effect.forkIn(lookOut, scope)
      isLooking = true
      return begin.pipe(
        Effect.andThen(Effect.raceFirst(Deferred.await(waiter.told), stopping.told.await)),
        Effect.ensuring(Effect.sync(() => all.delete(waiter)))
      )
    })
})
