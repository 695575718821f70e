import type { AuthorityTrouble } from "../../../schemas/AuthorityTrouble.ts"
import type { AccountId } from "../../../schemas/Id.ts"
import type { IncidentDetails, IncidentKind, IncidentSeverity } from "../../../schemas/Incident.ts"
import { authorityTroubles } from "../authority/AuthorityTroubles.ts"

/* What is found wrong, in words for whoever runs the service. No URL, no address and no name but the issuer's is told. */

/** A cause of an incident, as one look finds it. */
export interface Cause {
  readonly kind: IncidentKind
  /** Lesser kinds that this cause holds open, and does not open: a certificate that has expired is still expiring. */
  readonly covers: ReadonlyArray<IncidentKind>
  readonly subject: string
  readonly severity: IncidentSeverity
  readonly account: {
    readonly account_id: AccountId
    readonly livemode: boolean
    readonly issuer: string | null
  } | null
  /** Since when it is so; null where that is not known. */
  readonly since: Date | null
  readonly summary: string
  readonly action: string
  readonly details: IncidentDetails
}

/** Whose a cause is. */
export interface OfAccount {
  readonly account_id: AccountId
  readonly livemode: boolean
  /** The issuer's registered name; null where the account has none in this mode. */
  readonly issuer: string | null
}

/** A range is told of once so many of ten of its numbers are used. */
export const usedTenths = 9
/** Certificates and ranges are told of so many days before their end; certificates once more on the last days. */
export const endsWithinDays = 30
export const endsSoonWithinDays = 7
/** Documents in contingency are told of once more so many hours before they must have been transmitted. */
export const deadlineHours = 12

const dayMs = 86_400_000
const crowdShown = 10
const nothing: ReadonlyArray<IncidentKind> = []

const day = (date: Date) => date.toISOString().slice(0, 10)
const minute = (date: Date) => `${date.toISOString().slice(0, 16).replace("T", " ")} UTC`
const many = (count: number, one: string) => (count === 1 ? `1 ${one}` : `${count} ${one}s`)

/** "Café Andino S.A.S. (ten_…, live)" */
const ownerOf = ({ account_id, issuer, livemode }: OfAccount) =>
  `${issuer === null ? "" : `${issuer} `}(${account_id}, ${livemode ? "live" : "test"})`

const ofAccount = ({ account_id, issuer, livemode }: OfAccount, severity: "critical" | "warning") => ({
  account: { account_id, livemode, issuer },
  severity: livemode ? severity : ("info" as const)
})

export interface FailingEndpoint extends OfAccount {
  readonly id: string
  readonly since: Date
}

export const failingEndpoint = (endpoint: FailingEndpoint): Cause => ({
  kind: "endpoint_failing",
  covers: nothing,
  subject: endpoint.id,
  ...ofAccount(endpoint, "warning"),
  since: endpoint.since,
  summary: `Webhook endpoint ${endpoint.id} of ${ownerOf(endpoint)} has taken nothing since ${minute(endpoint.since)}.`,
  action:
    "Tell who owns it: the portal's page of the endpoint shows what each attempt met. What was not received can be sent again, by the button there or by POST /v1/webhook-endpoints/{id}/recover.",
  details: { endpoint_id: endpoint.id }
})

export const fullEndpoint = (endpoint: FailingEndpoint): Cause => ({
  kind: "endpoint_full",
  covers: nothing,
  subject: endpoint.id,
  ...ofAccount(endpoint, "warning"),
  since: endpoint.since,
  summary: `So many deliveries wait for webhook endpoint ${endpoint.id} of ${ownerOf(endpoint)} that since ${minute(endpoint.since)} later ones are not attempted.`,
  action:
    "Tell who owns it to answer faster, or to let it take more at a time (max_in_flight). What was not attempted can be sent again: POST /v1/webhook-endpoints/{id}/recover.",
  details: { endpoint_id: endpoint.id }
})

export interface EndingCertificate extends OfAccount {
  readonly id: string
  readonly not_after: Date
  /** Days until its end; negative once it has expired. */
  readonly days: number
}

export const endingCertificate = (certificate: EndingCertificate): ReadonlyArray<Cause> => {
  const { days, id, not_after } = certificate
  if (days > endsWithinDays) return []
  const hasExpired = days < 0
  const isSoon = days <= endsSoonWithinDays
  const kinds = ["certificate_expiring", "certificate_expiring_soon", "certificate_expired"] as const
  const stage = hasExpired ? 2 : isSoon ? 1 : 0
  const cause: Cause = {
    kind: kinds[stage],
    covers: kinds.slice(0, stage),
    subject: id,
    ...ofAccount(certificate, isSoon ? "critical" : "warning"),
    since: new Date(not_after.getTime() - (hasExpired ? 0 : isSoon ? endsSoonWithinDays : endsWithinDays) * dayMs),
    summary: `The signing certificate of ${ownerOf(certificate)} ${hasExpired ? "expired" : "expires"} on ${day(not_after)}.`,
    action: hasExpired
      ? "No live document of the account can be signed. Get its next certificate and send it: POST /v1/account/certificate. Then retry what failed."
      : "Tell who owns the account to get its next certificate, and to send it before that day: POST /v1/account/certificate.",
    details: { certificate_id: id, not_after: not_after.toISOString() }
  }
  return [cause]
}

export interface LowRange extends OfAccount {
  readonly id: string
  readonly document_type: string
  readonly prefix: string
  readonly left: number
  readonly size: number
  readonly valid_to: string
  /** Days for which it is still valid; negative once it has expired. */
  readonly days: number
}

const ofRange = (range: LowRange) => {
  const { document_type, id, left, prefix, size, valid_to } = range
  return {
    name: `Range ${prefix === "" ? id : `${prefix} (${id})`} of ${ownerOf(range)}`,
    rest: {
      subject: id,
      action:
        "Ask the authority for another range and register it: POST /v1/resolutions. A range that is used no longer is put aside: PATCH /v1/resolutions/{id} with is_active false.",
      details: { range_id: id, document_type, prefix, numbers_left: left, size, valid_to }
    }
  }
}

/** Of a range few of whose numbers are left. */
export const usedRange = (range: LowRange): ReadonlyArray<Cause> => {
  const { left, size } = range
  const { name, rest } = ofRange(range)
  if ((size - left) * 10 < size * usedTenths) return []
  const isExhausted = left === 0
  return [
    {
      ...rest,
      ...ofAccount(range, isExhausted ? "critical" : "warning"),
      kind: isExhausted ? "range_exhausted" : "range_filling",
      covers: isExhausted ? ["range_filling"] : nothing,
      since: null,
      summary: isExhausted ? `${name} has no number left.` : `${name} has ${many(left, "number")} of ${size} left.`
    }
  ]
}

/** Of a range whose last day is near. */
export const endingRange = (range: LowRange): ReadonlyArray<Cause> => {
  const { days, valid_to } = range
  const { name, rest } = ofRange(range)
  if (days > endsWithinDays) return []
  const hasExpired = days < 0
  const end = Date.parse(`${valid_to}T00:00:00Z`)
  return [
    {
      ...rest,
      ...ofAccount(range, hasExpired ? "critical" : "warning"),
      kind: hasExpired ? "range_expired" : "range_expiring",
      covers: hasExpired ? ["range_expiring"] : nothing,
      since: new Date(hasExpired ? end : end - endsWithinDays * dayMs),
      summary: `${name} ${hasExpired ? "expired on" : "is valid until"} ${valid_to}.`
    }
  ]
}

export interface TroubledAuthority {
  readonly since: Date
  readonly trouble: AuthorityTrouble
}

/** Of the authority's live service, no call of which has succeeded for long. */
export const unreachableAuthority = ({ since, trouble }: TroubledAuthority): Cause => {
  const { remedy, what } = authorityTroubles[trouble]
  return {
    kind: "authority_unreachable",
    covers: nothing,
    subject: "live",
    account: null,
    severity: "critical",
    since,
    summary: `No call of the live authority has succeeded since ${minute(since)}. ${what}`,
    action: remedy,
    details: { trouble }
  }
}

/** Live documents in contingency. `deadline`: until when the first of them must be transmitted; null until the authority is back. */
export interface InContingency {
  readonly count: number
  readonly since: Date
  readonly deadline: Date | null
  /** Milliseconds until `deadline`; negative when it has passed. */
  readonly left_ms: number | null
  readonly account_ids: ReadonlyArray<string>
}

/** Of live documents that were issued in contingency and are not transmitted yet. */
export const inContingency = (found: InContingency): Cause => {
  const { account_ids, count, deadline, left_ms, since } = found
  const left = left_ms ?? Infinity
  const stage = left < 0 ? 2 : left <= deadlineHours * 3_600_000 ? 1 : 0
  const kinds = ["contingency_entered", "contingency_deadline", "contingency_overdue"] as const
  const waiting = `${many(count, "document")} issued in contingency ${count === 1 ? "is" : "are"} not transmitted, the first since ${minute(since)}`
  const clock =
    deadline === null
      ? "its 48 hours begin when the authority is back"
      : `it ${left < 0 ? "had to be" : "must be"} with the authority by ${minute(deadline)}`
  return {
    kind: kinds[stage],
    covers: kinds.slice(0, stage),
    subject: "live",
    account: null,
    severity: stage === 0 ? "warning" : "critical",
    since,
    summary: `${waiting}; ${clock}.`,
    action:
      stage === 0
        ? "Nothing has to be done while the authority is down: they go out by themselves once it is back. Look for its notice, and at authority in GET /health/ready."
        : "See why they do not go out: npx folio doctor, authority in GET /health/ready, and waiting in GET /v1/invoices/{id} say what keeps them. They are tried without end.",
    details: { documents: count, account_ids, transmit_before: deadline?.toISOString() ?? null }
  }
}

export interface FailedDocuments extends OfAccount {
  readonly count: number
  readonly since: Date
  readonly ids: ReadonlyArray<string>
}

/** Of an account's documents that failed by a fault of the service, and were not retried. */
export const failedDocuments = (found: FailedDocuments): Cause => ({
  kind: "documents_failed",
  covers: nothing,
  subject: `${found.account_id} ${found.livemode ? "live" : "test"}`,
  ...ofAccount(found, "critical"),
  since: found.since,
  summary: `${many(found.count, "document")} of ${ownerOf(found)} failed by a fault of the service, the first on ${minute(found.since)}.`,
  action:
    "Look for their ids in the log, which tells what broke. Once that is mended, retry each: POST /v1/invoices/{id}/retry (or credit-notes, debit-notes).",
  details: { documents: found.count, document_ids: found.ids }
})

export interface HeldRange extends OfAccount {
  readonly id: string
  readonly prefix: string
  readonly since: Date
}

/** Of a range that gives no number after a restore. */
export const heldRange = (range: HeldRange): Cause => ({
  kind: "numbering_held",
  covers: nothing,
  subject: range.id,
  ...ofAccount(range, "critical"),
  since: range.since,
  summary: `Range ${range.prefix} (${range.id}) of ${ownerOf(range)} has given no number since the database was restored.`,
  action:
    "Find out the last number that the authority has of it, and run: folio resume --last PREFIX123. folio resume alone lists such ranges.",
  details: { range_id: range.id, prefix: range.prefix }
})

/** How an operator finds the transaction that holds back events, and ends it. */
export const endTransaction =
  "Find the transaction: select * from pg_prepared_xacts, and select pid, xact_start, query from pg_stat_activity where backend_xid is not null order by xact_start. End it: rollback prepared 'GID', or select pg_terminate_backend(PID)."

/** Of an old transaction that holds back all later events. */
export const heldEvents = ({ since }: { readonly since: Date }): Cause => ({
  kind: "events_held",
  covers: nothing,
  subject: "all",
  account: null,
  severity: "warning",
  since,
  summary: `GET /v1/events shows no event since ${minute(since)}: a transaction of the database that began before is open or prepared.`,
  action: endTransaction,
  details: {}
})

/** One cause in the place of so many of one kind that whoever is told of each reads none. */
export const crowd = (kind: IncidentKind, causes: ReadonlyArray<Cause>): Cause => ({
  kind,
  covers: nothing,
  subject: "all",
  account: null,
  severity: causes.some(({ severity }) => severity === "critical")
    ? "critical"
    : causes.some(({ severity }) => severity === "warning")
      ? "warning"
      : "info",
  since: null,
  summary: `${causes.length} or more at once: ${kind}. The first: ${causes[0]?.summary ?? ""}`,
  action:
    "So many at once have one cause more often than not: look at this machine and its network first. npx folio doctor lists them.",
  details: { subjects: causes.slice(0, crowdShown).map(({ subject }) => subject) }
})
