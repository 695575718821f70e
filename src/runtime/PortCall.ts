import { Cause, Data, Duration, Effect, Exit, Result } from "effect"
import { ApiError } from "../../schemas/ApiError.ts"

/**
 * A port that broke its type. It died or threw, failed with an error outside its signature, interrupted its own work,
 * returned a value outside its type, or did not return in time (`isLate`). `cause` holds a defect.
 */
export class PortBroken extends Data.TaggedError("PortBroken")<{
  readonly port: string
  readonly isLate: boolean
  readonly cause: Cause.Cause<never>
}> {}

/**
 * A port method and the checks of its result. The callers of the authority, the mailer and the webhook sender check the
 * result, because it decides the future of a document, an email or a delivery, and a team may replace the port. Other
 * callers trust the type.
 */
export interface PortMethod {
  /** The port and its method: "Mailer.send". */
  readonly name: string
  readonly isAnswer: (answer: unknown) => boolean
  /** Whether the method's signature names this error; by default it names no error. */
  readonly isFailure?: (error: unknown) => boolean
  /** How long the caller waits for the result. No limit by default, for a caller with its own time-out. */
  readonly within?: Duration.Duration
}

const broken = (port: string, what: string, error?: unknown) =>
  new PortBroken({ port, isLate: false, cause: Cause.die(new Error(`${port} ${what}`, { cause: error })) })

/**
 * Calls a port method in the caller's own fiber. Fails with an error of the method's signature, or with `PortBroken`.
 * For a caller with its own deadline: `within` does not apply.
 */
export const checkPort = <A, E, R>(
  { isAnswer, isFailure = () => false, name }: PortMethod,
  call: () => Effect.Effect<A, E, R>
): Effect.Effect<A, E | PortBroken, R> =>
  Effect.flatMap(Effect.exit(Effect.suspend(call)), (exit): Effect.Effect<A, E | PortBroken> => {
    if (Exit.isSuccess(exit)) {
      return isAnswer(exit.value) ? exit : broken(name, "returned a value that its type does not allow")
    }
    const error = Cause.findError(exit.cause)
    if (Result.isSuccess(error) && isFailure(error.success)) return Effect.fail(error.success)
    if (Result.isSuccess(error)) return broken(name, "failed with an error that its type does not name", error.success)
    if (Cause.hasInterruptsOnly(exit.cause)) return broken(name, "interrupted its own call")
    return new PortBroken({ port: name, isLate: false, cause: exit.cause as Cause.Cause<never> })
  })

/**
 * Calls a port method in a separate fiber. Fails with an error of the method's signature, or with `PortBroken`. After
 * `within`, or if the caller is interrupted, the call is interrupted. The caller doesn't wait for the end of an
 * interrupted call, because a call that cannot be interrupted would block its caller forever.
 */
export const callPort = <A, E, R>(
  method: PortMethod,
  call: () => Effect.Effect<A, E, R>
): Effect.Effect<A, E | PortBroken, R> => {
  const { name, within = Duration.infinity } = method
  // Made only if needed, because the trace of an error costs more than most calls.
  const late = () =>
    new PortBroken({
      port: name,
      isLate: true,
      cause: Cause.die(new Error(`${name} did not return within ${Duration.toSeconds(within)} s`))
    })
  return withDeadline(checkPort(method, call), Duration.toMillis(within), () => Effect.fail(late()))
}

/** Turns an interruption that a port caused itself into a defect of the port, so that the caller is not interrupted. */
export const dieOfInterruption = <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.catchCauseIf(call, Cause.hasInterruptsOnly, () => Effect.die(new Error("a port interrupted its own call")))

/**
 * Runs an effect in a separate fiber. After `ms` milliseconds, interrupts the effect and runs `late` instead. Also
 * interrupts the effect if the caller is interrupted.
 *
 * Unlike `Effect.timeoutOrElse`, it does not wait for the end of an interrupted effect, because an effect that cannot
 * be interrupted would block its caller forever.
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
    "The request took longer than 15 s: the database is slow, or the service is overloaded. Retry with the same Idempotency-Key: nothing is done twice."
})

/** Fails with `service_unavailable` after 15 s, so that requests do not queue up for a failed database. */
export const inTime = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | ApiError, R> =>
  Effect.timeoutOrElse(effect, { duration: timeout, orElse: () => Effect.fail(late) })

/**
 * Like `inTime`, for a port that a team can replace. Returns in time even if `call` cannot be interrupted, because it
 * doesn't wait for the end of the interruption.
 */
export const portInTime = <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E | ApiError, R> =>
  dieOfInterruption(withDeadline(call, Duration.toMillis(timeout), () => Effect.fail(late)))
