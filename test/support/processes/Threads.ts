import * as Fs from "node:fs"

// Field 19 of `stat`, see proc(5). Undefined if the thread has ended meanwhile.
const niceness = (thread: string) => {
  try {
    const stat = Fs.readFileSync(`/proc/self/task/${thread}/stat`, "utf8")
    return Number(stat.replace(/^.*\) /, "").split(" ")[16])
  } catch {
    return undefined
  }
}

/** The ids of this process's threads that have a lower priority than the service. */
export const lowPriorityThreads = (): ReadonlySet<string> =>
  new Set(Fs.readdirSync("/proc/self/task").filter((thread) => niceness(thread) === 5))
