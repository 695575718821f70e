import { Context, Duration, Effect, Latch, Layer } from "effect"

// Beyond these the process is busy: it answers first and works off later.
const creatingMax = 8
const signingMax = 64

// However busy the process is, the work of each account goes on at this pace.
const patience = Duration.millis(100)

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
    /** Waits until there is room for more documents, but not for long. */
    readonly room: Effect.Effect<void>
  }
>()("folio/entities/Workload") {
  static readonly layer = Layer.sync(Workload, () => {
    const latch = Latch.makeUnsafe(true)
    const count = { creating: 0, signing: 0 }

    const change = (what: keyof typeof count, by: 1 | -1) => {
      count[what] += by
      if (count.creating < creatingMax && count.signing < signingMax) latch.openUnsafe()
      else latch.closeUnsafe()
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

    return Workload.of({
      creating: counted("creating"),
      signing: counted("signing"),
      room: Effect.suspend(() => (latch.isOpen() ? Effect.void : Effect.timeoutOption(latch.await, patience))).pipe(
        Effect.asVoid
      )
    })
  })
}
