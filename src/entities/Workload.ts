import { Context, Duration, Effect, Latch, Layer } from "effect"

// Beyond these the process is busy: it answers first and works off later.
const creatingMax = 8
const signingMax = 64
const workingMax = 8

// However busy the process is, the work of each account goes on at this pace.
const patience = Duration.millis(100)

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
  static readonly layer = Layer.sync(Workload, () => {
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

    const pass = ({ latch }: typeof room) =>
      Effect.suspend(() => (latch.isOpen() ? Effect.void : Effect.timeoutOption(latch.await, patience))).pipe(
        Effect.asVoid
      )

    return Workload.of({
      creating: counted("creating"),
      signing: counted("signing"),
      storing: counted("storing"),
      room: pass(room),
      calm: pass(calm)
    })
  })
}
