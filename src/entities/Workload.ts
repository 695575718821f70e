import { Context, Duration, Effect, Latch, Layer, Schedule } from "effect"

// Beyond these the process is busy: it answers first and works off later.
const creatingMax = 16
const signingMax = 64
const workingMax = 8

// However busy the process is, the work of each account goes on at this pace.
const patience = Duration.millis(100)

// Above this, what is new would wait noticeably behind what was late already.
const busyMax = 0.7
const lookAgain = Duration.millis(10)

/** How busy this process has been in the last moments, from 0 to 1. */
export class Busyness extends Context.Reference<() => number>("folio/entities/Busyness", {
  defaultValue: () => () => 0
}) {}

const briefly = (wait: Effect.Effect<unknown>) => Effect.asVoid(Effect.timeoutOption(wait, patience))

const gate = (isOpen: () => boolean) => ({ isOpen, latch: Latch.makeUnsafe(true) })

/**
 * What this process has on its hands. Creating goes first, so that a burst of invoices is accepted at the rate of creation;
 * and one account's backlog is worked off in portions, so that the next account's invoice does not queue up behind it.
 */
export class Workload extends Context.Service<
  Workload,
  {
    /** A draft is being created while this runs. */
    readonly creating: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** A document is being read and signed while this runs. */
    readonly signing: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** A document's step is being stored while this runs. */
    readonly storing: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** Waits until there is room for more drafts to be numbered, but not for long. */
    readonly room: Effect.Effect<void>
    /** Waits until there is little to do, so that what was late already may go on; but not for long. */
    readonly calm: Effect.Effect<void>
  }
>()("folio/entities/Workload") {
  static readonly layer = Layer.effect(
    Workload,
    Effect.map(Busyness, (busyness) => {
      const count = { creating: 0, signing: 0, storing: 0 }
      const room = gate(() => count.creating < creatingMax && count.signing < signingMax)
      const calm = gate(() => count.creating < creatingMax && count.signing + count.storing < workingMax)

      const change = (what: keyof typeof count, by: 1 | -1) => {
        count[what] += by
        for (const { isOpen, latch } of [room, calm]) {
          if (isOpen()) latch.openUnsafe()
          else latch.closeUnsafe()
        }
      }

      const counted =
        (what: keyof typeof count) =>
        <A, E, R>(effect: Effect.Effect<A, E, R>) =>
          Effect.suspend(() => {
            change(what, 1)
            return Effect.ensuring(
              effect,
              Effect.sync(() => change(what, -1))
            )
          })

      const hasTime = Effect.repeat(Effect.sync(busyness), {
        until: (busy) => busy <= busyMax,
        schedule: Schedule.spaced(lookAgain)
      })

      return Workload.of({
        creating: counted("creating"),
        signing: counted("signing"),
        storing: counted("storing"),
        room: Effect.suspend(() => (room.latch.isOpen() ? Effect.void : briefly(room.latch.await))),
        calm: briefly(Effect.andThen(calm.latch.await, hasTime))
      })
    })
  )
}
