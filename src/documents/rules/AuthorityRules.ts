import type { Violation } from "../../../schemas/ApiError.ts"
import { type AuthorityRule, grounds, type Source } from "./Grounds.ts"

/** The body whose rules are looked up: a document (`invoice`) or a part of a document (`customer`). */
export type Subject = "invoice" | "customer"

/**
 * The rule "Documento procesado anteriormente": the authority has a document with this number, and never replaces it.
 */
export const processedBefore = "90"

/*
 * The authority's rules that one field's form can break: the path of the field, the rule, and the error codes that name
 * the rule (every error code if none is listed). Rules that need more than one field are in LocalRules.ts.
 */
const absent = ["parameter_missing", "parameter_invalid_empty"] as const
const rules: Readonly<
  Record<Subject, ReadonlyArray<readonly [param: string, rule: string, codes?: ReadonlyArray<Violation["code"]>]>>
> = {
  invoice: [
    ["prefix", "FAB08a", ["range_expired"]],
    ["prefix", "FAD05c", ["range_exhausted"]],
    ["currency", "FAD15a"],
    ["operation_type", "FAD02"],
    ["payment_means", "FAN01", absent],
    ["payment_means.type", "FAN02"],
    ["payment_means.code", "FAN03"],
    ["lines", "FAV01", absent],
    ["lines[].description", "FAZ02", absent],
    ["lines[].quantity", "FAV04a", absent],
    ["lines[].line_extension_amount", "FAV06", absent],
    ["lines[].taxes[].code", "FAX16"],
    ["lines[].taxes[].base", "FAS05", absent],
    ["withholdings[].code", "FAT12"],
    ["other_payment_means[].type", "FAN02"],
    ["other_payment_means[].code", "FAN03"]
  ],
  customer: [
    ["identification", "FAK21", absent],
    ["identification.number", "FAK21", absent],
    ["identification.type", "FAK48"],
    ["legal_name", "FAK20", absent],
    ["organization_type", "FAK02"],
    ["tax_responsibilities", "FAK26"],
    ["tax_responsibilities[]", "FAK26"]
  ]
}

/** Adds the authority's rule to a violation of form that breaks one. */
export const withRule =
  (subject: Subject) =>
  (violation: Violation): Violation => {
    const place = violation.param.replaceAll(/\[\d+\]/g, "[]")
    // VLR01 is the general rule against negative values; the authority has a separate rule against a negative quantity.
    if (violation.rule === "VLR01") return place.endsWith(".quantity") ? { ...violation, rule: "FAV04b" } : violation
    const rule = rules[subject].find(
      ([param, , codes]) => param === place && (codes === undefined || codes.includes(violation.code))
    )?.[1]
    return rule === undefined ? violation : { ...violation, rule }
  }

/** A violation, or a warning about an accepted request. */
export interface Finding extends Violation {
  readonly isWarning?: true
}

const finding = (param: string, code: Violation["code"], message: string, source?: Source): Violation => ({
  param,
  code,
  message,
  ...(source === undefined || source in grounds ? {} : { rule: source })
})

/** A violation that rejects a request. `source`: the authority's rule that the request breaks, or else the ground. */
export const violation = (param: string, code: Violation["code"], message: string, source: Source): Violation =>
  finding(param, code, message, source)

/** A warning about an accepted request. `rule`: the authority's rule behind it, if there is one. */
export const warning = (param: string, code: Violation["code"], message: string, rule?: AuthorityRule): Finding => ({
  ...finding(param, code, message, rule),
  isWarning: true
})

/** The violations among the findings. */
export const refusalsOf = (findings: ReadonlyArray<Finding>): ReadonlyArray<Violation> =>
  findings.filter(({ isWarning }) => isWarning !== true)

/** The warnings among the findings. */
export const warningsOf = (findings: ReadonlyArray<Finding>): ReadonlyArray<Violation> =>
  findings.flatMap(({ isWarning, ...remark }) => (isWarning === true ? [remark] : []))
