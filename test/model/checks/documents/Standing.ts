import { isOutcome, type Told } from "../Deliveries.ts"
import type { Entry } from "../Journal.ts"

/**
 * Whether a document may have been accepted, by the authority or in contingency, while a request was executed. `told`
 * are the document's events. An event's time is earlier than its commit, and its arrival is later.
 */
export const mayBeAccepted = (told: ReadonlyArray<Told>, { answered, asked }: Pick<Entry, "answered" | "asked">) => {
  const outcomes = told.flatMap(({ came, event }) => (isOutcome(event) ? [{ came, event }] : []))
  const versionOf = ({ event }: (typeof outcomes)[number]) => event.data.object.version
  const begun = outcomes.filter(
    ({ event }) => /\.accepted_/.test(event.type) && Date.parse(event.created) <= (answered?.at ?? Infinity)
  )
  const ended = outcomes.filter(({ came, event }) => /\.rejected_/.test(event.type) && came.tick < asked.tick)
  return begun.some((one) => !ended.some((other) => versionOf(other) > versionOf(one)))
}
