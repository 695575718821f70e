import type { Violation } from "../../schemas/ApiError.ts"

/** Of what a request makes a document, or a part of one. */
export type Subject = "invoice" | "customer"

/*
 * The authority's rules that a body breaks by its form alone: where, by which of our codes (any, where none is said), and the
 * rule. What needs more than a look at one field is in LocalRules.ts.
 */
const absent = ["parameter_missing", "parameter_invalid_empty"] as const
const rules: Readonly<
  Record<Subject, ReadonlyArray<readonly [param: string, rule: string, codes?: ReadonlyArray<Violation["code"]>]>>
> = {
  invoice: [
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
    ["lines[].taxes[].base", "FAS05", absent]
  ],
  customer: [
    ["identification", "FAK21", absent],
    ["identification.number", "FAK21", absent],
    ["identification.type", "FAK48"],
    ["legal_name", "FAK20", absent],
    ["organization_type", "FAK02"]
  ]
}

/** The violation with the authority's rule, where a fault of form breaks one. */
export const withRule =
  (subject: Subject) =>
  (violation: Violation): Violation => {
    const place = violation.param.replaceAll(/\[\d+\]/g, "[]")
    // A quantity has a rule of its own against what is negative.
    if (violation.rule === "VLR01") return place.endsWith(".quantity") ? { ...violation, rule: "FAV04b" } : violation
    const rule = rules[subject].find(
      ([param, , codes]) => param === place && (codes === undefined || codes.includes(violation.code))
    )?.[1]
    return rule === undefined ? violation : { ...violation, rule }
  }

/** One thing wrong, with the rule of the authority that it breaks, where there is one. */
export const violation = (param: string, code: Violation["code"], message: string, rule?: string): Violation => ({
  param,
  code,
  message,
  ...(rule === undefined ? {} : { rule })
})
