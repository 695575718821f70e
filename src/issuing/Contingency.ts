import { Clock, Context, Duration, Effect, Layer, Option, Random, Result } from "effect"
import { isIssued } from "../domain/documents/InvoiceLifecycle.ts"
import { authorityDelayMs } from "../domain/webhooks/RetrySchedule.ts"
import type { AuthorityUnavailable } from "../outbound/authority/Authority.ts"
import { CircuitBreaker } from "./CircuitBreaker.ts"
import { Signing } from "./Signing.ts"
import { type Document, Steps } from "./Steps.ts"

// While one document's call finds out whether the authority is back, the other documents wait this long.
const lookAgainMs = 5_000

// A document that alone gets no answer is transmitted by its own alarm, not by the sweep that follows an outage.
const ownTransmissionMs = 30_000
const transmitWithinMs = Duration.toMillis(Duration.hours(48))

/** Handles documents while the authority gives no answer. */
export class Contingency extends Context.Service<Contingency>()("folio/issuing/Contingency", {
  make: Effect.gen(function* () {
    const circuits = yield* CircuitBreaker
    const signing = yield* Signing
    const { step, unsignable, wait } = yield* Steps

    /**
     * Issues the document to its buyer without a verdict. A document that was never submitted is signed as type 04, with the same
     * CUFE or CUDE; a document whose bytes may have left keeps these bytes. The authority is not called: the outcome of an earlier
     * submission is asked for when the document is transmitted.
     */
    const enter = Effect.fnUntraced(function* (row: Document, cause: "outage" | "document") {
      const at = new Date(yield* Clock.currentTimeMillis)
      const result = isIssued(row)
        ? Result.succeed(undefined)
        : yield* Effect.result(signing.sign({ ...row, contingency_since: at, of_type_04: true }))
      if (Result.isFailure(result)) return yield* unsignable(row, result.failure)
      yield* step(row, "EnterContingency", {
        ...(result.success === undefined ? {} : { signed: result.success }),
        ...(cause === "outage"
          ? { alarmMs: Infinity }
          : { alarmMs: ownTransmissionMs, transmitWithinMs: transmitWithinMs })
      })
      return Option.none<Document>()
    })

    /** Whether a document's call may be made now (in state `signed`: until the circuit opens). If not, its next step is stored. */
    const mayCall = Effect.fnUntraced(function* (row: Document) {
      if (row.state === "signed" && (yield* circuits.phase(row)) !== "open") return true
      if (yield* circuits.admits(row)) return true
      if (row.state === "accepted_contingency") yield* wait(row, Infinity)
      else if ((yield* circuits.phase(row)) === "open") yield* enter(row, "outage")
      else yield* wait(row, lookAgainMs)
      return false
    })

    const delayOf = Effect.fnUntraced(function* (row: Document, leftMs: number | null) {
      const delay = authorityDelayMs(row.attempts, yield* Random.next)
      return leftMs === null ? delay : Math.min(delay, Math.max(leftMs, 1_000))
    })

    /** Handles a call without an answer: the outcome is unknown, so that it is asked for later and never guessed. */
    const unanswered = Effect.fnUntraced(function* (row: Document, error: AuthorityUnavailable) {
      const ofDocument = error.of_document === true
      const isOpen = !ofDocument && (yield* circuits.phase(row)) === "open"
      const leftMs = ofDocument ? circuits.openAfterMs - (row.submitted_ms ?? 0) : yield* circuits.leftMs(row)
      const isLong = isOpen || (ofDocument && leftMs !== null && leftMs <= 0)
      yield* Effect.logWarning("The authority gave no answer").pipe(
        Effect.annotateLogs({ reason: error.message, attempts: row.attempts, is_outage: isOpen })
      )
      if (row.state === "accepted_contingency") {
        yield* wait(row, ofDocument ? yield* delayOf(row, null) : Infinity)
      } else if (isLong) {
        yield* enter(row, ofDocument ? "document" : "outage")
      } else {
        yield* wait(row, yield* delayOf(row, leftMs))
      }
      return Option.none<Document>()
    })

    /** Logs an error for a document that is late: the account is in breach, and the document is transmitted all the same. */
    const warnIfLate = Effect.fnUntraced(function* (row: Document) {
      const { transmit_before } = row
      if (transmit_before === null || transmit_before.getTime() > (yield* Clock.currentTimeMillis)) return
      yield* Effect.logError("A document in contingency was not transmitted within 48 hours; it is tried further").pipe(
        Effect.annotateLogs({ transmit_before: transmit_before.toISOString() })
      )
    })

    return { enter, mayCall, unanswered, warnIfLate }
  })
}) {
  static readonly layer = Layer.effect(Contingency, Contingency.make)
}
