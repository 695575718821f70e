import type { Violation } from "../../../../schemas/ApiError.ts"
import type { Failure } from "../../../../schemas/FiscalDocument.ts"
import {
  grantedFields,
  type ResolutionRequest,
  type ResolutionStatus,
  type ResolutionWarning
} from "../../../../schemas/Resolution.ts"
import { violation } from "../AuthorityRules.ts"
import { findingsInItems, findingsOf } from "../../../runtime/json/Unreadable.ts"
import { headOf, type NumberForm } from "../FullNumber.ts"

/** A range is reported once this many tenths of its numbers are used. */
export const usedTenths = 9
/** Ranges and certificates are reported this many days before their end. */
export const endsWithinDays = 30

/**
 * The violation of a range that ends before it begins. The dates are compared as text, because YYYY-MM-DD sorts by
 * time.
 */
export const validityViolations = (valid_from: string, valid_to: string): ReadonlyArray<Violation> =>
  valid_to < valid_from
    ? [violation("valid_to", "parameter_invalid", `valid_to must not be before valid_from, ${valid_from}.`, "range")]
    : []

/** The first and the last number of a range of notes, which has no grant. */
export const noteNumbers = { from_number: 1, to_number: 9_999_999_999 } as const

/** The violations of a numbering range by itself, without a comparison to the account's other ranges. */
export const resolutionViolations = (request: ResolutionRequest): ReadonlyArray<Violation> => {
  const { document_type = "invoice" } = request
  if (document_type !== "invoice") return grantViolations(request)
  return [
    ...findingsOf<Violation>([
      () => lastNumberViolations(request),
      () => validityViolations(request.valid_from ?? "", request.valid_to ?? ""),
      () => nextNumberViolations(request)
    ])
  ]
}

const lastNumberViolations = ({ from_number = 1, to_number = 1 }: ResolutionRequest): ReadonlyArray<Violation> => {
  const message = `to_number must not be less than from_number, ${from_number}.`
  return to_number < from_number ? [violation("to_number", "parameter_invalid", message, "range")] : []
}

const nextNumberViolations = (request: ResolutionRequest): ReadonlyArray<Violation> => {
  const { from_number = 1, to_number = 1, next_number = from_number } = request
  if (to_number < from_number || (from_number <= next_number && next_number <= to_number)) return []
  const message = `next_number must be from ${from_number} to ${to_number}, a number of the range.`
  const rule = next_number < from_number ? "FAD05b" : "FAD05c"
  return [violation("next_number", "parameter_invalid", message, rule)]
}

/**
 * The violations of a range of notes: it has none of the fields of a grant, because the authority grants no ranges of
 * notes.
 */
const grantViolations = (request: ResolutionRequest): ReadonlyArray<Violation> => [
  ...findingsInItems(grantedFields, (name): ReadonlyArray<Violation> => {
    const message = `Remove ${name}, or send document_type "invoice": a range of notes has a prefix and a next_number, and no authorisation.`
    return request[name] === undefined ? [] : [violation(name, "parameter_conflict", message, "range_of_notes")]
  })
]

/** The numbers of a range, which form its full numbers with the prefix. */
export interface FullNumbers {
  readonly prefix: string
  readonly from_number: bigint
  readonly to_number: bigint
}

const digitsMax = 10

/**
 * Whether two ranges share a full number in this number form. Different prefixes can: without separator and leading
 * zeros, `Q` with 123 and `Q1` with 23 both print as Q123.
 */
export const shareFullNumber = (one: FullNumbers, other: FullNumbers, form: NumberForm): boolean => {
  const [short, long] = one.prefix.length <= other.prefix.length ? [one, other] : [other, one]
  const [head, longHead] = [headOf(short.prefix, form), headOf(long.prefix, form)]
  if (!longHead.startsWith(head)) return false
  const between = longHead.slice(head.length)
  if (between === "") return short.from_number <= long.to_number && long.from_number <= short.to_number
  if (!/^[1-9]\d*$/.test(between)) return false
  // In print, a number of the longer prefix follows the digits between the prefixes. All numbers of equal length form
  // an interval of the shorter prefix's numbers.
  const shortest = Math.max(form.digits, 1)
  const lengths = Array.from({ length: Math.max(digitsMax - shortest, 0) + 1 }, (_, index) => shortest + index)
  return lengths.some((length) => {
    const shift = BigInt(between) * 10n ** BigInt(length)
    const from = bigMax(long.from_number, length === shortest ? 0n : 10n ** BigInt(length - 1))
    const to = bigMin(long.to_number, 10n ** BigInt(length) - 1n)
    return from <= to && shift + from <= short.to_number && short.from_number <= shift + to
  })
}

/** A range of an account, with its next number. Without `gives`, the range gives no further number. */
export interface UsedNumbers extends FullNumbers {
  readonly next_number: bigint
  readonly gives: boolean
}

/**
 * Whether one of two ranges can still give a full number that the other has given or can give. The ranges belong to two
 * accounts of one issuer.
 */
export const canMeet = (one: UsedNumbers, other: UsedNumbers, form: NumberForm): boolean => {
  const meets = (left: UsedNumbers, right: UsedNumbers) => {
    const open = { ...left, from_number: left.next_number }
    const taken = right.gives ? right : { ...right, to_number: right.next_number - 1n }
    const isEmpty = !left.gives || [open, taken].some(({ from_number, to_number }) => to_number < from_number)
    return !isEmpty && shareFullNumber(open, taken, form)
  }
  return meets(one, other) || meets(other, one)
}

const bigMax = (a: bigint, b: bigint) => (a > b ? a : b)
const bigMin = (a: bigint, b: bigint) => (a < b ? a : b)

/** The fields that decide whether a numbering range has a number to give. */
export interface RangeInUse {
  readonly is_active: boolean
  readonly from_number: bigint
  readonly next_number: bigint
  readonly to_number: bigint
  readonly valid_from: string
  readonly valid_to: string
}

/** The status of a range on `today` (YYYY-MM-DD). A range that is not valid yet is `inactive`. */
export const resolutionStatus = (range: Omit<RangeInUse, "from_number">, today: string): ResolutionStatus => {
  if (range.next_number > range.to_number) return "exhausted"
  if (range.valid_to < today) return "expired"
  return range.is_active && range.valid_from <= today ? "active" : "inactive"
}

const daysBetween = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 86_400_000

/** The warnings of a range with `is_active`: few numbers or few days are left. */
export const resolutionWarnings = (range: RangeInUse, today: string): ReadonlyArray<ResolutionWarning> => {
  if (!range.is_active) return []
  const all = range.to_number - range.from_number + 1n
  const left = range.to_number - range.next_number + 1n
  const warnings: Array<ResolutionWarning> = []
  if ((all - left) * 10n >= all * BigInt(usedTenths)) {
    const message = `${left} of ${all} numbers are left. Ask the authority for another range and register it.`
    warnings.push({ code: "few_numbers_left", message })
  }
  const days = daysBetween(today, range.valid_to)
  if (days <= endsWithinDays) {
    const when = days < 0 ? `expired on ${range.valid_to}` : `expires ${days === 0 ? "today" : `on ${range.valid_to}`}`
    const message = `The range ${when}. Ask the authority to extend it, or for another one.`
    warnings.push({ code: "expires_soon", message })
  }
  return warnings
}

/** The message of a draft whose range is paused after a restore. */
export const heldMessage = (prefix: string): string =>
  `This service was restored from a backup. No number of the prefix ${JSON.stringify(prefix)} is used until the operator confirms the tax authority's last number (folio resume), because documents may have been issued after the backup. The document then proceeds by itself.`

/**
 * The reason why a number cannot be the last one of a paused range; undefined if it can. `last`: the authority's last
 * number, or `from_number` - 1 if it has none.
 */
export const lastNumberFault = (
  range: Omit<RangeInUse, "is_active" | "valid_from" | "valid_to">,
  last: bigint
): string | undefined => {
  const known = range.next_number - 1n
  if (last < known) return `The backup has documents up to number ${known}, so ${last} cannot be the last one.`
  return last > range.to_number
    ? `The range ends with ${range.to_number}, so ${last} cannot be its last one.`
    : undefined
}

/** Whether one of the ranges has a number on `today`. */
export const givesNumber = (ranges: ReadonlyArray<RangeInUse>, today: string): boolean =>
  ranges.some((range) => resolutionStatus(range, today) === "active")

interface Lack {
  readonly code: "range_exhausted" | "range_expired" | "no_numbering_range"
  /** The fault and the fix, without the full stop. */
  readonly message: string
}

/**
 * The reason why none of an account's ranges has a number on `today`. `ranges` have `prefix`, or any prefix if it is
 * null. An active range is used up (`range_exhausted`), or past its last day (`range_expired`), or no range is usable
 * (`no_numbering_range`).
 */
const lackOf = (ranges: ReadonlyArray<RangeInUse>, today: string, prefix: string | null): Lack => {
  const ofPrefix = prefix === null ? "" : ` of the prefix ${JSON.stringify(prefix)}`
  const statuses = ranges.filter((range) => range.is_active).map((range) => resolutionStatus(range, today))
  if (statuses.includes("exhausted")) {
    const message = `The numbering range${ofPrefix} has no number left. Register another one`
    return { code: "range_exhausted", message }
  }
  if (statuses.includes("expired")) {
    const message = `The numbering range${ofPrefix} has expired. Extend its validity or register another one`
    return { code: "range_expired", message }
  }
  return {
    code: "no_numbering_range",
    message: `No numbering range${ofPrefix} is active today. Register or activate one`
  }
}

/** The failure of a draft for which no range has a number. */
export const lackOfRange = (ranges: ReadonlyArray<RangeInUse>, today: string, prefix: string | null): Failure => {
  const { code, message } = lackOf(ranges, today, prefix)
  return { code, message: `${message}, then retry the document.`, retryable: true }
}

/** The violation of a request for a document for which no range would have a number. */
export const rangeViolation = (ranges: ReadonlyArray<RangeInUse>, today: string, prefix: string | null): Violation => {
  const { code, message } = lackOf(ranges, today, prefix)
  return violation("prefix", code, `${message}.`, "numbering_range")
}
