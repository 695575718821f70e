import { Context, Layer } from "effect"
import { performance } from "node:perf_hooks"

// A shorter window doesn't predict the load.
const windowMs = 20

/**
 * Makes a function that returns how much of the time (0 to 1) the event loop was busy between the latest measurements.
 */
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
 * A function that returns how busy this process has been recently, from 0 (idle) to 1. Above 0.7 the process serves
 * requests first and postpones the work on documents that can wait.
 */
export class Busyness extends Context.Service<Busyness, () => number>()("@folio-einvoicing/service/Busyness") {
  /** Measures the event loop of this process. */
  static readonly layer = Layer.sync(Busyness, measure)
}
