import type { Account } from "../../../schemas/Account.ts"
import { endingCertificate } from "../../operations/rules/Findings.ts"
import { problemsMax, type ProblemsRow } from "../../operations/store/OverviewRows.ts"
import { type Html, html } from "../../http/pages/Html.ts"
import { figure } from "../frame/Formats.ts"
import type { Tone } from "../frame/Parts.ts"
import { findingWords, type Reader } from "../home/Need.ts"
import { stepNames } from "../setup/live/LiveStepsPart.ts"

/** An account of a platform, with its problems. */
export interface FleetAccount {
  readonly account: Account
  readonly problems: Pick<ProblemsRow, "failing_endpoints" | "unaccepted">
}

/** Something that an account needs, in words. `wait`: needed before live documents, or soon. */
export interface AccountNeed {
  readonly tone: Extract<Tone, "bad" | "wait">
  readonly words: Html
}

const dayMs = 86_400_000

const many = ({ t }: Reader, count: number) =>
  count < problemsMax ? figure(t, count) : t(`${problemsMax} or more`, `${problemsMax} o más`)

const problem = (reader: Reader, count: number, one: string, several: (count: string) => string) =>
  count === 0 ? [] : [{ tone: "bad" as const, words: html`${count === 1 ? one : several(many(reader, count))}` }]

const certificateNeeds = (
  reader: Reader,
  { certificate, key_mode }: Account,
  now: number
): ReadonlyArray<AccountNeed> => {
  if (certificate === null || key_mode === "test") return []
  const not_after = new Date(certificate.not_after)
  const days = Math.floor((not_after.getTime() - now) / dayMs)
  return endingCertificate.find({ id: "", not_after, days }).map((finding) => ({
    tone: finding.severity === "critical" ? "bad" : "wait",
    words: findingWords(reader, [finding])
  }))
}

const stepNeeds = (reader: Reader, { live }: Account): ReadonlyArray<AccountNeed> => {
  if (live.ready) return []
  const names = stepNames(reader.t)
  const words = live.steps.map(({ code }) => names[code]).join(", ")
  return [{ tone: "wait", words: html`${reader.t("To go live:", "Para producción:")} ${words}.` }]
}

/** All that an account of a platform needs, the most urgent first. A closed account needs nothing. */
export const needsOfAccount = (
  reader: Reader,
  { account, problems }: FleetAccount,
  now: number
): ReadonlyArray<AccountNeed> => {
  const { t } = reader
  if (account.status === "closed") return []
  const all = [
    ...problem(
      reader,
      problems.unaccepted,
      t("1 document failed or was rejected.", "1 documento falló o fue rechazado."),
      (count) => t(`${count} documents failed or were rejected.`, `${count} documentos fallaron o fueron rechazados.`)
    ),
    ...problem(reader, problems.failing_endpoints, t("1 endpoint is failing.", "1 destino falla."), (count) =>
      t(`${count} endpoints are failing.`, `${count} destinos fallan.`)
    ),
    ...certificateNeeds(reader, account, now),
    ...stepNeeds(reader, account)
  ]
  return [...all.filter(({ tone }) => tone === "bad"), ...all.filter(({ tone }) => tone === "wait")]
}
