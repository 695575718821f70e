import { Cause, Console, Effect, Exit, Result, type Runtime, Schema } from "effect"
import { failureOfDatabase } from "../platform/PostgresPlace.ts"
import { redactor } from "../platform/Redaction.ts"

// Before there are settings, or without them: only what has the form of a secret is known to be one.
const redact = redactor([])

/** All there is to say has been said: nothing is left but to end with 1. */
export class Told extends Schema.TaggedError<Told>()("Told", { message: Schema.String }) {}

const unexpected = (cause: Cause.Cause<unknown>) => {
  const failure = failureOfDatabase(Result.getOrUndefined(Cause.findDefect(cause)))
  return failure === undefined ? Cause.pretty(cause) : `folio: ${failure}`
}

/** Says on standard error what made a program end: for an error of ours one line, for anything unexpected all there is. */
export const run = <A, E extends { readonly message: string }>(program: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.tapCause(program, (cause) => {
    if (Cause.hasInterruptsOnly(cause)) return Effect.void
    const error = Result.getOrUndefined(Cause.findError(cause))
    if (error instanceof Told) return Effect.void
    return Console.error(redact(error === undefined ? unexpected(cause) : `folio: ${error.message}`))
  })

/** Asked to stop: 0. Could not start or go on: 1. */
export const teardown: Runtime.Teardown = (exit, onExit) =>
  onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)
