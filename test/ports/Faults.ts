import { Data, Effect, Latch, Result } from "effect"
import { targetOf } from "../support/LateBound.ts"

type Method = (...args: Array<never>) => unknown

/** A method of a port that a test breaks and repairs. */
export interface Breakable {
  /** The replacement of the method; null while the method works. */
  fault: Method | null
  /** Number of calls of the method while it was broken. */
  calls: number
}

export const breakable = (): Breakable => ({ fault: null, calls: 0 })

/** The port with one method replaced as `switched` says. A method that the port lacks exists while it is broken. */
export const breaking = <Port extends object>(port: Port, name: keyof Port, switched: Breakable): Port => {
  const well = port[name] as Method
  const method: Method = (...args) => {
    if (switched.fault === null) return well(...args)
    switched.calls += 1
    return switched.fault(...args)
  }
  return { ...port, [name]: method }
}

/**
 * Breaks the service in place, also for its current holders, until the test ends.
 * `well`: additional methods in the meantime.
 */
export const installed = <Port extends object>(port: Port, name: keyof Port, switched: Breakable, well: object = {}) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const target = targetOf(port)
      const own = target[name]
      Object.assign(target, { [name]: breaking({ ...target, ...well }, name, switched)[name] })
      return own
    }),
    (own) => Effect.sync(() => Object.assign(targetOf(port), { [name]: own }))
  )

const bug = "a bug of the port"

/** Ends the methods that hang for good, where a test cannot end before. */
export const release = Latch.makeUnsafe()

class Unnamed extends Data.TaggedError("Unnamed")<{ readonly message: string }> {}

/** The method with this fault. With nonsense answers, it returns each item of `nonsense` in turn. */
export const faultOf = (
  fault: string,
  failures: Readonly<Record<string, unknown>>,
  nonsense: ReadonlyArray<unknown>
): Method => {
  let answered = 0
  const faults: Readonly<Record<string, Method>> = {
    dies: () => Effect.die(new Error(bug)),
    throws: () => {
      throw new Error(bug)
    },
    "fails otherwise": () => Effect.fail(new Unnamed({ message: bug })),
    "interrupts itself": () => Effect.interrupt,
    "answers nonsense": () => Effect.sync(() => nonsense[answered++ % nonsense.length]),
    hangs: () => Effect.never,
    "hangs for good": () => Effect.uninterruptible(Effect.andThen(release.await, Effect.die(new Error(bug))))
  }
  return faults[fault] ?? (() => Effect.fail(failures[fault]))
}

/** The fault of a method that returns no effect: it throws, or returns a failed result. */
export const plainFaultOf =
  (fault: string, failures: Readonly<Record<string, unknown>> = {}): Method =>
  () => {
    if (fault in failures) return Result.fail(failures[fault])
    throw new Error(bug)
  }
