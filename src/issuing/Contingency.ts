import { Clock, Context, Duration, Effect, Layer, Option, Random, Result } from "effect"
import type { AccountMode } from "../../schemas/Account.ts"
import type { AuthorityTrouble } from "../../schemas/AuthorityTrouble.ts"
import { authorityTroubles, waitingMessage } from "../domain/authority/AuthorityTroubles.ts"
import { authorityDelayMs } from "../domain/webhooks/RetrySchedule.ts"
import { type AuthorityUnavailable, troubleOf } from "../outbound/authority/Authority.ts"
import { isReceived } from "./AuthorityCalls.ts"
import { CircuitBreaker } from "./CircuitBreaker.ts"
import { Signing } from "./Signing.ts"
import { type Document, Steps } from "./Steps.ts"

// After this part of the time to contingency without a successful call, documents that never left are not sent: what is sent then waits
// for its verdict until the authority is back, and what never left can be issued in contingency.
const holdBackAfter = 0.2

// A document that alone gets no answer is transmitted by its own alarm, not by the sweep that follows an outage.
const ownTransmissionMs = 30_000
const transmitWithinMs = Duration.toMillis(Duration.hours(48))

// What the row says of a document that the authority has received stays: whatever goes wrong meanwhile, the document is not sent again.
const waitingFor = (row: Document, trouble: AuthorityTrouble | null, message: string | null, isFresh: boolean) => {
  if (trouble === null) return {}
  const words = waitingMessage(trouble, message ?? "", isFresh)
  return trouble !== "in_process" && isReceived(row)
    ? { waiting: { code: "in_process" as const, message: `${authorityTroubles.in_process.what} ${words}` } }
    : { waiting: { code: trouble, message: words } }
}

/** Handles documents while the authority gives no answer. */
export class Contingency extends Context.Service<Contingency>()("folio/issuing/Contingency", {
  make: Effect.gen(function* () {
    const circuits = yield* CircuitBreaker
    const signing = yield* Signing
    const { step, unsignable, wait } = yield* Steps

    /**
     * Issues a document that never left to its buyer without a verdict, signed as type 04 with the same CUFE or CUDE. The authority is
     * not called.
     */
    const enter = Effect.fnUntraced(function* (row: Document, cause: "outage" | "document") {
      const at = new Date(yield* Clock.currentTimeMillis)
      const result = yield* Effect.result(signing.sign({ ...row, contingency_since: at, of_type_04: true }))
      if (Result.isFailure(result)) return yield* unsignable(row, result.failure)
      yield* step(row, "EnterContingency", {
        signed: result.success,
        ...(cause === "outage"
          ? { alarmMs: Infinity }
          : { alarmMs: ownTransmissionMs, transmitWithinMs: transmitWithinMs })
      })
      return Option.none<Document>()
    })

    const isHeldBack = (isFresh: boolean, leftMs: number | null) =>
      isFresh && leftMs !== null && leftMs < circuits.openAfterMs * (1 - holdBackAfter)

    /** Whether nothing stands between a document that never left and the authority: its call may be made now. */
    const isClear = (account: AccountMode) =>
      Effect.map(circuits.look(account), ({ leftMs, phase }) => phase === "closed" && !isHeldBack(true, leftMs))

    /**
     * Whether a document's call may be made now. If not, the document rests until the authority can be called, or is issued in
     * contingency. `isFresh`: nothing of it can have left.
     */
    const mayCall = Effect.fnUntraced(function* (row: Document, isFresh: boolean) {
      const { isTried, leftMs, message, phase, trouble } = yield* circuits.look(row)
      if (phase === "closed" && !isHeldBack(isFresh, leftMs)) return true
      if (phase === "open" && isFresh) {
        yield* enter(row, "outage")
        return false
      }
      // What is sent to an authority that breaks off or answers errors may arrive: a document that never left does not try that, unless
      // nothing else does. Otherwise one document that the authority alone cannot judge would hold up all others.
      const isAtRisk =
        isFresh && isTried && leftMs !== null && trouble !== null && authorityTroubles[trouble].may_have_left
      if (!isAtRisk && (yield* circuits.probes(row))) return true
      yield* wait(row, Infinity, waitingFor(row, trouble, message, isFresh))
      return false
    })

    const delayOf = Effect.fnUntraced(function* (row: Document, leftMs: number | null) {
      const delay = authorityDelayMs(row.attempts, yield* Random.next)
      return leftMs === null ? delay : Math.min(delay, Math.max(leftMs, 1_000))
    })

    /** Takes back the submission of a document of which nothing left; issues it in contingency if the authority is away for long. */
    const returned = Effect.fnUntraced(function* (row: Document, error: AuthorityUnavailable, alarmMs: number) {
      const trouble = troubleOf(error)
      const back = yield* step(row, "Return", { alarmMs, ...waitingFor(row, trouble, error.message, true) })
      if (Option.isNone(back) || authorityTroubles[trouble].of !== "authority") return
      const waited = row.waiting?.code === trouble ? (row.waiting_ms ?? 0) : 0
      const isLongAway = error.of_document === true && (error.lasts === true || waited >= circuits.openAfterMs)
      if (isLongAway) yield* enter(back.value, "document")
      else if (error.of_document !== true && (yield* circuits.phase(row)) === "open") {
        yield* enter(back.value, "outage")
      }
    })

    /**
     * Handles a call without a verdict. A document that may have left keeps its state, however long it takes: its outcome is asked for
     * later and never guessed. `isFresh`: no earlier call can have brought the document to the authority.
     */
    const unanswered = Effect.fnUntraced(function* (row: Document, error: AuthorityUnavailable, isFresh: boolean) {
      const trouble = troubleOf(error)
      const { may_have_left, of } = authorityTroubles[trouble]
      const isOfDocument = error.of_document === true || of === "document" || of === "account"
      const { leftMs, phase } = isOfDocument ? { leftMs: null, phase: "closed" as const } : yield* circuits.look(row)
      // What all documents meet is logged once, by the circuit breaker.
      yield* Effect.logWithLevel(isOfDocument ? "Warn" : "Debug")("The authority gave no verdict").pipe(
        Effect.annotateLogs({ trouble, reason: error.message, attempts: row.attempts, is_outage: phase === "open" })
      )
      const isResting = phase === "open" || phase === "blocked"
      const alarmMs = isResting ? Infinity : yield* delayOf(row, isOfDocument ? null : leftMs)
      const isUnsent = isFresh && !may_have_left && row.state === "submitted"
      if (isUnsent) yield* returned(row, error, alarmMs)
      else yield* wait(row, alarmMs, waitingFor(row, trouble, error.message, false))
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

    return { enter, isClear, mayCall, unanswered, warnIfLate }
  })
}) {
  static readonly layer = Layer.effect(Contingency, Contingency.make)
}
