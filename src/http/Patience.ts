import { Effect } from "effect"
import { ApiError } from "../../schemas/ApiError.ts"

// More than any statement may take, and its turn in the pool.
const patience = "15 seconds"

const late = new ApiError({
  code: "service_unavailable",
  message:
    "There was no answer within 15 s: the database takes too long, or the service has too much to do. Retry with the same Idempotency-Key: nothing is done twice.",
  headers: { "Retry-After": "1", "Svc-Should-Retry": "true" }
})

/** Answers `service_unavailable` where nothing else is answered in time: nobody queues up for a database that is gone. */
export const inTime = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | ApiError, R> =>
  Effect.timeoutOrElse(effect, { duration: patience, orElse: () => Effect.fail(late) })
