import * as Effect from "effect/Effect"
import type { EventType } from "../../clients/typescript/Interface.ts"
import { Misuse } from "./Failures.ts"

export const documents = ["invoice", "credit_note", "debit_note"] as const
export const happenings = [
  "accepted_by_authority",
  "rejected_by_authority",
  "accepted_contingency",
  "failed",
  "email.delivered",
  "email.bounced",
  "email.complained"
] as const

/** All event types. */
export const eventTypes: ReadonlyArray<EventType> = documents.flatMap((document) =>
  happenings.map((happening) => `${document}.${happening}` as const)
)

/** The number of letters to change, add or remove so that `text` equals a prefix of `other`. */
const distance = (text: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [index, letter] of [...text].entries()) {
    const next = [index + 1]
    for (const [at, wanted] of [...other].entries()) {
      next.push(Math.min(row[at + 1]! + 1, next[at]! + 1, row[at]! + (letter === wanted ? 0 : 1)))
    }
    row = next
  }
  return Math.min(...row)
}

/** The event type that a mistyped one probably means; undefined if none is similar. */
const nearest = (text: string): EventType | undefined => {
  const wrong = text.slice(0, 80).toLowerCase()
  if (wrong.length < 4) return undefined
  const within = eventTypes.find((type) => type.includes(wrong))
  const [best] = eventTypes.map((type) => [distance(wrong, type), type] as const).toSorted(([a], [b]) => a - b)
  return within ?? (best !== undefined && best[0] <= wrong.length / 3 ? best[1] : undefined)
}

/** The hint for a text that is not an event type. */
export const hintFor = (text: string): string => {
  const probable = nearest(text)
  return probable === undefined
    ? `Event types are ${documents.join(", ")}, each with .${happenings.join(", .")}.`
    : `Did you mean ${probable}?`
}

export const isEventType = (text: string): text is EventType => eventTypes.some((type) => type === text)

/**
 * The event types that patterns such as `invoice.*` or `*.failed` match. A text may hold several patterns, with commas.
 * Undefined for no pattern, and if all types match.
 */
export const eventTypesOf = Effect.fnUntraced(function* (patterns: ReadonlyArray<string>) {
  const found = new Set<EventType>()
  for (const pattern of patterns.flatMap((text) => text.split(",")).map((text) => text.trim())) {
    const form = new RegExp(`^${pattern.replaceAll(/[^\w*]/g, String.raw`\$&`).replaceAll("*", ".*")}$`)
    const matching = eventTypes.filter((type) => form.test(type))
    if (matching.length === 0) {
      return yield* new Misuse({
        message: `${JSON.stringify(pattern)} matches no event type.`,
        hint: hintFor(pattern)
      })
    }
    for (const type of matching) found.add(type)
  }
  return found.size === 0 || found.size === eventTypes.length ? undefined : [...found]
})
