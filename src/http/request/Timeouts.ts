import { Effect } from "effect"
import { ApiError } from "../../../schemas/ApiError.ts"

// Longer than a statement and its wait for a pool connection may take.
const timeout = "15 seconds"

const late = new ApiError({
  code: "service_unavailable",
  message:
    "There was no answer within 15 s: the database takes too long, or the service has too much to do. Retry with the same Idempotency-Key: nothing is done twice."
})

/** Fails with `service_unavailable` after 15 s, so that requests do not queue up for a database that is gone. */
export const inTime = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | ApiError, R> =>
  Effect.timeoutOrElse(effect, { duration: timeout, orElse: () => Effect.fail(late) })
