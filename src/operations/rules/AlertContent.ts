import type { AccountId, IncidentId } from "../../../schemas/Id.ts"
import type { IncidentAlert, IncidentState } from "../../../schemas/Incident.ts"
import type { Cause } from "./Causes.ts"

/* The alert of an incident, for the operator. */

interface Incident extends Pick<Cause, "kind" | "subject" | "severity" | "summary" | "action" | "details"> {
  readonly id: IncidentId
  readonly account_id: AccountId | null
  readonly livemode: boolean | null
  readonly issuer: string | null
  readonly since: Date
  readonly opened_at: Date
  readonly ended_at: Date | null
}

const minuteMs = 60_000

/** "3 d 4 h", "2 h 5 min", "6 min" */
const lasted = (ms: number) => {
  const minutes = Math.max(Math.round(ms / minuteMs), 1)
  const [days, hours] = [Math.floor(minutes / 1_440), Math.floor(minutes / 60) % 24]
  if (days > 0) return `${days} d ${hours} h`
  return hours > 0 ? `${hours} h ${minutes % 60} min` : `${minutes} min`
}

/** The alert of an incident that was opened, or has ended. `baseUrl`: the base URL of Folio. */
export const alertOf = (incident: Incident, state: IncidentState, baseUrl: string): IncidentAlert => {
  const { account_id, action, details, ended_at, id, issuer, kind, livemode, opened_at, severity, since, subject } =
    incident
  const { summary } = incident
  const isOver = state === "ended" && ended_at !== null
  const text = isOver
    ? `[ended] Over after ${lasted(ended_at.getTime() - opened_at.getTime())}: ${summary} (${id})`
    : `[${severity}] ${summary} ${action} (${id})`
  return {
    version: 1,
    id,
    state,
    kind,
    severity,
    text,
    summary,
    action,
    account: account_id === null ? null : { id: account_id, livemode: livemode === true, issuer },
    subject,
    details,
    links: { service: baseUrl, help: `${baseUrl}/docs/running/alerts` },
    since: since.toISOString(),
    opened_at: opened_at.toISOString(),
    ended_at: isOver ? ended_at.toISOString() : null
  }
}

/** The alert that tests whether a channel works. */
export const testAlert = (id: IncidentId, now: Date, baseUrl: string): IncidentAlert =>
  alertOf(
    {
      id,
      kind: "test",
      subject: "all",
      severity: "info",
      account_id: null,
      livemode: null,
      issuer: null,
      summary: "This is a test: nothing is wrong.",
      action: "There is nothing to do.",
      details: {},
      since: now,
      opened_at: now,
      ended_at: null
    },
    "opened",
    baseUrl
  )
