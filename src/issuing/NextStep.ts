import type { AuthorityTrouble, Waiting } from "../../schemas/AuthorityTrouble.ts"
import type { Failure } from "../../schemas/FiscalDocument.ts"
import { authorityTroubles, refusalMessage, waitingMessage } from "../domain/authority/AuthorityTroubles.ts"
import { isIssued, isOpen } from "../domain/documents/InvoiceLifecycle.ts"
import { authorityDelayMs } from "../domain/webhooks/RetrySchedule.ts"
import {
  AuthorityRefusal,
  type AuthorityUnavailable,
  troubleOf,
  type Verdict
} from "../outbound/authority/Authority.ts"
import { PortBroken } from "../protocol/PortCall.ts"
import type { LoadedInvoice } from "../store/documents/Invoices.ts"
import { reminderLeaseSeconds, type Vitals } from "../store/documents/Vitals.ts"

/*
 * What happens next to a document: by its state (`nextStep`), after a call of the authority (`afterCall`), and after the service broke on
 * it (`afterDefect`). Pure: the row, what is known of the authority, and the time decide. `Executor` carries the decisions out.
 *
 * `InvoiceLifecycle` has the other table: which steps a state allows. Three things are decided elsewhere: the number of a draft
 * (`Numbering`), what a verdict leads to (`conclusion` in `Changes`), and the e-mail of an accepted document (`Mailing`).
 */

/**
 * `closed`: the authority may be called. `doubtful`: the authority has been away for as long as documents wait for it, and one
 * call finds out whether it still is. `blocked`: the same, and it is not the authority's fault: documents wait however long it takes.
 * `open`: the authority is away by its own fault, and documents that never left are issued in contingency.
 */
export type Phase = "closed" | "doubtful" | "blocked" | "open"

/** What decides of a document's row. */
export type Facts = Pick<
  LoadedInvoice,
  "state" | "cufe" | "issue_date" | "attempts" | "submitted_at" | "contingency_since" | "waiting" | "waiting_ms"
>

/** What is known of the authority, for one account. */
export interface AuthorityState {
  readonly phase: Phase
  /** Milliseconds that calls may go on failing before documents are issued without them; null while no recent call has failed. */
  readonly leftMs: number | null
  /** Whether a call has failed within the last minute, so that whether the authority is back is known without others' calls. */
  readonly isTried: boolean
  /** The trouble and the words of the newest failure. */
  readonly trouble: AuthorityTrouble | null
  readonly message: string | null
  /** Milliseconds without a successful call, by the authority's fault, until documents that never left are issued without it. */
  readonly openAfterMs: number
}

/** Nothing is known against calling the authority. */
export const answering: AuthorityState = {
  phase: "closed",
  leftMs: null,
  isTried: false,
  trouble: null,
  message: null,
  openAfterMs: Infinity
}

type Reason = Omit<Waiting, "since">

/** The document waits: until the alarm, or, with `Infinity`, until the authority can be called. */
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
  /** `Numbering` or a client must act first, or nothing is left to do. */
  | { readonly do: "Rest" }
  /** Gets today's date, and so another code. */
  | { readonly do: "Redate" }
  /** Signed and stored. */
  | { readonly do: "Sign" }
  /** Signed, and stored as submitted in the same statement, then sent: the straight way. */
  | { readonly do: "SignAndSend" }
  /** Stored as submitted, then sent. */
  | { readonly do: "Send" }
  /**
   * The attempt is counted. Then Folio asks the authority for its verdict, and sends the same bytes if the authority does not know them. A
   * document in contingency that never left is sent without asking.
   */
  | { readonly do: "Ask" }
  /** The call is made if this document may try whether the authority is back; else the document rests. */
  | { readonly do: "Try"; readonly call: "Send" | "Ask"; readonly otherwise: Wait }
  /** Issued to its buyer without a verdict. `document`: the authority is away for this document alone. */
  | { readonly do: "EnterContingency"; readonly cause: "outage" | "document" }
  | Wait

// After this part of the time to contingency without a successful call, documents that never left are not sent: what is sent then waits
// for its verdict until the authority is back, and what never left can be issued in contingency.
const holdBackAfter = 0.2

const isHeldBack = (isFresh: boolean, { leftMs, openAfterMs }: AuthorityState) =>
  isFresh && leftMs !== null && leftMs < openAfterMs * (1 - holdBackAfter)

const outage: Next = { do: "EnterContingency", cause: "outage" }

/** Whether a document has no code or not today's date, and both may still be set, because the document was not issued. */
const isStale = (row: Facts, today: string) => !isIssued(row) && (row.cufe === null || row.issue_date !== today)

/** @param today  the date in the authority's zone, YYYY-MM-DD */
export const nextStep = (row: Facts, authority: AuthorityState, today: string): Next => {
  // Nothing of a fresh document can have left.
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
  // What is sent to an authority that breaks off or answers errors may arrive: a document that never left does not try that, unless
  // nothing else does. Otherwise one document that the authority alone cannot judge would hold up all others.
  const isAtRisk = isFresh && isTried && leftMs !== null && trouble !== null && authorityTroubles[trouble].may_have_left
  return isAtRisk ? rest : { do: "Try", call, otherwise: rest }
}

// For how long an authority that has received a document is not sent it again.
const receivedMs = 7 * 86_400_000

/** Whether the authority said within the last week that it has received the document. */
export const isReceived = ({ waiting, waiting_ms }: Pick<Facts, "waiting" | "waiting_ms">): boolean =>
  waiting?.code === "in_process" && (waiting_ms ?? 0) < receivedMs

// What the row says of a document that the authority has received stays: whatever goes wrong meanwhile, the document is not sent again.
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

/** Milliseconds after which a document that was not sent, because this process was away, is looked at again. */
const notSentAlarmMs = 1_000

/** Broken calls in a row after which a document fails: 18 to 19 minutes, with the waits between the calls. */
export const brokenCallsMax = 12

/**
 * A call of the authority. `verdict`: null when nothing was sent. `isFresh`: no earlier call can have brought the document to the
 * authority. `brokenInARow`: how many calls for the document broke one after the other, this one among them. `random`: from 0 to 1.
 */
export interface Called {
  readonly outcome: { readonly verdict: Verdict | null } | AuthorityUnavailable | AuthorityRefusal | PortBroken
  readonly isFresh: boolean
  readonly brokenInARow: number
  readonly random: number
}

export type AfterCall =
  | { readonly do: "Conclude"; readonly verdict: Verdict }
  /** Nothing left: the submission is taken back. `contingency`: the document is issued without the authority afterwards. */
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
  // A document in contingency was given to its buyer and cannot fail.
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
  // It is tried until the operator, who reads the log, has fixed the cause and the authority takes the document.
  return isGiven
    ? { ...later, waiting: { code: trouble, message: waitingMessage(trouble, outcome.message, false) } }
    : { do: "End", failure: refusal(outcome) }
}

/**
 * After a call without a verdict. A document that may have left keeps its state, however long it takes: its outcome is asked for later and
 * never guessed.
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

/** Whether an unanswered call says nothing of the authority, but of the document or of its account. */
export const isOfDocument = (error: AuthorityUnavailable): boolean => {
  const { of } = authorityTroubles[troubleOf(error)]
  return error.of_document === true || of === "document" || of === "account"
}

const broken: Failure = {
  code: "internal_error",
  message:
    "The service broke while it called the authority. Retry when that is mended: the authority is first asked whether it has the document, which keeps its number.",
  retryable: true
}

const refusal = (error: AuthorityRefusal): Failure => ({
  code: error.trouble === "certificate_missing" ? "no_certificate" : "authority_refused",
  message: `The document was not judged. ${refusalMessage(troubleOf(error), error.message)} Then retry the document: it keeps its number.`,
  retryable: true
})

// Attempts after which a document that breaks the service, and was never issued, ends as failed instead of being retried forever.
const internalFailuresMax = 5

const stumbled: Failure = {
  code: "internal_error",
  message: "The document could not be processed. It can be retried, and keeps the number it has.",
  retryable: true
}

/**
 * After the service broke on a document: it waits longer each time, and ends as failed in the end unless it was issued. A document that
 * may have reached the authority is never given up, because its outcome would be guessed.
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
  // An attempt to submit is counted before the call is made.
  const isCounted = isIssuedAlready && row.state !== "signed" && !isUnreadable
  const attempts = isCounted ? row.attempts : row.attempts + 1
  if (!isIssuedAlready && attempts >= internalFailuresMax) return { do: "End", failure: stumbled }
  const lease = row.state === "queued" ? reminderLeaseSeconds * 1000 : 0
  return { do: "Wait", alarmMs: lease + authorityDelayMs(attempts, random), attempt: !isCounted }
}
