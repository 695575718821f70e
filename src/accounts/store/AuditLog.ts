import { Cache, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountMode } from "../../../schemas/Account.ts"

/** The actions that `record` stores: changes of an account, and repeated emails and deliveries. */
export type AuditAction =
  | "account.created"
  | "account.updated"
  | "api_key.created"
  | "api_key.rolled"
  | "api_key.revoked"
  | "certificate.uploaded"
  | "customer.created"
  | "customer.deleted"
  | "customer.saved"
  | "customer.updated"
  | "document.annulled"
  | "document.canceled"
  | "document.corrected"
  | "document.created"
  | "document.retried"
  | "email.resent"
  | "enablement.started"
  | "portal_session.created"
  | "portal_session.entered"
  | "portal_session.ended"
  | "resolution.created"
  | "resolution.imported"
  | "resolution.held"
  | "resolution.resumed"
  | "resolution.updated"
  | "sandbox.advanced"
  | "sandbox.set"
  | "software.removed"
  | "software.set"
  | "webhook_endpoint.created"
  | "webhook_endpoint.updated"
  | "webhook_endpoint.deleted"
  | "webhook_endpoint.secret_rotated"
  | "webhook_endpoint.recovered"
  | "webhook_endpoint.tested"
  | "webhook_delivery.redelivered"

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
export const operator: Actor = { api_key_id: "operator" }

// If a client keeps using an ended key, each process records one rejected request a minute, not every request.
const refusalEvery = "1 minute"
const refusalsMax = 10_000

/**
 * The audit log: actors and their actions. Entries are never changed, and removed only after 400 days. Entries must not
 * contain secrets.
 */
export class AuditLog extends Context.Service<AuditLog>()("folio/accounts/store/AuditLog", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const insert = (account: AccountMode, by: Actor, action: string, objectId: string | null, details: object) =>
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
