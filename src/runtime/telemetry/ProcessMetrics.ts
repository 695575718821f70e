import { Effect, Layer } from "effect"
import * as Fs from "node:fs"
import { monitorEventLoopDelay, performance } from "node:perf_hooks"
import * as Metrics from "../Metrics.ts"

// Each sample wakes an idle process. Five per second give 75 samples between two scrapes, with Prometheus's 15 seconds.
const delayResolutionMs = 200

/**
 * The number of open files and sockets of this process, and its limit; undefined if the system does not report them.
 */
const openFiles = () => {
  try {
    return Fs.readdirSync("/proc/self/fd").length
  } catch {
    return undefined
  }
}
const openFilesMax = () => {
  try {
    return Number(/^Max open files\s+(\d+)/m.exec(Fs.readFileSync("/proc/self/limits", "utf8"))?.[1] ?? Number.NaN)
  } catch {
    return Number.NaN
  }
}

/** Registers this process's metrics from the operating system and Node. Each value is read when its metric is read. */
export const layer = (version: string) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const delay = yield* Effect.acquireRelease(
        Effect.sync(() => {
          const histogram = monitorEventLoopDelay({ resolution: delayResolutionMs })
          histogram.enable()
          return histogram
        }),
        (histogram) => Effect.sync(() => histogram.disable())
      )
      yield* Metrics.observe(Metrics.buildInfo(version, process.version), () => ({ value: 1 }))
      yield* Metrics.observe(Metrics.startTime(), () => ({ value: performance.timeOrigin / 1000 }))
      yield* Metrics.observe(Metrics.cpuSeconds(), () => {
        const { system, user } = process.cpuUsage()
        return { count: (system + user) / 1e6, incremental: true }
      })
      yield* Metrics.observe(Metrics.residentBytes(), () => ({ value: process.memoryUsage.rss() }))
      yield* Metrics.observe(Metrics.heapBytes(), () => ({ value: process.memoryUsage().heapUsed }))
      yield* Metrics.observe(Metrics.eventLoopDelay(), () => {
        // The histogram measures the time between ticks of its own timer; only the time beyond the timer's interval is
        // delay.
        const value = Math.max(0, delay.percentile(99) / 1e9 - delayResolutionMs / 1000)
        delay.reset()
        return { value }
      })
      if (openFiles() === undefined) return
      const max = openFilesMax()
      yield* Metrics.observe(Metrics.openFiles(), () => ({ value: openFiles() ?? Number.NaN }))
      yield* Metrics.observe(Metrics.openFilesMax(), () => ({ value: max }))
    })
  )
