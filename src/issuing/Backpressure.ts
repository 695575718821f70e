import { Context, Duration, Effect, Latch, Layer, Schedule } from "effect"
import { Busyness } from "../protocol/Busyness.ts"

// At these counts the process is busy: it answers requests first and works off documents later. The statements that create drafts
// begin every 40 ms, so at 400 invoices a second 16 drafts (computed) and more are being created though nothing is late: numbering
// gives way only at three times as many, and a backlog at once.
const creatingMax = 48
const creatingCalmMax = 16
const signingMax = 64
const workingMax = 8

// The longest wait for room or calm: however busy the process is, the work of each account goes on after this time at the latest.
const timeout = Duration.millis(100)

// The busyness above which new work would wait noticeably behind work that is already late.
const busyMax = 0.7
const lookAgain = Duration.millis(10)

const briefly = (wait: Effect.Effect<unknown>) => Effect.asVoid(Effect.timeoutOption(wait, timeout))

const gate = (isOpen: () => boolean) => ({ isOpen, latch: Latch.makeUnsafe(true) })

/**
 * Counts the work that this process has under way, and holds back work that can wait. Creating goes first, so that a burst of
 * invoices is accepted at the rate of creation; and one account's backlog is worked off in portions, so that the next account's
 * invoice does not queue up behind that backlog.
 */
export class Backpressure extends Context.Service<Backpressure>()("folio/issuing/Backpressure", {
  make: Effect.map(Busyness, (busyness) => {
    const count = { creating: 0, signing: 0, storing: 0 }
    const room = gate(() => count.creating < creatingMax && count.signing < signingMax)
    const calm = gate(() => count.creating < creatingCalmMax && count.signing + count.storing < workingMax)

    const change = (what: keyof typeof count, by: 1 | -1) => {
      count[what] += by
      for (const { isOpen, latch } of [room, calm]) {
        if (isOpen()) latch.openUnsafe()
        else latch.closeUnsafe()
      }
    }

    const counted =
      (what: keyof typeof count) =>
      <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
        Effect.suspend(() => {
          change(what, 1)
          return Effect.ensuring(
            effect,
            Effect.sync(() => change(what, -1))
          )
        })

    // A measure that throws counts as busy: work that can wait then waits its 100 ms, and goes on.
    const busy = Effect.catchDefect(Effect.sync(busyness), () => Effect.succeed(1))
    const hasTime = Effect.repeat(busy, {
      until: (share) => share <= busyMax,
      schedule: Schedule.spaced(lookAgain)
    })

    return {
      /** Counts a draft as being created while the effect runs. */
      creating: counted("creating"),
      /** Counts a document as being read and signed while the effect runs. */
      signing: counted("signing"),
      /** Counts a document's step as being stored while the effect runs. */
      storing: counted("storing"),
      /** Waits until there is room to number more drafts, for 100 ms at most. */
      room: Effect.suspend(() => (room.latch.isOpen() ? Effect.void : briefly(room.latch.await))),
      /** Waits until the process has little to do, so that work that is already late can go on; for 100 ms at most. */
      calm: briefly(Effect.andThen(calm.latch.await, hasTime))
    }
  })
}) {
  static readonly layer = Layer.effect(Backpressure, Backpressure.make)
}
