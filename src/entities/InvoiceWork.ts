import { Cause, Clock, Context, Duration, Effect, Exit, Layer, Metric, Option, Random, Result } from "effect"
import type { Failure } from "../../schemas/FiscalDocument.ts"
import { eventOf, type InvoiceCommand, type InvoiceState, statusOf, transition } from "../domain/InvoiceLifecycle.ts"
import { authorityDelayMs } from "../domain/RetrySchedule.ts"
import { Authority, type AuthorityRefusal, AuthorityUnavailable, type Verdict } from "../outbound/Authority.ts"
import { Fault } from "../protocol/Fault.ts"
import * as Metrics from "../protocol/Metrics.ts"
import { Ids } from "../store/Ids.ts"
import { type InvoiceKey, Invoices, type LoadedInvoice } from "../store/Invoices.ts"
import {
  isUnreadable,
  PoisonInvoices,
  reminderLeaseSeconds,
  type RowKey,
  type Vitals
} from "../store/PoisonInvoices.ts"
import { isDefect, isSqlFailure } from "../store/SqlFailure.ts"
import { type Step, Transitions } from "../store/Transitions.ts"
import * as AuthorityTurns from "./AuthorityTurns.ts"
import { DocumentSigning } from "./DocumentSigning.ts"
import { eventFor } from "./InvoicePapers.ts"
import { Telling } from "./Telling.ts"
import { Workload } from "./Workload.ts"

// The sweeper's reminder while the actor is at work; beyond an authority call's time-out it may take over.
const authorityTimeout = Duration.seconds(60)
const workAlarmMs = 5_000
const submitAlarmMs = Duration.toMillis(authorityTimeout) + 15_000

// A document that breaks the service itself ends as failed, so that it cannot be tried for ever.
const internalFailuresMax = 5

// A restart of the database takes a second or two. Longer outages are the sweeper's.
const databaseWaits: ReadonlyArray<Duration.Input> = ["1 second", "2 seconds", "4 seconds"]

const failure: Failure = {
  code: "internal_error",
  message: "The document could not be processed. It can be retried, and keeps the number it has.",
  retryable: true
}

const lasting = (code: string, { message }: { readonly message: string }): Failure => ({
  code,
  message,
  retryable: true
})

const callOf = (call: string) => (exit: Exit.Exit<Verdict | null, AuthorityUnavailable | AuthorityRefusal>) => {
  if (Exit.isFailure(exit)) return Metrics.authorityCalls(call, isDefect(exit.cause) ? "broken" : "unavailable")
  if (exit.value === null) return Metrics.authorityCalls(call, "unknown")
  return Metrics.authorityCalls(call, exit.value.accepted ? "accepted" : "rejected")
}

/** A document at work: its row, and its signed bytes while they are still at hand. They are stored before they are used. */
type Document = LoadedInvoice & { readonly signed?: Uint8Array }

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
      const authority = yield* Authority
      const ids = yield* Ids
      const invoices = yield* Invoices
      const poison = yield* PoisonInvoices
      const telling = yield* Telling
      const signing = yield* DocumentSigning
      const inTurn = yield* AuthorityTurns.make
      const transitions = yield* Transitions
      const workload = yield* Workload

      /** Carries out a command, with its event; gives the row as the step leaves it, or none when somebody else was faster. */
      const step = Effect.fnUntraced(function* <Row extends Vitals>(
        row: Row,
        command: InvoiceCommand,
        details: Partial<
          Pick<Step, "held" | "signed" | "attempt" | "authorityAnswer" | "errors" | "notifications" | "failure">
        > & {
          readonly alarmMs: number | null
        }
      ) {
        const to = yield* Effect.fromResult(
          transition(row.state, command, { hasNumber: row.full_number !== null })
        ).pipe(Effect.orDie)
        const next: Row = {
          ...row,
          state: to,
          version: row.version + 1,
          attempts: row.attempts + (details.attempt === true ? 1 : 0),
          authority_errors: details.errors ?? row.authority_errors,
          authority_notifications: details.notifications ?? row.authority_notifications,
          failure: details.failure ?? null
        }
        const outcome = eventOf(command)
        const event =
          outcome === null
            ? {}
            : { event: eventFor(next, `invoice.${outcome}`, yield* ids.event, yield* Clock.currentTimeMillis) }
        const { endpoints, moved } = yield* workload.storing(
          transitions.move({ key: row, version: row.version, from: row.state, command, to, ...details, ...event })
        )
        if (outcome !== null && moved) yield* Metric.update(Metrics.outcomes(statusOf(to)), 1)
        if (outcome !== null) yield* Fault.at("after-outcome")
        for (const id of endpoints) {
          yield* telling.deliver({ account_id: row.account_id, livemode: row.livemode, id })
        }
        return moved ? Option.some(next) : Option.none()
      })

      const wait = (row: Vitals, alarmMs: number, details: Pick<Step, "held" | "attempt">) =>
        workload.storing(
          transitions.move({
            key: row,
            version: row.version,
            from: row.state,
            command: null,
            to: row.state,
            alarmMs,
            ...details
          })
        )

      const sign = Effect.fnUntraced(function* (row: Document) {
        yield* Fault.at("before-sign")
        const signed = yield* Effect.result(signing.sign(row))
        yield* Fault.at("after-sign")
        if (Result.isFailure(signed)) {
          return yield* step(row, "Fail", { failure: lasting("no_certificate", signed.failure), alarmMs: null })
        }
        const next = yield* step(row, "Sign", { signed: signed.success, alarmMs: workAlarmMs, held: true })
        return Option.map(next, (stored): Document => ({ ...stored, signed: signed.success }))
      })

      const conclude = (row: Document, verdict: Verdict) =>
        step(row, verdict.accepted ? "Accept" : "Reject", {
          errors: verdict.errors,
          notifications: verdict.notifications,
          authorityAnswer: verdict.answer,
          alarmMs: null
        })

      /** The authority's word. `arrived` when an earlier attempt may have reached it: then it is asked before it is sent to. */
      const verdictOn = Effect.fnUntraced(function* (row: Document, arrived: boolean) {
        const name = yield* signing.nameOf(row)
        const known = arrived ? yield* Metrics.measure(authority.verdict(name), callOf("verdict")) : null
        if (known !== null) return known
        const signed = row.signed ?? Option.getOrUndefined(yield* invoices.signedDocument(row))
        if (signed === undefined) return yield* Effect.die(`no signed bytes of ${row.id}`)
        return yield* Metrics.measure(authority.submit({ ...name, signed }), callOf("submit"))
      })

      // Without an answer the outcome is unknown: it is asked for later, and never guessed.
      const later = Effect.fnUntraced(function* (row: Document, error: AuthorityUnavailable) {
        const delay = authorityDelayMs(row.attempts, yield* Random.next)
        yield* Effect.logWarning("The authority gave no answer").pipe(
          Effect.annotateLogs({ reason: error.message, attempts: row.attempts, retry_in_ms: Math.round(delay) })
        )
        yield* wait(row, delay, {})
        return Option.none<Document>()
      })

      /** `row` is submitted, and this attempt counted. */
      const submit = (row: Document, arrived: boolean) =>
        verdictOn(row, arrived).pipe(
          Effect.timeoutOrElse({
            duration: authorityTimeout,
            orElse: () => Effect.fail(new AuthorityUnavailable({ message: "no answer in time" }))
          }),
          Effect.matchEffect({
            onSuccess: (verdict) => Effect.andThen(Fault.at("after-verdict"), conclude(row, verdict)),
            onFailure: (error) =>
              error._tag === "AuthorityRefusal"
                ? step(row, "Fail", { failure: lasting("authority_refused", error), alarmMs: null })
                : later(row, error)
          })
        )

      // A document whose turn does not come has called nobody: its alarm brings it back.
      const actions: Partial<Record<InvoiceState, (row: Document) => Effect.Effect<Option.Option<Document>>>> = {
        numbered: sign,
        signed: (row) =>
          inTurn(
            row,
            Effect.gen(function* () {
              const submitted = yield* step(row, "Submit", { attempt: true, alarmMs: submitAlarmMs, held: true })
              yield* Fault.at("after-submit")
              return Option.isSome(submitted) ? yield* submit(submitted.value, false) : Option.none()
            })
          ).pipe(Effect.map(Option.flatten)),
        submitted: (row) =>
          inTurn(
            row,
            Effect.gen(function* () {
              const { moved } = yield* wait(row, submitAlarmMs, { attempt: true, held: true })
              if (!moved) return Option.none()
              return yield* submit({ ...row, version: row.version + 1, attempts: row.attempts + 1 }, true)
            })
          ).pipe(Effect.map(Option.flatten))
      }

      const settle = Effect.fnUntraced(function* (key: RowKey, cause: Cause.Cause<never>) {
        const found = yield* poison.vitals(key)
        if (Option.isNone(found)) return yield* poison.park([key])
        const row = found.value
        if (row.state !== "queued" && actions[row.state] === undefined) return
        const submitted = row.state === "submitted"
        // An attempt to submit was counted before it was made, unless the row could not be read.
        const counted = submitted && !isUnreadable(cause)
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
