import type { Violation } from "../../../../schemas/ApiError.ts"
import { violation } from "../AuthorityRules.ts"
import { cents, decimal, exactly, fits, isRounding, rounded, trillionths } from "../Decimal.ts"

export const tooLong = "more than the 15 digits before the point that an amount may have: split it."

/** How an amount is computed, for an error: "base 100.00 × rate 19.00 / 100". */
type Formula = string

/** What an amount must be. The exact value stands beside the formula where the amount is a rounding. */
export const mustBe = (name: string, exact: bigint, formula: Formula): string => {
  const value = decimal(rounded(exact))
  const same = trillionths(rounded(exact)) === exact
  return `${name} must be "${value}": ${formula}${same ? "" : ` is ${exactly(exact)}`}.`
}

/** The figure to go on with: the value rounded half-even, if what was given is no rounding of the value and an amount can hold it. */
export const settled = (given: bigint, exact: bigint): bigint =>
  isRounding(given, exact) || !fits(rounded(exact)) ? given : rounded(exact)

/** The violation of a figure of the request that is no rounding of its exact value, which is in trillionths. */
export const figureViolations = (
  path: string,
  name: string,
  given: string,
  exact: bigint,
  formula: Formula,
  code: "amount_mismatch" | "tax_mismatch",
  rule?: string
): ReadonlyArray<Violation> => {
  if (!fits(rounded(exact))) {
    return [violation(`${path}${name}`, "parameter_invalid", `${formula} is ${decimal(rounded(exact))}, ${tooLong}`)]
  }
  return isRounding(cents(given), exact) ? [] : [violation(`${path}${name}`, code, mustBe(name, exact, formula), rule)]
}
