import { Duration, Effect } from "effect"
import { ApiError } from "../../../schemas/ApiError.ts"
import * as Deadline from "../../protocol/Deadline.ts"
import { dieOfInterruption } from "../../protocol/PortCall.ts"

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

/**
 * As `inTime`, for what a port of a team decides or makes: the answer comes in time also when `call` cannot be interrupted, because the
 * end of the interruption is not awaited.
 */
export const portInTime = <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E | ApiError, R> =>
  dieOfInterruption(Deadline.within(call, Duration.toMillis(timeout), () => Effect.fail(late)))
