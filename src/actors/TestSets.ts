import { Effect, FiberSet } from "effect"
import { EnablementWork, leaseSeconds } from "../issuing/enablement/EnablementWork.ts"
import { Enablements } from "../store/enablement/Enablements.ts"

// Test sets that are worked on at a time. Each has a few calls to the authority under way; the seventeenth account waits for one to end.
const atOnce = 16

/** `begin` takes up test sets that are due, longest waiting first; at most 16 of them are worked on at a time. */
export const make = Effect.gen(function* () {
  const enablements = yield* Enablements
  const work = yield* EnablementWork
  const underWay = yield* FiberSet.make<void>()

  const begin = Effect.gen(function* () {
    const free = atOnce - (yield* FiberSet.size(underWay))
    if (free <= 0) return
    const due = yield* enablements.take(free, leaseSeconds)
    yield* Effect.forEach(due, (set) => FiberSet.run(underWay, work.carryOut(set)), { discard: true })
  })
  return { begin }
})
