import type { Violation } from "../../../../schemas/ApiError.ts"
import type { LineAllowance } from "../../../../schemas/Line.ts"
import { findingsInItems } from "../../../runtime/json/Unreadable.ts"
import { violation } from "../AuthorityRules.ts"
import { cents, decimal, millionths, percentage } from "../Decimal.ts"
import type { AuthorityRule } from "../Grounds.ts"
import { figureViolations, isTolerated, settled } from "./Amounts.ts"

const wholePercentage = millionths("100.00")

/** The authority's rules against a percentage above 100, a discount above its base, and a zero amount or base. */
interface Rules {
  readonly percent: AuthorityRule
  readonly discount: AuthorityRule
  readonly amount: AuthorityRule
}

const ofDocument: Rules = { percent: "FAQ06", discount: "FAQ07", amount: "FAQ08" }
const ofLine: Rules = { percent: "FBE08", discount: "FBE08", amount: "FBE08" }

const more = {
  discount: "a discount cannot be more than its base",
  charge: "the authority accepts no percentage above 100"
}

function* allowanceViolations(allowance: LineAllowance, path: string, rules: Rules): Generator<Violation, void> {
  const { amount, base, percent, type } = allowance
  if (cents(base) === 0n) {
    const message = `base must be more than "0.00": the amount to which the ${type} applies.`
    yield violation(`${path}.base`, "parameter_invalid", message, rules.amount)
    return
  }
  if (percent !== undefined && millionths(percent) > wholePercentage) {
    yield violation(`${path}.percent`, "parameter_invalid", 'percent must be at most "100.00".', rules.percent)
    return
  }
  if (percent !== undefined) {
    const exact = percentage(cents(base), percent)
    const formula = `base ${base} × percent ${percent} / 100`
    yield* figureViolations(`${path}.`, "amount", amount, exact, formula, "amount_mismatch", rules.amount)
    if (!isTolerated(cents(amount), exact)) return
  }
  if (cents(amount) > cents(base)) {
    const message = `amount must be at most the base, "${base}": ${more[type]}.`
    yield violation(`${path}.amount`, "amount_mismatch", message, rules[type === "discount" ? "discount" : "percent"])
  }
}

/** The violations of the discounts and charges of a line or a document, at `path`. */
export const allowancesViolations = (
  allowances: ReadonlyArray<LineAllowance> | undefined,
  path: string,
  of: "document" | "line"
): Generator<Violation, void> =>
  findingsInItems(allowances, (allowance, index) =>
    allowanceViolations(allowance, `${path}[${index}]`, of === "line" ? ofLine : ofDocument)
  )

/** The discounts and charges. A wrong amount with a percentage is replaced by the amount of the percentage. */
export const settledAllowances = <A extends LineAllowance>(allowances: ReadonlyArray<A>): ReadonlyArray<A> =>
  allowances.map((allowance) => {
    const { amount, base, percent } = allowance
    if (percent === undefined || millionths(percent) > wholePercentage) return allowance
    return { ...allowance, amount: decimal(settled(cents(amount), percentage(cents(base), percent))) }
  })

/** The charges less the discounts, in hundredths. */
export const allowanceSum = (allowances: ReadonlyArray<LineAllowance>): bigint =>
  allowances.reduce((sum, { amount, type }) => (type === "charge" ? sum + cents(amount) : sum - cents(amount)), 0n)

/** The effect of discounts and charges on an amount, for an error: " - discounts 10.00 + charges 2.00". */
export const allowanceFormula = (allowances: ReadonlyArray<LineAllowance>): string => {
  const total = (type: LineAllowance["type"]) => {
    const some = allowances.filter((allowance) => allowance.type === type)
    return some.length === 0 ? undefined : decimal(some.reduce((sum, { amount }) => sum + cents(amount), 0n))
  }
  const [discounts, charges] = [total("discount"), total("charge")]
  return `${discounts === undefined ? "" : ` - discounts ${discounts}`}${charges === undefined ? "" : ` + charges ${charges}`}`
}
