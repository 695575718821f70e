import { Deferred, Effect, Fiber } from "effect"
import type { ApiError } from "../../../schemas/ApiError.ts"
import * as AccountTurns from "../../runtime/turns/AccountTurns.ts"
import type { Asker } from "../../runtime/turns/Turns.ts"
import { Limits } from "../../runtime/Limits.ts"

const cacheBytes = 16 * 1024 * 1024

interface Pending {
  readonly made: Deferred.Deferred<Uint8Array, ApiError>
  /** Interrupts the work. Runs when the last caller that waits for the bytes is interrupted. */
  abandon: Effect.Effect<void>
  members: number
}

/**
 * Makes the scheduler of the expensive work with documents (printing and packing). Accounts take turns.
 *
 * - `inTurn` carries out work in the account's turn.
 * - `once` gives the bytes of `tag`, cached or made in the account's turn. Concurrent calls of one owner, asker and tag
 *   share a `make`.
 */
export const makePrinting = Effect.gen(function* () {
  const inTurn = AccountTurns.make({ what: "document", ...(yield* Limits).printing })
  const scope = yield* Effect.scope
  const printed = new ByteCache(cacheBytes)
  const pending = new Map<string, Pending>()

  const begin = Effect.fnUntraced(function* (
    account: Asker,
    name: string,
    tag: string,
    make: Effect.Effect<Uint8Array>
  ) {
    const made = yield* Deferred.make<Uint8Array, ApiError>()
    // Another caller may have made the bytes of the same tag while this work waited for its turn.
    const print = Effect.suspend(() => {
      const found = printed.get(tag)
      if (found !== undefined) return Effect.succeed(found)
      return Effect.tap(make, (bytes) => Effect.sync(() => printed.set(tag, bytes)))
    })
    const one: Pending = { made, abandon: Effect.void, members: 0 }
    const forget = Effect.sync(() => pending.get(name) === one && pending.delete(name))
    pending.set(name, one)
    const fiber = yield* inTurn(account, print).pipe(
      Effect.onExit((exit) => Effect.andThen(forget, Deferred.done(made, exit))),
      Effect.forkIn(scope)
    )
    one.abandon = Effect.andThen(forget, Effect.asVoid(Effect.forkIn(Fiber.interrupt(fiber), scope)))
    return one
  })

  const once = (account: Asker, tag: string, make: Effect.Effect<Uint8Array>) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const found = printed.get(tag)
        if (found !== undefined) return found
        const name = `${account.owner} ${account.asker} ${tag}`
        const one = pending.get(name) ?? (yield* begin(account, name, tag, make))
        one.members += 1
        return yield* restore(Deferred.await(one.made)).pipe(
          Effect.onInterrupt(() => {
            one.members -= 1
            return one.members === 0 ? one.abandon : Effect.void
          })
        )
      })
    )

  return { inTurn, once }
})

/** A cache of byte arrays by name. When it is full, a new entry replaces the least recently used entries. */
class ByteCache {
  private readonly max: number
  private readonly entries = new Map<string, Uint8Array>()
  private total = 0

  /** @param max  the limit for the sum of all entries, in bytes */
  constructor(max: number) {
    this.max = max
  }

  get(name: string): Uint8Array | undefined {
    const found = this.entries.get(name)
    if (found === undefined) return undefined
    this.entries.delete(name)
    this.entries.set(name, found)
    return found
  }

  set(name: string, bytes: Uint8Array): void {
    this.total += bytes.length - (this.entries.get(name)?.length ?? 0)
    this.entries.delete(name)
    this.entries.set(name, bytes)
    for (const [oldest, { length }] of this.entries) {
      if (this.total <= this.max) return
      this.entries.delete(oldest)
      this.total -= length
    }
  }
}
