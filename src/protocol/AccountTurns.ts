import { Duration, Effect, type Exit, Latch } from "effect"
import { ApiError } from "../../schemas/ApiError.ts"
import { Counts } from "./Counts.ts"
import { FairQueue } from "./FairQueue.ts"

/** The holder of a turn: an account (`owner`), and the API key or address that asks in its name (`asker`). */
export interface Asker {
  readonly owner: string
  readonly asker: string
}

export interface TurnOptions {
  /** A noun phrase for the work, which the messages of refusals contain: "document to be printed". */
  readonly what: string
  readonly atOnce: number
  readonly ofOwnerAtOnce: number
  /** Maximum waiting turns of one asker, of one owner, and in all. */
  readonly waiting: { readonly ofAsker: number; readonly ofOwner: number; readonly inAll: number }
  readonly maxWait: Duration.Input
}

interface Turn {
  readonly begun: Latch.Latch
  isTaken: boolean
}

const retryAfter = 2

const overloaded = (how: string) =>
  new ApiError({
    code: "service_unavailable",
    message: `The service is overloaded here: ${how}. Retry in ${retryAfter} s.`,
    headers: { "Retry-After": String(retryAfter), "Svc-Should-Retry": "true" }
  })

const limited = (why: string) =>
  new ApiError({
    code: "rate_limited",
    message: `${why}. Retry in ${retryAfter} s, and ask for fewer at a time.`,
    headers: { "Retry-After": String(retryAfter) }
  })

/**
 * Turns at expensive work: accounts take turns, and so do the askers of one account. The number of waiting turns and their wait are
 * bounded, so that a burst of one account does not delay the other accounts.
 */
export const make = (options: TurnOptions) => {
  const { atOnce, ofOwnerAtOnce, waiting, what } = options
  const queue = new FairQueue<Turn>()
  const underWay = new Counts()
  /** The owners that rest, each with the milliseconds that remain to rest after the current sleep. */
  const resting = new Map<string, number>()
  let inAll = 0

  const mayBegin = (owner: string) => !resting.has(owner) && underWay.of(owner) < ofOwnerAtOnce
  const begin = (owner: string) => {
    inAll += 1
    underWay.add(owner, 1)
  }
  const dispatch = () => {
    for (let free = atOnce - inAll; free > 0; free--) {
      const next = queue.take(mayBegin)
      if (next === undefined) return
      begin(next.owner)
      next.job.isTaken = true
      next.job.begun.openUnsafe()
    }
  }
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
  const end = (owner: string, restMs: number) =>
    Effect.suspend(() => {
      inAll -= 1
      underWay.add(owner, -1)
      const owed = resting.get(owner)
      if (restMs > 0) resting.set(owner, (owed ?? 0) + restMs)
      dispatch()
      return restMs > 0 && owed === undefined ? Effect.forkDetach(sleep(owner)) : Effect.void
    })

  const tooMany = (whose: string, count: number) =>
    limited(`${whose} has ${count} ${what}s waiting already, as many as may wait`)
  /**
   * Carries out an effect when its turn comes. Fails with `rate_limited` or `service_unavailable` when too many turns wait or the
   * turn does not come within `maxWait`. `rest`: the milliseconds for which the owner gets no other turn afterwards; 0 by default.
   */
  return <A, E, R>(
    { asker, owner }: Asker,
    effect: Effect.Effect<A, E, R>,
    rest: (exit: Exit.Exit<A, E>) => number = () => 0
  ): Effect.Effect<A, E | ApiError, R> =>
    Effect.uninterruptibleMask((restore) => {
      const turnTaken = Effect.onExit(restore(effect), (exit) => end(owner, rest(exit)))
      if (inAll < atOnce && mayBegin(owner) && queue.waiting(owner) === 0) {
        begin(owner)
        return turnTaken
      }
      const own = queue.waiting(owner)
      if (queue.waiting(owner, asker) >= waiting.ofAsker)
        return Effect.fail(tooMany("This key or address", waiting.ofAsker))
      if (own >= waiting.ofOwner) return Effect.fail(tooMany("This account", own))
      // An owner without a waiting turn may always wait, so that the other accounts together cannot exclude the owner.
      if (queue.size >= waiting.inAll && own > 0) {
        return Effect.fail(overloaded(`${queue.size} ${what}s of all accounts are waiting`))
      }
      const turn: Turn = { begun: Latch.makeUnsafe(), isTaken: false }
      queue.add(owner, asker, turn)
      const leave = Effect.suspend(() => {
        queue.remove(owner, asker, turn)
        return turn.isTaken ? end(owner, 0) : Effect.void
      })
      const seconds = Duration.toSeconds(options.maxWait)
      const turnComes = Effect.timeoutOrElse(turn.begun.await, {
        duration: options.maxWait,
        orElse: () =>
          Effect.fail(
            mayBegin(owner)
              ? overloaded(`no turn came within ${seconds} s for this ${what}`)
              : limited(`This account's other ${what}s left no turn within ${seconds} s for this one`)
          )
      })
      return restore(turnComes).pipe(
        Effect.onError(() => leave),
        // Without the yield, effects that end synchronously would start nested in each other and block the event loop.
        Effect.flatMap(() => Effect.andThen(Effect.yieldNow, turnTaken))
      )
    })
}
