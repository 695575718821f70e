import type { Violation } from "../../../schemas/ApiError.ts"

/** The maximum number of violations in a response. A check may stop at `violationsMax` + 1 violations. */
export const violationsMax = 100

const bytesMax = 40 * 1024

/**
 * The violations in a response: the first ones, up to `violationsMax` and 40 KiB of JSON, at least one; and whether
 * more exist.
 */
export const reported = (
  violations: ReadonlyArray<Violation>
): { readonly errors: ReadonlyArray<Violation>; readonly has_more_errors?: true } => {
  let bytes = 0
  const end = violations.findIndex((violation, index) => {
    bytes += Buffer.byteLength(JSON.stringify(violation))
    return index === violationsMax || (index > 0 && bytes > bytesMax)
  })
  return end === -1 ? { errors: violations } : { errors: violations.slice(0, end), has_more_errors: true }
}
