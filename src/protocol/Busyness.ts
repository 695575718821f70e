import { Context, Layer } from "effect"
import { performance } from "node:perf_hooks"

// A shorter window says little about the load that follows.
const windowMs = 20

/** Makes a function that returns the share of time (0 to 1) for which the event loop was busy between the latest measurements. */
const measure = (): (() => number) => {
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

/**
 * A function that says how busy this process has been in the last moments, from 0 (idle) to 1. Above 0.7 the process first
 * answers requests, and puts off the work on documents that can wait.
 */
export class Busyness extends Context.Service<Busyness, () => number>()("@folio-einvoicing/service/Busyness") {
  /** Measures the event loop of this process. */
  static readonly layer = Layer.sync(Busyness, measure)
}
