import ruleHints from "./ruleHints.json" with { type: "json" }

const hints: ReadonlyMap<string, string> = new Map(
  ruleHints.flatMap(({ en, rules }) => rules.map((rule) => [rule, en] as const))
)
const spanish: ReadonlyMap<string, string> = new Map(ruleHints.map(({ en, es }) => [en, es]))

/** The rule of invoices with the number of a rule of notes: FAU02 for CAU02 and DAU02. Any other rule is returned as it is. */
export const invoiceRule = (rule: string): string => rule.replace(/^[CD](?=[A-Z]{2}\d)/, "F")

/** What to do about a rule, if that is known. A rule of notes without a hint of its own has the hint of its invoice rule. */
export const hintOf = (rule: string): string | null => hints.get(rule) ?? hints.get(invoiceRule(rule)) ?? null

/**
 * A hint for a reader of Spanish, looked up by its English text: a country of a team's own may give a rule of the same name another hint.
 * Undefined for a hint that `hintOf` didn't return.
 */
export const hintInSpanish = (hint: string): string | undefined => spanish.get(hint)
