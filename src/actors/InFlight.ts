import { Deferred, Duration, Effect, Option } from "effect"
import type { ApiError } from "../../schemas/ApiError.ts"
import type { Answered, RequestContext } from "../protocol/AccountEntity.ts"
import { type Answer, conflict, type IdempotencyKeys, type Outcome } from "../store/accounts/IdempotencyKeys.ts"

// How long a duplicate waits for the answer to the request that it repeats before the duplicate is answered with `in_progress`.
const duplicateWait = Duration.millis(250)

const inProgress: Answered = {
  kind: "in_progress",
  status: 202,
  location: null,
  body: JSON.stringify({ object: "idempotent_request", status: "in_progress" })
}

const replayed = (answer: Answer): Answered => ({ kind: "replayed", ...answer })

const repeat = (done: Deferred.Deferred<Outcome, ApiError>) =>
  Effect.map(
    Effect.timeoutOption(Deferred.await(done), duplicateWait),
    Option.match({ onNone: () => inProgress, onSome: ({ answer }) => replayed(answer) })
  )

const execute = (run: Effect.Effect<Outcome, ApiError>) =>
  Effect.map(run, (outcome): Answered => ({ kind: outcome.replayed ? "replayed" : "first", ...outcome.answer }))

interface Executing {
  readonly fingerprint: string
  readonly done: Deferred.Deferred<Outcome, ApiError>
}

/**
 * Handles requests whose idempotency key belongs to a request that is still being executed: an identical request waits for the
 * answer to the first request, a different request is a conflict at once. The database and not this map decides which request was
 * executed with the key, because the request in flight may itself be the conflicting request.
 */
export const make = (keys: IdempotencyKeys["Service"]) => {
  const inFlight = new Map<string, Executing>()

  /** Runs a request to its end even when the client has disconnected, so that the client's retry finds the answer. */
  return (context: RequestContext, run: Effect.Effect<Outcome, ApiError>): Effect.Effect<Answered, ApiError> =>
    Effect.suspend(() => {
      if (context.idempotency === null) return Effect.uninterruptible(execute(run))
      const { fingerprint, key } = context.idempotency
      const { api_key_id } = context
      const id = `${api_key_id}|${key}`
      const other = inFlight.get(id)
      if (other?.fingerprint === fingerprint) return repeat(other.done)
      if (other !== undefined) {
        return Effect.flatMap(
          keys.lookup({ api_key_id, value: key, fingerprint }),
          Option.match({
            onNone: () => Effect.fail(conflict(key)),
            onSome: (answer) => Effect.succeed(replayed(answer))
          })
        )
      }
      const done = Deferred.makeUnsafe<Outcome, ApiError>()
      inFlight.set(id, { fingerprint, done })
      return run.pipe(
        Effect.onExit((exit) =>
          Effect.sync(() => {
            inFlight.delete(id)
            Deferred.doneUnsafe(done, exit)
          })
        ),
        execute,
        Effect.uninterruptible
      )
    })
}
