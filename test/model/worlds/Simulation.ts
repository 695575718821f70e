import { Clock, Context, Duration, Effect, Scheduler } from "effect"

/**
 * A simulated process: its fibers run on its own scheduler and clock, so that it can be stopped between any two steps.
 */
export interface Machine {
  readonly name: string
  state: "running" | "frozen" | "dead"
  /** Its next steps; the list grows while the machine is frozen. */
  readonly ready: Array<() => void>
  frozenAt: number
  thawedAt: number
}

interface Sleeper {
  readonly at: number
  /** Sleepers that only wait before the next poll. */
  readonly naps: boolean
  readonly machine: Machine
  readonly wake: () => void
}

// A sequence of a model test takes some thousand steps. More steps are a loop without an end.
const stepsMax = 1_000_000

const showsItselfMillis = 1_000

/**
 * Several processes in this one, on one simulated clock. Time passes only on request, and no callback comes from
 * outside, so that the same seed gives the same run to the last step. A random draw chooses the machine of the next
 * step, as between real processes. Within one machine steps keep their order, as on an event loop.
 *
 * A killed machine takes no further step and runs no finalizer, like a process after `kill -9`. A frozen one resumes at
 * the same step when it is thawed, and does not know that time has passed, like a process after SIGSTOP and SIGCONT.
 */
export class Simulation {
  now: number
  private readonly machines = new Set<Machine>()
  private sleepers: Array<Sleeper> = []
  private lot: number

  constructor(options: { readonly now: number; readonly seed: number }) {
    this.now = options.now
    this.lot = options.seed
  }

  /** From 0 to 1, from the seed alone (mulberry32). */
  readonly random = (): number => {
    this.lot = (this.lot + 0x6d2b79f5) | 0
    let x = Math.imul(this.lot ^ (this.lot >>> 15), 1 | this.lot)
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x
    return ((x ^ (x >>> 14)) >>> 0) / 4_294_967_296
  }

  /** Ends all machines and starts again; the machines of `again` start without pending work. */
  reset(options: { readonly now: number; readonly seed: number; readonly again: ReadonlyArray<Machine> }): void {
    for (const machine of this.machines) this.kill(machine)
    this.sleepers = []
    this.now = options.now
    this.lot = options.seed
    for (const machine of options.again) {
      machine.state = "running"
      machine.frozenAt = machine.thawedAt = -Infinity
      this.machines.add(machine)
    }
  }

  start(name: string): Machine {
    const machine: Machine = { name, state: "running", ready: [], frozenAt: -Infinity, thawedAt: -Infinity }
    this.machines.add(machine)
    return machine
  }

  /**
   * Runs an effect on another machine and returns its outcome, if this machine still runs by then. It is never
   * interrupted from here.
   */
  elsewhere<A, E>(machine: Machine, other: Machine, effect: Effect.Effect<A, E>): Effect.Effect<A, E> {
    const run = Effect.runForkWith(this.context(other))
    return Effect.callback<A, E>((resume) =>
      this.later(other, () => {
        run(effect).addObserver((exit) => this.later(machine, () => resume(exit)))
      })
    )
  }

  kill(machine: Machine): void {
    machine.state = "dead"
    machine.ready.length = 0
    this.machines.delete(machine)
    this.sleepers = this.sleepers.filter((sleeper) => sleeper.machine !== machine)
  }

  freeze(machine: Machine): void {
    if (machine.state !== "running") return
    machine.state = "frozen"
    machine.frozenAt = this.now
  }

  thaw(machine: Machine): void {
    if (machine.state !== "frozen") return
    machine.state = "running"
    machine.thawedAt = this.now
  }

  /** Whether others have certainly seen it within this time. It sends a heartbeat every second. */
  isSeen(machine: Machine, withinMillis: number): boolean {
    return machine.thawedAt - machine.frozenAt < withinMillis || this.now - machine.thawedAt >= showsItselfMillis
  }

  /** The context of an effect that runs on this machine. An effect that only naps sleeps through a leap. */
  context(machine: Machine, naps = false): Context.Context<never> {
    const scheduler: Scheduler.Scheduler = {
      executionMode: "async",
      shouldYield: (fiber) => fiber.currentOpCount >= fiber.cache.maxOpsBeforeYield,
      makeDispatcher: () => ({ scheduleTask: (task) => this.later(machine, task), flush: () => {} })
    }
    return Context.make(Scheduler.Scheduler, scheduler).pipe(Context.add(Clock.Clock, this.clock(machine, naps)))
  }

  /** Runs all steps that are ready at this moment, or only this many of them. */
  run(steps = Infinity): void {
    for (let step = 0; step < steps; step++) {
      if (step > stepsMax) throw new Error("the machines never become idle")
      const busy = [...this.machines].filter(({ ready, state }) => state === "running" && ready.length > 0)
      const machine = busy.length < 2 ? busy[0] : busy[Math.floor(this.random() * busy.length)]
      if (machine === undefined) return
      machine.ready.shift()?.()
    }
  }

  /** Lets time pass step by step: each sleeper wakes up at its time. */
  pass(millis: number): void {
    const until = this.now + millis
    this.run()
    for (let next = this.next(until); next !== undefined; next = this.next(until)) {
      this.now = Math.max(this.now, next.at)
      this.wake(next)
    }
    this.now = until
  }

  /** Lets time pass without waking the sleepers that only nap: they wake up once, at the end. */
  leap(millis: number): void {
    const until = this.now + millis
    const naps = this.sleepers.filter((sleeper) => sleeper.naps)
    this.sleepers = this.sleepers.filter((sleeper) => !sleeper.naps)
    this.pass(millis)
    this.now = until
    for (const sleeper of naps) this.later(sleeper.machine, sleeper.wake)
    this.run()
  }

  /** Milliseconds until the next sleeper wakes up; undefined if none sleeps. */
  get untilNext(): number | undefined {
    const next = this.next(Infinity)
    return next === undefined ? undefined : Math.max(0, next.at - this.now)
  }

  private next(until: number): Sleeper | undefined {
    const next = this.sleepers.at(-1)
    return next !== undefined && next.at <= until ? next : undefined
  }

  private wake(sleeper: Sleeper): void {
    this.sleepers.pop()
    this.later(sleeper.machine, sleeper.wake)
    this.run()
  }

  private later(machine: Machine, task: () => void): void {
    if (machine.state !== "dead") machine.ready.push(task)
  }

  private clock(machine: Machine, naps: boolean): Clock.Clock {
    const nanos = () => BigInt(Math.round(this.now)) * 1_000_000n
    return {
      currentTimeMillisUnsafe: () => this.now,
      currentTimeMillis: Effect.sync(() => this.now),
      currentTimeNanosUnsafe: nanos,
      currentTimeNanos: Effect.sync(nanos),
      monotonicTimeNanosUnsafe: nanos,
      monotonicTimeNanos: Effect.sync(nanos),
      sleep: (duration) => this.sleep(machine, Duration.toMillis(duration), naps)
    }
  }

  private sleep(machine: Machine, millis: number, naps: boolean): Effect.Effect<void> {
    if (millis === Infinity) return Effect.never
    return Effect.callback<void>((resume) => {
      const sleeper: Sleeper = { at: this.now + millis, naps, machine, wake: () => resume(Effect.void) }
      if (machine.state === "dead") return
      // Sorted by descending time; sleepers of one moment wake up in the order in which they fell asleep.
      let index = this.sleepers.length
      while (index > 0 && this.sleepers[index - 1]!.at <= sleeper.at) index--
      this.sleepers.splice(index, 0, sleeper)
      return Effect.sync(() => {
        const at = this.sleepers.indexOf(sleeper)
        if (at !== -1) this.sleepers.splice(at, 1)
      })
    })
  }
}
