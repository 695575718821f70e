import { Cause, Context, type Duration, Effect, Layer, Metric, Option, Random, Result } from "effect"
import type { Failure } from "../../schemas/FiscalDocument.ts"
import type { InvoiceState } from "../domain/InvoiceLifecycle.ts"
import { authorityDelayMs } from "../domain/RetrySchedule.ts"
import { AuthorityRefusal, type Verdict } from "../outbound/Authority.ts"
import { Fault } from "../protocol/Fault.ts"
import * as Metrics from "../protocol/Metrics.ts"
import { type InvoiceKey, Invoices } from "../store/Invoices.ts"
import { isIssued, isUnreadable, PoisonInvoices, reminderLeaseSeconds, type RowKey } from "../store/PoisonInvoices.ts"
import { isDefect, isSqlFailure } from "../store/SqlFailure.ts"
import * as AuthorityCalls from "./AuthorityCalls.ts"
import { AuthorityBroken, callAlarmMs } from "./AuthorityCalls.ts"
import * as AuthorityTurns from "./AuthorityTurns.ts"
import * as BrokenCalls from "./BrokenCalls.ts"
import * as Circuits from "./Circuits.ts"
import * as Contingency from "./Contingency.ts"
import { DocumentSigning } from "./DocumentSigning.ts"
import * as InvoiceSteps from "./InvoiceSteps.ts"
import type { Document } from "./InvoiceSteps.ts"
import * as Redate from "./Redate.ts"
import { Workload } from "./Workload.ts"

// The sweeper's reminder while the actor is at work.
const workAlarmMs = 5_000

const notSentAlarmMs = 1_000

// A document that breaks the service itself ends as failed, so that it cannot be tried for ever.
const internalFailuresMax = 5

// A restart of the database takes a second or two. Longer outages are the sweeper's.
const databaseWaits: ReadonlyArray<Duration.Input> = ["1 second", "2 seconds", "4 seconds"]

const failure: Failure = {
  code: "internal_error",
  message: "The document could not be processed. It can be retried, and keeps the number it has.",
  retryable: true
}

const refusal = (message: string): Failure => ({
  code: "authority_refused",
  message: `The authority refused the document without judging it (${message}). Put right what it names, then retry: the document keeps its number.`,
  retryable: true
})

export class InvoiceWork extends Context.Service<
  InvoiceWork,
  {
    /** Does whatever the document's row says is next, and what follows from that, until it has to wait. */
    readonly proceed: (key: InvoiceKey) => Effect.Effect<void>
    /** Ends a draft that cannot be numbered; no number was used. */
    readonly fail: (key: RowKey, failure: Failure) => Effect.Effect<void>
    /**
     * Something of ours broke on this document, for this cause. It waits longer each time; one that the authority cannot have
     * yet ends as failed. What may have reached the authority is never given up: its outcome would be guessed.
     */
    readonly stumble: (key: RowKey, cause: Cause.Cause<never>) => Effect.Effect<void>
  }
>()("folio/entities/InvoiceWork") {
  /** What an invoice's actor does, apart from the actor. */
  static readonly layer = Layer.effect(
    InvoiceWork,
    Effect.gen(function* () {
      const invoices = yield* Invoices
      const poison = yield* PoisonInvoices
      const signing = yield* DocumentSigning
      const workload = yield* Workload
      const inTurn = yield* AuthorityTurns.make
      const steps = yield* InvoiceSteps.make
      const { step, unsignable, wait } = steps
      const circuits = yield* Circuits.make
      const calls = yield* AuthorityCalls.make(circuits)
      const contingency = yield* Contingency.make(circuits, steps)
      const brokenCalls = BrokenCalls.make(steps)
      const dating = yield* Redate.make(steps)

      const sign = Effect.fnUntraced(function* (row: Document) {
        if (yield* dating.isStale(row)) return yield* dating.redate(row)
        if ((yield* circuits.phase(row)) === "open") return yield* contingency.enter(row, "outage")
        yield* Fault.at("before-sign")
        const result = yield* Effect.result(signing.sign(row))
        yield* Fault.at("after-sign")
        if (Result.isFailure(result)) return yield* unsignable(row, result.failure)
        const signed = result.success
        const next = yield* step(row, "Sign", { signed, alarmMs: workAlarmMs, held: true })
        return Option.map(next, (stored): Document => ({ ...stored, signed }))
      })

      const conclude = (row: Document, verdict: Verdict) =>
        step(row, verdict.accepted ? "Accept" : "Reject", {
          errors: verdict.errors,
          notifications: verdict.notifications,
          authorityAnswer: verdict.answer,
          alarmMs: null
        })

      // What was given to its buyer cannot fail: whoever reads the log puts right what is wrong, and then it is taken.
      const refused = Effect.fnUntraced(function* (row: Document, { message }: AuthorityRefusal) {
        yield* Effect.logError("The authority refused a document without judging it").pipe(
          Effect.annotateLogs({ reason: message, state: row.state })
        )
        if (row.state === "accepted_contingency") {
          yield* wait(row, authorityDelayMs(row.attempts, yield* Random.next), {})
        } else {
          yield* step(row, "Fail", { failure: refusal(message), alarmMs: null })
        }
        return Option.none<Document>()
      })

      // If it is still this process's own, it is looked at again soon: then the authority is asked first.
      const notSent = (row: Document) => Effect.as(wait(row, notSentAlarmMs, {}), Option.none<Document>())

      /** This attempt of `row` is counted. */
      const call = (row: Document, arrived: boolean) =>
        calls.verdictOn(row, arrived).pipe(
          Effect.matchEffect({
            onSuccess: (verdict) =>
              verdict === null
                ? notSent(row)
                : brokenCalls
                    .forget(row)
                    .pipe(Effect.andThen(Fault.at("after-verdict")), Effect.andThen(conclude(row, verdict))),
            onFailure: (error) => {
              if (error instanceof AuthorityBroken) return brokenCalls.broken(row, error)
              return Effect.andThen(
                brokenCalls.forget(row),
                error instanceof AuthorityRefusal ? refused(row, error) : contingency.unanswered(row, error)
              )
            }
          })
        )

      const first = Effect.fnUntraced(function* (row: Document) {
        if (yield* dating.isStale(row)) return yield* dating.redate(row)
        if (!(yield* contingency.mayCall(row))) return Option.none<Document>()
        const submitted = yield* step(row, "Submit", { attempt: true, leaves: true, alarmMs: callAlarmMs, held: true })
        yield* Fault.at("after-submit")
        return Option.isSome(submitted) ? yield* call(submitted.value, isIssued(row)) : Option.none<Document>()
      })

      const again = Effect.fnUntraced(function* (row: Document) {
        if (!(yield* contingency.mayCall(row))) return Option.none<Document>()
        yield* contingency.warnIfLate(row)
        if (!(yield* wait(row, callAlarmMs, { attempt: true, leaves: true, held: true })))
          return Option.none<Document>()
        const counted = { ...row, version: row.version + 1, attempts: row.attempts + 1 }
        return yield* call(counted, row.submitted_at !== null)
      })

      // A document whose turn does not come has called nobody: its alarm brings it back.
      const queueing = (action: (row: Document) => Effect.Effect<Option.Option<Document>>) => (row: Document) =>
        Effect.map(inTurn(row, action(row)), Option.flatten)
      const actions: Partial<Record<InvoiceState, (row: Document) => Effect.Effect<Option.Option<Document>>>> = {
        numbered: sign,
        signed: queueing(first),
        submitted: queueing(again),
        accepted_contingency: queueing(again)
      }

      const settle = Effect.fnUntraced(function* (key: RowKey, cause: Cause.Cause<never>) {
        const found = yield* poison.vitals(key)
        if (Option.isNone(found)) return yield* poison.park([key])
        const row = found.value
        if (row.state !== "queued" && actions[row.state] === undefined) return
        const submitted = isIssued(row)
        // An attempt to submit was counted before it was made, unless the row could not be read.
        const counted = submitted && row.state !== "signed" && !isUnreadable(cause)
        const attempts = counted ? row.attempts : row.attempts + 1
        if (submitted || attempts < internalFailuresMax) {
          const lease = row.state === "queued" ? reminderLeaseSeconds * 1000 : 0
          yield* wait(row, lease + authorityDelayMs(attempts, yield* Random.next), { attempt: !counted })
        } else {
          yield* step(row, "Fail", { failure, alarmMs: null })
        }
      })

      const stumble = Effect.fn("InvoiceWork.stumble")(function* (key: RowKey, cause: Cause.Cause<never>) {
        yield* Effect.logError("An invoice could not proceed", cause).pipe(Effect.annotateLogs({ invoice_id: key.id }))
        if (isSqlFailure(cause)) return
        yield* Metric.update(Metrics.poison("invoice"), 1)
        yield* settle(key, cause).pipe(
          Effect.catchCauseIf(
            (second) => isDefect(second),
            (second) =>
              Effect.andThen(Effect.logError("An invoice could not be ended; it waits", second), poison.park([key]))
          )
        )
      })

      const work = Effect.fnUntraced(function* (key: InvoiceKey) {
        let row: Option.Option<Document> = yield* workload.signing(
          Effect.gen(function* () {
            const found = yield* invoices.load(key)
            return Option.isSome(found) && found.value.state === "numbered" ? yield* sign(found.value) : found
          })
        )
        while (Option.isSome(row)) {
          const action = actions[row.value.state]
          if (action === undefined) return
          row = yield* action(row.value)
        }
      })

      /** A database that went away is waited for, briefly; then the row says how far the document had come. */
      const patiently = (key: InvoiceKey, waits: ReadonlyArray<Duration.Input>): Effect.Effect<void> =>
        Effect.catchCauseIf(
          work(key),
          (cause) => !Cause.hasInterruptsOnly(cause),
          (cause) => {
            const [pause, ...rest] = waits
            return isSqlFailure(cause) && pause !== undefined
              ? Effect.andThen(Effect.sleep(pause), patiently(key, rest))
              : stumble(key, cause)
          }
        )

      const proceed = Effect.fn("InvoiceWork.proceed")((key: InvoiceKey) => patiently(key, databaseWaits))

      const end = Effect.fnUntraced(function* (key: RowKey, why: Failure) {
        const row = yield* poison.vitals(key)
        if (Option.isSome(row) && row.value.state === "queued") {
          yield* step(row.value, "Fail", { failure: why, alarmMs: null })
        }
      })

      const fail = Effect.fn("InvoiceWork.fail")((key: RowKey, why: Failure) =>
        Effect.catchCauseIf(
          end(key, why),
          (cause) => isDefect(cause),
          (cause) => stumble(key, cause)
        )
      )

      return InvoiceWork.of({ proceed, fail, stumble })
    })
  )
}
