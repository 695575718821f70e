import { Effect, Metric, Option, Random } from "effect"
import type { Failure } from "../../schemas/FiscalDocument.ts"
import { authorityDelayMs } from "../domain/RetrySchedule.ts"
import * as Metrics from "../protocol/Metrics.ts"
import type { AuthorityBroken } from "./AuthorityCalls.ts"
import type { Document, InvoiceSteps } from "./InvoiceSteps.ts"

/** With the waits between them, twenty minutes. */
export const brokenCallsMax = 12

// What is forgotten is only counted anew.
const countedMax = 10_000

const failure: Failure = {
  code: "internal_error",
  message:
    "The service broke while it called the authority. Retry when that is mended: the authority is first asked whether it has the document, which keeps its number.",
  retryable: true
}

/** What becomes of a document on which calls of the authority break inside the service, again and again. */
export const make = ({ step, wait }: InvoiceSteps) => {
  const timesInARow = new Map<string, number>()

  const forget = (row: Document) => Effect.sync(() => void timesInARow.delete(row.id))

  /** The outcome is unknown: it is asked for later, each time later. What was given to its buyer cannot fail. */
  const broken = Effect.fnUntraced(function* (row: Document, { cause }: AuthorityBroken) {
    const times = (timesInARow.get(row.id) ?? 0) + 1
    yield* Effect.logError("A call of the authority broke inside the service", cause).pipe(
      Effect.annotateLogs({ attempts: row.attempts, in_a_row: times })
    )
    yield* Metric.update(Metrics.poison("invoice"), 1)
    if (times < brokenCallsMax || row.state === "accepted_contingency") {
      const [oldest] = timesInARow.keys()
      if (oldest !== undefined && timesInARow.size >= countedMax) timesInARow.delete(oldest)
      timesInARow.set(row.id, times)
      yield* wait(row, authorityDelayMs(row.attempts, yield* Random.next), {})
    } else {
      yield* forget(row)
      yield* step(row, "Fail", { failure, alarmMs: null })
    }
    return Option.none<Document>()
  })

  return { broken, forget }
}
