import type { AuthorityError } from "../../../schemas/FiscalDocument.ts"
import { hintOf, invoiceRule } from "./RuleHints.ts"
import ruleTexts from "./ruleTexts.json" with { type: "json" }

/**
 * A rule of the authority that a document breaks: its name, its severity (`rejection` or `notification`), and the place
 * in the document.
 */
export interface BrokenRule {
  readonly rule: string
  readonly severity: AuthorityError["severity"]
  readonly path: string | null
}

const texts: Readonly<Record<string, string>> = ruleTexts

/**
 * The authority's text of a rule. A note rule (CAU02, DAU02) has the text of the invoice rule with its number (FAU02).
 */
const textOf = (rule: string): string =>
  texts[rule] ?? texts[invoiceRule(rule)] ?? `El documento no cumple la regla ${rule}.`

/** A broken rule in the authority's words, with a hint if there is one. */
export const remarkOf = ({ path, rule, severity }: BrokenRule): AuthorityError => ({
  rule,
  severity,
  message: textOf(rule),
  path,
  hint: hintOf(rule)
})

/** The rejection by a broken rule. */
export const rejectionBy = (rule: string, path: string | null = null): AuthorityError =>
  remarkOf({ rule, severity: "rejection", path })
