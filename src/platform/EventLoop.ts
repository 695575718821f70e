import { Effect, Scheduler } from "effect"
import { performance } from "node:perf_hooks"
import { AccountLanes } from "../protocol/AccountLanes.ts"

// In milliseconds. With 2 ms a neighbour of a flood of creations waits twice as long.
const sliceMs = 0.5

interface Task {
  readonly run: () => void
  isCancelled: boolean
}

/** The lane of all work that is of no single account, such as the statements of all accounts. */
const common = "common"

/**
 * Makes schedulers that share the event loop. Effect's own scheduler runs all ready fibers in one turn of the loop, in order: the turn of a
 * busy process lasts tens of milliseconds, a request needs several turns, one for each answer of the database, and the fibers of a busy
 * account stand before those of another. Here fibers run for half a millisecond of each turn: one of each account in turn, and one of the
 * common lane before each of them.
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
  const runSlice = () => {
    const end = performance.now() + sliceMs
    try {
      for (let task = take(); task !== undefined; task = performance.now() < end ? take() : undefined) {
        if (!task.isCancelled) task.run()
      }
    } finally {
      isSet = false
      set()
    }
  }
  return (lane: string): Scheduler.Scheduler =>
    new Scheduler.MixedScheduler("async", (run) => {
      const task: Task = { run, isCancelled: false }
      const tasks = lanes.get(lane)
      if (tasks === undefined) lanes.set(lane, [task])
      else tasks.push(task)
      set()
      return () => {
        task.isCancelled = true
      }
    })
}

/** Lets the fibers of an effect share the event loop, so that the accounts with ready fibers take turns. */
export const shared = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const laneOf = makeLanes()
    return effect.pipe(
      Effect.provideService(AccountLanes, laneOf),
      Effect.provideService(Scheduler.Scheduler, laneOf(common))
    )
  })
