import type { AuthorityTrouble, Waiting } from "../../schemas/AuthorityTrouble.ts"
import type { Failure } from "../../schemas/FiscalDocument.ts"
import { authorityTroubles, refusalMessage, waitingMessage } from "./rules/AuthorityTroubles.ts"
import { isIssued, isOpen } from "./rules/InvoiceLifecycle.ts"
import { authorityDelayMs, delayAfterMs } from "../webhooks/rules/RetrySchedule.ts"
import { AuthorityRefusal, type AuthorityUnavailable, troubleOf, type Verdict } from "./authority/Authority.ts"
import { PortBroken } from "../runtime/PortCall.ts"
import type { LoadedInvoice } from "./store/Invoices.ts"
import { reminderLeaseSeconds, type Vitals } from "./store/Vitals.ts"

/*
 * The next step of a document: by its state (`nextStep`), after a call to the authority (`afterCall`), and after an
 * internal error (`afterDefect`). The functions are pure: they depend only on the row, the state of the authority and
 * the time. `Executor` carries out the steps.
 *
 * Other decisions are elsewhere: the steps that a state allows (`InvoiceLifecycle`), a draft's number (`Numbering`),
 * the result of a verdict (`conclusion` in `Changes`), and the email of an accepted document (`Mailing`).
 */

/**
 * `closed`: Folio may call the authority. `doubtful`: the authority has been unavailable for as long as documents wait
 * for it, and one call probes it. `blocked`: the same, but not by the authority's fault: documents wait however long it
 * takes. `open`: the authority is unavailable by its own fault, and documents that never left are issued in
 * contingency.
 */
export type Phase = "closed" | "doubtful" | "blocked" | "open"

/** The columns of a document's row that decide its next step. */
export type Facts = Pick<
  LoadedInvoice,
  "state" | "cufe" | "issue_date" | "attempts" | "submitted_at" | "contingency_since" | "waiting" | "waiting_ms"
>

/** The state of the authority, for one account. */
export interface AuthorityState {
  readonly phase: Phase
  /**
   * Milliseconds of failing calls left until documents are issued in contingency; null while no recent call has failed.
   */
  readonly leftMs: number | null
  /** Whether a call has failed within the last minute, so that no other call is needed as a probe. */
  readonly isTried: boolean
  /** The trouble and the message of the latest failure. */
  readonly trouble: AuthorityTrouble | null
  readonly message: string | null
  /**
   * Milliseconds without a successful call, by the authority's fault, until documents that never left are issued in
   * contingency.
   */
  readonly openAfterMs: number
}

/** The state without a known problem of the authority. */
export const answering: AuthorityState = {
  phase: "closed",
  leftMs: null,
  isTried: false,
  trouble: null,
  message: null,
  openAfterMs: Infinity
}

type Reason = Omit<Waiting, "since">

/** The document waits until the alarm. With `Infinity`, it waits until Folio can call the authority. */
interface Wait {
  readonly do: "Wait"
  readonly alarmMs: number
  readonly waiting?: Reason
  readonly attempt?: boolean
}

interface End {
  readonly do: "End"
  readonly failure: Failure
}

export type Next =
  /** `Numbering` or a client must act first, or the document is done. */
  | { readonly do: "Rest" }
  /** The document gets today's date and therefore another code. */
  | { readonly do: "Redate" }
  /** The document is signed and stored. */
  | { readonly do: "Sign" }
  /** Folio signs the document, stores it as submitted in the same statement, then sends it. */
  | { readonly do: "SignAndSend" }
  /** Folio stores the document as submitted, then sends it. */
  | { readonly do: "Send" }
  /**
   * Folio counts the attempt, asks the authority for its verdict, and sends the same bytes if the authority doesn't
   * have the document. For a document in contingency that never left, Folio sends it without asking.
   */
  | { readonly do: "Ask" }
  /** Folio makes the call if this document may probe the authority; otherwise the document waits. */
  | { readonly do: "Try"; readonly call: "Send" | "Ask"; readonly otherwise: Wait }
  /**
   * Folio issues the document to its buyer without a verdict. `document`: the authority is unavailable only for this
   * document.
   */
  | { readonly do: "EnterContingency"; readonly cause: "outage" | "document" }
  | Wait

// After this part of the time to contingency without a successful call, Folio sends no document that never left. A sent
// document would wait for its verdict until the end of the outage, but Folio can issue an unsent document in
// contingency.
const holdBackAfter = 0.2

const isHeldBack = (isFresh: boolean, { leftMs, openAfterMs }: AuthorityState) =>
  isFresh && leftMs !== null && leftMs < openAfterMs * (1 - holdBackAfter)

const outage: Next = { do: "EnterContingency", cause: "outage" }

/**
 * Whether a document was not issued and has no code or an earlier date than today's, so that Folio may still set both.
 */
const isStale = (row: Facts, today: string) => !isIssued(row) && (row.cufe === null || row.issue_date !== today)

/** @param today  the date in the authority's zone, YYYY-MM-DD */
export const nextStep = (row: Facts, authority: AuthorityState, today: string): Next => {
  // A fresh document cannot have reached the authority, not even in part.
  const isFresh = !isIssued(row)
  switch (row.state) {
    case "numbered":
      if (isStale(row, today)) return { do: "Redate" }
      if (authority.phase === "open") return outage
      return { do: authority.phase === "closed" && !isHeldBack(true, authority) ? "SignAndSend" : "Sign" }
    case "signed":
      return isStale(row, today) ? { do: "Redate" } : callOrWait(row, "Send", isFresh, authority)
    case "submitted":
    case "accepted_contingency":
      return callOrWait(row, "Ask", false, authority)
    case "queued":
    case "accepted_by_authority":
    case "rejected_by_authority":
    case "failed":
    case "canceled":
      return { do: "Rest" }
  }
}

const callOrWait = (row: Facts, call: "Send" | "Ask", isFresh: boolean, authority: AuthorityState): Next => {
  const { isTried, leftMs, message, phase, trouble } = authority
  if (phase === "closed" && !isHeldBack(isFresh, authority)) return { do: call }
  if (phase === "open" && isFresh) return outage
  const rest: Wait = { do: "Wait", alarmMs: Infinity, ...waitingFor(row, trouble, message, isFresh) }
  // A document may arrive at an authority that breaks the connection or returns errors. While other calls probe such an
  // authority, Folio sends no document that never left. Otherwise one document without a verdict would block all
  // others.
  const isAtRisk = isFresh && isTried && leftMs !== null && trouble !== null && authorityTroubles[trouble].may_have_left
  return isAtRisk ? rest : { do: "Try", call, otherwise: rest }
}

// How long Folio does not resend a document that the authority has received.
const receivedMs = 7 * 86_400_000

/** Whether the authority reported within the last week that it has received the document. */
export const isReceived = ({ waiting, waiting_ms }: Pick<Facts, "waiting" | "waiting_ms">): boolean =>
  waiting?.code === "in_process" && (waiting_ms ?? 0) < receivedMs

// The row keeps the report that the authority has received the document, so that Folio never resends it after other
// failures.
const waitingFor = (
  row: Facts,
  trouble: AuthorityTrouble | null,
  message: string | null,
  isFresh: boolean
): { readonly waiting?: Reason } => {
  if (trouble === null) return {}
  const words = waitingMessage(trouble, message ?? "", isFresh)
  return trouble !== "in_process" && isReceived(row)
    ? { waiting: { code: "in_process", message: `${authorityTroubles.in_process.what} ${words}` } }
    : { waiting: { code: trouble, message: words } }
}

/**
 * The step of a document that has no signature, because its signer failed with this message. The document waits as long
 * again as it has waited, up to 5 min, without a limit and without an attempt: the signer's outage is no fault of the
 * document.
 *
 * @param random  from 0 to 1
 */
export const afterNoSignature = (row: LoadedInvoice, message: string, random: number): Wait => {
  const waited = row.waiting?.code === "signer_unavailable" ? (row.waiting_ms ?? 0) : 0
  return {
    do: "Wait",
    alarmMs: delayAfterMs(waited, random),
    waiting: { code: "signer_unavailable", message: waitingMessage("signer_unavailable", message, true) }
  }
}

/** Milliseconds until Folio retries a document that was not sent because this process hung. */
const notSentAlarmMs = 1_000

/** Consecutive broken calls after which a document fails: 18 to 19 minutes, including the waits between the calls. */
export const brokenCallsMax = 12

/**
 * A call to the authority. `verdict`: null if nothing was sent. `isFresh`: no earlier call can have brought the
 * document to the authority. `brokenInARow`: the consecutive broken calls for the document, including this one.
 * `random`: from 0 to 1.
 */
export interface Called {
  readonly outcome: { readonly verdict: Verdict | null } | AuthorityUnavailable | AuthorityRefusal | PortBroken
  readonly isFresh: boolean
  readonly brokenInARow: number
  readonly random: number
}

export type AfterCall =
  | { readonly do: "Conclude"; readonly verdict: Verdict }
  /**
   * The document never left, so its submission is undone. `contingency`: Folio then issues the document in contingency.
   */
  | {
      readonly do: "Return"
      readonly alarmMs: number
      readonly waiting?: Reason
      readonly contingency: "outage" | "document" | null
    }
  | Wait
  | End

export const afterCall = (row: Facts, called: Called, authority: AuthorityState): AfterCall => {
  const { brokenInARow, outcome, random } = called
  const later: Wait = { do: "Wait", alarmMs: authorityDelayMs(row.attempts, random) }
  // The buyer already has a document in contingency, so it cannot fail.
  const isGiven = row.state === "accepted_contingency"
  if ("verdict" in outcome) {
    return outcome.verdict === null
      ? { do: "Wait", alarmMs: notSentAlarmMs }
      : { do: "Conclude", verdict: outcome.verdict }
  }
  if (outcome instanceof PortBroken)
    return brokenInARow < brokenCallsMax || isGiven ? later : { do: "End", failure: broken }
  if (!(outcome instanceof AuthorityRefusal)) return unanswered(row, outcome, called, authority)
  const trouble = troubleOf(outcome)
  // Folio retries until the operator, who reads the log, has fixed the cause and the authority accepts the document.
  return isGiven
    ? { ...later, waiting: { code: trouble, message: waitingMessage(trouble, outcome.message, false) } }
    : { do: "End", failure: refusal(outcome) }
}

/**
 * The step after a call without a verdict. A document that may have reached the authority keeps its state. Folio asks
 * for its outcome later and never guesses the outcome.
 */
const unanswered = (
  row: Facts,
  error: AuthorityUnavailable,
  { isFresh, random }: Called,
  authority: AuthorityState
): AfterCall => {
  const trouble = troubleOf(error)
  const { may_have_left, of } = authorityTroubles[trouble]
  const { leftMs, openAfterMs, phase } = isOfDocument(error)
    ? { ...authority, leftMs: null, phase: "closed" }
    : authority
  const delay = authorityDelayMs(row.attempts, random)
  const alarmMs =
    phase === "open" || phase === "blocked"
      ? Infinity
      : leftMs === null
        ? delay
        : Math.min(delay, Math.max(leftMs, 1_000))
  const isUnsent = isFresh && !may_have_left && row.state === "submitted"
  if (!isUnsent) return { do: "Wait", alarmMs, ...waitingFor(row, trouble, error.message, false) }
  const waited = row.waiting?.code === trouble ? (row.waiting_ms ?? 0) : 0
  const isLongAway = error.of_document === true && (error.lasts === true || waited >= openAfterMs)
  const isOutage = error.of_document !== true && phase === "open"
  const contingency = of !== "authority" ? null : isLongAway ? "document" : isOutage ? "outage" : null
  return { do: "Return", alarmMs, ...waitingFor(row, trouble, error.message, true), contingency }
}

/** Whether a call without a response concerns only the document or its account, not the authority. */
export const isOfDocument = (error: AuthorityUnavailable): boolean => {
  const { of } = authorityTroubles[troubleOf(error)]
  return error.of_document === true || of === "document" || of === "account"
}

const broken: Failure = {
  code: "internal_error",
  message:
    "The service failed while it called the authority. Retry when the operator has fixed the error: Folio first asks the authority whether it has the document, which keeps its number.",
  retryable: true
}

const refusal = (error: AuthorityRefusal): Failure => ({
  code: error.trouble === "certificate_missing" ? "no_certificate" : "authority_refused",
  message: `The authority returned no outcome. ${refusalMessage(troubleOf(error), error.message)} Then retry the document: it keeps its number.`,
  retryable: true
})

// Attempts until a document that causes internal errors fails. Applies only to a document that was never issued.
const internalFailuresMax = 5

const unprocessable: Failure = {
  code: "internal_error",
  message: "The document could not be processed. It can be retried, and keeps the number it has.",
  retryable: true
}

/**
 * The step after an internal error on a document: it waits longer each time and finally fails, unless it was issued. A
 * document that may have reached the authority is retried forever, because its outcome would otherwise be a guess.
 *
 * @param isUnreadable  the row could not be read, so that the attempt is not counted yet
 */
export const afterDefect = (
  row: Vitals,
  isUnreadable: boolean,
  random: number
): { readonly do: "Rest" } | Wait | End => {
  const isIssuedAlready = isIssued(row)
  if (!isOpen(row.state)) return { do: "Rest" }
  // Folio counts an attempt to submit before it makes the call.
  const isCounted = isIssuedAlready && row.state !== "signed" && !isUnreadable
  const attempts = isCounted ? row.attempts : row.attempts + 1
  if (!isIssuedAlready && attempts >= internalFailuresMax) return { do: "End", failure: unprocessable }
  const lease = row.state === "queued" ? reminderLeaseSeconds * 1000 : 0
  return { do: "Wait", alarmMs: lease + authorityDelayMs(attempts, random), attempt: !isCounted }
}
