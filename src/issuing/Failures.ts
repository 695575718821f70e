import { Context, Effect, Layer, Metric, Option } from "effect"
import type { Failure } from "../../schemas/FiscalDocument.ts"
import * as Metrics from "../protocol/Metrics.ts"
import type { PortBroken } from "../protocol/PortCall.ts"
import { type Document, Steps } from "./Steps.ts"

/** Broken calls in a row after which a document fails: 18 to 19 minutes, with the waits between the calls. */
export const brokenCallsMax = 12

// Documents whose broken calls are counted at a time; a document whose count is dropped is counted from zero again.
const countedMax = 10_000

const failure: Failure = {
  code: "internal_error",
  message:
    "The service broke while it called the authority. Retry when that is mended: the authority is first asked whether it has the document, which keeps its number.",
  retryable: true
}

/** Handles documents for which calls of the authority break inside the service again and again. */
export class Failures extends Context.Service<Failures>()("folio/issuing/Failures", {
  make: Effect.gen(function* () {
    const { end, waitForAuthority } = yield* Steps
    const timesInARow = new Map<string, number>()

    const forget = (row: Document) => Effect.sync(() => void timesInARow.delete(row.id))

    /**
     * Handles a broken call: the unknown outcome is asked for, later each time. A document in contingency was given to its buyer and
     * cannot fail.
     */
    const broken = Effect.fnUntraced(function* (row: Document, { cause }: PortBroken) {
      const times = (timesInARow.get(row.id) ?? 0) + 1
      yield* Effect.logError("A call of the authority broke inside the service", cause).pipe(
        Effect.annotateLogs({ attempts: row.attempts, in_a_row: times })
      )
      yield* Metric.update(Metrics.poison("invoice"), 1)
      if (times < brokenCallsMax || row.state === "accepted_contingency") {
        const [oldest] = timesInARow.keys()
        if (oldest !== undefined && timesInARow.size >= countedMax) timesInARow.delete(oldest)
        timesInARow.set(row.id, times)
        yield* waitForAuthority(row)
      } else {
        yield* forget(row)
        yield* end(row, failure)
      }
      return Option.none<Document>()
    })

    return { broken, forget }
  })
}) {
  static readonly layer = Layer.effect(Failures, Failures.make)
}
