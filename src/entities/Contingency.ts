import { Clock, Duration, Effect, Option, Random, Result } from "effect"
import { authorityDelayMs } from "../domain/RetrySchedule.ts"
import type { AuthorityUnavailable } from "../outbound/Authority.ts"
import { isIssued } from "../store/PoisonInvoices.ts"
import type { Circuits } from "./Circuits.ts"
import { DocumentSigning } from "./DocumentSigning.ts"
import type { Document, InvoiceSteps } from "./InvoiceSteps.ts"

// While one call finds out, the others look again after this.
const lookAgainMs = 5_000

// A document that alone gets no answer is transmitted by its own alarm.
const ownTransmissionMs = 30_000
const transmitWithinMs = Duration.toMillis(Duration.hours(48))

/** What becomes of documents while the authority gives no answer. */
export const make = Effect.fnUntraced(function* (circuits: Circuits, { step, unsignable, wait }: InvoiceSteps) {
  const signing = yield* DocumentSigning

  /**
   * Gives the document to its buyer without a verdict. What was never submitted is signed as type 04, with the same code; what may
   * have left keeps its bytes. Nobody is called: what its submission came to is asked for when it is transmitted.
   */
  const enter = Effect.fnUntraced(function* (row: Document, of: "outage" | "document") {
    const at = new Date(yield* Clock.currentTimeMillis)
    const result = isIssued(row)
      ? Result.succeed(undefined)
      : yield* Effect.result(signing.sign({ ...row, contingency_since: at, of_type_04: true }))
    if (Result.isFailure(result)) return yield* unsignable(row, result.failure)
    yield* step(row, "EnterContingency", {
      ...(result.success === undefined ? {} : { signed: result.success }),
      ...(of === "outage" ? { alarmMs: Infinity } : { alarmMs: ownTransmissionMs, transmitWithinMs: transmitWithinMs })
    })
    return Option.none<Document>()
  })

  /** Whether the document may be brought to the authority now: a new one until the circuit opens. If not, it was dealt with. */
  const mayCall = Effect.fnUntraced(function* (row: Document) {
    if (row.state === "signed" && (yield* circuits.phase(row)) !== "open") return true
    if (yield* circuits.admits(row)) return true
    if (row.state === "accepted_contingency") yield* wait(row, Infinity, {})
    else if ((yield* circuits.phase(row)) === "open") yield* enter(row, "outage")
    else yield* wait(row, lookAgainMs, {})
    return false
  })

  const delayOf = Effect.fnUntraced(function* (row: Document, leftMs: number | null) {
    const delay = authorityDelayMs(row.attempts, yield* Random.next)
    return leftMs === null ? delay : Math.min(delay, Math.max(leftMs, 1_000))
  })

  /** Without an answer the outcome is unknown: it is asked for later, and never guessed. */
  const unanswered = Effect.fnUntraced(function* (row: Document, error: AuthorityUnavailable) {
    const ofDocument = error.of_document === true
    const isOpen = !ofDocument && (yield* circuits.phase(row)) === "open"
    const leftMs = ofDocument ? circuits.openAfterMs - (row.submitted_ms ?? 0) : yield* circuits.leftMs(row)
    const isLong = isOpen || (ofDocument && leftMs !== null && leftMs <= 0)
    yield* Effect.logWarning("The authority gave no answer").pipe(
      Effect.annotateLogs({ reason: error.message, attempts: row.attempts, is_outage: isOpen })
    )
    if (row.state === "accepted_contingency") {
      yield* wait(row, ofDocument ? yield* delayOf(row, null) : Infinity, {})
    } else if (isLong) {
      yield* enter(row, ofDocument ? "document" : "outage")
    } else {
      yield* wait(row, yield* delayOf(row, leftMs), {})
    }
    return Option.none<Document>()
  })

  /** Since it should have been transmitted, the account is in breach; it is transmitted all the same. */
  const warnIfLate = Effect.fnUntraced(function* (row: Document) {
    const { transmit_before } = row
    if (transmit_before === null || transmit_before.getTime() > (yield* Clock.currentTimeMillis)) return
    yield* Effect.logError("A document in contingency was not transmitted within 48 hours; it is tried further").pipe(
      Effect.annotateLogs({ transmit_before: transmit_before.toISOString() })
    )
  })

  return { enter, mayCall, unanswered, warnIfLate }
})
