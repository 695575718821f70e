import { noteNumbers, shareFullNumber } from "../../domain/accounts/ResolutionRules.ts"
import type { NoteKind } from "../../domain/documents/DocumentKinds.ts"
import type { NumberForm } from "../../domain/documents/FullNumber.ts"
import type { ResolutionKey, StoredResolution } from "./Resolutions.ts"

/*
 * The counters that the service makes for the notes of an account that has registered no range of notes, or whose
 * registered ranges give no number.
 */

/** What a range of notes has in place of the authority's grant. */
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

/** The prefix of the counter that would stand beside `others`, all ranges of an account. */
const prefixBeside = (kind: NoteKind, others: Iterable<StoredResolution>, form: NumberForm): string => {
  const ranges = [...others]
  const meets = (prefix: string) =>
    ranges.some((range) => range.prefix === prefix || shareFullNumber(range, { prefix, from_number, to_number }, form))
  const base = bases[kind]
  return suffixes.map((suffix) => base + suffix).find((prefix) => !meets(prefix)) ?? base
}

/**
 * The counter of an account's notes of one kind, to be added to `others`. The counter does not expire, and its prefix
 * is the first of NC, NCA … NCZZ, or ND …, with which it shares no full number with a range of `others`, so that a full
 * number identifies one document.
 */
export const counterBeside = (
  key: ResolutionKey & { readonly created_at: Date },
  kind: NoteKind,
  others: Iterable<StoredResolution>,
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
 * Whether an account whose ranges of a kind of notes are `ranges` needs no other counter: it has its own, or a range
 * that serves.
 */
export const isCounted = (ranges: ReadonlyArray<StoredResolution>): boolean =>
  ranges.some((range) => !range.registered || (range.is_active && range.next_number <= range.to_number))

/**
 * Whether a counter of this prefix, or of any if null, would be made for the next note of a kind, next to all ranges of
 * the account.
 */
export const isCounterPrefix = (
  prefix: string | null,
  kind: NoteKind,
  ranges: ReadonlyArray<StoredResolution>,
  form: NumberForm
): boolean =>
  !isCounted(ranges.filter(({ document_type }) => document_type === kind)) &&
  (prefix === null || prefixBeside(kind, ranges, form) === prefix)
