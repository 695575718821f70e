import type { Violation } from "../../schemas/ApiError.ts"
import type { Failure } from "../../schemas/FiscalDocument.ts"
import type { ResolutionRequest, ResolutionStatus, ResolutionWarning } from "../../schemas/Resolution.ts"

/** Dates are compared as text: YYYY-MM-DD sorts by time. */
export const validityViolations = (valid_from: string, valid_to: string): ReadonlyArray<Violation> =>
  valid_to < valid_from
    ? [
        {
          param: "valid_to",
          code: "parameter_invalid",
          message: `valid_to must not be before valid_from, ${valid_from}.`
        }
      ]
    : []

/** What is wrong with a range in itself, apart from the others. */
export const resolutionViolations = (request: ResolutionRequest): ReadonlyArray<Violation> => {
  const { from_number, next_number = from_number, to_number, valid_from, valid_to } = request
  const isReversed = to_number < from_number
  return [
    ...(isReversed
      ? [
          {
            param: "to_number",
            code: "parameter_invalid" as const,
            message: `to_number must not be less than from_number, ${from_number}.`
          }
        ]
      : []),
    ...validityViolations(valid_from, valid_to),
    ...(!isReversed && (next_number < from_number || next_number > to_number)
      ? [
          {
            param: "next_number",
            code: "parameter_invalid" as const,
            message: `next_number must be from ${from_number} to ${to_number}, a number of the range.`,
            rule: next_number < from_number ? "FAD05b" : "FAD05c"
          }
        ]
      : [])
  ]
}

/** What full numbers consist of: a prefix, and a number without leading zeros. */
export interface FullNumbers {
  readonly prefix: string
  readonly from_number: bigint
  readonly to_number: bigint
}

const digitsMax = 10

/** Whether some full number is of both: prefixes differ, and `Q` with 123 and `Q1` with 23 are the same when they are printed. */
export const shareFullNumber = (one: FullNumbers, other: FullNumbers): boolean => {
  const [short, long] = one.prefix.length <= other.prefix.length ? [one, other] : [other, one]
  if (!long.prefix.startsWith(short.prefix)) return false
  const between = long.prefix.slice(short.prefix.length)
  if (between === "") return short.from_number <= long.to_number && long.from_number <= short.to_number
  if (!/^[1-9]\d*$/.test(between)) return false
  // A number of the longer prefix, behind the digits between: for each length of it an interval of the shorter prefix's.
  return Array.from({ length: digitsMax }, (_, index) => 10n ** BigInt(index)).some((least) => {
    const shift = BigInt(between) * least * 10n
    const from = bigMax(long.from_number, least)
    const to = bigMin(long.to_number, least * 10n - 1n)
    return from <= to && shift + from <= short.to_number && short.from_number <= shift + to
  })
}

const bigMax = (a: bigint, b: bigint) => (a > b ? a : b)
const bigMin = (a: bigint, b: bigint) => (a < b ? a : b)

/** What decides whether a range serves. */
export interface RangeInUse {
  readonly is_active: boolean
  readonly from_number: bigint
  readonly next_number: bigint
  readonly to_number: bigint
  readonly valid_from: string
  readonly valid_to: string
}

/** What a range is good for on `today` (YYYY-MM-DD). One that is not valid yet is `inactive`. */
export const resolutionStatus = (range: Omit<RangeInUse, "from_number">, today: string): ResolutionStatus => {
  if (range.next_number > range.to_number) return "exhausted"
  if (range.valid_to < today) return "expired"
  return range.is_active && range.valid_from <= today ? "active" : "inactive"
}

const daysBetween = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 86_400_000

const warningDays = 30

/** What to see to before a range serves no more. A range that is put aside needs nothing. */
export const resolutionWarnings = (range: RangeInUse, today: string): ReadonlyArray<ResolutionWarning> => {
  if (!range.is_active) return []
  const all = range.to_number - range.from_number + 1n
  const left = range.to_number - range.next_number + 1n
  const warnings: Array<ResolutionWarning> = []
  if (left * 10n <= all) {
    const message = `${left} of ${all} numbers are left. Ask the authority for another range and register it.`
    warnings.push({ code: "few_numbers_left", message })
  }
  const days = daysBetween(today, range.valid_to)
  if (days <= warningDays) {
    const when = days < 0 ? `expired on ${range.valid_to}` : `expires ${days === 0 ? "today" : `on ${range.valid_to}`}`
    const message = `The range ${when}. Ask the authority to extend it, or for another one.`
    warnings.push({ code: "expires_soon", message })
  }
  return warnings
}

/**
 * Why none of an account's ranges gives a number on `today`, all of one prefix or, with null, of any: the last one is used up, or
 * is past its date, or there is none that could serve.
 */
export const lackOfRange = (ranges: ReadonlyArray<RangeInUse>, today: string, prefix: string | null): Failure => {
  const of = prefix === null ? "" : ` of the prefix ${JSON.stringify(prefix)}`
  const statuses = ranges.filter((range) => range.is_active).map((range) => resolutionStatus(range, today))
  if (statuses.includes("exhausted")) {
    return {
      code: "range_exhausted",
      message: `The numbering range${of} has no number left. Register another one, then retry the document.`,
      retryable: true
    }
  }
  if (statuses.includes("expired")) {
    return {
      code: "range_expired",
      message: `The numbering range${of} has expired. Extend its validity or register another one, then retry the document.`,
      retryable: true
    }
  }
  return {
    code: "no_numbering_range",
    message: `No numbering range${of} is active today. Register or activate one, then retry the document.`,
    retryable: true
  }
}
