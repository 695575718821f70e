import { Cause, Data, Duration, Effect, Exit, Result } from "effect"
import * as Deadline from "./Deadline.ts"

/**
 * A port did what its type does not allow: it died or threw, failed with an error that its signature does not name, ended its own
 * work by an interruption, answered something else than its type says, or gave no answer in time (`isLate`). `cause` holds a defect.
 */
export class PortBroken extends Data.TaggedError("PortBroken")<{
  readonly port: string
  readonly isLate: boolean
  readonly cause: Cause.Cause<never>
}> {}

/**
 * What a method of a port may answer. The callers of the authority, the mailer and the webhook sender decide by the answer what becomes of
 * a document, an e-mail or a delivery, and so check it: a team may replace the port. Other callers trust the type.
 */
export interface PortMethod {
  /** Names the port and its method: "Mailer.send". */
  readonly name: string
  readonly isAnswer: (answer: unknown) => boolean
  /** Whether the signature of the method names this error; no error by default. */
  readonly isFailure?: (error: unknown) => boolean
  /** How long the caller waits for an answer; without limit by default, for a caller that has a time-out of its own. */
  readonly within?: Duration.Duration
}

const broken = (port: string, what: string, error?: unknown) =>
  new PortBroken({ port, isLate: false, cause: Cause.die(new Error(`${port} ${what}`, { cause: error })) })

/**
 * Calls a method of a port in the caller's own fiber. Fails as the signature of the method says, or with `PortBroken`. For a
 * caller that has its own deadline: `within` does not apply.
 */
export const checkPort = <A, E, R>(
  { isAnswer, isFailure = () => false, name }: PortMethod,
  call: () => Effect.Effect<A, E, R>
): Effect.Effect<A, E | PortBroken, R> =>
  Effect.flatMap(Effect.exit(Effect.suspend(call)), (exit): Effect.Effect<A, E | PortBroken> => {
    if (Exit.isSuccess(exit)) {
      return isAnswer(exit.value) ? exit : broken(name, "answered something else than its type says")
    }
    const error = Cause.findError(exit.cause)
    if (Result.isSuccess(error) && isFailure(error.success)) return Effect.fail(error.success)
    if (Result.isSuccess(error)) return broken(name, "failed with an error that its type does not name", error.success)
    if (Cause.hasInterruptsOnly(exit.cause)) return broken(name, "interrupted its own call")
    return new PortBroken({ port: name, isLate: false, cause: exit.cause as Cause.Cause<never> })
  })

/**
 * Calls a method of a port. Fails as the signature of the method says, or with `PortBroken`. The call runs in a fiber of its own:
 * when the caller has waited for long enough, or is interrupted, the call is interrupted and its end is not awaited, because a
 * call that cannot be interrupted would never let its caller go.
 */
export const callPort = <A, E, R>(
  method: PortMethod,
  call: () => Effect.Effect<A, E, R>
): Effect.Effect<A, E | PortBroken, R> => {
  const { name, within = Duration.infinity } = method
  // Made only when it is needed: the trace of an error costs more than most calls.
  const late = () =>
    new PortBroken({
      port: name,
      isLate: true,
      cause: Cause.die(new Error(`${name} gave no answer within ${Duration.toSeconds(within)} s`))
    })
  return Deadline.within(checkPort(method, call), Duration.toMillis(within), () => Effect.fail(late()))
}

/** Turns an interruption that a port itself has caused into a defect of the port, so that its caller is not interrupted. */
export const dieOfInterruption = <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.catchCauseIf(call, Cause.hasInterruptsOnly, () => Effect.die(new Error("a port interrupted its own call")))
