import { performance } from "node:perf_hooks"

// A shorter window says little about the load that follows.
const windowMs = 20

/** Makes a function that returns the share of time (0 to 1) for which the event loop was busy between the latest measurements. */
export const makeBusyness = (): (() => number) => {
  let since = performance.eventLoopUtilization()
  let lookedAt = performance.now()
  let busyness = 0
  return () => {
    const now = performance.now()
    if (now - lookedAt < windowMs) return busyness
    const total = performance.eventLoopUtilization()
    busyness = performance.eventLoopUtilization(total, since).utilization
    since = total
    lookedAt = now
    return busyness
  }
}
