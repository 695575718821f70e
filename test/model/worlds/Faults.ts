import { Context, Effect, Scheduler } from "effect"
import { SqlError } from "effect/sql"
import type { FaultPoint } from "../../../src/runtime/Fault.ts"

/**
 * Fault of a statement, as PostgreSQL shows it. `refused`: nothing was done (no connection, a time-out, a deadlock).
 * `unknown`: it was committed, and the connection broke before the response. `slow` and `late`: it waited before or
 * after.
 */
export const statementFaults = ["refused", "unknown", "slow", "late"] as const
export type StatementFault = (typeof statementFaults)[number]

/** A fault that waits for its statement, or for its point between two steps: the one after `skip` others. */
type Armed =
  | { readonly kind: StatementFault; readonly call: string; skip: number }
  | { readonly kind: "crash" | "defect"; readonly point: FaultPoint; skip: number }

const slowness = "3 seconds"

const failure = (kind: "refused" | "unknown") =>
  Effect.die(
    new SqlError.SqlError({
      reason: new SqlError.ConnectionError({
        cause: new Error("Connection terminated"),
        message: "Connection terminated",
        operation: kind === "refused" ? "connect" : "execute"
      })
    })
  )

/** A transaction succeeds or fails as a whole: a fault hits all of it, or nothing. */
class InTransaction extends Context.Reference<boolean>("test/InTransaction", { defaultValue: () => false }) {}
const transaction = Context.make(InTransaction, true).pipe(Context.add(Scheduler.PreventSchedulerYield, true))

/** The armed faults of a sequence, and their effects. */
export class Faults {
  private armed: Array<Armed> = []
  private strikes: Array<{ left: number; readonly strike: () => void }> = []

  arm(fault: Armed): void {
    this.armed.push({ ...fault })
  }

  /** Runs `strike` after this many further statements. */
  after(statements: number, strike: () => void): void {
    this.strikes.push({ left: statements, strike })
  }

  clear(): void {
    this.armed = []
    this.strikes = []
  }

  private count(): void {
    if (this.strikes.length === 0) return
    const now = this.strikes.filter((one) => one.left-- === 0)
    this.strikes = this.strikes.filter((one) => !now.includes(one))
    for (const { strike } of now) strike()
  }

  private take(strikes: (fault: Armed) => boolean): Armed | undefined {
    const fault = this.armed.find(strikes)
    if (fault === undefined) return undefined
    if (fault.skip > 0) {
      fault.skip -= 1
      return undefined
    }
    this.armed.splice(this.armed.indexOf(fault), 1)
    return fault
  }

  /** Runs a statement as a step of its own, so that other work comes in between, with any fault armed for it. */
  readonly statement = <A, E, R>(call: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(InTransaction, (inTransaction) => {
      if (inTransaction) return effect
      this.count()
      const whole = Effect.provide(effect, transaction)
      const fault = this.take((one) => "call" in one && (one.call === call || one.call === "any"))
      switch (fault?.kind) {
        case "refused":
          return Effect.andThen(Effect.yieldNow, failure("refused"))
        case "unknown":
          return Effect.andThen(whole, Effect.andThen(Effect.yieldNow, failure("unknown")))
        case "slow":
          return Effect.andThen(Effect.sleep(slowness), whole)
        case "late":
          return Effect.tap(whole, () => Effect.sleep(slowness))
        default:
          return Effect.andThen(Effect.yieldNow, whole)
      }
    })

  /** Runs the fault at a point between two steps. `crash` kills the machine at this point. */
  readonly at =
    (crash: () => void) =>
    (point: FaultPoint): Effect.Effect<void> =>
      Effect.flatMap(InTransaction, (inTransaction) => {
        const fault = this.take((one) => "point" in one && one.point === point)
        if (fault === undefined) return Effect.void
        if (fault.kind === "defect") return Effect.die(new Error(`broken at ${point}`))
        crash()
        // The database ends the transaction of a dead process, and others may continue.
        return inTransaction ? Effect.interrupt : Effect.never
      })

  /** The store with every call as a statement. */
  readonly disturb = (store: Context.Context<never>): Context.Context<never> =>
    Context.makeUnsafe(
      new Map(
        [...store.mapUnsafe].map(([key, service]) => {
          const name = /^folio\/(?:\w+\/store|database)\/(?!Ids$|Secrets$)(\w+)$/.exec(key)?.[1]
          return [key, name === undefined ? service : this.wrap(name, service as object)]
        })
      )
    )

  private wrap(name: string, service: object): object {
    const members = Object.entries(service).map(([member, value]: [string, unknown]) => {
      const call = `${name}.${member}`
      if (Effect.isEffect(value)) return [member, this.statement(call, value)]
      if (typeof value !== "function") return [member, value]
      return [member, (...args: ReadonlyArray<unknown>) => this.statement(call, value(...args))]
    })
    return Object.fromEntries(members)
  }
}
