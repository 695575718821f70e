import { Effect, Scheduler } from "effect"
import { performance } from "node:perf_hooks"
import { AccountLanes, ReadyFibersRun } from "../turns/AccountLanes.ts"

// Maximum turn in milliseconds while several accounts have fibers, and while one of them has most. With 2 ms, a
// neighbour of a flooding account waits twice as long. With less than 4 ms, equally busy accounts share fewer
// statements.
const sliceMs = 4
const sliceOfFloodMs = 0.5

// With more than `readyMax` ready fibers, the process is busy, and a statement waits for `rounds` times the ready
// fibers. Next to one account's flood, a statement waits for a few fibers only, so that no neighbour's statement waits
// behind the flood.
const readyMax = 20
const rounds = 2
const fibersOfFlood = 6

// In milliseconds. While only one account sends requests, its fibers have whole turns, so that more of them share a
// statement.
const sharedMs = 1_000

interface Task {
  readonly run: () => void
  isCancelled: boolean
}

/** The lane of work that belongs to no single account, such as the statements of all accounts. */
const common = "common"

/**
 * Makes schedulers that share the event loop. Effect's own scheduler runs all ready fibers in one turn of the loop, in
 * order. In a busy process a turn lasts tens of milliseconds, a request needs one turn per database response, and the
 * fibers of a busy account precede another account's. While more than one account has fibers, these schedulers run one
 * fiber of each account in turn, and one of the common lane before each of them. A turn ends after a few milliseconds,
 * so that the process reads new input.
 */
const makeLanes = () => {
  const lanes = new Map<string, Array<Task>>()
  let isSet = false
  const set = () => {
    if (isSet || lanes.size === 0) return
    isSet = true
    setImmediate(runSlice)
  }
  let wasCommon = false
  /** The common lane if the last task was an account's, otherwise the account that has waited longest. */
  const next = () => {
    if (lanes.has(common) && (!wasCommon || lanes.size === 1)) return common
    for (const lane of lanes.keys()) if (lane !== common) return lane
    return undefined
  }
  const take = () => {
    const lane = next()
    const tasks = lane === undefined ? undefined : lanes.get(lane)
    const task = tasks?.shift()
    if (lane === undefined || tasks === undefined) return undefined
    wasCommon = lane === common
    // Move the lane to the end of the queue.
    lanes.delete(lane)
    if (tasks.length > 0) lanes.set(lane, tasks)
    return task
  }
  let ready = 0
  let latest: string | undefined
  let sharedUntil = 0
  /** Notes that a fiber of another account than the last one is ready: the process is then shared for a while. */
  const noteAccount = (lane: string) => {
    if (lane === common || lane === latest) return
    if (latest !== undefined) sharedUntil = performance.now() + sharedMs
    latest = lane
  }
  /** Whether most of the ready fibers are in one lane. */
  const isFlooded = () => {
    for (const tasks of lanes.values()) if (tasks.length * 2 > ready) return true
    return false
  }
  let ran = 0
  /** The waiting statements, each with the number of fibers that must run first. */
  let waiting: Array<{ readonly until: number; readonly resume: (effect: Effect.Effect<void>) => void }> = []
  const readyFibersRun = Effect.callback<void>((resume) => {
    if (ready <= readyMax) return resume(Effect.void)
    const fibers = performance.now() < sharedUntil && isFlooded() ? fibersOfFlood : ready * rounds
    waiting.push({ until: ran + fibers, resume })
  })
  const runSlice = () => {
    const now = performance.now()
    const end = now < sharedUntil ? now + (isFlooded() ? sliceOfFloodMs : sliceMs) : Infinity
    // Fibers that these fibers start wait for the next turn.
    let left = ready
    try {
      while (left > 0) {
        const task = take()
        if (task === undefined) break
        left -= 1
        ready -= 1
        ran += 1
        if (!task.isCancelled) task.run()
        if (performance.now() >= end) break
      }
    } finally {
      isSet = false
      const over = waiting.filter(({ until }) => ready === 0 || until <= ran)
      if (over.length > 0) waiting = waiting.filter((one) => !over.includes(one))
      for (const { resume } of over) resume(Effect.void)
      set()
    }
  }
  const laneOf = (lane: string): Scheduler.Scheduler =>
    new Scheduler.MixedScheduler("async", (run) => {
      const task: Task = { run, isCancelled: false }
      noteAccount(lane)
      ready += 1
      const queue = performance.now() < sharedUntil ? lane : common
      const tasks = lanes.get(queue)
      if (tasks === undefined) lanes.set(queue, [task])
      else tasks.push(task)
      set()
      return () => {
        task.isCancelled = true
      }
    })
  return { laneOf, readyFibersRun }
}

/** Makes the fibers of an effect share the event loop, so that accounts with ready fibers take turns. */
export const shared = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const { laneOf, readyFibersRun } = makeLanes()
    return effect.pipe(
      Effect.provideService(AccountLanes, laneOf),
      Effect.provideService(ReadyFibersRun, readyFibersRun),
      Effect.provideService(Scheduler.Scheduler, laneOf(common))
    )
  })
