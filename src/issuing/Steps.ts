import { Clock, Context, Effect, Layer, Metric, Option, Random, Result } from "effect"
import { eventOf, type InvoiceCommand, isIssued, statusOf, transition } from "../domain/documents/InvoiceLifecycle.ts"
import { authorityDelayMs } from "../domain/webhooks/RetrySchedule.ts"
import { timestamp } from "../domain/documents/AuthorityTime.ts"
import { Fault } from "../protocol/Fault.ts"
import * as Metrics from "../protocol/Metrics.ts"
import { Onlooker } from "../protocol/Onlooker.ts"
import type { AccountMode } from "../../schemas/Account.ts"
import type { EventType } from "../../schemas/Event.ts"
import type { Failure } from "../../schemas/FiscalDocument.ts"
import type { EventId } from "../../schemas/Id.ts"
import { FileLinks } from "../store/documents/FileLinks.ts"
import { invoiceSnapshot } from "../store/documents/InvoiceViews.ts"
import { Ids } from "../store/sql/Ids.ts"
import { ReadyEndpoints } from "../store/webhooks/ReadyEndpoints.ts"
import type { LoadedInvoice } from "../store/documents/Invoices.ts"
import type { Vitals } from "../store/documents/Vitals.ts"
import type { NewEvent } from "../store/webhooks/NewDeliveries.ts"
import { type Step, Transitions } from "../store/documents/Transitions.ts"
import type { Unsignable } from "../documents/NationalProfile.ts"
import type { NoCertificate } from "./Signing.ts"
import { Notify } from "../protocol/Notify.ts"
import { Backpressure } from "./Backpressure.ts"

/** A document's row, and its signed bytes while this process still holds them. Signed bytes are stored before they are used. */
export type Document = LoadedInvoice & { readonly signed?: Uint8Array }

type Details = Partial<Omit<Step, "key" | "version" | "from" | "command" | "to" | "event">> & Pick<Step, "alarmMs">

/** Carries out one step of a document and tells the actors that the step concerns. */
export class Steps extends Context.Service<Steps>()("folio/issuing/Steps", {
  make: Effect.gen(function* () {
    const ids = yield* Ids
    const links = yield* FileLinks
    const notify = yield* Notify
    const transitions = yield* Transitions
    const backpressure = yield* Backpressure
    const onlooker = yield* Onlooker
    const ready = yield* ReadyEndpoints

    const stored = (step: Step) => backpressure.storing(step.key, transitions.move(step))

    /** Stores a step with an event, and begins the attempts of the event's deliveries for which endpoints have places here. */
    const storeEvent = Effect.fnUntraced(function* (step: Step, { body, id, type }: NewEvent) {
      const places = ready.reserve(step.key)
      const releaseAll = Effect.sync(() => places.forEach(({ release }) => release()))
      const result = yield* Effect.onError(stored({ ...step, places }), () => releaseAll)
      yield* Fault.at("after-outcome")
      for (const { begin, endpoint_id, release } of places) {
        const delivery = result.taken?.find((taken) => taken.endpoint_id === endpoint_id)
        if (delivery === undefined) release()
        else yield* begin({ ...delivery, event_id: id, event_type: type, body })
      }
      return result
    }, Effect.uninterruptible)

    const store = (step: Step) => (step.event === undefined ? stored(step) : storeEvent(step, step.event))

    /** Carries out a command and stores its event; gives the row after the step, or none when another owner was faster. */
    const step = Effect.fnUntraced(function* <Row extends Vitals>(row: Row, command: InvoiceCommand, details: Details) {
      const facts = { hasNumber: row.full_number !== null, isIssued: isIssued(row) }
      const from = details.signs === true ? transition(row.state, "Sign", facts) : Result.succeed(row.state)
      const to = yield* Effect.orDie(
        Effect.fromResult(Result.flatMap(from, (state) => transition(state, command, facts)))
      )
      const now = yield* Clock.currentTimeMillis
      const next: Row = {
        ...row,
        state: to,
        version: row.version + (details.signs === true ? 2 : 1),
        attempts: row.attempts + (details.attempt === true ? 1 : 0),
        submitted_at:
          command === "Return" ? null : (row.submitted_at ?? (details.leaves === true ? new Date(now) : null)),
        contingency_since: command === "EnterContingency" ? new Date(now) : row.contingency_since,
        authority_errors: details.errors ?? row.authority_errors,
        authority_notifications: details.notifications ?? row.authority_notifications,
        failure: details.failure ?? null
      }
      const outcome = eventOf(command)
      const about = Effect.map(links.inEvents, (linksOf) => invoiceSnapshot(next, linksOf(next)))
      const event =
        outcome === null ? {} : { event: eventFor(row, `${row.kind}.${outcome}`, yield* ids.event, now, yield* about) }
      const { emailed, endpoints, moved } = yield* store({
        key: row,
        version: row.version,
        from: row.state,
        command,
        to,
        // Why a document waits is kept while it is tried, and ends with any other step.
        ...(command === "Submit" || command === "Return" ? {} : { waiting: null }),
        ...details,
        ...event
      })
      if (outcome !== null && moved) {
        yield* Metric.update(Metrics.outcomes(statusOf(to)), 1)
        const reason = next.failure?.code ?? next.authority_errors[0]?.rule
        const milliseconds = Math.max(0, now - row.created_at.getTime())
        yield* Metric.update(Metrics.outcomeDurations(statusOf(to)), milliseconds / 1_000)
        yield* Effect.logDebug("A document came to an outcome").pipe(
          Effect.annotateLogs({ invoice_id: row.id, outcome, duration_ms: milliseconds, ...(reason && { reason }) })
        )
        onlooker?.ended({ kind: row.kind, name: row.full_number ?? row.id, outcome, reason, milliseconds })
      }
      for (const id of endpoints) {
        yield* notify.deliver({ account_id: row.account_id, livemode: row.livemode, id })
      }
      if (emailed) yield* notify.mail(row)
      return moved ? Option.some(next) : Option.none()
    })

    /** Ends a document as failed. */
    const end = <Row extends Vitals>(row: Row, failure: Failure) => step(row, "Fail", { failure, alarmMs: null })

    /** Ends a document that cannot be signed at present as failed; the document can be retried and keeps its number. */
    const unsignable = (row: Document, error: NoCertificate | Unsignable) => {
      const code = error._tag === "NoCertificate" ? "no_certificate" : error.code
      return end(row, { code, message: error.message, retryable: true })
    }

    /** Sets the document's alarm and leaves its state as it is. Gives false when another owner was faster. */
    const wait = Effect.fnUntraced(function* (
      row: Vitals,
      alarmMs: number,
      details: Pick<Step, "held" | "attempt" | "leaves" | "waiting"> = {}
    ) {
      const { state, version } = row
      const { moved } = yield* backpressure.storing(
        row,
        transitions.move({ key: row, version, from: state, command: null, to: state, alarmMs, ...details })
      )
      return moved
    })

    /** Sets the alarm to when the authority is called again: later after each attempt. */
    const waitForAuthority = Effect.fnUntraced(function* (row: Vitals, waiting?: Step["waiting"]) {
      const delay = authorityDelayMs(row.attempts, yield* Random.next)
      return yield* wait(row, delay, waiting === undefined ? {} : { waiting })
    })

    return { end, step, unsignable, wait, waitForAuthority }
  })
}) {
  static readonly layer = Layer.effect(Steps, Steps.make)
}

/** An event about a document or an e-mail of an account. Every attempt of every delivery sends the bytes that are made here. */
export const eventFor = <Type extends EventType>(
  account: AccountMode,
  type: Type,
  id: EventId,
  now: number,
  about: object
) => ({
  id,
  type,
  body: JSON.stringify({
    id,
    object: "event",
    type,
    created: timestamp(now),
    livemode: account.livemode,
    account: account.account_id,
    data: { object: about }
  }),
  created_at: new Date(now)
})
