import { Deferred, Effect, Exit } from "effect"
import type { AccountMode } from "../../schemas/Account.ts"
import { Events, type Position, type Waiter } from "../store/Events.ts"
import { Stopping } from "./Health.ts"

// How late an event may be told to who waits for it.
const lookInterval = "250 millis"

interface Waiting extends Waiter {
  readonly arrived: Deferred.Deferred<void>
}

/**
 * Requests that wait for events. Rows are the truth, whichever process writes them: as long as anybody waits, one statement
 * looks for all of them, and none of them holds a connection. Gives the wait for an event after a position, which also ends
 * when the service is asked to stop.
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
    const arrivals = yield* events.arrivals(waiters)
    for (const [index, waiter] of waiters.entries()) {
      if (arrivals[index] === true) Deferred.doneUnsafe(waiter.arrived, Exit.void)
    }
  }).pipe(Effect.catchCause((cause) => Effect.logWarning("Events could not be looked for; again in a moment", cause)))

  const lookOut = Effect.gen(function* () {
    while (all.size > 0) yield* look
    // In the same tick as the look at `all`, or one who comes in between would wait for nothing.
    isLooking = false
  })

  return (of: AccountMode, position: Position) =>
    Effect.suspend(() => {
      const waiter: Waiting = { of, position, arrived: Deferred.makeUnsafe<void>() }
      all.add(waiter)
      const begin = isLooking ? Effect.void : Effect.forkIn(lookOut, scope)
      isLooking = true
      return begin.pipe(
        Effect.andThen(Effect.raceFirst(Deferred.await(waiter.arrived), stopping.told.await)),
        Effect.ensuring(Effect.sync(() => all.delete(waiter)))
      )
    })
})
