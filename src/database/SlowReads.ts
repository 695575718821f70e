import { Clock, Context, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { AccountMode } from "../../schemas/Account.ts"
import { ApiError } from "../../schemas/ApiError.ts"
import * as AccountTurns from "../runtime/turns/AccountTurns.ts"
import { askerOf } from "../runtime/turns/Turns.ts"
import * as AccountView from "./AccountView.ts"
import { isStatementTimeout } from "./SqlFailure.ts"

/** The number of connections in a process's pool. */
export const connectionsMax = 10

// A third of the connections, so that most of them stay free for other accounts.
const slowMax = Math.floor(connectionsMax / 3)

// The time after a slow read in which the account's reads of that list wait for a turn first.
const rememberedMs = 60_000

/** The time that a statement of a read may take: `quickMs` without a turn, `slowMs` in a turn. */
export class ReadTimes extends Context.Reference<{ readonly quickMs: number; readonly slowMs: number }>(
  "folio/database/SlowReads/ReadTimes",
  { defaultValue: () => ({ quickMs: 300, slowMs: 2_000 }) }
) {}

/** A list, search or sum that may read all rows of an account. */
export interface Read {
  /** The name of the list, for recording slow reads. */
  readonly name: string
  /** A sentence for the client: which filters make the read smaller. */
  readonly narrow: string
}

const tooSlow = (narrow: string, slowMs: number) =>
  new ApiError({
    code: "query_too_slow",
    message: `The search did not end within ${slowMs / 1000} s and was stopped. ${narrow}`,
    headers: { "Svc-Should-Retry": "false" }
  })

const makeLane = () => {
  // In the order of their ends, because all marks last equally long.
  const slowUntil = new Map<string, number>()
  return {
    inTurn: AccountTurns.make({
      what: "slow read",
      atOnce: slowMax,
      ofOwnerAtOnce: 1,
      waiting: { ofAsker: 32, ofOwner: 32, inAll: 1_024 },
      maxWait: "2 seconds"
    }),
    isSlow: (key: string, now: number) => (slowUntil.get(key) ?? 0) > now,
    mark: (key: string, now: number) => {
      for (const [other, until] of slowUntil) {
        if (until > now && other !== key) break
        slowUntil.delete(other)
      }
      slowUntil.delete(key)
      slowUntil.set(key, now + rememberedMs)
    }
  }
}

const lanes = new WeakMap<SqlClient.SqlClient, ReturnType<typeof makeLane>>()

/** The turns of the slow reads of one pool. */
const laneOf = (sql: SqlClient.SqlClient) => {
  const lane = lanes.get(sql) ?? makeLane()
  lanes.set(sql, lane)
  return lane
}

/**
 * Runs a read in an account's view. If a statement exceeds `quickMs`, the read starts again in a turn. Slow reads use
 * at most a third of the connections. Fails with `query_too_slow` if a statement exceeds `slowMs` in a turn.
 */
export const bounded =
  (sql: SqlClient.SqlClient, account: AccountMode, { name, narrow }: Read) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | ApiError, R> =>
    Effect.gen(function* () {
      const { quickMs, slowMs } = yield* ReadTimes
      const lane = laneOf(sql)
      const asker = askerOf(account)
      const key = `${asker.owner} ${name}`
      const within = (ms: number) => AccountView.within(sql, account, ms)(effect)
      const slowly = Effect.catchCauseIf(lane.inTurn(asker, within(slowMs)), isStatementTimeout, () =>
        Effect.fail(tooSlow(narrow, slowMs))
      )
      if (lane.isSlow(key, yield* Clock.currentTimeMillis)) return yield* slowly
      return yield* Effect.catchCauseIf(within(quickMs), isStatementTimeout, () =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          lane.mark(key, now)
          return slowly
        })
      )
    })
