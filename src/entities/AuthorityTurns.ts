import { Context, Duration, Effect, Option, PartitionedSemaphore, Semaphore } from "effect"
import type { AccountMode } from "../../schemas/Account.ts"
import { accountAddress } from "../protocol/Address.ts"

/** How many calls to the authority a process has under way at one time: for an account and mode, and in all of a mode. */
export class AuthorityLimits extends Context.Reference<{ readonly perAccount: number; readonly inAll: number }>(
  "folio/entities/AuthorityLimits",
  { defaultValue: () => ({ perAccount: 128, inAll: 512 }) }
) {}

// Shorter than the alarm of a document at work: after that its row waits, and not its actor.
const patience = Duration.seconds(3)

interface Line {
  readonly turns: Semaphore.Semaphore
  /** How many wait in it or have their turn. */
  members: number
}

/**
 * Turns at the authority: when it is slow, what calls it is bounded, and one account's calls leave room for the others'. Each
 * account has a line of its own, and the lines take turns.
 */
export const make = Effect.gen(function* () {
  const { inAll, perAccount } = yield* AuthorityLimits
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

  /** Carries out a call when its turn comes; none when that takes too long. */
  return <A, E, R>(of: AccountMode, call: Effect.Effect<A, E, R>): Effect.Effect<Option.Option<A>, E, R> =>
    Effect.suspend(() => {
      const address = accountAddress(of)
      const all = of.livemode ? live : test
      const line = enter(address)

      let isLate = false
      let isTaken = false
      const inTurn = Effect.suspend(() => {
        if (isLate) return Effect.never
        isTaken = true
        return Effect.asSome(call)
      })
      const late = Effect.suspend(() => {
        if (isTaken) return Effect.never
        isLate = true
        return Effect.succeedNone
      })
      // No time-out of the whole: a turn that has come is never cut.
      // @effect-diagnostics-next-line raceFirstWithSleepToTimeout:off
      const queued = Effect.raceFirst(
        line.turns.withPermits(1)(all.withPermits(address, 1)(inTurn)),
        Effect.delay(late, patience)
      )

      return line.turns
        .withPermitsIfAvailable(1)(all.withPermitsIfAvailable(1)(inTurn))
        .pipe(
          Effect.flatMap((now) => Option.match(Option.flatten(now), { onNone: () => queued, onSome: Effect.succeed })),
          Effect.ensuring(leave(address, line))
        )
    })
})
