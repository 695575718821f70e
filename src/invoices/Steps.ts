import { Clock, Effect, Exit, Metric, Option, Result } from "effect"
import type { AccountMode } from "../../schemas/Account.ts"
import type { EventType } from "../../schemas/Event.ts"
import type { EventId } from "../../schemas/Id.ts"
import { timestamp } from "../runtime/AuthorityTime.ts"
import { eventOf, type InvoiceCommand, isIssued, statusOf, transition } from "./rules/InvoiceLifecycle.ts"
import { Fault } from "../runtime/Fault.ts"
import * as Metrics from "../runtime/Metrics.ts"
import { Notify } from "../accounts/Notify.ts"
import { Onlooker } from "../runtime/Onlooker.ts"
import { FileLinks, type Links } from "./store/FileLinks.ts"
import type { LoadedInvoice } from "./store/Invoices.ts"
import { invoiceSnapshot } from "./store/InvoiceViews.ts"
import { type Moved, type Step, Transitions } from "./store/Transitions.ts"
import type { Vitals } from "./store/Vitals.ts"
import { Ids } from "../database/Ids.ts"
import { ReadyEndpoints, type ReadyPlace } from "../webhooks/store/ReadyEndpoints.ts"
import { Backpressure } from "./Backpressure.ts"
import { isOnCredit } from "./rules/AcceptanceRules.ts"
import type { Verdict } from "./authority/Authority.ts"
import { callAlarmMs } from "./AuthorityCalls.ts"

/**
 * A document's row, with its signed bytes while this process still has them. Folio stores signed bytes before it uses
 * them.
 */
export type Document = LoadedInvoice & { readonly signed?: Uint8Array }

/** A command on a document, with the other data that the statement stores. A null command sets only the alarm. */
export interface Change<Row extends Vitals> {
  readonly row: Row
  readonly command: InvoiceCommand | null
  readonly details: Omit<Step, "key" | "version" | "from" | "command" | "to" | "event" | "places">
}

interface Prepared<Row> {
  readonly step: Step
  readonly next: Row
  readonly places: ReadonlyArray<ReadyPlace>
}

const outcomeOf = (command: InvoiceCommand | null) => (command === null ? null : eventOf(command))

/** Stores steps of documents, with their events and first deliveries, and notifies the affected actors. */
export const make = Effect.gen(function* () {
  const ids = yield* Ids
  const links = yield* FileLinks
  const notify = yield* Notify
  const transitions = yield* Transitions
  const backpressure = yield* Backpressure
  const onlooker = yield* Onlooker
  const ready = yield* ReadyEndpoints

  /** The step of a change, and the row after it. */
  const prepare = <Row extends Vitals>(
    { command, details, row }: Change<Row>,
    id: EventId,
    now: number,
    linksOf: (row: Row) => Links
  ): Prepared<Row> => {
    const facts = { hasNumber: row.full_number !== null, isIssued: isIssued(row) }
    const key = { account_id: row.account_id, livemode: row.livemode, id: row.id }
    const { state, version } = row
    const signs = details.signs === true
    const from = signs ? transition(state, "Sign", facts) : Result.succeed(state)
    const to = Result.getOrThrow(
      Result.flatMap(from, (signed) => (command === null ? from : transition(signed, command, facts)))
    )
    const next: Row = {
      ...row,
      state: to,
      version: version + (signs ? 2 : 1),
      attempts: row.attempts + (details.attempt === true ? 1 : 0),
      submitted_at:
        command === "Return" ? null : (row.submitted_at ?? (details.leaves === true ? new Date(now) : null)),
      contingency_since: command === "EnterContingency" ? new Date(now) : row.contingency_since,
      authority_errors: details.errors ?? row.authority_errors,
      authority_notifications: details.notifications ?? row.authority_notifications,
      failure: details.failure ?? null
    }
    // The reason why a document waits remains during an attempt, and ends with any other step.
    const waiting = command === null || command === "Submit" || command === "Return" ? {} : { waiting: null }
    const step: Step = { key, version, from: state, command, to, ...waiting, ...details }
    const outcome = outcomeOf(command)
    if (outcome === null) return { step, next, places: [] }
    const event = eventFor(row, `${row.kind}.${outcome}`, id, now, invoiceSnapshot(next, linksOf(next)))
    const places = ready.reserve(row)
    return { step: { ...step, event, places }, next, places }
  }

  /** Begins the attempts of the event's deliveries for endpoints with free places in this process. */
  const begin = Effect.fnUntraced(function* ({ places, step: { event } }: Prepared<unknown>, { taken }: Moved) {
    for (const place of places) {
      const delivery = taken?.find(({ endpoint_id }) => endpoint_id === place.endpoint_id)
      if (delivery === undefined || event === undefined) place.release()
      else yield* place.begin({ ...delivery, event_id: event.id, event_type: event.type, body: event.body })
    }
  })

  const noteOutcome = Effect.fnUntraced(function* (next: Vitals, command: InvoiceCommand | null, now: number) {
    const outcome = outcomeOf(command)
    if (outcome === null) return
    const status = statusOf(next.state)
    yield* Metric.update(Metrics.outcomes(status), 1)
    const reason = next.failure?.code ?? next.authority_errors[0]?.rule
    const milliseconds = Math.max(0, now - next.created_at.getTime())
    yield* Metric.update(Metrics.outcomeDurations(status), milliseconds / 1_000)
    yield* Effect.logDebug("A document reached an outcome").pipe(
      Effect.annotateLogs({ invoice_id: next.id, outcome, duration_ms: milliseconds, ...(reason && { reason }) })
    )
    onlooker?.ended({ kind: next.kind, name: next.full_number ?? next.id, outcome, reason, milliseconds })
  })

  /** Records whether a step was stored, and notifies the affected actors. Returns the row after the step. */
  const finish = Effect.fnUntraced(function* <Row extends Vitals>(
    one: Prepared<Row>,
    stored: Exit.Exit<Moved>,
    now: number
  ): Effect.fn.Return<Exit.Exit<Option.Option<Row>>> {
    if (Exit.isFailure(stored)) {
      one.places.forEach((place) => place.release())
      return Exit.failCause(stored.cause)
    }
    if (one.step.event !== undefined) yield* Fault.at("after-outcome")
    yield* begin(one, stored.value)
    if (stored.value.moved) yield* noteOutcome(one.next, one.step.command, now)
    if (stored.value.emailed) yield* notify.mail(one.step.key)
    return Exit.succeed(stored.value.moved ? Option.some(one.next) : Option.none())
  })

  const prepareAndStore = Effect.fnUntraced(function* <Row extends Vitals>(changes: ReadonlyArray<Change<Row>>) {
    const [first] = changes
    if (first === undefined) return []
    const now = yield* Clock.currentTimeMillis
    const linksOf = yield* links.inEvents
    const prepared: Array<Exit.Exit<Prepared<Row>>> = []
    // A failed change is only that document's defect.
    for (const change of changes) {
      const id = yield* ids.event
      prepared.push(yield* Effect.exit(Effect.sync(() => prepare(change, id, now, linksOf))))
    }
    const steps = prepared.flatMap((exit) => (Exit.isSuccess(exit) ? [exit.value.step] : []))
    const stored = yield* backpressure.storing(first.row, transitions.moveAll(steps), steps.length)
    const answers = stored.values()
    const results: Array<Exit.Exit<Option.Option<Row>>> = []
    for (const exit of prepared) {
      results.push(
        Exit.isSuccess(exit) ? yield* finish(exit.value, answers.next().value!, now) : Exit.failCause(exit.cause)
      )
    }
    const notified = new Set(stored.flatMap((exit) => (Exit.isSuccess(exit) ? exit.value.endpoints : [])))
    const { account_id, livemode } = first.row
    for (const id of notified) yield* notify.deliver({ account_id, livemode, id })
    return results
  })

  /**
   * Stores steps of an account's documents in one statement. Returns for each document the row after its step, none if
   * another owner was faster, or the defect of a step that could not be stored.
   */
  const all = <Row extends Vitals>(changes: ReadonlyArray<Change<Row>>) => {
    const storing = prepareAndStore(changes)
    // An interruption must not lose the places that a step with an event reserves.
    return changes.some(({ command }) => outcomeOf(command) !== null) ? Effect.uninterruptible(storing) : storing
  }

  /** Stores one step. Returns the row after it, or none if another owner was faster. */
  const one = <Row extends Vitals>(change: Change<Row>): Effect.Effect<Option.Option<Row>> =>
    Effect.flatMap(all([change]), ([exit]) => exit!)

  return { all, one }
})

/** An event about a document or an email of an account. Every attempt of every delivery sends these bytes. */
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

/* The changes that the steps of a document store. */

// Milliseconds until the sweeper notifies the actor of a document in progress again.
const workAlarmMs = 5_000

/** A document with newly signed bytes that are not stored yet. */
type Signed = Document & { readonly signed: Uint8Array }

export interface DocumentVerdict {
  readonly row: Document
  readonly verdict: Verdict
}

/** Stored before the first byte of a call leaves: the attempt, and the alarm for a process that dies. */
export const leaving = { attempt: true, leaves: true, alarmMs: callAlarmMs, held: true } as const

/** Stores only the signed bytes. */
export const signedOnly = (row: Signed): Change<Document> => ({
  row,
  command: "Sign",
  details: { signed: row.signed, alarmMs: workAlarmMs, held: true }
})

/** Stores the signed bytes and the submission in one statement. */
export const signedAndSubmitted = (row: Signed): Change<Document> => ({
  row,
  command: "Submit",
  details: { signs: true, signed: row.signed, ...leaving }
})

export const conclusion = ({ row, verdict }: DocumentVerdict): Change<Document> => ({
  row,
  command: verdict.accepted ? "Accept" : "Reject",
  details: {
    errors: verdict.errors,
    notifications: verdict.notifications,
    authorityAnswer: verdict.answer,
    asksBuyer: verdict.accepted && isOnCredit(row),
    alarmMs: null
  }
})
