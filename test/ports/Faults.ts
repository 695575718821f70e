import { Data, Effect, Latch, Result } from "effect"
import { targetOf } from "../support/LateBound.ts"

type Method = (...args: Array<never>) => unknown

/** A method of a port that a test breaks and mends. */
export interface Breakable {
  /** What the method does instead; null while it is well. */
  fault: Method | null
  /** How often the method was called while it was broken. */
  calls: number
}

export const breakable = (): Breakable => ({ fault: null, calls: 0 })

/** The port, of which one method is as `switched` says. A method that the port lacks is there while it is broken. */
export const breaking = <Port extends object>(port: Port, name: keyof Port, switched: Breakable): Port => {
  const well = port[name] as Method
  const method: Method = (...args) => {
    if (switched.fault === null) return well(...args)
    switched.calls += 1
    return switched.fault(...args)
  }
  return { ...port, [name]: method }
}

/** Breaks the service in its place, for whoever holds it already, until the test ends. `well`: what it has besides in the meantime. */
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

/** Ends what hangs for good, where a test cannot end before. */
export const release = Latch.makeUnsafe()

class Unnamed extends Data.TaggedError("Unnamed")<{ readonly message: string }> {}

/** What a method does that breaks its type in such a way; each answer of `nonsense` in turn. */
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

/** The same of a method that gives no effect: it throws, or fails by its result. */
export const plainFaultOf =
  (fault: string, failures: Readonly<Record<string, unknown>> = {}): Method =>
  () => {
    if (fault in failures) return Result.fail(failures[fault])
    throw new Error(bug)
  }
