import { Effect, Fiber, Latch } from "effect"
import { SqlClient } from "effect/sql"
import { get } from "../apps/Requests.ts"
import { pastGuards } from "../apps/PostgresRows.ts"

/* Reads and changes of the tables of `PostgresApp` by tests of the portal, where no request and no page can do them. */

interface AuditEntry {
  readonly account_id: string
  readonly livemode: boolean
  readonly actor: string
  readonly action: string
  readonly object_id: string | null
  /** The error code of a rejected request. */
  readonly code: string | null
}

/** The audit log of all accounts, oldest entry first. */
export const auditLog = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<AuditEntry>`
      select account_id, livemode, actor, action, object_id, details ->> 'code' as code from audit_log order by seq`
)

/** The audit log and the request log of all accounts as one text, including every earlier request. */
export const logs = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // The log is written before it is listed.
  yield* get("/v1/requests?limit=1")
  const rows = yield* sql<{ row: string }>`
    select to_jsonb(r)::text as row from requests r union all select to_jsonb(a)::text from audit_log a`
  return rows.map(({ row }) => row).join("\n")
})

/**
 * Lets seconds pass for all sessions of the portal and all API keys. Constraints compare their times, so all of them
 * move.
 */
export const pass = Effect.fnUntraced(function* (seconds: number) {
  const sql = yield* SqlClient.SqlClient
  const time = sql`${seconds} * interval '1 second'`
  yield* pastGuards(
    Effect.all([
      sql`
        update portal_sessions set created_at = created_at - ${time}, link_expires_at = link_expires_at - ${time},
          expires_at = expires_at - ${time}, used_at = used_at - ${time}, ended_at = ended_at - ${time}`,
      sql`
        update api_keys set created_at = created_at - ${time}, expires_at = expires_at - ${time},
          granted_until = granted_until - ${time}, revoked_at = revoked_at - ${time}`
    ])
  )
})

/** Runs an effect while another session locks a table: reads of the table wait until the effect ends. */
export const whileLocked = Effect.fnUntraced(function* <A, E, R>(table: string, effect: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const locked = yield* Latch.make()
  const lock = sql`lock table ${sql(table)} in access exclusive mode`
  const holder = yield* Effect.forkChild(
    sql.withTransaction(Effect.andThen(lock, Effect.andThen(locked.open, Effect.never)))
  )
  yield* locked.await
  return yield* Effect.ensuring(effect, Fiber.interrupt(holder))
})
