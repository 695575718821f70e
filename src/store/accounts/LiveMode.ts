import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { ApiError } from "../../../schemas/ApiError.ts"
import * as Query from "../sql/Query.ts"
import { isUsable } from "./ApiKeyLookup.ts"
import { leaseSeconds } from "../sql/Workers.ts"

/* A database has either processes with `WEBHOOK_ALLOW`, which lets webhooks reach internal addresses, or live keys, never both. */

/** Whether this database has a live key that is neither revoked nor expired. */
export const hasLiveKeys = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* Query.isAny(sql`select 1 as found from api_keys where livemode and ${sql.literal(isUsable)} limit 1`)
})

/** Fails with `account_not_live` for a live key while a process with `WEBHOOK_ALLOW` serves this database. */
export const checkNewKey = (sql: SqlClient.SqlClient, mode: "test" | "live") =>
  Effect.gen(function* () {
    if (mode === "test") return
    const isAllowed = yield* Query.isAny(sql`
      select 1 as found from workers
      where webhook_allow and dead_since is null and seen_at > now() - ${leaseSeconds} * interval '1 second' limit 1`)
    if (!isAllowed) return
    return yield* new ApiError({
      code: "account_not_live",
      message:
        "The service runs with WEBHOOK_ALLOW, which lets webhooks reach internal addresses: beside it no live key is made. Start it again without WEBHOOK_ALLOW first."
    })
  })
