import { Cause, Data, Duration, Effect, Exit, Result } from "effect"
import { ApiError } from "../../schemas/ApiError.ts"

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
  return withDeadline(checkPort(method, call), Duration.toMillis(within), () => Effect.fail(late()))
}

/** Turns an interruption that a port itself has caused into a defect of the port, so that its caller is not interrupted. */
export const dieOfInterruption = <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.catchCauseIf(call, Cause.hasInterruptsOnly, () => Effect.die(new Error("a port interrupted its own call")))

/**
 * Runs an effect in a fiber of its own. If the effect has not ended after `ms` milliseconds, or its caller is interrupted, the effect is
 * interrupted and `late` takes its place. The end of the interrupted effect is not awaited, as `Effect.timeoutOrElse` does: an effect that
 * cannot be interrupted would never let its caller proceed.
 */
export const withDeadline = <A, E, R, E2>(
  effect: Effect.Effect<A, E, R>,
  ms: number,
  late: () => Effect.Effect<never, E2>
): Effect.Effect<A, E | E2, R> =>
  Effect.contextWith((context) =>
    Effect.callback((resume) => {
      const run = Effect.runForkWith(context)
      const fiber = run(effect)
      const done = fiber.pollUnsafe()
      if (done !== undefined) return void resume(done)
      const passed = Effect.sync(() => {
        resume(Effect.suspend(late))
        fiber.interruptUnsafe()
      })
      const timer = ms === Infinity ? undefined : run(Effect.andThen(Effect.sleep(ms), passed))
      fiber.addObserver((exit) => {
        timer?.interruptUnsafe()
        resume(exit)
      })
      return Effect.sync(() => {
        timer?.interruptUnsafe()
        fiber.interruptUnsafe()
      })
    })
  )

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
  dieOfInterruption(withDeadline(call, Duration.toMillis(timeout), () => Effect.fail(late)))
