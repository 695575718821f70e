import { Cause, Context, type Duration, Effect, FiberSet, Layer, Metric, Option, Random, Result } from "effect"
import type { DocumentKey, Failure } from "../../schemas/FiscalDocument.ts"
import { refusalMessage, waitingMessage } from "../domain/authority/AuthorityTroubles.ts"
import { isOnCredit } from "../domain/documents/Acceptance.ts"
import { type InvoiceState, isIssued } from "../domain/documents/InvoiceLifecycle.ts"
import { authorityDelayMs } from "../domain/webhooks/RetrySchedule.ts"
import { AuthorityRefusal, troubleOf, type Verdict } from "../outbound/authority/Authority.ts"
import { inLane } from "../protocol/AccountLanes.ts"
import { Fault } from "../protocol/Fault.ts"
import * as Metrics from "../protocol/Metrics.ts"
import { PortBroken } from "../protocol/PortCall.ts"
import { Invoices, type LoadedInvoice } from "../store/documents/Invoices.ts"
import { isUnreadable, FailingInvoices, reminderLeaseSeconds } from "../store/documents/Vitals.ts"
import { isDefect, isSqlFailure } from "../store/sql/SqlFailure.ts"
import { AuthorityCalls, callAlarmMs } from "./AuthorityCalls.ts"
import { AuthorityQueue } from "./AuthorityQueue.ts"
import { Failures } from "./Failures.ts"
import { CircuitBreaker } from "./CircuitBreaker.ts"
import { Contingency } from "./Contingency.ts"
import { Signing } from "./Signing.ts"
import { type Document, Steps } from "./Steps.ts"
import { Redating } from "./Redating.ts"
import { Backpressure } from "./Backpressure.ts"

// Milliseconds after which the sweeper reminds the actor of a document that the actor is working on.
const workAlarmMs = 5_000

const notSentAlarmMs = 1_000

// Attempts after which a document that breaks the service, and was never issued, ends as failed instead of being retried forever.
const internalFailuresMax = 5

// A restart of the database takes a second or two. After longer outages the sweeper reminds the actor.
const databaseWaits: ReadonlyArray<Duration.Input> = ["1 second", "2 seconds", "4 seconds"]

const failure: Failure = {
  code: "internal_error",
  message: "The document could not be processed. It can be retried, and keeps the number it has.",
  retryable: true
}

const refusal = (error: AuthorityRefusal): Failure => ({
  code: error.trouble === "certificate_missing" ? "no_certificate" : "authority_refused",
  message: `The document was not judged. ${refusalMessage(troubleOf(error), error.message)} Then retry the document: it keeps its number.`,
  retryable: true
})

type Signed = Document & { readonly signed: Uint8Array }

/** What an invoice's actor does for its document until the authority has judged the document. */
export class Submission extends Context.Service<Submission>()("folio/issuing/Submission", {
  make: Effect.gen(function* () {
    const invoices = yield* Invoices
    const failing = yield* FailingInvoices
    const signing = yield* Signing
    const backpressure = yield* Backpressure
    const { ifFree, inTurn } = yield* AuthorityQueue
    const { end, step, unsignable, wait, waitForAuthority } = yield* Steps
    const circuits = yield* CircuitBreaker
    const calls = yield* AuthorityCalls
    const contingency = yield* Contingency
    const failures = yield* Failures
    const dating = yield* Redating

    /** Makes the signed bytes of a numbered document, which are not stored yet; gives none when the document is not to be signed now. */
    const prepare = Effect.fnUntraced(function* (numbered: Document) {
      const dated = (yield* dating.isStale(numbered)) ? yield* dating.redate(numbered) : Option.some(numbered)
      if (Option.isNone(dated)) return Option.none<Signed>()
      const row = dated.value
      if ((yield* circuits.phase(row)) === "open") {
        yield* contingency.enter(row, "outage")
        return Option.none<Signed>()
      }
      yield* Fault.at("before-sign")
      const result = yield* Effect.result(signing.sign(row))
      yield* Fault.at("after-sign")
      if (Result.isSuccess(result)) return Option.some<Signed>({ ...row, signed: result.success })
      yield* unsignable(row, result.failure)
      return Option.none<Signed>()
    })

    const conclude = (row: Document, verdict: Verdict) =>
      step(row, verdict.accepted ? "Accept" : "Reject", {
        errors: verdict.errors,
        notifications: verdict.notifications,
        authorityAnswer: verdict.answer,
        asksBuyer: verdict.accepted && isOnCredit(row),
        alarmMs: null
      })

    // A document in contingency was given to its buyer and cannot fail: it is retried until the operator, who reads the log, has
    // fixed the cause and the authority takes the document.
    const refused = Effect.fnUntraced(function* (row: Document, error: AuthorityRefusal) {
      const trouble = troubleOf(error)
      yield* Effect.logError("The authority refused a document without judging it").pipe(
        Effect.annotateLogs({ trouble, reason: error.message, state: row.state })
      )
      if (row.state === "accepted_contingency") {
        yield* waitForAuthority(row, { code: trouble, message: waitingMessage(trouble, error.message, false) })
      } else {
        yield* end(row, refusal(error))
      }
      return Option.none<Document>()
    })

    /** Calls the authority for a row whose attempt is already counted, and stores the outcome. `isFresh`: nothing of it can have left before. */
    const call = Effect.fnUntraced(function* (row: Document, arrived: boolean, isFresh: boolean) {
      const result = yield* Effect.result(calls.verdictOn(row, arrived))
      if (Result.isFailure(result)) {
        if (result.failure instanceof PortBroken) return yield* failures.broken(row, result.failure)
        yield* failures.forget(row)
        if (result.failure instanceof AuthorityRefusal) return yield* refused(row, result.failure)
        return yield* contingency.unanswered(row, result.failure, isFresh)
      }
      // Nothing was sent. If this process still owns the document, the alarm brings the document back soon, and then the authority
      // is asked for a verdict before anything is sent.
      if (result.success === null) return yield* Effect.as(wait(row, notSentAlarmMs), Option.none<Document>())
      yield* failures.forget(row)
      yield* Fault.at("after-verdict")
      return yield* conclude(row, result.success)
    })

    const first = Effect.fnUntraced(function* (row: Document) {
      if (yield* dating.isStale(row)) return yield* dating.redate(row)
      const isFresh = !isIssued(row)
      if (!(yield* contingency.mayCall(row, isFresh))) return Option.none<Document>()
      const submitted = yield* step(row, "Submit", { attempt: true, leaves: true, alarmMs: callAlarmMs, held: true })
      yield* Fault.at("after-submit")
      return Option.isSome(submitted) ? yield* call(submitted.value, !isFresh, isFresh) : Option.none<Document>()
    })

    const storeSigned = (row: Document, signed: Uint8Array) =>
      Effect.map(
        backpressure.signing(row, step(row, "Sign", { signed, alarmMs: workAlarmMs, held: true })),
        Option.map((stored): Document => ({ ...stored, signed }))
      )

    const storeAndSend = Effect.fnUntraced(function* (row: Document, signed: Uint8Array) {
      const details = { signs: true, signed, attempt: true, leaves: true, alarmMs: callAlarmMs, held: true }
      const submitted = yield* backpressure.signing(row, step(row, "Submit", details))
      yield* Fault.at("after-submit")
      return Option.isSome(submitted)
        ? yield* call({ ...submitted.value, signed }, false, true)
        : Option.none<Document>()
    })

    const sign = Effect.fnUntraced(function* (numbered: Document) {
      const prepared = yield* backpressure.signing(numbered, prepare(numbered))
      return Option.isSome(prepared) ? yield* storeSigned(prepared.value, prepared.value.signed) : prepared
    })

    /**
     * Signs a document that was numbered just now and sends it at once: one statement stores the signed bytes and the submission, before
     * the first byte leaves. While other documents wait for the authority, or the authority may be away, the document is signed alone.
     */
    const signAndSend = Effect.fnUntraced(function* (numbered: Document) {
      const prepared = yield* backpressure.signing(numbered, prepare(numbered))
      if (Option.isNone(prepared)) return prepared
      const { signed, ...row } = prepared.value
      const sent = (yield* contingency.isClear(row)) ? yield* ifFree(row, storeAndSend(row, signed)) : Option.none()
      return Option.isSome(sent) ? sent.value : yield* storeSigned(row, signed)
    })

    const again = Effect.fnUntraced(function* (row: Document) {
      if (!(yield* contingency.mayCall(row, false))) return Option.none<Document>()
      yield* contingency.warnIfLate(row)
      if (!(yield* wait(row, callAlarmMs, { attempt: true, leaves: true, held: true }))) return Option.none<Document>()
      const counted = { ...row, version: row.version + 1, attempts: row.attempts + 1 }
      return yield* call(counted, row.submitted_at !== null, false)
    })

    // A document that gets no turn in time makes no call; the alarm in its row brings the document back.
    const queueing = (action: (row: Document) => Effect.Effect<Option.Option<Document>>) => (row: Document) =>
      Effect.map(inTurn(row, action(row)), Option.flatten)
    const actions: Partial<Record<InvoiceState, (row: Document) => Effect.Effect<Option.Option<Document>>>> = {
      numbered: sign,
      signed: queueing(first),
      submitted: queueing(again),
      accepted_contingency: queueing(again)
    }

    const settle = Effect.fnUntraced(function* (key: DocumentKey, cause: Cause.Cause<never>) {
      const found = yield* failing.vitals(key)
      if (Option.isNone(found)) return yield* failing.park([key])
      const row = found.value
      if (row.state !== "queued" && actions[row.state] === undefined) return
      const submitted = isIssued(row)
      // An attempt to submit is counted before the call is made, unless the row could not be read.
      const counted = submitted && row.state !== "signed" && !isUnreadable(cause)
      const attempts = counted ? row.attempts : row.attempts + 1
      if (submitted || attempts < internalFailuresMax) {
        const lease = row.state === "queued" ? reminderLeaseSeconds * 1000 : 0
        yield* wait(row, lease + authorityDelayMs(attempts, yield* Random.next), { attempt: !counted })
      } else {
        yield* end(row, failure)
      }
    })

    /**
     * Handles an internal error of the service on a document. The document waits longer each time; a document that the authority
     * cannot have yet ends as failed in the end. A document that may have reached the authority is never given up, because its
     * outcome would be guessed.
     */
    const stumble = Effect.fn("Submission.stumble")(function* (key: DocumentKey, cause: Cause.Cause<never>) {
      yield* Effect.logError("An invoice could not proceed", cause).pipe(Effect.annotateLogs({ invoice_id: key.id }))
      if (isSqlFailure(cause)) return
      yield* Metric.update(Metrics.poison("invoice"), 1)
      yield* Effect.catchCauseIf(
        settle(key, cause),
        (second) => isDefect(second),
        (second) =>
          Effect.andThen(Effect.logError("An invoice could not be ended; it waits", second), failing.park([key]))
      )
    })

    const workOff = Effect.fnUntraced(function* (from: Option.Option<Document>) {
      let row = from
      while (Option.isSome(row)) {
        const action = actions[row.value.state]
        if (action === undefined) return
        row = yield* action(row.value)
      }
    })

    const work = (key: DocumentKey) => Effect.flatMap(backpressure.signing(key, invoices.load(key)), workOff)

    /** Retries after a short wait when the database fails; the row then says how far the document had come. */
    const patiently = (
      key: DocumentKey,
      steps: Effect.Effect<void>,
      waits: ReadonlyArray<Duration.Input> = databaseWaits
    ): Effect.Effect<void> =>
      Effect.catchCauseIf(
        steps,
        (cause) => !Cause.hasInterruptsOnly(cause),
        (cause) => {
          const [pause, ...rest] = waits
          return isSqlFailure(cause) && pause !== undefined
            ? Effect.andThen(Effect.sleep(pause), patiently(key, work(key), rest))
            : stumble(key, cause)
        }
      )

    /** Carries out the steps that the document's row calls for, until the document is done or has to wait. */
    const proceed = Effect.fn("Submission.proceed")((key: DocumentKey) => patiently(key, work(key)))

    const begun = yield* FiberSet.make<void>()

    /** Carries out the steps of a document that was numbered just now, beside the caller; ends with this process if it has not ended before. */
    const begin = (row: LoadedInvoice) => {
      const steps = patiently(row, Effect.flatMap(signAndSend(row), workOff)).pipe(
        Effect.withSpan("Submission.begin", {
          kind: "consumer",
          attributes: { account_id: row.account_id, invoice_id: row.id }
        }),
        Effect.catchCause((cause) =>
          Effect.logError("An invoice could not proceed; the sweeper will try again", cause)
        ),
        Effect.annotateLogs({ account_id: row.account_id, invoice_id: row.id })
      )
      return Effect.asVoid(FiberSet.run(begun, inLane(row)(steps)))
    }

    /** Ends a draft that cannot be numbered as failed, with this failure; no number is used. */
    const fail = Effect.fn("Submission.fail")(
      function* (key: DocumentKey, why: Failure) {
        const row = yield* failing.vitals(key)
        if (Option.isSome(row) && row.value.state === "queued") yield* end(row.value, why)
      },
      (ending, key) =>
        Effect.catchCauseIf(
          ending,
          (cause) => isDefect(cause),
          (cause) => stumble(key, cause)
        )
    )

    return { begin, proceed, fail, stumble }
  })
}) {
  static readonly layer = Layer.effect(Submission, Submission.make)
}
