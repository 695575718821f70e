import { type Duration, Effect, Latch } from "effect"
import type { AccountMode } from "../../../schemas/Account.ts"
import type { TurnsAtOnce } from "../Limits.ts"
import { accountAddress } from "../Address.ts"
import { Counts } from "./Counts.ts"

/** The holder of a turn: an account (`owner`), and the API key, address or endpoint that acts for it (`asker`). */
export interface Asker {
  readonly owner: string
  readonly asker: string
}

/** An account in one mode with the asker that acts for it; without `asker`, the account itself. */
export const askerOf = (account: AccountMode, asker?: string): Asker => {
  const owner = accountAddress(account)
  return { owner, asker: asker ?? owner }
}

interface Turn {
  readonly begun: Latch.Latch
  readonly onBegin: (() => void) | undefined
  isTaken: boolean
}

interface Wait {
  /** The longest wait for the turn; unlimited by default. */
  readonly maxWait?: Duration.Input
  /** Runs at the start of a turn that had to wait. */
  readonly onBegin?: () => void
}

interface LimitedWait<A, E> extends Wait {
  /** The effect that runs if no turn comes within `maxWait`. */
  readonly late: () => Effect.Effect<A, E>
}

const unlimited: LimitedWait<never, never> = { late: () => Effect.never }

/** Makes an effect as interruptible as it was outside of `Effect.uninterruptibleMask`. */
type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/**
 * Turns that limit the concurrent work: in total (`atOnce`) and for one owner (`ofOwnerAtOnce`). While no turn is free,
 * the waiting owners take turns, and the askers of one owner take turns. While a turn is free, no owner that may begin
 * a turn waits.
 */
export const make = ({ atOnce, ofOwnerAtOnce }: TurnsAtOnce) => {
  const waiting = new FairQueue<Turn>()
  const underWay = new Counts()
  /** The owners that rest, each with the milliseconds left to rest after the current sleep. */
  const resting = new Map<string, number>()
  let inAll = 0

  /** Whether the owner could begin a turn if a turn were free. */
  const mayBegin = (owner: string) => !resting.has(owner) && underWay.of(owner) < ofOwnerAtOnce
  const isFree = (owner: string) => inAll < atOnce && mayBegin(owner)
  const count = (owner: string, change: number) => {
    inAll += change
    underWay.add(owner, change)
  }
  const dispatch = () => {
    for (let free = atOnce - inAll; free > 0; free--) {
      const next = waiting.take(mayBegin)
      if (next === undefined) return
      count(next.owner, 1)
      next.job.isTaken = true
      next.job.onBegin?.()
      next.job.begun.openUnsafe()
    }
  }

  /** Takes at most `most` free turns for an owner. Returns how many. */
  const takeFree = (owner: string, most = 1): number => {
    if (!isFree(owner)) return 0
    const taken = Math.min(most, atOnce - inAll, ofOwnerAtOnce - underWay.of(owner))
    count(owner, taken)
    return taken
  }

  /** Ends turns of an owner. Waiting owners begin their turns. */
  const end = (owner: string, turns = 1): void => {
    count(owner, -turns)
    dispatch()
  }

  /**
   * Takes a turn, which the caller ends: immediately if a turn is free, otherwise after a wait. Returns false if no
   * turn comes within `maxWait`.
   *
   * The caller is uninterruptible, because an interruption would lose the turn. The wait has the caller's earlier
   * interruptibility.
   */
  const take = ({ asker, owner }: Asker, restore: Restore, { maxWait, onBegin }: Wait = unlimited) =>
    Effect.suspend(() => {
      if (takeFree(owner) > 0) return Effect.succeed(true)
      const turn: Turn = { begun: Latch.makeUnsafe(), onBegin, isTaken: false }
      waiting.add(owner, asker, turn)
      const begun = turn.begun.await
      return restore(maxWait === undefined ? begun : Effect.timeoutOption(begun, maxWait)).pipe(
        Effect.onInterrupt(() => Effect.sync(() => (turn.isTaken ? end(owner) : waiting.remove(owner, asker, turn)))),
        Effect.flatMap(() => {
          // Without the yield, effects that end synchronously would nest and block the event loop.
          if (turn.isTaken) return Effect.as(Effect.yieldNow, true)
          waiting.remove(owner, asker, turn)
          return Effect.succeed(false)
        })
      )
    })

  /** Carries out an effect when its turn comes. */
  const inTurn = <A, E, R, B = never, F = never>(
    asker: Asker,
    effect: Effect.Effect<A, E, R>,
    wait: LimitedWait<B, F> = unlimited
  ): Effect.Effect<A | B, E | F, R> =>
    Effect.uninterruptibleMask((restore) => {
      const work = Effect.onExit(restore(effect), () => Effect.sync(() => end(asker.owner)))
      if (takeFree(asker.owner) > 0) return work
      return Effect.flatMap(take(asker, restore, wait), (isTaken): Effect.Effect<A | B, E | F, R> =>
        isTaken ? work : wait.late()
      )
    })

  const sleep = (owner: string): Effect.Effect<void> =>
    Effect.suspend(() => {
      const owed = resting.get(owner) ?? 0
      if (owed > 0) {
        resting.set(owner, 0)
        return Effect.andThen(Effect.sleep(owed), sleep(owner))
      }
      resting.delete(owner)
      dispatch()
      return Effect.void
    })

  /** Prevents an owner from beginning a turn for this many milliseconds, in addition to a current rest. */
  const rest = (owner: string, ms: number): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (ms <= 0) return Effect.void
      const owed = resting.get(owner)
      resting.set(owner, (owed ?? 0) + ms)
      return owed === undefined ? Effect.asVoid(Effect.forkDetach(sleep(owner))) : Effect.void
    })

  return { waiting, mayBegin, isFree, takeFree, take, end, inTurn, rest }
}

/**
 * A queue of waiting jobs. Owners take turns, and the askers of one owner take turns. Many jobs delay only later jobs
 * of the same asker.
 */
class FairQueue<A> {
  size = 0
  private readonly owners = new Map<string, Map<string, Array<A>>>()

  add(owner: string, asker: string, job: A): void {
    const lines = this.owners.get(owner) ?? new Map<string, Array<A>>()
    lines.set(asker, [...(lines.get(asker) ?? []), job])
    this.owners.set(owner, lines)
    this.size += 1
  }

  /** The number of waiting jobs of an owner, or of one asker of the owner. */
  count(owner: string, asker?: string): number {
    const lines = this.owners.get(owner)
    if (asker !== undefined) return lines?.get(asker)?.length ?? 0
    let jobs = 0
    for (const line of lines?.values() ?? []) jobs += line.length
    return jobs
  }

  /** The number of waiting jobs before a further job of the owner; 0 if no job of the owner waits. */
  before(owner: string): number {
    const own = this.count(owner)
    if (own === 0) return 0
    let jobs = 0
    for (const other of this.owners.keys()) jobs += Math.min(own, this.count(other))
    return jobs
  }

  /**
   * Takes the next job of the first owner in line that satisfies `mayTake`. The owner then moves to the end of the
   * line.
   */
  take(mayTake: (owner: string) => boolean): { readonly owner: string; readonly job: A } | undefined {
    for (const [owner, lines] of this.owners) {
      const [first] = lines
      if (first === undefined || !mayTake(owner)) continue
      const [asker, [job, ...rest]] = first
      if (job === undefined) continue
      lines.delete(asker)
      if (rest.length > 0) lines.set(asker, rest)
      this.owners.delete(owner)
      if (lines.size > 0) this.owners.set(owner, lines)
      this.size -= 1
      return { owner, job }
    }
    return undefined
  }

  /** Removes a waiting job. Does nothing if the job is not in the queue. */
  remove(owner: string, asker: string, job: A): void {
    const lines = this.owners.get(owner)
    const line = lines?.get(asker)
    if (lines === undefined || line === undefined || !line.includes(job)) return
    const rest = line.filter((other) => other !== job)
    if (rest.length > 0) lines.set(asker, rest)
    else lines.delete(asker)
    if (lines.size === 0) this.owners.delete(owner)
    this.size -= 1
  }
}
