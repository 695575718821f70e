import type { NoticeKind } from "../../../schemas/Notice.ts"
import { type RangeInUse, resolutionStatus, resolutionWarnings } from "../../documents/rules/parties/ResolutionRules.ts"
import { documentKinds } from "../../../schemas/DocumentKinds.ts"
import { localDate, timestamp } from "../../runtime/AuthorityTime.ts"
import {
  type EndedTestSet,
  endedTestSet,
  endingCertificate,
  endingRange,
  failingEndpoint,
  type Finding,
  fullEndpoint,
  partsOf,
  usedRange
} from "./Findings.ts"

/* The findings about one account in one mode. The notices and the home page of the portal show the same findings. */

export type AccountFinding = Finding<NoticeKind>

/** An active numbering range. */
interface RangeFacts extends RangeInUse {
  readonly id: string
  readonly document_type: keyof typeof documentKinds
  readonly prefix: string
}

export interface EndpointFacts {
  readonly id: string
  readonly url: string
  readonly failing_since: Date | null
  readonly full_since: Date | null
}

export interface AccountFacts {
  readonly now: Date
  /** The date in the authority's time zone, YYYY-MM-DD. */
  readonly date: string
  /** The certificate that ends last; null without a certificate, and in test mode. */
  readonly certificate: { readonly id: string; readonly not_after: Date } | null
  /** The active ranges, in the order of their ids. */
  readonly ranges: ReadonlyArray<RangeFacts>
  /** The newest test set with an outcome; null if the account has a range for invoices. */
  readonly test_set: EndedTestSet | null
  /** The active endpoints. */
  readonly endpoints: ReadonlyArray<EndpointFacts>
}

const dayMs = 86_400_000

/** The host of an address. Returns any other text unchanged. */
export const hostOf = (address: string): string => (URL.canParse(address) && new URL(address).host) || address

export const certificateFindings = ({ certificate, now }: Pick<AccountFacts, "certificate" | "now">) =>
  certificate === null
    ? []
    : endingCertificate.find({
        ...certificate,
        days: Math.floor((certificate.not_after.getTime() - now.getTime()) / dayMs)
      })

const rangeKinds = {
  invoice: ["invoices", "facturas"],
  credit_note: ["credit notes", "notas crédito"],
  debit_note: ["debit notes", "notas débito"]
} as const

/** The finding of the ranges with one document kind and prefix. Empty while one of them has no warning. */
const rangeFinding = (rows: ReadonlyArray<RangeFacts>, date: string) => {
  const usable = rows.filter((row) => resolutionStatus(row, date) === "active")
  const isComing = rows.some((row) => row.valid_from > date)
  const newest = usable.at(-1) ?? (isComing ? undefined : rows.at(-1))
  if (newest === undefined || usable.some((row) => resolutionWarnings(row, date).length === 0)) return []
  const { document_type, from_number, id, next_number, prefix, to_number, valid_to } = newest
  const [kind, tipo] = rangeKinds[document_type]
  const shown = prefix === "" ? "" : ` ${prefix}`
  const known = {
    id,
    name: [`Range${shown} for ${kind}`, `Rango${shown} de ${tipo}`] as const,
    document_type,
    prefix,
    left: Number(to_number - next_number + 1n),
    size: Number(to_number - from_number + 1n),
    valid_to,
    days: (Date.parse(valid_to) - Date.parse(date)) / dayMs
  }
  const found = [...usedRange.find(known), ...endingRange.find(known)]
  const gravest = found.find(({ severity }) => severity === "critical") ?? found[0]
  return gravest === undefined ? [] : [gravest]
}

export const rangeFindings = ({ date, ranges }: Pick<AccountFacts, "date" | "ranges">) => {
  const kinds = Object.keys(documentKinds)
  const groups = Map.groupBy(ranges, ({ document_type, prefix }) => `${kinds.indexOf(document_type)} ${prefix}`)
  return [...groups]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, rows]) => rangeFinding(rows, date))
}

/** A full queue is reported instead of failures, because it is full because of them. */
export const endpointFindings = ({
  failing_since,
  full_since,
  id,
  url
}: EndpointFacts): ReadonlyArray<AccountFinding> => {
  const name = hostOf(url)
  if (full_since !== null) return fullEndpoint.find({ id, name, since: full_since })
  return failing_since === null ? [] : failingEndpoint.find({ id, name, since: failing_since })
}

export const testSetFindings = ({ test_set }: Pick<AccountFacts, "test_set">) =>
  test_set === null ? [] : endedTestSet.find(test_set)

/** All findings about the account, at most one about each object. */
export const accountFindings = (facts: AccountFacts): ReadonlyArray<AccountFinding> => [
  ...certificateFindings(facts),
  ...rangeFindings(facts),
  ...testSetFindings(facts),
  ...facts.endpoints.flatMap(endpointFindings)
]

const factText = (name: string, fact: unknown) => {
  if (!(fact instanceof Date)) return String(fact ?? "")
  return name === "not_after" ? localDate(fact.getTime()) : timestamp(fact.getTime()).slice(0, 16).replace("T", " ")
}

/** The first sentence of a text, without its full stop. */
export const firstSentence = (text: string): string => text.split(". ", 1)[0]!.replace(/\.$/, "")

/** The problem and its fix in plain text, for the issuer. Times are in the authority's time zone. */
export const findingText = (finding: Pick<Finding, "facts" | "fix" | "sentence">, language: "en" | "es"): string =>
  [finding.sentence, finding.fix]
    .map((sentence) => partsOf({ ...finding, sentence }, language, factText).join(""))
    .join(" ")
