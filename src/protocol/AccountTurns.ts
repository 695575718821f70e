import { Duration, Effect, type Exit, Latch } from "effect"
import { ApiError } from "../../schemas/ApiError.ts"
import { Counts } from "./Counts.ts"
import type { TurnLimits } from "../settings/Limits.ts"
import { FairQueue } from "./FairQueue.ts"

/** The holder of a turn: an account (`owner`), and the API key or address that asks in its name (`asker`). */
export interface Asker {
  readonly owner: string
  readonly asker: string
}

export interface TurnOptions extends TurnLimits {
  /** A noun phrase for the work, which the messages of refusals contain: "document to be printed". */
  readonly what: string
}

interface Turn {
  readonly begun: Latch.Latch
  isTaken: boolean
}

// A longer time between two turns is a stall and says nothing of the rate afterwards.
const stallMs = 1_000

// A turn that has fewer others before it may always wait, in rounds of one owner's turns, so that a client with a few connections is
// slowed and not refused.
const freeRounds = 4

// The number of the last turns from which their rate is computed.
const ratedTurns = 64

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
  /** The times of the last turns that had waited, oldest first, in Unix milliseconds; empty while no turn waits. */
  let times: Array<number> = []
  const maxDelayMs = options.maxDelay === undefined ? Infinity : Duration.toMillis(options.maxDelay)
  let inAll = 0

  const note = (now: number) => {
    if (maxDelayMs === Infinity) return
    if (queue.size === 0) times = []
    else times = now - (times.at(-1) ?? now) >= stallMs ? [now] : [...times.slice(1 - ratedTurns), now]
  }
  /** How long a turn with so many others before it would wait, in milliseconds; 0 until enough turns have come to compute it. */
  const delayMs = (before: number, now: number) => {
    const [first = now, latest = now] = [times[0], times.at(-1)]
    if (times.length < ratedTurns) return 0
    // The time since the last turn counts as well, because turns may come more slowly than before.
    const until = now - latest < stallMs ? now : latest
    return (before * (until - first)) / ratedTurns
  }
  const mayBegin = (owner: string) => !resting.has(owner) && underWay.of(owner) < ofOwnerAtOnce
  const begin = (owner: string) => {
    inAll += 1
    underWay.add(owner, 1)
  }
  const dispatch = Effect.clockWith((clock) => {
    for (let free = atOnce - inAll; free > 0; free--) {
      const next = queue.take(mayBegin)
      if (next === undefined) break
      begin(next.owner)
      note(clock.currentTimeMillisUnsafe())
      next.job.isTaken = true
      next.job.begun.openUnsafe()
    }
    return Effect.void
  })
  const sleep = (owner: string): Effect.Effect<void> =>
    Effect.suspend(() => {
      const owed = resting.get(owner) ?? 0
      if (owed > 0) {
        resting.set(owner, 0)
        return Effect.andThen(Effect.sleep(owed), sleep(owner))
      }
      resting.delete(owner)
      return dispatch
    })
  const end = (owner: string, restMs: number) =>
    Effect.suspend(() => {
      inAll -= 1
      underWay.add(owner, -1)
      const owed = resting.get(owner)
      if (restMs > 0) resting.set(owner, (owed ?? 0) + restMs)
      return restMs > 0 && owed === undefined ? Effect.andThen(dispatch, Effect.forkDetach(sleep(owner))) : dispatch
    })

  const seconds = Duration.toSeconds(options.maxWait)
  const tooMany = (whose: string, count: number) =>
    limited(`${whose} has ${count} ${what}s waiting already, as many as may wait`)
  // Made once, because an error with its trace costs more than the rest of a refusal.
  const refusals = {
    ofAsker: tooMany("This key or address", waiting.ofAsker),
    ofOwner: tooMany("This account", waiting.ofOwner),
    inAll: overloaded(`${waiting.inAll} ${what}s of all accounts are waiting`),
    slow: overloaded(`${what}s wait for longer than ${maxDelayMs} ms`),
    slowOfOwner: limited(`This account's other ${what}s would leave no turn for this one within ${maxDelayMs} ms`),
    late: overloaded(`no turn came within ${seconds} s for this ${what}`),
    lateOfOwner: limited(`This account's other ${what}s left no turn within ${seconds} s for this one`)
  }
  const beginsNow = (owner: string) => inAll < atOnce && mayBegin(owner) && queue.waiting(owner) === 0
  /** Why a turn that cannot begin may not wait either; undefined if the turn may wait. `now`: in Unix milliseconds. */
  const refusalOf = ({ asker, owner }: Asker, now: number): ApiError | undefined => {
    const own = queue.waiting(owner)
    if (queue.waiting(owner, asker) >= waiting.ofAsker) return refusals.ofAsker
    if (own >= waiting.ofOwner) return refusals.ofOwner
    const before = queue.before(owner)
    if (before >= ofOwnerAtOnce * freeRounds && delayMs(before, now) > maxDelayMs) {
      return inAll >= atOnce && underWay.of(owner) < ofOwnerAtOnce ? refusals.slow : refusals.slowOfOwner
    }
    // An owner without a waiting turn may always wait, so that the other accounts together cannot exclude the owner.
    return queue.size >= waiting.inAll && own > 0 ? refusals.inAll : undefined
  }
  /**
   * Carries out an effect when its turn comes. Fails with `rate_limited` or `service_unavailable` when too many turns wait or the
   * turn does not come within `maxWait`. `rest`: the milliseconds for which the owner gets no other turn afterwards; 0 by default.
   */
  const inTurn = <A, E, R>(
    { asker, owner }: Asker,
    effect: Effect.Effect<A, E, R>,
    rest: (exit: Exit.Exit<A, E>) => number = () => 0
  ): Effect.Effect<A, E | ApiError, R> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.clockWith((clock) => {
        const turnTaken = Effect.onExit(restore(effect), (exit) => end(owner, rest(exit)))
        if (beginsNow(owner)) {
          begin(owner)
          return turnTaken
        }
        const refusal = refusalOf({ asker, owner }, clock.currentTimeMillisUnsafe())
        if (refusal !== undefined) return Effect.fail(refusal)
        const turn: Turn = { begun: Latch.makeUnsafe(), isTaken: false }
        queue.add(owner, asker, turn)
        const leave = Effect.suspend(() => {
          queue.remove(owner, asker, turn)
          return turn.isTaken ? end(owner, 0) : Effect.void
        })
        const turnComes = Effect.timeoutOrElse(turn.begun.await, {
          duration: options.maxWait,
          orElse: () => Effect.fail(mayBegin(owner) ? refusals.late : refusals.lateOfOwner)
        })
        return restore(turnComes).pipe(
          Effect.onError(() => leave),
          // Without the yield, effects that end synchronously would start nested in each other and block the event loop.
          Effect.flatMap(() => Effect.andThen(Effect.yieldNow, turnTaken))
        )
      })
    )
  return Object.assign(inTurn, {
    /** Why a turn would be refused `now`, in Unix milliseconds; undefined if it would begin or wait. */
    refusalOf: (asker: Asker, now: number) => (beginsNow(asker.owner) ? undefined : refusalOf(asker, now))
  })
}
