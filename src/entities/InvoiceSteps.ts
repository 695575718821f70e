import { Clock, Effect, Metric, Option } from "effect"
import { eventOf, type InvoiceCommand, statusOf, transition } from "../domain/InvoiceLifecycle.ts"
import { Fault } from "../protocol/Fault.ts"
import * as Metrics from "../protocol/Metrics.ts"
import { FileLinks } from "../store/FileLinks.ts"
import { Ids } from "../store/Ids.ts"
import type { LoadedInvoice } from "../store/Invoices.ts"
import { isIssued, type Vitals } from "../store/PoisonInvoices.ts"
import { type Step, Transitions } from "../store/Transitions.ts"
import type { NoCertificate, NoSoftware } from "./DocumentSigning.ts"
import { eventFor } from "./InvoicePapers.ts"
import { Telling } from "./Telling.ts"
import { Workload } from "./Workload.ts"

/** A document at work: its row, and its signed bytes while they are still at hand. They are stored before they are used. */
export type Document = LoadedInvoice & { readonly signed?: Uint8Array }

type Details = Partial<Omit<Step, "key" | "version" | "from" | "command" | "to" | "event">> & Pick<Step, "alarmMs">

/** One step of one document, and what it tells. */
export const make = Effect.gen(function* () {
  const ids = yield* Ids
  const links = yield* FileLinks
  const telling = yield* Telling
  const transitions = yield* Transitions
  const workload = yield* Workload

  /** Carries out a command, with its event; gives the row as the step leaves it, or none when somebody else was faster. */
  const step = Effect.fnUntraced(function* <Row extends Vitals>(row: Row, command: InvoiceCommand, details: Details) {
    const to = yield* Effect.fromResult(
      transition(row.state, command, { hasNumber: row.full_number !== null, isIssued: isIssued(row) })
    ).pipe(Effect.orDie)
    const now = yield* Clock.currentTimeMillis
    const next: Row = {
      ...row,
      state: to,
      version: row.version + 1,
      attempts: row.attempts + (details.attempt === true ? 1 : 0),
      submitted_at: row.submitted_at ?? (details.leaves === true ? new Date(now) : null),
      contingency_since: command === "EnterContingency" ? new Date(now) : row.contingency_since,
      authority_errors: details.errors ?? row.authority_errors,
      authority_notifications: details.notifications ?? row.authority_notifications,
      failure: details.failure ?? null
    }
    const outcome = eventOf(command)
    const event =
      outcome === null
        ? {}
        : { event: eventFor(next, `${row.kind}.${outcome}`, yield* ids.event, now, (yield* links.inEvents)(next)) }
    const { emailed, endpoints, moved } = yield* workload.storing(
      transitions.move({ key: row, version: row.version, from: row.state, command, to, ...details, ...event })
    )
    if (outcome !== null && moved) yield* Metric.update(Metrics.outcomes(statusOf(to)), 1)
    if (outcome !== null) yield* Fault.at("after-outcome")
    for (const id of endpoints) {
      yield* telling.deliver({ account_id: row.account_id, livemode: row.livemode, id })
    }
    if (emailed) yield* telling.mail(row)
    return moved ? Option.some(next) : Option.none()
  })

  /** Ends a document that its account cannot sign now; it keeps its number. */
  const unsignable = (row: Document, { _tag, message }: NoCertificate | NoSoftware) => {
    const code = _tag === "NoCertificate" ? "no_certificate" : "software_not_registered"
    return step(row, "Fail", { failure: { code, message, retryable: true }, alarmMs: null })
  }

  /** Sets the alarm, and leaves the document where it is. False: somebody else was faster. */
  const wait = Effect.fnUntraced(function* (
    row: Vitals,
    alarmMs: number,
    details: Pick<Step, "held" | "attempt" | "leaves">
  ) {
    const { moved } = yield* workload.storing(
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
    return moved
  })

  return { step, unsignable, wait }
})

export type InvoiceSteps = Effect.Success<typeof make>
