import { Context, Effect, Exit, Layer } from "effect"
import type { ApiError } from "../../schemas/ApiError.ts"
import type { Principal } from "../api/Authorization.ts"
import * as AccountTurns from "../protocol/AccountTurns.ts"

/** A request with more bytes of body is a large one, and so is one whose answer has more. */
export const smallBytesMax = 16 * 1024

/** How many of such requests this process carries out at a time, and how many may wait for it. */
export class RequestTurnLimits extends Context.Reference<Omit<AccountTurns.TurnOptions, "what">>(
  "folio/http/RequestTurnLimits",
  {
    defaultValue: () => ({
      atOnce: 32,
      ofOwnerAtOnce: 4,
      waiting: { ofAsker: 128, ofOwner: 256, inAll: 1_024 },
      patience: "10 seconds"
    })
  }
) {}

// The others have nine tenths of the time.
const restFactor = 9
// What a body has cost to read is spent several times until it is stored, signed and submitted.
const bodyFactor = 3

const asker = ({ account_id, api_key_id, livemode }: Principal) => ({
  owner: `${account_id} ${livemode}`,
  asker: api_key_id
})

/**
 * The turns of what may be large, reads and bodies: a process cannot do as many of them a second as the rate of a key allows. Of
 * an account, in each of its modes, four are done at a time, and after a large one it rests.
 */
export class RequestTurns extends Context.Service<
  RequestTurns,
  {
    /** A read. `bytes` tells how large its answer is. */
    readonly read: <A, E, R>(
      of: Principal,
      answer: Effect.Effect<A, E, R>,
      bytes: (answer: A) => number
    ) => Effect.Effect<A, E | ApiError, R>
    /** The check of a large body, which does not wait for anything. */
    readonly check: <A, E, R>(of: Principal, check: Effect.Effect<A, E, R>) => Effect.Effect<A, E | ApiError, R>
  }
>()("folio/http/RequestTurns") {
  static readonly layer = Layer.effect(
    RequestTurns,
    Effect.map(RequestTurnLimits, (limits) => {
      const inTurn = AccountTurns.make({ what: "request", ...limits })
      return RequestTurns.of({
        read: (of, answer, bytes) =>
          inTurn(asker(of), answer, (exit, tookMs) =>
            Exit.isSuccess(exit) && bytes(exit.value) > smallBytesMax ? tookMs * restFactor : 0
          ),
        check: (of, check) =>
          inTurn(asker(of), check, (exit, tookMs) => tookMs * restFactor * (Exit.isSuccess(exit) ? bodyFactor : 1))
      })
    })
  )
}
