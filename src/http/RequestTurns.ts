import { Cause, Clock, Context, Effect, Exit, Layer } from "effect"
import type { ApiError } from "../../schemas/ApiError.ts"
import { pageBytesMax } from "../../schemas/Page.ts"
import type { Principal } from "../api/Authorization.ts"
import { bodyBytesMax } from "../api/Conventions.ts"
import * as AccountTurns from "../protocol/AccountTurns.ts"

/** A body of more bytes waits for a turn, and after an answer or a document of more its account rests. */
export const smallBytesMax = 16 * 1024

/** How many of these requests this process carries out at a time, how many may wait for it, and how long an account rests. */
export class RequestTurnLimits extends Context.Reference<
  Omit<AccountTurns.TurnOptions, "what"> & {
    /**
     * Milliseconds for each KiB: nine times what one costs the processor to answer or to check, measured, so that the other accounts have
     * nine tenths of the time; and six times what a document costs, with all that is done when it has been answered: its signature,
     * and the sandbox that verifies it. Not by the time that a turn took, which is longer when others are at work.
     */
    readonly restMsOfKib: {
      readonly answer: number
      readonly body: number
      readonly document: { readonly sent: number; readonly copied: number; readonly moved: number }
    }
    /**
     * A read may go through all rows of an account and find nothing: after one that took longer than `fromMs`, the account rests for
     * as long as it took beyond that, and for `restMsMax` at most: a read of its own that is waiting is not made to wait for long.
     */
    readonly slowRead: { readonly fromMs: number; readonly restMsMax: number }
  }
>("folio/http/RequestTurnLimits", {
  defaultValue: () => ({
    atOnce: 32,
    ofOwnerAtOnce: 4,
    waiting: { ofAsker: 128, ofOwner: 256, inAll: 4_096 },
    patience: "10 seconds",
    restMsOfKib: { answer: 0.5, body: 1, document: { sent: 2, copied: 2, moved: 1 } },
    slowRead: { fromMs: 100, restMsMax: 250 }
  })
}) {}

const rest = (bytes: number, msOfKib: number) => (bytes > smallBytesMax ? Math.ceil((bytes / 1024) * msOfKib) : 0)

// Nobody has counted the bytes for a client that hung up: it may have asked for the largest.
const bytesOf = <A, E>(exit: Exit.Exit<A, E>, bytes: (answer: A) => number, largest: number) =>
  Exit.isSuccess(exit) ? bytes(exit.value) : Cause.hasInterrupts(exit.cause) ? largest : 0

const asker = ({ account_id, api_key_id, livemode }: Principal) => ({
  owner: `${account_id} ${livemode}`,
  asker: api_key_id
})

/**
 * The turns of reads, of large bodies and of commands to whole documents: a process cannot do as many of them a second as the rate of a
 * key allows. Of an account, in each of its modes, four are done at a time; after a large one, or a slow read, all of them rest.
 */
export class RequestTurns extends Context.Service<
  RequestTurns,
  {
    /** Reads when the turn comes. `bytes` tells how large the answer is. */
    readonly read: <A, E, R>(
      of: Principal,
      answer: Effect.Effect<A, E, R>,
      bytes: (answer: A) => number
    ) => Effect.Effect<A, E | ApiError, R>
    /** Checks a body of so many bytes when the turn comes. A body that is right may be a document that is sent. */
    readonly check: <A, E, R>(
      of: Principal,
      bytes: number,
      isSent: boolean,
      check: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | ApiError, R>
    /** Copies or moves a document when the turn comes. `bytes` tells how large it is. */
    readonly carryOut: <A, E, R>(
      of: Principal,
      work: "copied" | "moved",
      answer: Effect.Effect<A, E, R>,
      bytes: (answer: A) => number
    ) => Effect.Effect<A, E | ApiError, R>
  }
>()("folio/http/RequestTurns") {
  static readonly layer = Layer.effect(
    RequestTurns,
    Effect.map(RequestTurnLimits, ({ restMsOfKib, slowRead, ...limits }) => {
      const inTurn = AccountTurns.make({ what: "request", ...limits })
      return RequestTurns.of({
        read: (of, answer, bytes) =>
          Clock.clockWith((clock) => {
            let began = 0
            const timed = Effect.suspend(() => {
              began = clock.currentTimeMillisUnsafe()
              return answer
            })
            return inTurn(asker(of), timed, (exit) => {
              const slowMs = clock.currentTimeMillisUnsafe() - began - slowRead.fromMs
              const restMs = rest(bytesOf(exit, bytes, pageBytesMax), restMsOfKib.answer)
              return Math.max(restMs, Math.min(slowMs, slowRead.restMsMax))
            })
          }),
        check: (of, bytes, isSent, check) =>
          inTurn(asker(of), check, (exit) =>
            rest(bytes, isSent && Exit.isSuccess(exit) ? restMsOfKib.document.sent : restMsOfKib.body)
          ),
        carryOut: (of, work, answer, bytes) =>
          inTurn(asker(of), answer, (exit) => rest(bytesOf(exit, bytes, bodyBytesMax), restMsOfKib.document[work]))
      })
    })
  )
}
