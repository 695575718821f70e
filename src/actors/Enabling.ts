import { Duration, Effect, FiberSet, Schedule } from "effect"
import { Singleton } from "effect/cluster"
import { EnablementWork, leaseSeconds } from "../issuing/enablement/EnablementWork.ts"
import { Enablements } from "../store/enablement/Enablements.ts"

const interval = Duration.seconds(1)

// Test sets that are worked on at a time: each has a few calls to the authority under way, and a second account's waits for none.
const atOnce = 16

/** Looks for test sets that are due, longest waiting first, and works on a few of them at a time. */
export const layer = Singleton.make(
  "Enablement",
  Effect.gen(function* () {
    const enablements = yield* Enablements
    const work = yield* EnablementWork
    const underWay = yield* FiberSet.make<void>()

    const begin = Effect.gen(function* () {
      const free = atOnce - (yield* FiberSet.size(underWay))
      if (free <= 0) return
      const due = yield* enablements.take(free, leaseSeconds)
      yield* Effect.forEach(due, (set) => FiberSet.run(underWay, work.carryOut(set)), { discard: true })
    })

    yield* begin.pipe(
      Effect.catchCause((cause) =>
        Effect.logWarning("Test sets could not be looked for; the next look follows", cause)
      ),
      Effect.repeat(Schedule.spaced(interval))
    )
  }).pipe(Effect.scoped)
)
