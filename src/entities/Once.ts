import { Deferred, Duration, Effect, Option } from "effect"
import type { ApiError } from "../../schemas/ApiError.ts"
import type { Answered, RequestContext } from "../protocol/AccountEntity.ts"
import { conflict, type IdempotencyKeys, type Outcome } from "../store/IdempotencyKeys.ts"

// How long a duplicate waits for the request it repeats before it is told that this is still in progress.
const duplicateWait = Duration.millis(250)

const inProgress: Answered = {
  kind: "in_progress",
  status: 202,
  location: null,
  body: JSON.stringify({ object: "idempotent_request", status: "in_progress" })
}

const repeat = (done: Deferred.Deferred<Outcome, ApiError>) =>
  Deferred.await(done).pipe(
    Effect.timeoutOption(duplicateWait),
    Effect.map(
      Option.match({
        onNone: () => inProgress,
        onSome: ({ answer }): Answered => ({ kind: "replayed", ...answer })
      })
    )
  )

const execute = (run: Effect.Effect<Outcome, ApiError>) =>
  Effect.map(run, ({ answer, replayed }): Answered => ({ kind: replayed ? "replayed" : "first", ...answer }))

/**
 * Requests with the same idempotency key, while the first of them is still being executed: the same request waits for its
 * answer, another one is a conflict at once. What has been executed is the database's to know, not this map's: the one in
 * flight may itself be the one that conflicts.
 */
export const make = (keys: IdempotencyKeys["Service"]) => {
  const inFlight = new Map<
    string,
    { readonly fingerprint: string; readonly done: Deferred.Deferred<Outcome, ApiError> }
  >()

  /** Runs to its end even when the client has gone: its retry finds the answer. */
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
            onSome: (answer) => Effect.succeed<Answered>({ kind: "replayed", ...answer })
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
