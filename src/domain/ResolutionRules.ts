import type { Violation } from "../../schemas/ApiError.ts"
import type { ResolutionRequest, ResolutionStatus } from "../../schemas/Resolution.ts"

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

/** What a range is good for on `today` (YYYY-MM-DD). One that is not valid yet is `inactive`. */
export const resolutionStatus = (
  range: {
    readonly is_active: boolean
    readonly next_number: bigint
    readonly to_number: bigint
    readonly valid_from: string
    readonly valid_to: string
  },
  today: string
): ResolutionStatus => {
  if (range.next_number > range.to_number) return "exhausted"
  if (range.valid_to < today) return "expired"
  return range.is_active && range.valid_from <= today ? "active" : "inactive"
}
