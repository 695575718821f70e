import type { Effect } from "effect"
import type { ApiError } from "../../../schemas/ApiError.ts"
import * as AccountTurns from "../../protocol/AccountTurns.ts"
import { askerOf } from "../../protocol/Turns.ts"
import type { Visit } from "./Visit.ts"

// As many as a few people of an account wait for, and no more than fit into memory together.
const waiting = { ofAsker: 8, ofOwner: 16, inAll: 128 }

/**
 * Makes the turns at work of the portal that takes seconds or many megabytes: one at a time of an account in one mode, and some in all.
 * Fails with `rate_limited` when too many wait already, and with `service_unavailable` when the turn does not come. `what`: a noun phrase.
 */
export const makeTurns = (what: string, atOnce: number) => {
  const inTurn = AccountTurns.make({ what, atOnce, ofOwnerAtOnce: 1, waiting, maxWait: "20 seconds" })
  return <A, E, R>(
    { session: { principal } }: Visit,
    work: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | ApiError, R> => inTurn(askerOf(principal, principal.api_key_id), work)
}
