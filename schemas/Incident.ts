import { Schema } from "effect"
import { AccountId, IncidentId } from "./Id.ts"

/** The kinds of problems that Folio reports to the operator. `src/domain/incidents/Findings.ts` has the words for each. */
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
 * `critical`: live documents cannot be issued, have failed, or come to miss their time. `warning`: it will come to that unless somebody
 * acts, or a live receiver gets nothing. `info`: it is of an account's test mode.
 */
export const IncidentSeverity = Schema.Literals(["info", "warning", "critical"])
export type IncidentSeverity = typeof IncidentSeverity.Type

export const IncidentState = Schema.Literals(["opened", "ended"])
export type IncidentState = typeof IncidentState.Type

/** What further is known of an incident: ids, figures, dates and codes. */
export const IncidentDetails = Schema.Record(
  Schema.String,
  Schema.Union([Schema.String, Schema.Finite, Schema.Null, Schema.Array(Schema.String)])
)
export type IncidentDetails = typeof IncidentDetails.Type

/** ISO 8601, in UTC. */
const Time = Schema.String

/** An incident as whoever runs the service is told of it: the JSON that is posted to `ALERT_URL`. */
export const IncidentAlert = Schema.Struct({
  /** Of this form. Members may be added to it; a change of one makes another version. */
  version: Schema.Literal(1),
  /** The same however often the incident is told. With `state` it tells a double from news. */
  id: IncidentId,
  state: IncidentState,
  kind: IncidentKind,
  severity: IncidentSeverity,
  /** All of it in one text, for a chat. */
  text: Schema.String,
  /** What is wrong, in one sentence. */
  summary: Schema.String,
  /** What to do about it. */
  action: Schema.String,
  /** The account and its issuer; null for an incident of the whole service. */
  account: Schema.NullOr(
    Schema.Struct({ id: AccountId, livemode: Schema.Boolean, issuer: Schema.NullOr(Schema.String) })
  ),
  /** Whom it is of, within its kind: an endpoint, a certificate, a range or an account by its id, or `live` or `all`. */
  subject: Schema.String,
  details: IncidentDetails,
  links: Schema.Struct({ service: Schema.String, help: Schema.String }),
  /** Since when the cause is there. */
  since: Time,
  /** When it was noticed. */
  opened_at: Time,
  /** When it had been gone for five minutes; null while it is open. */
  ended_at: Schema.NullOr(Time)
})
export type IncidentAlert = typeof IncidentAlert.Type
