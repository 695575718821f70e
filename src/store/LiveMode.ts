import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { ApiError } from "../../schemas/ApiError.ts"
import { leaseSeconds } from "./Workers.ts"

/* Webhooks to internal addresses are for development: they and live keys keep each other out of a database. */

/** Whether a live key works in this database. */
export const hasLiveKeys = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* Effect.orDie(sql`
    select 1 as found from api_keys
    where livemode and revoked_at is null and (expires_at is null or expires_at > now()) limit 1`)
  return rows.length > 0
})

/** Lets a key be made, unless it is a live one and a process that serves this database has `WEBHOOK_ALLOW`. */
export const checkNewKey = (sql: SqlClient.SqlClient, mode: "test" | "live") =>
  Effect.gen(function* () {
    if (mode === "test") return
    const rows = yield* Effect.orDie(sql`
      select 1 as found from workers
      where webhook_allow and dead_since is null and seen_at > now() - ${leaseSeconds} * interval '1 second' limit 1`)
    if (rows.length === 0) return
    return yield* new ApiError({
      code: "account_not_live",
      message:
        "The service runs with WEBHOOK_ALLOW, which lets webhooks reach internal addresses: beside it no live key is made. Start it again without WEBHOOK_ALLOW first."
    })
  })
