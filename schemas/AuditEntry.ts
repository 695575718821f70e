import { Schema } from "effect"
import { field } from "./Field.ts"
import { AuditEntryId, RequestId } from "./Id.ts"
import { Timestamp } from "./Money.ts"
import { createdQuery, Page, pageQuery } from "./Page.ts"

/** The actions in the audit log: changes, repeated emails and deliveries, and rejected requests. */
export const auditActions = [
  "account.closed",
  "account.created",
  "account.resumed",
  "account.suspended",
  "account.updated",
  "api_key.created",
  "api_key.rolled",
  "api_key.revoked",
  "certificate.uploaded",
  "customer.created",
  "customer.deleted",
  "customer.saved",
  "customer.updated",
  "document.annulled",
  "document.canceled",
  "document.corrected",
  "document.created",
  "document.retried",
  "email.resent",
  "enablement.started",
  "platform.created",
  "platform.updated",
  "portal_session.created",
  "portal_session.entered",
  "portal_session.ended",
  "request.refused",
  "resolution.created",
  "resolution.imported",
  "resolution.resumed",
  "resolution.updated",
  "sandbox.advanced",
  "sandbox.set",
  "software.removed",
  "software.set",
  "webhook_delivery.redelivered",
  "webhook_endpoint.created",
  "webhook_endpoint.deleted",
  "webhook_endpoint.recovered",
  "webhook_endpoint.secret_rotated",
  "webhook_endpoint.tested",
  "webhook_endpoint.updated"
] as const

export type AuditAction = (typeof auditActions)[number]

/** The id of the actor of the changes that the operator makes with the `folio` command. */
export const operatorId = "operator"

/** An entry of the audit log. */
export class AuditEntry extends Schema.Opaque<AuditEntry>()(
  Schema.Struct({
    id: field(AuditEntryId, "Id of the entry."),
    object: Schema.Literal("audit_log_entry"),
    livemode: field(Schema.Boolean, "Mode of the change: `true` for live, `false` for test."),
    created_at: field(Timestamp, "Time of the change."),
    actor: field(
      Schema.Struct({
        type: field(
          Schema.Literals(["api_key", "portal_session", "platform", "operator"]),
          "Kind of actor. `platform`: a key of the platform that manages the account. `operator`: the operator of the service, with the `folio` command."
        ),
        id: field(
          Schema.String,
          "Id of the API key, of the portal session or of the platform's API key; `operator` for the operator.",
          "key_01k9z3v8c2m4n6p8q0r2s4t6v8"
        )
      }),
      "Actor that made the change."
    ),
    action: field(
      Schema.String,
      "Action, as type of the object and change. Later releases can add actions.",
      "document.created"
    ),
    object_id: field(
      Schema.NullOr(Schema.String),
      "Id of the changed object. Null for a rejected request.",
      "inv_01k9z3v8c2m4n6p8q0r2s4t6v8"
    ),
    request_id: field(Schema.NullOr(RequestId), "Request that made the change. Null for the operator."),
    ip: field(Schema.NullOr(Schema.String), "IP address of the client. Null if unknown.", "203.0.113.7"),
    details: field(
      Schema.Record(Schema.String, Schema.Unknown),
      "What the action changed, such as the names of the changed fields. Never contains secrets.",
      {}
    )
  }).annotate({
    identifier: "AuditEntry",
    description: "An entry of the audit log: a change of the account in this mode, and its actor."
  })
) {}

export const AuditEntryPage = Page(AuditEntry, "AuditEntryPage")

/** The query of the audit log. */
export const AuditLogQuery = {
  ...pageQuery("aud"),
  action: field(
    Schema.optionalKey(Schema.Literals(auditActions).annotate({ message: "must be an action of the audit log" })),
    "Filter by action."
  ),
  actor: field(
    Schema.optionalKey(Schema.String),
    "Filter by actor: the `actor.id` of an entry, such as the id of an API key or of a portal session, or `operator`.",
    "operator"
  ),
  object_id: field(Schema.optionalKey(Schema.String), "Filter by the id of the changed object."),
  ...createdQuery
}
