import { Cause, Clock, Context, Effect, Exit, Layer } from "effect"
import { pageBytesMax } from "../../../schemas/Page.ts"
import type { Principal } from "../../api/Authorization.ts"
import { bodyBytesMax } from "../../api/Conventions.ts"
import { Backpressure } from "../../issuing/Backpressure.ts"
import * as AccountTurns from "../../protocol/AccountTurns.ts"
import { askerOf } from "../../protocol/Turns.ts"
import { Limits } from "../../settings/Limits.ts"

/** In bytes. A larger body waits for a turn; after a larger body, answer or document its account rests. */
export const smallBytesMax = 16 * 1024

const rest = (bytes: number, msOfKib: number) => (bytes > smallBytesMax ? Math.ceil((bytes / 1024) * msOfKib) : 0)

// The size of the answer is unknown when the client hung up, so the request counts as the largest possible.
const bytesOf = <A, E>(exit: Exit.Exit<A, E>, bytes: (answer: A) => number, largest: number) =>
  Exit.isSuccess(exit) ? bytes(exit.value) : Cause.hasInterrupts(exit.cause) ? largest : 0

const asker = (principal: Principal) => askerOf(principal, principal.api_key_id)

/**
 * The turns of reads, of creations, of large bodies and of commands that work on whole documents: a process cannot do
 * as many of these a second as the rate limit of an API key allows. Four requests of an account in one mode run at a
 * time; after a large request or a slow read, no request of that account and mode gets a turn until its rest is over.
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
       * Fails while the account's drafts wait for long, and if the creation would be refused its turn. Called before
       * the body of a creation is read.
       */
      admit: (principal: Principal) =>
        Effect.andThen(
          backpressure.admit(principal),
          Clock.clockWith((clock) => {
            const refusal = refusalOf(principal, clock.currentTimeMillisUnsafe())
            return refusal === undefined ? Effect.void : Effect.fail(refusal)
          })
        ),
      /** Why a creation would be refused its turn `now`, in Unix milliseconds; undefined if it would not. */
      refusalOf,
      /**
       * Checks and carries out a creation or a validation when its turn comes. An account whose drafts are late waits
       * for them first.
       */
      create: <A, E, R>(principal: Principal, create: Effect.Effect<A, E, R>) =>
        // Late drafts are awaited without a turn: a few accounts would otherwise hold the turns of all.
        Effect.andThen(backpressure.caughtUp(principal), inTurnOfCreation(asker(principal), create)),
      /** Runs a read when its turn comes. `bytes` returns the size of the answer. */
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
       * Checks a body of `bytes` bytes when its turn comes. `isSent`: the rest also covers sending a valid body, a
       * document.
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
