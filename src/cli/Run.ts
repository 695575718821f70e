import { Cause, Console, Effect, Exit, Result, type Runtime, Schema } from "effect"
import { failureOfDatabase } from "../platform/postgres/PostgresPlace.ts"
import { redactor } from "../platform/Redaction.ts"

// The settings may not be readable, so only texts in the form of a secret are redacted, not the secrets of the settings.
const redact = redactor([])

/** A failure that the command has already printed: the process prints nothing more and exits with 1. */
export class Told extends Schema.TaggedError<Told>()("Told", { message: Schema.String }) {}

const unexpected = (cause: Cause.Cause<unknown>) => {
  const failure = failureOfDatabase(Result.getOrUndefined(Cause.findDefect(cause)))
  return failure === undefined ? Cause.pretty(cause) : `folio: ${failure}`
}

/** Prints the failure of a program to standard error: one line for an expected error, the whole cause for an unexpected one. */
export const run = <A, E extends { readonly message: string }>(program: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.tapCause(program, (cause) => {
    if (Cause.hasInterruptsOnly(cause)) return Effect.void
    const error = Result.getOrUndefined(Cause.findError(cause))
    if (error instanceof Told) return Effect.void
    return Console.error(redact(error === undefined ? unexpected(cause) : `folio: ${error.message}`))
  })

/** Exits with 0 if the process succeeded or was asked to stop, and with 1 if it could not start or continue. */
export const teardown: Runtime.Teardown = (exit, onExit) =>
  onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)
