import { performance } from "node:perf_hooks"

// Shorter ones say little of what is to come.
const windowMs = 20

/** The share of its time that this process's event loop was at work, between one look and the one before: from 0 to 1. */
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
