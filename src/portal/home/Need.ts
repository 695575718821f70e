import { type Finding, partsOf } from "../../domain/incidents/Findings.ts"
import { type Html, html } from "../../http/pages/Html.ts"
import { type AccountOverview, troubledMax } from "../../store/overview/OverviewRows.ts"
import { day, figure, time } from "../frame/Formats.ts"
import type { Tone } from "../frame/Parts.ts"
import type { Visit } from "../frame/Visit.ts"

/** A sentence of what needs somebody, and the page on which it is put right. */
export interface Need {
  /** `bad`: documents or deliveries are held up now. `wait`: this goes on by itself, or becomes urgent later. */
  readonly tone: Extract<Tone, "bad" | "wait">
  readonly words: Html
  /** The path of the page, and the words of the link to it. */
  readonly to: string
  readonly link: string
}

/** What is known of the account now. */
export interface Facts extends Pick<
  AccountOverview,
  "today" | "unaccepted" | "waiting" | "endpoints" | "ranges" | "certificate_ends" | "bounced"
> {
  readonly now: Date
  /** The date in the authority's zone, YYYY-MM-DD. */
  readonly date: string
  /** Whether the simulated authority of the test mode is set to something else than `up`. */
  readonly isHindered: boolean
}

/** Who reads: in which language. */
export type Reader = Pick<Visit, "language" | "t">

/** "12", or "1.000 or more" for a count that was not carried on. */
export const many = ({ t }: Reader, count: number) =>
  count < troubledMax ? figure(t, count) : t(`${figure(t, troubledMax)} or more`, `${figure(t, troubledMax)} o más`)

/** The words of a link to one thing or to several. */
export const seeWords = ({ t }: Reader, { count }: { readonly count: number }) =>
  count === 1 ? t("See it", "Verlo") : t("See them", "Verlos")

/** Findings in the reader's language. */
export const findingWords = (reader: Reader, findings: ReadonlyArray<Finding>): Html => {
  const write = (name: string, fact: unknown) => {
    if (fact instanceof Date) return time(reader, fact)
    if (name === "valid_to") return day(reader, String(fact))
    if (name === "count") return many(reader, Number(fact))
    return typeof fact === "number" ? figure(reader.t, fact) : String(fact ?? "")
  }
  return html`${findings.flatMap((finding) => partsOf(finding, reader.language, write)).map((part) => html`${part}`)}`
}

/** What findings need, all of them on one page. */
export const needsOfFindings = (
  reader: Reader,
  findings: ReadonlyArray<Finding>,
  page: Pick<Need, "to" | "link">
): ReadonlyArray<Need> =>
  findings.map((finding) => ({
    tone: finding.severity === "critical" ? "bad" : "wait",
    words: findingWords(reader, [finding]),
    ...page
  }))
