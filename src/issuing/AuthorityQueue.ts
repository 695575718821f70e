import { Context, Duration, Effect, Layer, Option, PartitionedSemaphore, Semaphore } from "effect"
import type { AccountMode } from "../../schemas/Account.ts"
import { accountAddress } from "../protocol/Address.ts"
import { Limits } from "../settings/Limits.ts"

// Shorter than the alarm of a document at work: after this time the document waits by its row's alarm, and its actor is free.
const timeout = Duration.seconds(3)

interface Line {
  readonly turns: Semaphore.Semaphore
  /** How many calls wait in the line or are under way. */
  members: number
}

/**
 * Turns at the authority: when the authority is slow, the number of calls is bounded, and one account's calls leave room for other
 * accounts' calls. Each account has a line of its own, and the lines take turns.
 */
export class AuthorityQueue extends Context.Service<AuthorityQueue>()("folio/issuing/AuthorityQueue", {
  make: Effect.gen(function* () {
    const { inAll, perAccount } = (yield* Limits).authority
    const lines = new Map<string, Line>()
    const test = PartitionedSemaphore.makeUnsafe<string>({ permits: inAll })
    const live = PartitionedSemaphore.makeUnsafe<string>({ permits: inAll })

    const enter = (address: string): Line => {
      const line = lines.get(address) ?? { turns: Semaphore.makeUnsafe(perAccount), members: 0 }
      lines.set(address, line)
      line.members += 1
      return line
    }
    const leave = (address: string, line: Line) =>
      Effect.sync(() => {
        line.members -= 1
        if (line.members === 0) lines.delete(address)
      })

    /** Carries out a call when its turn comes; gives none when no turn comes within 3 s. */
    const inTurn = <A, E, R>(
      account: AccountMode,
      call: Effect.Effect<A, E, R>
    ): Effect.Effect<Option.Option<A>, E, R> =>
      Effect.suspend(() => {
        const address = accountAddress(account)
        const all = account.livemode ? live : test
        const line = enter(address)

        let isLate = false
        let isTaken = false
        const begun = Effect.suspend(() => {
          if (isLate) return Effect.never
          isTaken = true
          return Effect.asSome(call)
        })
        const late = Effect.suspend(() => {
          if (isTaken) return Effect.never
          isLate = true
          return Effect.succeedNone
        })
        // Only the wait for a turn has a time-out: a call that has begun is never interrupted here.
        // @effect-diagnostics-next-line raceFirstWithSleepToTimeout:off
        const queued = Effect.raceFirst(
          line.turns.withPermits(1)(all.withPermits(address, 1)(begun)),
          Effect.delay(late, timeout)
        )

        return line.turns
          .withPermitsIfAvailable(1)(all.withPermitsIfAvailable(1)(begun))
          .pipe(
            Effect.flatMap((now) =>
              Option.match(Option.flatten(now), { onNone: () => queued, onSome: Effect.succeed })
            ),
            Effect.ensuring(leave(address, line))
          )
      })

    /** Takes turns that are free now, at most `most`; gives how many. */
    const takeFree = Effect.fnUntraced(function* (account: AccountMode, most: number) {
      const address = accountAddress(account)
      const all = account.livemode ? live : test
      const line = enter(address)
      let taken = 0
      while (taken < most && (yield* all.available) > 0 && (yield* line.turns.takeIfAvailable(1))) {
        yield* all.take(address, 1)
        taken += 1
      }
      line.members += taken
      yield* leave(address, line)
      return { line, taken }
    })

    /** Carries out calls in turns that are free now, at most `most`, of which each is given back by itself. */
    const withFree = <A, E, R>(
      account: AccountMode,
      most: number,
      use: (free: number, giveBack: Effect.Effect<void>) => Effect.Effect<A, E, R>
    ): Effect.Effect<A, E, R> => {
      const address = accountAddress(account)
      const all = account.livemode ? live : test
      let left = 0
      const giveBack = (line: Line) =>
        Effect.suspend(() => {
          if (left === 0) return Effect.void
          left -= 1
          return Effect.all([line.turns.release(1), all.release(1), leave(address, line)], { discard: true })
        })
      return Effect.acquireUseRelease(
        Effect.tap(takeFree(account, most), ({ taken }) => Effect.sync(() => (left = taken))),
        ({ line, taken }) => use(taken, giveBack(line)),
        ({ line, taken }) => Effect.forEach(Array.from({ length: taken }), () => giveBack(line), { discard: true })
      )
    }

    return { inTurn, withFree }
  })
}) {
  static readonly layer = Layer.effect(AuthorityQueue, AuthorityQueue.make)
}
