import * as Fs from "node:fs"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { followTurns } from "../../support/processes/LongestTurn.ts"

/** State of a process at one moment. */
export interface Vitals {
  readonly at: number
  /** Bytes. The size of the heap is measured after a full collection if node runs with `--expose-gc`. */
  readonly rss: number
  readonly heap: number
  /**
   * Delay of the event loop since the last note, in milliseconds: the 99th percentile and the maximum. On a busy
   * machine, most of it is the wait for a processor.
   */
  readonly lateP99: number
  readonly lateMax: number
  /** Longest single turn of the event loop since then, in milliseconds. */
  readonly turnMax: number
  /** CPU seconds used so far. */
  readonly cpu: number
  /** Open file handles, including connections. */
  readonly handles: number
}

/** Appends a line to `file` every `everyMs`. */
export const keepVitals = (file: string, everyMs: number) => {
  const delay = monitorEventLoopDelay({ resolution: 10 })
  delay.enable()
  const longestTurn = followTurns()
  const note = () => {
    const { max, min } = delay
    const lateP99 = delay.percentile(99)
    const turnMax = longestTurn()
    globalThis.gc?.()
    const { heapUsed, rss } = process.memoryUsage()
    const { system, user } = process.cpuUsage()
    // Every sample includes the timer's own ten milliseconds.
    const vitals: Vitals = {
      at: Date.now(),
      rss,
      heap: heapUsed,
      lateP99: (lateP99 - min) / 1e6,
      lateMax: (max - min) / 1e6,
      turnMax,
      cpu: (user + system) / 1e6,
      handles: Fs.readdirSync("/proc/self/fd").length
    }
    Fs.appendFileSync(file, `${JSON.stringify(vitals)}\n`)
    delay.reset()
  }
  setInterval(note, everyMs).unref()
}

export const readVitals = (file: string): ReadonlyArray<Vitals> =>
  Fs.existsSync(file)
    ? Fs.readFileSync(file, "utf8")
        .trim()
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line))
    : []

/** The notes between two times. */
export const during = (vitals: ReadonlyArray<Vitals>, from: number, to: number) =>
  vitals.filter(({ at }) => at > from && at <= to)
