import { Duration, Effect, type Exit, Latch } from "effect"
import { ApiError } from "../../schemas/ApiError.ts"
import { FairQueue } from "./FairQueue.ts"

/** Whose turn it is: an account, and who asks in its name. */
export interface Asker {
  readonly owner: string
  readonly asker: string
}

export interface TurnOptions {
  /** What is waited for, as the refusals say it: "document to be printed". */
  readonly what: string
  readonly atOnce: number
  readonly ofOwnerAtOnce: number
  /** How many may wait: of one asker, of one owner, and in all. */
  readonly waiting: { readonly ofAsker: number; readonly ofOwner: number; readonly inAll: number }
  readonly patience: Duration.Input
}

// A turn that cost more has waited for something else than the processor.
const restMsMax = 2_000

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

const add = (counts: Map<string, number>, owner: string, change: 1 | -1) => {
  const count = (counts.get(owner) ?? 0) + change
  if (count > 0) counts.set(owner, count)
  else counts.delete(owner)
}

/**
 * Turns at what is dear: accounts take turns, and those who ask in the name of one account take turns within its own. What waits
 * is bounded, and so is how long: nobody's flood is anybody else's time.
 */
export const make = (options: TurnOptions) => {
  const { atOnce, ofOwnerAtOnce, waiting, what } = options
  const queue = new FairQueue<Turn>()
  const underWay = new Map<string, number>()
  const resting = new Map<string, number>()
  let inAll = 0

  const mayBegin = (owner: string) => !resting.has(owner) && (underWay.get(owner) ?? 0) < ofOwnerAtOnce
  const begin = (owner: string) => {
    inAll += 1
    add(underWay, owner, 1)
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
  const rested = (owner: string) =>
    Effect.sync(() => {
      add(resting, owner, -1)
      dispatch()
    })
  const end = (owner: string, restMs: number) =>
    Effect.suspend(() => {
      inAll -= 1
      add(underWay, owner, -1)
      if (restMs >= 1) add(resting, owner, 1)
      dispatch()
      return restMs < 1 ? Effect.void : Effect.forkDetach(Effect.andThen(Effect.sleep(restMs), rested(owner)))
    })

  const tooMany = (whose: string, count: number) =>
    new ApiError({
      code: "rate_limited",
      message: `${whose} has ${count} ${what}s waiting already, as many as may wait. Retry in ${retryAfter} s, and ask for fewer at a time.`,
      headers: { "Retry-After": String(retryAfter) }
    })
  /** Carries out an effect when its turn comes. Fails where too much waits, or for too long. `rest`: for how many milliseconds its owner then takes no other, by how it ended and how many it took; none by default. */
  return <A, E, R>(
    { asker, owner }: Asker,
    effect: Effect.Effect<A, E, R>,
    rest: (exit: Exit.Exit<A, E>, tookMs: number) => number = () => 0
  ): Effect.Effect<A, E | ApiError, R> =>
    Effect.uninterruptibleMask((restore) => {
      const turnTaken = Effect.clockWith((clock) => {
        const began = clock.currentTimeMillisUnsafe()
        return Effect.onExit(restore(effect), (exit) => {
          const tookMs = clock.currentTimeMillisUnsafe() - began
          return end(owner, Math.min(rest(exit, tookMs), restMsMax))
        })
      })
      if (inAll < atOnce && mayBegin(owner) && queue.waiting(owner) === 0) {
        begin(owner)
        return turnTaken
      }
      const own = queue.waiting(owner)
      if (queue.waiting(owner, asker) >= waiting.ofAsker) return Effect.fail(tooMany("Who asks here", waiting.ofAsker))
      if (own >= waiting.ofOwner) return Effect.fail(tooMany("This account", own))
      if (queue.size >= waiting.inAll) {
        return Effect.fail(overloaded(`${queue.size} ${what}s of all accounts are waiting`))
      }
      const turn: Turn = { begun: Latch.makeUnsafe(), isTaken: false }
      queue.add(owner, asker, turn)
      const leave = Effect.suspend(() => {
        queue.remove(owner, asker, turn)
        return turn.isTaken ? end(owner, 0) : Effect.void
      })
      const seconds = Duration.toSeconds(options.patience)
      const turnComes = Effect.timeoutOrElse(turn.begun.await, {
        duration: options.patience,
        orElse: () => Effect.fail(overloaded(`no turn came within ${seconds} s for this ${what}`))
      })
      return restore(turnComes).pipe(
        Effect.onError(() => leave),
        Effect.flatMap(() => turnTaken)
      )
    })
}
