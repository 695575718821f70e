import { type Finding, partsOf } from "../../operations/rules/Findings.ts"
import { type Html, html } from "../../http/pages/Html.ts"
import { type AccountOverview, troubledMax } from "../../operations/store/OverviewRows.ts"
import { day, figure, time } from "../frame/Formats.ts"
import type { Tone } from "../frame/Parts.ts"
import type { Visit } from "../frame/Visit.ts"

/** A problem that needs attention, and the page that fixes it. */
export interface Need {
  /**
   * `bad`: the problem delays documents or deliveries now. `wait`: Folio continues without help, or the problem becomes
   * urgent later.
   */
  readonly tone: Extract<Tone, "bad" | "wait">
  readonly words: Html
  /** The path of the page, and the text of the link. */
  readonly to: string
  readonly link: string
}

/** The current facts of the account. */
export interface Facts extends Pick<
  AccountOverview,
  "today" | "unaccepted" | "waiting" | "endpoints" | "ranges" | "certificate" | "test_set" | "bounced"
> {
  readonly now: Date
  /** The date in the authority's time zone, YYYY-MM-DD. */
  readonly date: string
  /** Whether the simulated authority of the test mode has a mode other than `up`. */
  readonly isHindered: boolean
}

/** The language of the reader. */
export type Reader = Pick<Visit, "language" | "t">

/** A count: "12", or "1.000 or more" for a count that stopped at its limit. */
export const many = ({ t }: Reader, count: number) =>
  count < troubledMax ? figure(t, count) : t(`${figure(t, troubledMax)} or more`, `${figure(t, troubledMax)} o más`)

/** The text of a link to one or several objects. */
export const seeWords = ({ t }: Reader, { count }: { readonly count: number }) =>
  count === 1 ? t("View", "Ver") : t("View all", "Ver todo")

/** Findings in the reader's language. */
export const findingWords = (reader: Reader, findings: ReadonlyArray<Finding<string>>): Html => {
  const write = (name: string, fact: unknown) => {
    if (fact instanceof Date) return time(reader, fact)
    if (name === "valid_to") return day(reader, String(fact))
    if (name === "count") return many(reader, Number(fact))
    return typeof fact === "number" ? figure(reader.t, fact) : String(fact ?? "")
  }
  return html`${findings.flatMap((finding) => partsOf(finding, reader.language, write)).map((part) => html`${part}`)}`
}

/** The needs of findings that one page fixes. */
export const needsOfFindings = (
  reader: Reader,
  findings: ReadonlyArray<Finding<string>>,
  page: Pick<Need, "to" | "link">
): ReadonlyArray<Need> =>
  findings.map((finding) => ({
    tone: finding.severity === "critical" ? "bad" : "wait",
    words: findingWords(reader, [finding]),
    ...page
  }))
