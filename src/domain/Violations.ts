import type { Violation } from "../../schemas/ApiError.ts"

/** As many as an answer tells. What looks for them may stop at one more. */
export const violationsMax = 100

const bytesMax = 40 * 1024

/** The violations as an answer tells them: the first of them, no more than fit, and whether there are more. */
export const told = (
  violations: ReadonlyArray<Violation>
): { readonly errors: ReadonlyArray<Violation>; readonly has_more_errors?: true } => {
  let bytes = 0
  const end = violations.findIndex((violation, index) => {
    bytes += Buffer.byteLength(JSON.stringify(violation))
    return index === violationsMax || (index > 0 && bytes > bytesMax)
  })
  return end === -1 ? { errors: violations } : { errors: violations.slice(0, end), has_more_errors: true }
}
