import ruleHints from "./ruleHints.json" with { type: "json" }
import type { AuthorityError } from "../../../schemas/FiscalDocument.ts"
import ruleTexts from "./ruleTexts.json" with { type: "json" }

const hints: ReadonlyMap<string, string> = new Map(
  ruleHints.flatMap(({ en, rules }) => rules.map((rule) => [rule, en] as const))
)
const spanish: ReadonlyMap<string, string> = new Map(ruleHints.map(({ en, es }) => [en, es]))

/** The invoice rule with the number of a note rule: FAU02 for CAU02 and DAU02. Returns any other rule unchanged. */
const invoiceRule = (rule: string): string => rule.replace(/^[CD](?=[A-Z]{2}\d)/, "F")

/** The hint for a rule, or null. A note rule without its own hint has the hint of its invoice rule. */
export const hintOf = (rule: string): string | null => hints.get(rule) ?? hints.get(invoiceRule(rule)) ?? null

/**
 * A hint in Spanish, looked up by its English text, because another country's profile may use the same rule name.
 * Undefined for a hint that `hintOf` didn't return.
 */
export const hintInSpanish = (hint: string): string | undefined => spanish.get(hint)

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
