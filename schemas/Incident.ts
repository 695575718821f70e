import { Schema } from "effect"
import { AccountId, IncidentId } from "./Id.ts"

/** The types of problems that Folio reports to the operator. `src/operations/rules/Findings.ts` has their texts. */
export const IncidentKind = Schema.Literals([
  "endpoint_failing",
  "endpoint_full",
  "certificate_expiring",
  "certificate_expiring_soon",
  "certificate_expired",
  "range_filling",
  "range_exhausted",
  "range_expiring",
  "range_expired",
  "authority_unreachable",
  "contingency_entered",
  "contingency_deadline",
  "contingency_overdue",
  "documents_failed",
  "numbering_held",
  "events_held",
  "test"
])
export type IncidentKind = typeof IncidentKind.Type

/**
 * `critical`: live documents cannot be issued, have failed, or are about to miss their deadline. `warning`: this will
 * happen unless the operator acts, or a live receiver gets nothing. `info`: the problem is in an account's test mode.
 */
export const IncidentSeverity = Schema.Literals(["info", "warning", "critical"])
export type IncidentSeverity = typeof IncidentSeverity.Type

export const IncidentState = Schema.Literals(["opened", "ended"])
export type IncidentState = typeof IncidentState.Type

/** The details of an incident: ids, figures, dates and codes. */
export const IncidentDetails = Schema.Record(
  Schema.String,
  Schema.Union([Schema.String, Schema.Finite, Schema.Null, Schema.Array(Schema.String)])
)
export type IncidentDetails = typeof IncidentDetails.Type

/** ISO 8601, in UTC. */
const Time = Schema.String

/** An alert about an incident: the JSON that Folio posts to `ALERT_URL`. */
export const IncidentAlert = Schema.Struct({
  /** The version of this format. New members keep the version; a changed member increases it. */
  version: Schema.Literal(1),
  /** The same in every alert about the incident. Together with `state` it identifies duplicates. */
  id: IncidentId,
  state: IncidentState,
  kind: IncidentKind,
  severity: IncidentSeverity,
  /** The whole alert as one text, for a chat. */
  text: Schema.String,
  /** The problem, in one sentence. */
  summary: Schema.String,
  /** The action that the operator should take. */
  action: Schema.String,
  /** The account and its issuer; null if the incident concerns the whole service. */
  account: Schema.NullOr(
    Schema.Struct({ id: AccountId, livemode: Schema.Boolean, issuer: Schema.NullOr(Schema.String) })
  ),
  /** The affected object: the id of an endpoint, a certificate, a range or an account, or `live` or `all`. */
  subject: Schema.String,
  details: IncidentDetails,
  links: Schema.Struct({ service: Schema.String, help: Schema.String }),
  /** The time at which the cause began. */
  since: Time,
  /** The time at which Folio detected the problem. */
  opened_at: Time,
  /** The time at which the problem had been gone for five minutes; null while the incident is open. */
  ended_at: Schema.NullOr(Time)
})
export type IncidentAlert = typeof IncidentAlert.Type
