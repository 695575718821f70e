import type { Effect } from "effect"
import type { ApiError } from "../../../schemas/ApiError.ts"
import * as AccountTurns from "../../runtime/turns/AccountTurns.ts"
import { askerOf } from "../../runtime/turns/Turns.ts"
import type { Visit } from "./Visit.ts"

// Enough for a few people of each account. In total, no more than fit into memory.
const waiting = { ofAsker: 8, ofOwner: 16, inAll: 128 }

/**
 * Makes a queue for portal work that takes seconds or many megabytes. Runs one job at a time per account and mode, and
 * `atOnce` in total. Fails with `rate_limited` when too many jobs wait, and with `service_unavailable` when a job waits
 * too long. `what`: a noun phrase.
 */
export const makeTurns = (what: string, atOnce: number) => {
  const inTurn = AccountTurns.make({ what, atOnce, ofOwnerAtOnce: 1, waiting, maxWait: "20 seconds" })
  return <A, E, R>(
    { session: { principal } }: Visit,
    work: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | ApiError, R> => inTurn(askerOf(principal, principal.api_key_id), work)
}
