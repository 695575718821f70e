import * as Fs from "node:fs"
import { constants } from "node:os"

/**
 * Nice value of each thread of this process: 0 by default, higher for threads with a lower priority (proc(5), field 19
 * of `stat`).
 */
export const niceness = () =>
  Fs.readdirSync("/proc/self/task").map((thread) =>
    Number(
      Fs.readFileSync(`/proc/self/task/${thread}/stat`, "utf8")
        .replace(/^.*\) /, "")
        .split(" ")[16]
    )
  )

/** Number of these threads with a lower priority than the service. */
export const giveWay = (list: ReadonlyArray<number>) =>
  list.filter((nice) => nice === constants.priority.PRIORITY_BELOW_NORMAL).length
