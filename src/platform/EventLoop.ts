import { Effect, Scheduler } from "effect"
import { performance } from "node:perf_hooks"
import { AccountLanes, ReadyFibers } from "../protocol/AccountLanes.ts"

// In milliseconds. With 2 ms a neighbour of a flood of creations waits twice as long.
const sliceMs = 0.5

// In milliseconds. While one account alone sends requests, its fibers have whole turns: more of them then share a statement.
const sharedMs = 1_000

interface Task {
  readonly run: () => void
  isCancelled: boolean
}

/** The lane of all work that is of no single account, such as the statements of all accounts. */
const common = "common"

/**
 * Makes schedulers that share the event loop. Effect's own scheduler runs all ready fibers in one turn of the loop, in order: the turn of a
 * busy process lasts tens of milliseconds, a request needs several turns, one for each answer of the database, and the fibers of a busy
 * account stand before those of another. Here, while more than one account has fibers, one of each account runs in turn, and one of the common
 * lane before each of them. While most of the ready fibers are in one lane, a turn ends after half a millisecond.
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
  /** The common lane if the task before was an account's, otherwise the account that has waited for longest. */
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
    // The lane goes to the end of the line.
    lanes.delete(lane)
    if (tasks.length > 0) lanes.set(lane, tasks)
    return task
  }
  let ready = 0
  let latest: string | undefined
  let sharedUntil = 0
  /** Notes when a fiber of another account than the one before is ready: the process is then shared for a while. */
  const noteAccount = (lane: string) => {
    if (lane === common || lane === latest) return
    if (latest !== undefined) sharedUntil = performance.now() + sharedMs
    latest = lane
  }
  /** Whether most of the ready fibers are in one lane. Equally busy accounts have whole turns: more fibers then share a statement. */
  const isFlooded = () => {
    for (const tasks of lanes.values()) if (tasks.length * 2 > ready) return true
    return false
  }
  const runSlice = () => {
    const now = performance.now()
    const end = now < sharedUntil && isFlooded() ? now + sliceMs : Infinity
    // What these fibers start waits for the next turn.
    let left = ready
    try {
      while (left > 0) {
        const task = take()
        if (task === undefined) break
        left -= 1
        ready -= 1
        if (!task.isCancelled) task.run()
        if (performance.now() >= end) break
      }
    } finally {
      isSet = false
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
  return { laneOf, ready: () => ready }
}

/** Lets the fibers of an effect share the event loop, so that the accounts with ready fibers take turns. */
export const shared = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const { laneOf, ready } = makeLanes()
    return effect.pipe(
      Effect.provideService(AccountLanes, laneOf),
      Effect.provideService(ReadyFibers, ready),
      Effect.provideService(Scheduler.Scheduler, laneOf(common))
    )
  })
