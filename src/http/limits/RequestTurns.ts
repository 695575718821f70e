import { Cause, Clock, Context, Effect, Exit, Layer } from "effect"
import { pageBytesMax } from "../../../schemas/Page.ts"
import type { Principal } from "../../api/Authorization.ts"
import { Backpressure } from "../../invoices/Backpressure.ts"
import * as AccountTurns from "../../runtime/turns/AccountTurns.ts"
import { askerOf } from "../../runtime/turns/Turns.ts"
import { bodyBytesMax, Limits } from "../../runtime/Limits.ts"

/**
 * In bytes. A larger body waits for a turn. After a larger body, response or document, the account waits for its rest.
 */
export const smallBytesMax = 16 * 1024

const rest = (bytes: number, msOfKib: number) => (bytes > smallBytesMax ? Math.ceil((bytes / 1024) * msOfKib) : 0)

// The size of the response is unknown if the client has hung up, so the request counts as the largest possible.
const bytesOf = <A, E>(exit: Exit.Exit<A, E>, bytes: (answer: A) => number, largest: number) =>
  Exit.isSuccess(exit) ? bytes(exit.value) : Cause.hasInterrupts(exit.cause) ? largest : 0

const asker = (principal: Principal) => askerOf(principal, principal.api_key_id)

/**
 * Turns of reads, creations, large bodies and commands on whole documents. A process can run fewer of these a second
 * than the rate limit of an API key allows.
 *
 * An account in one mode runs four requests at a time. After a large request or a slow read, the account in that mode
 * gets no turn until its rest is over.
 */
export class RequestTurns extends Context.Service<RequestTurns>()("folio/http/RequestTurns", {
  make: Effect.gen(function* () {
    const { creation, restMsOfKib, slowRead, ...limits } = (yield* Limits).requests
    const backpressure = yield* Backpressure
    const inTurn = AccountTurns.make({ what: "request", ...limits })
    const inTurnOfCreation = AccountTurns.make({ what: "creation", ...creation })
    const refusalOf = (principal: Principal, now: number) => inTurnOfCreation.refusalOf(asker(principal), now)
    return {
      /**
       * Fails if the account's drafts wait too long or if the creation would get no turn. Runs before Folio reads the
       * body of a creation.
       */
      admit: (principal: Principal) =>
        Effect.andThen(
          backpressure.admit(principal),
          Clock.clockWith((clock) => {
            const refusal = refusalOf(principal, clock.currentTimeMillisUnsafe())
            return refusal === undefined ? Effect.void : Effect.fail(refusal)
          })
        ),
      /**
       * Error of a creation that would get no turn at `now`, in Unix milliseconds; undefined if the creation would get
       * a turn.
       */
      refusalOf,
      /**
       * Checks and runs a creation or a validation when its turn comes. If drafts of the account are late, the creation
       * waits for the drafts first.
       */
      create: <A, E, R>(principal: Principal, create: Effect.Effect<A, E, R>) =>
        // Waits for late drafts without a turn, because a few accounts could otherwise hold all turns.
        Effect.andThen(backpressure.caughtUp(principal), inTurnOfCreation(asker(principal), create)),
      /** Runs a read when its turn comes. `bytes` returns the size of the response. */
      read: <A, E, R>(principal: Principal, answer: Effect.Effect<A, E, R>, bytes: (answer: A) => number) =>
        Clock.clockWith((clock) => {
          let began = 0
          const timed = Effect.suspend(() => {
            began = clock.currentTimeMillisUnsafe()
            return answer
          })
          return inTurn(asker(principal), timed, (exit) => {
            const idleMs = (clock.currentTimeMillisUnsafe() - began) * (1 - backpressure.busyShare())
            const slowMs = idleMs - slowRead.fromMs
            const restMs = rest(bytesOf(exit, bytes, pageBytesMax), restMsOfKib.answer)
            return Math.max(restMs, Math.min(slowMs, slowRead.restMsMax))
          })
        }),
      /**
       * Checks a body of `bytes` bytes when its turn comes. If `isSent`, the rest also covers the transmission of a
       * valid document.
       */
      check: <A, E, R>(principal: Principal, bytes: number, isSent: boolean, check: Effect.Effect<A, E, R>) =>
        inTurn(asker(principal), check, (exit) =>
          rest(bytes, isSent && Exit.isSuccess(exit) ? restMsOfKib.document.sent : restMsOfKib.body)
        ),
      /** Copies or moves a document when its turn comes. `bytes` returns the size of the document. */
      carryOut: <A, E, R>(
        principal: Principal,
        work: "copied" | "moved",
        answer: Effect.Effect<A, E, R>,
        bytes: (answer: A) => number
      ) =>
        inTurn(asker(principal), answer, (exit) => rest(bytesOf(exit, bytes, bodyBytesMax), restMsOfKib.document[work]))
    }
  })
}) {
  static readonly layer = Layer.effect(RequestTurns, RequestTurns.make)
}
