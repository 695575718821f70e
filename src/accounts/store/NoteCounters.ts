import { type FullNumbers, noteNumbers, shareFullNumber } from "../../documents/rules/parties/ResolutionRules.ts"
import type { NoteKind } from "../../../schemas/DocumentKinds.ts"
import type { NumberForm } from "../../documents/rules/FullNumber.ts"
import type { ResolutionKey, StoredResolution } from "./Resolutions.ts"

/* Counters are the ranges of notes that Folio creates for an account if no registered range gives a number. */

/** The values of a range of notes in place of the authority's grant. */
export const noGrant = {
  ...noteNumbers,
  number: "",
  valid_from: "2000-01-01",
  valid_to: "9999-12-31",
  technical_key: ""
} as const

const bases = { credit_note: "NC", debit_note: "ND" } as const
const letters = Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
const suffixes = ["", ...letters, ...letters.flatMap((one) => letters.map((other) => one + other))]
const [from_number, to_number] = [BigInt(noGrant.from_number), BigInt(noGrant.to_number)]

/** The prefix of a new counter. `ranges` are all ranges of the account, and of other live accounts of its issuer. */
const prefixBeside = (kind: NoteKind, ranges: ReadonlyArray<FullNumbers>, form: NumberForm): string => {
  const meets = (prefix: string) =>
    ranges.some((range) => range.prefix === prefix || shareFullNumber(range, { prefix, from_number, to_number }, form))
  const base = bases[kind]
  return suffixes.map((suffix) => base + suffix).find((prefix) => !meets(prefix)) ?? base
}

/**
 * A new counter for an account's notes of one kind. It does not expire. Its prefix is the first of NC, NCA … NCZZ, or
 * ND …, with which it shares no full number with a range of `others`: the ranges of the account, and of other live
 * accounts of its issuer. Each full number therefore identifies one document.
 */
export const counterBeside = (
  key: ResolutionKey & { readonly created_at: Date },
  kind: NoteKind,
  others: ReadonlyArray<FullNumbers>,
  form: NumberForm
): StoredResolution => ({
  ...noGrant,
  ...key,
  document_type: kind,
  registered: false,
  prefix: prefixBeside(kind, others, form),
  from_number,
  to_number,
  is_active: true,
  next_number: 1n,
  held_since: null
})

/**
 * Whether the account needs no new counter for a kind of notes. `ranges` are its ranges of this kind, and one of them
 * is a counter or gives numbers.
 */
export const isCounted = (ranges: ReadonlyArray<StoredResolution>): boolean =>
  ranges.some((range) => !range.registered || (range.is_active && range.next_number <= range.to_number))

/**
 * Whether the next note of a kind would create a counter with this prefix, or with any prefix if null. `ranges` are all
 * ranges of the account, and `others` those of other live accounts of its issuer.
 */
export const isCounterPrefix = (
  prefix: string | null,
  kind: NoteKind,
  ranges: ReadonlyArray<StoredResolution>,
  others: ReadonlyArray<FullNumbers>,
  form: NumberForm
): boolean =>
  !isCounted(ranges.filter(({ document_type }) => document_type === kind)) &&
  (prefix === null || prefixBeside(kind, [...ranges, ...others], form) === prefix)
