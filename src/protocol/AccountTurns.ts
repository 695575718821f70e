import { Duration, Effect, type Exit } from "effect"
import { ApiError } from "../../schemas/ApiError.ts"
import type { TurnLimits } from "../settings/Limits.ts"
import * as Turns from "./Turns.ts"

export interface TurnOptions extends TurnLimits {
  /** A noun phrase for the work, which the messages of refusals contain: "document to be printed". */
  readonly what: string
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
 * Turns at expensive work, which are refused when too many wait: the number of waiting turns and their wait are bounded, so that a burst
 * of one account does not delay the other accounts.
 */
export const make = (options: TurnOptions) => {
  const { maxWait, ofOwnerAtOnce, what } = options
  const turns = Turns.make(options)
  const { waiting } = turns
  /** The times of the last turns that had waited, oldest first, in Unix milliseconds; empty while no turn waits. */
  let times: Array<number> = []
  const maxDelayMs = options.maxDelay === undefined ? Infinity : Duration.toMillis(options.maxDelay)

  const note = (now: number) => {
    if (maxDelayMs === Infinity) return
    if (waiting.size === 0) times = []
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

  const seconds = Duration.toSeconds(maxWait)
  const tooMany = (whose: string, count: number) =>
    limited(`${whose} has ${count} ${what}s waiting already, as many as may wait`)
  // Made once, because an error with its trace costs more than the rest of a refusal.
  const refusals = {
    ofAsker: tooMany("This key or address", options.waiting.ofAsker),
    ofOwner: tooMany("This account", options.waiting.ofOwner),
    inAll: overloaded(`${options.waiting.inAll} ${what}s of all accounts are waiting`),
    slow: overloaded(`${what}s wait for longer than ${maxDelayMs} ms`),
    slowOfOwner: limited(`This account's other ${what}s would leave no turn for this one within ${maxDelayMs} ms`),
    late: overloaded(`no turn came within ${seconds} s for this ${what}`),
    lateOfOwner: limited(`This account's other ${what}s left no turn within ${seconds} s for this one`)
  }
  /** Why a turn that is asked for `now`, in Unix milliseconds, would be refused; undefined if it would begin or wait. */
  const refusalOf = ({ asker, owner }: Turns.Asker, now: number): ApiError | undefined => {
    if (turns.isFree(owner)) return undefined
    const own = waiting.count(owner)
    if (waiting.count(owner, asker) >= options.waiting.ofAsker) return refusals.ofAsker
    if (own >= options.waiting.ofOwner) return refusals.ofOwner
    const before = waiting.before(owner)
    if (before >= ofOwnerAtOnce * freeRounds && delayMs(before, now) > maxDelayMs) {
      return turns.mayBegin(owner) ? refusals.slow : refusals.slowOfOwner
    }
    // An owner without a waiting turn may always wait, so that the other accounts together cannot exclude the owner.
    return waiting.size >= options.waiting.inAll && own > 0 ? refusals.inAll : undefined
  }
  /**
   * Carries out an effect when its turn comes. Fails with `rate_limited` or `service_unavailable` when too many turns wait or the
   * turn does not come within `maxWait`. `rest`: the milliseconds for which the owner gets no other turn afterwards; by default none.
   */
  const inTurn = <A, E, R>(
    asker: Turns.Asker,
    effect: Effect.Effect<A, E, R>,
    rest?: (exit: Exit.Exit<A, E>) => number
  ): Effect.Effect<A, E | ApiError, R> =>
    Effect.clockWith((clock) => {
      const refusal = refusalOf(asker, clock.currentTimeMillisUnsafe())
      if (refusal !== undefined) return Effect.fail(refusal)
      const { owner } = asker
      const work = rest === undefined ? effect : Effect.onExit(effect, (exit) => turns.rest(owner, rest(exit)))
      return turns.inTurn(asker, work, {
        maxWait,
        onBegin: () => note(clock.currentTimeMillisUnsafe()),
        late: () => Effect.fail(turns.mayBegin(owner) ? refusals.late : refusals.lateOfOwner)
      })
    })
  return Object.assign(inTurn, { refusalOf })
}
