import type { Violation } from "../../../../schemas/ApiError.ts"
import { violation, warning } from "../AuthorityRules.ts"
import { cents, decimal, exactly, fits, isRounding, rounded, trillionths } from "../Decimal.ts"
import type { AuthorityRule } from "../Grounds.ts"

export const tooLong = "more than the 15 digits before the point that an amount may have: split it."

/** The computation of an amount, for an error: "base 100.00 × rate 19.00 / 100". */
type Formula = string

// Annex 1.9 of the authority, 5.2.1.1: "Los valores monetarios permitirán una tolerancia de error + - 2.00."
const tolerance = trillionths(200n)

/**
 * Whether an amount in hundredths is within the authority's tolerance of its exact value, in trillionths: 2.00 up or
 * down.
 */
export const isTolerated = (given: bigint, exact: bigint): boolean => {
  const off = trillionths(given) - exact
  return off <= tolerance && off >= -tolerance
}

const isWhole = (exact: bigint) => trillionths(rounded(exact)) === exact

/** The required amount. If it is rounded, the exact value follows the formula. */
export const mustBe = (name: string, exact: bigint, formula: Formula): string =>
  `${name} must be "${decimal(rounded(exact))}": ${formula}${isWhole(exact) ? "" : ` is ${exactly(exact)}`}.`

/**
 * The figure for further computation: the given value, or the exact value rounded half-even if the given one is too far
 * off and an amount can hold the exact one.
 */
export const settled = (given: bigint, exact: bigint): bigint =>
  isTolerated(given, exact) || !fits(rounded(exact)) ? given : rounded(exact)

/**
 * The violation of a figure outside the authority's tolerance of its exact value, in trillionths. A figure within the
 * tolerance that is no rounding of the exact value gets a warning, and is written as given.
 */
export const figureViolations = (
  path: string,
  name: string,
  given: string,
  exact: bigint,
  formula: Formula,
  code: "amount_mismatch" | "tax_mismatch",
  rule: AuthorityRule
): ReadonlyArray<Violation> => {
  const param = `${path}${name}`
  if (!fits(rounded(exact))) {
    const message = `${formula} is ${decimal(rounded(exact))}, ${tooLong}`
    return [violation(param, "parameter_invalid", message, "amount_digits")]
  }
  if (isRounding(cents(given), exact)) return []
  if (!isTolerated(cents(given), exact)) return [violation(param, code, mustBe(name, exact, formula), rule)]
  const message = `${name} is "${given}", and ${formula} is ${exactly(exact)}. The authority tolerates a difference of up to 2.00: the document has the figure as sent.`
  return [warning(param, code, message, rule)]
}
