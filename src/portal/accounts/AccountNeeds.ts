import type { Account } from "../../../schemas/Account.ts"
import type { NoticeKind } from "../../../schemas/Notice.ts"
import { firstSentence } from "../../operations/rules/AccountFindings.ts"
import type { StoredNotice } from "../../operations/store/Notices.ts"
import { problemsMax } from "../../operations/store/OverviewRows.ts"
import { type Html, html } from "../../http/pages/Html.ts"
import { figure } from "../frame/Formats.ts"
import type { Tone } from "../frame/Parts.ts"
import type { Reader } from "../home/Need.ts"
import { stepNames } from "../setup/live/LiveStepsPart.ts"

/** An account of a platform, with its problems. */
export interface FleetAccount {
  readonly account: Account
  readonly notices: ReadonlyArray<Pick<StoredNotice, "kind" | "message" | "message_es">>
  /** Documents of the last 30 days that failed or were rejected, at most `problemsMax`. */
  readonly unaccepted: number
}

/** Something that an account needs, in words. `wait`: needed before live documents, or soon. */
export interface AccountNeed {
  readonly tone: Extract<Tone, "bad" | "wait">
  readonly words: Html
}

/** The notices that report no problem yet. */
const early: ReadonlySet<NoticeKind> = new Set([
  "certificate_expiring",
  "range_filling",
  "range_expiring",
  "enablement_passed"
])

const noticeNeeds = ({ t }: Reader, { notices }: FleetAccount): ReadonlyArray<AccountNeed> =>
  notices.map(({ kind, message, message_es }) => ({
    tone: early.has(kind) ? "wait" : "bad",
    words: html`${firstSentence(t(message, message_es))}.`
  }))

const documentNeeds = ({ t }: Reader, { unaccepted }: FleetAccount): ReadonlyArray<AccountNeed> => {
  if (unaccepted === 0) return []
  const count = unaccepted < problemsMax ? figure(t, unaccepted) : t(`${problemsMax} or more`, `${problemsMax} o más`)
  const words =
    unaccepted === 1
      ? t("1 document failed or was rejected.", "1 documento falló o fue rechazado.")
      : t(`${count} documents failed or were rejected.`, `${count} documentos fallaron o fueron rechazados.`)
  return [{ tone: "bad", words: html`${words}` }]
}

const stepNeeds = (reader: Reader, { live }: Account): ReadonlyArray<AccountNeed> => {
  if (live.ready) return []
  const names = stepNames(reader.t)
  const words = live.steps.map(({ code }) => names[code]).join(", ")
  return [{ tone: "wait", words: html`${reader.t("To go live:", "Para producción:")} ${words}.` }]
}

/** All that an account of a platform needs, the most urgent first. A closed account needs nothing. */
export const needsOfAccount = (reader: Reader, one: FleetAccount): ReadonlyArray<AccountNeed> => {
  if (one.account.status === "closed") return []
  const all = [...documentNeeds(reader, one), ...noticeNeeds(reader, one), ...stepNeeds(reader, one.account)]
  return [...all.filter(({ tone }) => tone === "bad"), ...all.filter(({ tone }) => tone === "wait")]
}
