import { Cache, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountMode } from "../../schemas/Account.ts"

/** What is recorded: changes of who may do what and where it is told, and requests that were refused for who sent them. */
export type AuditAction =
  | "account.created"
  | "account.updated"
  | "api_key.created"
  | "api_key.rolled"
  | "api_key.revoked"
  | "certificate.uploaded"
  | "email.resent"
  | "resolution.created"
  | "resolution.imported"
  | "resolution.updated"
  | "webhook_endpoint.created"
  | "webhook_endpoint.updated"
  | "webhook_endpoint.deleted"
  | "webhook_endpoint.secret_rotated"
  | "webhook_endpoint.recovered"
  | "webhook_delivery.redelivered"

/** Who acts: the context of a request will do. */
export interface Actor {
  readonly api_key_id: string
  readonly request_id?: string
  readonly ip?: string
}

/** Whoever runs the `folio` command. */
export const operator: Actor = { api_key_id: "operator" }

// A client that goes on with a key that has ended is recorded once a minute by each process, and not for each of its requests.
const refusalEvery = "1 minute"
const refusalsMax = 10_000

/** Who did what, for 400 days; nobody changes or removes an entry before. No secret belongs in here. */
export class AuditLog extends Context.Service<
  AuditLog,
  {
    /** Part of the caller's transaction, when there is one. `details` say what was changed, not to what. */
    readonly record: (
      of: AccountMode,
      by: Actor,
      action: AuditAction,
      objectId: string | null,
      details?: Readonly<Record<string, unknown>>
    ) => Effect.Effect<void>
    /** A request that was refused for its key, with this error code. Never fails. */
    readonly refused: (of: AccountMode, by: Actor, code: string) => Effect.Effect<void>
  }
>()("folio/store/AuditLog") {
  static readonly layer = Layer.effect(
    AuditLog,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const insert = (of: AccountMode, by: Actor, action: string, objectId: string | null, details: object) =>
        sql`insert into audit_log ${sql.insert({
          account_id: of.account_id,
          livemode: of.livemode,
          actor: by.api_key_id,
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
      const refused: AuditLog["Service"]["refused"] = Effect.fnUntraced(
        function* (of, by, code) {
          const what = `${by.api_key_id} ${code}`
          if (yield* Cache.has(recently, what)) return
          yield* Cache.set(recently, what, what)
          yield* insert(of, by, "request.refused", null, { code })
        },
        Effect.catchCause((cause) => Effect.logWarning("A refusal could not be recorded", cause))
      )

      return AuditLog.of({
        record: (of, by, action, objectId, details = {}) => insert(of, by, action, objectId, details),
        refused
      })
    })
  )
}
