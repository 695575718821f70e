import type { Violation } from "../../../../schemas/ApiError.ts"
import { taxes as taxNames } from "../../../../schemas/Code.ts"
import { isPerUnit, type Line, type Tax, type Totals, unitTaxes } from "../../../../schemas/Line.ts"
import { findingsInItems, findingsOf } from "../../../runtime/json/Unreadable.ts"
import { violation, warning } from "../AuthorityRules.ts"
import { cents, decimal, exactly, fits, isRounding, millionths, percentage, product, rounded } from "../Decimal.ts"
import { figureViolations, isTolerated, settled } from "./Amounts.ts"

/** The API's carbon tax, by percentage as in the API, or per unit as the authority requires. */
const carbon = "02"

/** The authority's rates, in percent. The other taxes have rates of municipalities and departments. */
const rates: Readonly<Record<string, ReadonlyArray<string>>> = {
  "01": ["0.00", "5.00", "16.00", "19.00"],
  "04": ["2.00", "4.00", "8.00", "16.00"]
}

const ofPercentage = ["rate", "base"] as const
const ofUnits = ["unit_amount", "units", "unit_code"] as const

const nameOf = (code: string) => `"${code}" (${taxNames.find((tax) => tax.code === code)?.name ?? code})`

/**
 * The fields that a tax by percentage or per unit must have, and must not have. The schema of a request checks that a
 * tax by percentage has its rate and base.
 */
function* formViolations(tax: Tax, path: string): Generator<Violation, void> {
  const { code } = tax
  const unit = isPerUnit(tax)
  if (unit && !unitTaxes.has(code) && code !== carbon) {
    const message = `Send rate and base instead of unit_amount: code ${nameOf(code)} is a tax by percentage.`
    return yield violation(`${path}.unit_amount`, "parameter_conflict", message, "tax_form")
  }
  const form = unit ? `per unit, with ${ofUnits.join(", ")}` : `by percentage, with ${ofPercentage.join(" and ")}`
  for (const name of unit ? ofPercentage : ofUnits) {
    if (tax[name] === undefined) continue
    const message = `Remove ${name}: ${nameOf(code)} is a tax ${form}.`
    yield violation(`${path}.${name}`, "parameter_conflict", message, "tax_form")
  }
  for (const name of unit ? ofUnits : []) {
    if (tax[name] !== undefined) continue
    const message = `${name} is required: ${nameOf(code)} is a tax ${form}.`
    yield violation(`${path}.${name}`, "parameter_missing", message, "FAX09")
  }
}

const codeViolations = (taxes: ReadonlyArray<Tax>, index: number, path: string): ReadonlyArray<Violation> => {
  const code = taxes[index]?.code
  if (code === "ZZ" && taxes.length > 1) {
    const message = 'code "ZZ" means that the line has no tax: remove this entry, or all others.'
    return [violation(`${path}.code`, "tax_mismatch", message, "FAS01a")]
  }
  if (taxes.findIndex((tax) => tax.code === code) === index) return []
  const message = `code "${code}" occurs twice in this line: send one entry for each tax.`
  return [violation(`${path}.code`, "tax_mismatch", message, "FAX01")]
}

const noTaxViolations = (tax: Tax, path: string): ReadonlyArray<Violation> =>
  (["rate", "base", "value"] as const)
    .filter((field) => millionths(tax[field] ?? "0.00") !== 0n)
    .map((field) =>
      violation(`${path}.${field}`, "tax_mismatch", `${field} must be "0.00" with code "ZZ" (no tax).`, "FAS01a")
    )

const rateViolations = ({ code, rate = "0.00" }: Tax, path: string): ReadonlyArray<Violation> => {
  const known = rates[code]
  if (known === undefined || known.some((one) => millionths(one) === millionths(rate))) return []
  const message = `rate must be one of ${known.map((one) => `"${one}"`).join(", ")} for code ${nameOf(code)}.`
  return [violation(`${path}.rate`, "tax_mismatch", message, "FAY10")]
}

/** The amount of a line to which its taxes apply. */
export interface Taxed {
  /** In trillionths. */
  readonly exact: bigint
  /** In hundredths. */
  readonly amount: bigint
  /** The phrase for the amount in an error. */
  readonly words: string
  /** Only a part of the amount may be taxed, as in a contract with administration, contingency and profit (AIU). */
  readonly isAiu: boolean
  /** The base may be any amount, for a reason given in the line. */
  readonly isSpecial: boolean
}

/** Whether an accepted base may differ from the amount of the line. */
const isFree = (base: bigint, { amount, isAiu, isSpecial }: Taxed): boolean => isSpecial || (isAiu && base < amount)

/** The base of a tax by percentage: the given base if it is allowed, and otherwise the amount of the line. */
const baseOf = ({ base = "0.00" }: Tax, taxed: Taxed): bigint => {
  const given = cents(base)
  return isFree(given, taxed) || isTolerated(given, taxed.exact) ? given : taxed.amount
}

/** Taxes per unit whose units are the quantity of the line for the authority: bags, carbon, fuels. */
const ofQuantity: ReadonlySet<string> = new Set(["22", "23", "24", carbon])

/** The tax on sugary drinks, whose amount is per 100 of the units, which are millilitres. */
const drinks = "34"

/** The exact value of a tax per unit, in trillionths, and its computation. */
const unitTax = ({ code, unit_amount = "0.00", units = "0.00" }: Tax) => {
  const whole = product(unit_amount, units)
  const formula = `unit_amount ${unit_amount} × units ${units}`
  return code === drinks ? { exact: whole / 100n, formula: `${formula} / 100` } : { exact: whole, formula }
}

/** A tax with corrected figures. */
export const settledTax = (tax: Tax, taxed: Taxed): Tax => {
  const { rate = "0.00", value } = tax
  if (tax.code === "ZZ") return tax
  if (isPerUnit(tax)) return { ...tax, value: decimal(settled(cents(value), unitTax(tax).exact)) }
  const base = baseOf(tax, taxed)
  return { ...tax, base: decimal(base), value: decimal(settled(cents(value), percentage(base, rate))) }
}

function* percentageViolations(tax: Tax, path: string, taxed: Taxed): Generator<Violation, void> {
  const { base: sent = "0.00", rate = "0.00", value } = tax
  const base = baseOf(tax, taxed)
  if (cents(sent) !== base) {
    const message = `base must be ${taxed.isAiu ? "at most " : ""}"${decimal(base)}", ${taxed.words}${taxed.isAiu ? "" : "; if another amount is taxed, give the reason in special_base of the line"}.`
    yield violation(`${path}.base`, "tax_mismatch", message, "special_base")
  } else if (!isFree(base, taxed) && !isRounding(base, taxed.exact)) {
    const message = `base is "${sent}", and ${taxed.words} is ${exactly(taxed.exact)}. The authority tolerates a difference of up to 2.00: the document has the figure as sent.`
    yield warning(`${path}.base`, "tax_mismatch", message)
  }
  yield* rateViolations(tax, path)
  const exact = percentage(base, rate)
  const formula = `base ${decimal(base)} × rate ${rate} / 100`
  yield* figureViolations(`${path}.`, "value", value, exact, formula, "tax_mismatch", "FAX07")
}

function* unitViolations(tax: Tax, path: string, { quantity }: Line) {
  const { code, units = "0.00", value } = tax
  if (ofQuantity.has(code) && millionths(units) !== millionths(quantity)) {
    const message = `units must be "${quantity}", the quantity of the line: the authority computes tax ${nameOf(code)} on the quantity. If the tax is on another item than the line's, such as bags, send that item as a separate line.`
    yield violation(`${path}.units`, "tax_mismatch", message, "FAX07")
  }
  const { exact, formula } = unitTax(tax)
  yield* figureViolations(`${path}.`, "value", value, exact, formula, "tax_mismatch", "FAX07")
}

/**
 * The violations of the taxes of the line at `path`; without `taxed`, only violations that do not depend on the line's
 * amount.
 */
export const taxesViolations = (line: Line, path: string, taxed: Taxed | undefined): Generator<Violation, void> =>
  findingsInItems(line.taxes, (tax, index) => {
    const taxPath = `${path}.taxes[${index}]`
    return findingsOf([
      () => codeViolations(line.taxes, index, taxPath),
      () => taxViolations(tax, taxPath, line, taxed)
    ])
  })

function* taxViolations(tax: Tax, path: string, line: Line, taxed: Taxed | undefined): Generator<Violation, void> {
  const form = [...formViolations(tax, path)]
  yield* form
  if (form.length > 0) return
  if (tax.code === "ZZ") yield* noTaxViolations(tax, path)
  else if (isPerUnit(tax)) yield* unitViolations(tax, path, line)
  else if (taxed !== undefined) yield* percentageViolations(tax, path, taxed)
}

/** The expected sum of a document's tax, in trillionths, and its computation. */
export const sumOf = (tax: Tax) => {
  const { base = "0.00", rate = "0.00", unit_amount } = tax
  return unit_amount === undefined
    ? { exact: percentage(cents(base), rate), formula: `base ${base} × rate ${rate} / 100` }
    : unitTax(tax)
}

/** The carbon tax has two codes in the API and one in the document, where each amount per unit occurs once. */
const isTwice = (tax: Tax, taxes: ReadonlyArray<Tax>): boolean =>
  tax.code === carbon &&
  tax.unit_amount !== undefined &&
  taxes.some(
    ({ code, unit_amount, unit_code }) =>
      code === "23" && unit_amount === tax.unit_amount && unit_code === tax.unit_code
  )

/**
 * The violations of the sums of taxes over all lines: even if each line is rounded correctly, the sum may be too far
 * off.
 */
export function* taxSumViolations({ taxes }: Totals): Generator<Violation, void> {
  for (const tax of taxes) {
    const { exact, formula } = sumOf(tax)
    // A value that no decimal can hold is a violation of its line.
    if (fits(rounded(exact)) && !isTolerated(cents(tax.value), exact)) {
      const message = `The values of tax ${nameOf(tax.code)} sum up to ${tax.value}, and ${formula} is ${exactly(exact)}: the authority tolerates a difference of up to 2.00. Round each value to the nearest cent.`
      yield violation("lines", "tax_mismatch", message, "FAS07")
    }
    if (isTwice(tax, taxes)) {
      const message = `Send code "23" on all lines instead of "${carbon}": a document has one sum for both, because both are the carbon tax per unit.`
      yield violation("lines", "tax_mismatch", message, "FAS04")
    }
  }
}

/** The warnings for a line's taxes: the authority notifies of them without rejecting the document. */
export const taxWarnings = ({ taxes }: Line, path: string): ReadonlyArray<Violation> =>
  taxes.flatMap((tax, index) => {
    if (tax.code !== carbon || isPerUnit(tax)) return []
    const message =
      'The authority requires the carbon tax as an amount per unit: instead of rate and base, send unit_amount, units and unit_code, or code "23".'
    return [violation(`${path}.taxes[${index}].rate`, "tax_mismatch", message, "FAX09")]
  })
