import ruleHints from "./ruleHints.json" with { type: "json" }

const hints: ReadonlyMap<string, string> = new Map(
  ruleHints.flatMap(({ en, rules }) => rules.map((rule) => [rule, en] as const))
)
const spanish: ReadonlyMap<string, string> = new Map(ruleHints.map(({ en, es }) => [en, es]))

/** The invoice rule with the number of a note rule: FAU02 for CAU02 and DAU02. Returns any other rule unchanged. */
export const invoiceRule = (rule: string): string => rule.replace(/^[CD](?=[A-Z]{2}\d)/, "F")

/** The hint for a rule, or null. A note rule without its own hint has the hint of its invoice rule. */
export const hintOf = (rule: string): string | null => hints.get(rule) ?? hints.get(invoiceRule(rule)) ?? null

/**
 * A hint in Spanish, looked up by its English text, because another country's profile may use the same rule name.
 * Undefined for a hint that `hintOf` didn't return.
 */
export const hintInSpanish = (hint: string): string | undefined => spanish.get(hint)
