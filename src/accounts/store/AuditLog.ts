import { Cache, Context, Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { AccountMode } from "../../../schemas/Account.ts"
import { type AuditAction, operatorId } from "../../../schemas/AuditEntry.ts"
import type * as Input from "../../database/Input.ts"

/** The API key of a request, with the request's id and IP address. A request's context has these fields. */
export interface Actor {
  readonly api_key_id: string
  /**
   * The portal session of the request. It has some of the key's capabilities, and the log names it instead of the key.
   */
  readonly portal_session_id?: string
  readonly request_id?: string
  readonly ip?: string
}

/** The actor's id in the audit log: the id of the portal session, or else of the API key. */
export const actorOf = (by: Actor): string => by.portal_session_id ?? by.api_key_id

/** The actor of every change that the `folio` command makes. */
export const operator: Actor = { api_key_id: operatorId }

/** The input columns that `recordAll` reads. */
export const actorColumns: Input.Columns<{ readonly by: Actor }> = {
  actor: ["text", ({ by }) => actorOf(by)],
  request_id: ["text", ({ by }) => by.request_id],
  ip: ["text", ({ by }) => by.ip]
}

/**
 * Stores an entry for each row of `source`, in the statement that made the rows. `source` has the columns of
 * `actorColumns`, and the key and number (`ord`) of the row.
 */
export const recordAll = (sql: SqlClient.SqlClient, action: AuditAction, source: Statement.Fragment) => sql`
  insert into audit_log (account_id, livemode, actor, action, object_id, request_id, ip, details)
  select account_id, livemode, actor, ${action}, id, request_id, ip, '{}' from ${source} order by ord`

// If a client keeps using an ended key, each process records one rejected request a minute, not every request.
const refusalEvery = "1 minute"
const refusalsMax = 10_000

/**
 * The audit log: actors and their actions. Entries never change, and `AuditChains` seals them. Entries must not contain
 * secrets.
 */
export class AuditLog extends Context.Service<AuditLog>()("folio/accounts/store/AuditLog", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const insert = (account: AccountMode, by: Actor, action: AuditAction, objectId: string | null, details: object) =>
      sql`insert into audit_log ${sql.insert({
        account_id: account.account_id,
        livemode: account.livemode,
        actor: actorOf(by),
        action,
        object_id: objectId,
        request_id: by.request_id ?? null,
        ip: by.ip ?? null,
        details: JSON.stringify(details)
      })}`.pipe(Effect.orDie, Effect.asVoid)

    const recently = yield* Cache.make({
      lookup: (what: string) => Effect.succeed(what),
      capacity: refusalsMax,
      timeToLive: refusalEvery
    })
    /** Records a request that Folio rejected because of its API key, with the error code. Never fails. */
    const refused = Effect.fnUntraced(
      function* (account: AccountMode, by: Actor, code: string) {
        const what = `${actorOf(by)} ${code}`
        if (yield* Cache.has(recently, what)) return
        yield* Cache.set(recently, what, what)
        yield* insert(account, by, "request.refused", null, { code })
      },
      Effect.catchCause((cause) => Effect.logWarning("Could not record a rejected request in the audit log", cause))
    )

    return {
      /**
       * Stores an entry, in the caller's transaction if there is one. `details` name the changed fields, not their
       * values.
       */
      record: (
        account: AccountMode,
        by: Actor,
        action: AuditAction,
        objectId: string | null,
        details: Readonly<Record<string, unknown>> = {}
      ) => insert(account, by, action, objectId, details),
      refused
    }
  })
}) {
  static readonly layer = Layer.effect(AuditLog, AuditLog.make)
}
