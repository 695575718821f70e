import { Effect } from "effect"
import type { AccountMode } from "../../../schemas/Account.ts"
import type { PortalSession } from "../../accounts/store/PortalSessions.ts"
import { Concurrency } from "../../http/limits/Concurrency.ts"
import { RateLimit } from "../../http/limits/RateLimit.ts"
import { RequestTurns } from "../../http/limits/RequestTurns.ts"
import { lacking } from "../../http/request/Authentication.ts"
import { inTime, portInTime } from "../../runtime/PortCall.ts"

// The approximate size of a row as text. After a large read, an account pauses as after a large API response.
const bytesOfRow = 400

/** The approximate size of a result in bytes, by its number of rows. */
const bytesOf = (answer: unknown): number => {
  const rows = typeof answer === "object" && answer !== null && "rows" in answer ? answer.rows : answer
  return Array.isArray(rows) ? rows.length * bytesOfRow : 0
}

/**
 * Makes the reads of an account for which the API has no operation. Each read needs the capability `view`, counts
 * against the limits of the session's API key, and waits for its turn among the account's other reads.
 */
export const ownReads = Effect.gen(function* () {
  const concurrency = yield* Concurrency
  const limit = yield* RateLimit
  const turns = yield* RequestTurns
  return <A, E>({ capabilities, principal }: PortalSession, find: (account: AccountMode) => Effect.Effect<A, E>) =>
    Effect.gen(function* () {
      if (!capabilities.includes("view")) return yield* lacking("view")
      yield* portInTime(limit.ofKey(principal))
      return yield* concurrency.request(principal)(turns.read(principal, inTime(find(principal)), bytesOf))
    })
})
