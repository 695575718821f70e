import { Duration, Effect, type Exit } from "effect"
import { ApiError } from "../../../schemas/ApiError.ts"
import type { TurnLimits } from "../Limits.ts"
import * as Turns from "./Turns.ts"

export interface TurnOptions extends TurnLimits {
  /** A noun phrase for the work, for the messages of rejected turns: "document to be printed". */
  readonly what: string
}

// A longer time between two turns is a stall, which does not predict the rate afterwards.
const stallMs = 1_000

// In rounds of one owner's turns. A turn with fewer other turns before it may always wait, so that a client with a few
// connections is slowed and not rejected.
const freeRounds = 4

// The number of the last turns from which their rate is computed.
const ratedTurns = 64

const retryAfter = 2

const overloaded = (how: string) =>
  new ApiError({
    code: "service_unavailable",
    message: `The service is overloaded: ${how}. Retry in ${retryAfter} s.`,
    headers: { "Retry-After": String(retryAfter), "Svc-Should-Retry": "true" }
  })

const limited = (why: string) =>
  new ApiError({
    code: "rate_limited",
    message: `${why}. Retry in ${retryAfter} s, and request fewer at a time.`,
    headers: { "Retry-After": String(retryAfter) }
  })

/**
 * Turns for expensive work. The number of waiting turns and their wait have limits, so that a burst of one account does
 * not delay other accounts. Turns above a limit are rejected.
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
  /**
   * The wait of a turn with `before` turns ahead of it, in milliseconds; 0 until enough turns have begun to compute it.
   */
  const delayMs = (before: number, now: number) => {
    const [first = now, latest = now] = [times[0], times.at(-1)]
    if (times.length < ratedTurns) return 0
    // The time since the last turn counts as well, because turns may come more slowly than before.
    const until = now - latest < stallMs ? now : latest
    return (before * (until - first)) / ratedTurns
  }

  const seconds = Duration.toSeconds(maxWait)
  const tooMany = (whose: string, count: number) =>
    limited(`${whose} has ${count} ${what}s waiting already, which is the maximum`)
  // Made once, because an error with its trace costs more than the rest of the rejection.
  const refusals = {
    ofAsker: tooMany("This key or address", options.waiting.ofAsker),
    ofOwner: tooMany("This account", options.waiting.ofOwner),
    inAll: overloaded(`${options.waiting.inAll} ${what}s of all accounts are waiting`),
    slow: overloaded(`${what}s wait longer than ${maxDelayMs} ms`),
    slowOfOwner: limited(`Because of this account's other ${what}s, this one would wait longer than ${maxDelayMs} ms`),
    late: overloaded(`this ${what} could not start within ${seconds} s`),
    lateOfOwner: limited(`Because of this account's other ${what}s, this one could not start within ${seconds} s`)
  }
  /**
   * The error that would reject a turn requested `now`, in Unix milliseconds; undefined if the turn would begin or
   * wait.
   */
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
   * Runs an effect when its turn comes. Fails with `rate_limited` or `service_unavailable` if too many turns wait or
   * the turn does not come within `maxWait`. `rest`: the milliseconds until the owner gets another turn; none by
   * default.
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
