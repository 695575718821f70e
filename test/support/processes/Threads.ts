import * as Fs from "node:fs"
import { constants } from "node:os"

/** How urgent each thread of this process is: 0 by default, more for those that give way to others (proc(5), field 19 of `stat`). */
export const niceness = () =>
  Fs.readdirSync("/proc/self/task").map((thread) =>
    Number(
      Fs.readFileSync(`/proc/self/task/${thread}/stat`, "utf8")
        .replace(/^.*\) /, "")
        .split(" ")[16]
    )
  )

/** How many threads of those are less urgent than the service. */
export const giveWay = (list: ReadonlyArray<number>) =>
  list.filter((nice) => nice === constants.priority.PRIORITY_BELOW_NORMAL).length
