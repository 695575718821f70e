import { Duration, Effect } from "effect"
import { ApiError } from "../../../schemas/ApiError.ts"
import { callPort } from "../../protocol/PortCall.ts"

// Longer than a statement and its wait for a pool connection may take.
const timeout = Duration.seconds(15)

const late = new ApiError({
  code: "service_unavailable",
  message:
    "There was no answer within 15 s: the database takes too long, or the service has too much to do. Retry with the same Idempotency-Key: nothing is done twice."
})

/** Fails with `service_unavailable` after 15 s, so that requests do not queue up for a database that is gone. */
export const inTime = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | ApiError, R> =>
  Effect.timeoutOrElse(effect, { duration: timeout, orElse: () => Effect.fail(late) })

const admission = {
  name: "RateLimit",
  isAnswer: () => true,
  isFailure: (error: unknown) => error instanceof ApiError,
  within: timeout
}

/**
 * Whether a request is let in, as `RateLimit` decides, which a team may replace. Fails with `service_unavailable` after 15 s, also
 * when `decision` cannot be interrupted, and dies when `decision` does something else than its type says.
 */
export const admitted = <A, R>(decision: Effect.Effect<A, ApiError, R>): Effect.Effect<A, ApiError, R> =>
  Effect.catchTag(
    callPort(admission, () => decision),
    "PortBroken",
    ({ cause, isLate }) => (isLate ? Effect.fail(late) : Effect.failCause(cause))
  )
