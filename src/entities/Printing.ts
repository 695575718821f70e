import { Context, Deferred, Duration, Effect, Fiber, Layer } from "effect"
import type { ApiError } from "../../schemas/ApiError.ts"
import { Printer, printThreads } from "../documents/Printer.ts"
import { ByteCache } from "../domain/ByteCache.ts"
import * as Turns from "../protocol/AccountTurns.ts"

/** How much of the dear work with documents this process does at a time, and how much may wait for it. */
export class PrintingLimits extends Context.Reference<Omit<Turns.TurnOptions, "what">>(
  "folio/entities/PrintingLimits",
  {
    defaultValue: () => ({
      // One more than print, so that the next document is read meanwhile.
      atOnce: printThreads + 1,
      ofOwnerAtOnce: Math.ceil(printThreads / 2),
      waiting: { ofAsker: 16, ofOwner: 48, inAll: 512 },
      patience: Duration.seconds(10)
    })
  }
) {}

const cacheBytes = 16 * 1024 * 1024

interface Pending {
  readonly made: Deferred.Deferred<Uint8Array, ApiError>
  /** Ends it when nobody waits any more. */
  abandon: Effect.Effect<void>
  members: number
}

/** The dear work with documents: printing them, packing them, reading what was signed. Each account in its turn. */
export class Printing extends Context.Service<
  Printing,
  {
    readonly inTurn: <A, E, R>(of: Turns.Asker, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | ApiError, R>
    /** The bytes of this tag: as they were made last, or in turn, once for all who ask in the same name at the same time. */
    readonly once: (
      of: Turns.Asker,
      tag: string,
      make: Effect.Effect<Uint8Array>
    ) => Effect.Effect<Uint8Array, ApiError>
  }
>()("folio/entities/Printing") {
  static readonly layer = Layer.effect(
    Printing,
    Effect.gen(function* () {
      const inTurn = Turns.make({ what: "document", ...(yield* PrintingLimits) })
      const scope = yield* Effect.scope
      const printed = new ByteCache(cacheBytes)
      const pending = new Map<string, Pending>()

      const begin = Effect.fnUntraced(function* (
        of: Turns.Asker,
        name: string,
        tag: string,
        make: Effect.Effect<Uint8Array>
      ) {
        const made = yield* Deferred.make<Uint8Array, ApiError>()
        // Somebody else may have had it printed while this waited.
        const print = Effect.suspend(() => {
          const found = printed.get(tag)
          if (found !== undefined) return Effect.succeed(found)
          return Effect.tap(make, (bytes) => Effect.sync(() => printed.set(tag, bytes)))
        })
        const one: Pending = { made, abandon: Effect.void, members: 0 }
        const forget = Effect.sync(() => pending.get(name) === one && pending.delete(name))
        pending.set(name, one)
        const fiber = yield* inTurn(of, print).pipe(
          Effect.onExit((exit) => Effect.andThen(forget, Deferred.done(made, exit))),
          Effect.forkIn(scope)
        )
        one.abandon = Effect.andThen(forget, Effect.asVoid(Effect.forkIn(Fiber.interrupt(fiber), scope)))
        return one
      })

      const once: Printing["Service"]["once"] = (of, tag, make) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.gen(function* () {
            const found = printed.get(tag)
            if (found !== undefined) return found
            const name = `${of.owner} ${of.asker} ${tag}`
            const one = pending.get(name) ?? (yield* begin(of, name, tag, make))
            one.members += 1
            return yield* restore(Deferred.await(one.made)).pipe(
              Effect.onInterrupt(() => {
                one.members -= 1
                return one.members === 0 ? one.abandon : Effect.void
              })
            )
          })
        )

      return Printing.of({ inTurn, once })
    })
  )

  /** With the threads that print. */
  static readonly threaded = Layer.provideMerge(Printing.layer, Printer.layer)
}
