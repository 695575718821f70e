import type { IncidentKind, IncidentSeverity } from "../../../schemas/Incident.ts"
import { type Finding, partsOf } from "./Findings.ts"

/** A finding in text for the operator. */
export interface Cause extends Omit<Finding, "severity" | "sentence" | "facts" | "fix"> {
  readonly severity: IncidentSeverity
  readonly summary: string
}

const minute = (date: Date) => `${date.toISOString().slice(0, 16).replace("T", " ")} UTC`

/** Makes the function that writes a fact of the finding's sentence. */
const writer =
  ({ account, details: { prefix }, subject }: Finding) =>
  (name: string, fact: unknown): string => {
    if (name === "name" && prefix === undefined) return subject
    if (name === "name") return `Range ${prefix === "" ? subject : `${String(prefix)} (${subject})`}`
    if (name === "of") {
      if (account === null) return ""
      const { account_id, issuer, livemode } = account
      return ` of ${issuer === null ? "" : `${issuer} `}(${account_id}, ${livemode ? "live" : "test"})`
    }
    if (fact instanceof Date) return name === "not_after" ? fact.toISOString().slice(0, 10) : minute(fact)
    return String(fact)
  }

/** The cause of a finding. A finding about an account's test mode is only informational. */
export const causeOf = (finding: Finding): Cause => {
  const { facts: _facts, fix: _fix, sentence: _sentence, ...cause } = finding
  return {
    ...cause,
    severity: cause.account?.livemode === false ? "info" : cause.severity,
    summary: partsOf(finding, "en", writer(finding)).join("")
  }
}

const gravestFirst = ["critical", "warning", "info"] as const
const subjectsShown = 10

/** A single cause that replaces many causes of one kind, because the operator would read none of them. */
export const crowd = (kind: IncidentKind, causes: ReadonlyArray<Cause>): Cause => ({
  kind,
  covers: [],
  subject: "all",
  account: null,
  severity: gravestFirst.find((one) => causes.some(({ severity }) => severity === one)) ?? "info",
  since: null,
  summary: `${causes.length} or more together: ${kind}. The first: ${causes[0]?.summary ?? ""}`,
  action:
    "This many together usually have one cause: check this machine and its network first. npx folio doctor lists them.",
  failsDoctor: true,
  details: { subjects: causes.slice(0, subjectsShown).map(({ subject }) => subject) }
})
