import { Array, Duration, Effect, Schedule } from "effect"
import { Singleton } from "effect/cluster"
import type { DocumentKey } from "../../schemas/FiscalDocument.ts"
import type { AccountId } from "../../schemas/Id.ts"
import { accountAddress } from "../protocol/Address.ts"
import { AuthorityCircuits, type Waiting } from "../store/documents/AuthorityCircuits.ts"
import { Deliveries } from "../store/webhooks/Deliveries.ts"
import { DeliveryLimit, waitingMax } from "../store/webhooks/DeliveryLimit.ts"
import { Emails } from "../store/mail/Emails.ts"
import { Invoices } from "../store/documents/Invoices.ts"
import { Workers } from "../store/sql/Workers.ts"
import { Notify } from "../protocol/Notify.ts"
import { Backpressure } from "../issuing/Backpressure.ts"

const interval = Duration.seconds(1)
const limitInterval = Duration.seconds(9)
const pageSize = 1_000

// Small enough that the actors of a page of documents are told within the lease of its rows, however busy the process is.
const invoicesMax = 256
const portion = 8

// Documents that one circuit transmits per second once the authority is back, because the authority has other backlogs to take too.
const transmissions = 50

/** The accounts to which a quarter or more of a page of due documents belongs. */
const crowding = (due: ReadonlyArray<DocumentKey>): ReadonlyArray<AccountId> =>
  [...Map.groupBy(due, ({ account_id }) => account_id)]
    .filter(([, own]) => own.length >= invoicesMax / 4)
    .map(([account_id]) => account_id)

const discard = { discard: true } as const

const orNextTime = Effect.catchCause((cause) => Effect.logWarning("A sweep failed; the next one is in a second", cause))

/**
 * Looks once a second for work that is due by the database's clock, and tells its actor: lost tells, retries, deliveries, and what
 * a process had under way when it died. The sweeper decides nothing: the actors read their rows.
 */
export const layer = Singleton.make(
  "Sweeper",
  Effect.gen(function* () {
    const circuits = yield* AuthorityCircuits
    const deliveries = yield* Deliveries
    const emails = yield* Emails
    const invoices = yield* Invoices
    const limit = yield* DeliveryLimit
    const notify = yield* Notify
    const workers = yield* Workers
    const backpressure = yield* Backpressure

    const tellAll = Effect.fnUntraced(function* (due: Effect.Success<ReturnType<typeof invoices.takeDue>>) {
      const accounts = new Map(due.filter((item) => item.queued).map((item) => [accountAddress(item), item]))
      yield* Effect.forEach(accounts.values(), notify.numberDrafts, discard)
      const numbered = due.filter((item) => !item.queued)
      // Told in portions, so that new requests do not queue up behind a backlog that has come due all at once.
      for (const some of Array.chunksOf(numbered, portion)) {
        yield* backpressure.calm
        yield* Effect.forEach(some, notify.proceed, discard)
      }
    })
    // An account that fills much of a page is left out until all others' documents were told: no account waits for its backlog.
    const sweepInvoices = Effect.gen(function* () {
      let without: ReadonlyArray<AccountId> = []
      for (;;) {
        const due = yield* invoices.takeDue(invoicesMax, without)
        yield* tellAll(due)
        if (due.length >= invoicesMax) without = [...without, ...crowding(due)]
        else if (without.length === 0) return
        else without = []
      }
    })
    // The oldest document in contingency finds out whether the authority is back; then they all are transmitted, oldest first.
    const transmit = Effect.fnUntraced(function* (circuit: Waiting) {
      yield* backpressure.calm
      const oldest = yield* circuits.take(circuit, circuit.is_failing ? 1 : transmissions)
      yield* Effect.forEach(oldest, notify.proceed, discard)
    })
    const sweepContingency = Effect.gen(function* () {
      const due = (yield* circuits.waiting).filter((circuit) => !circuit.is_failing || circuit.is_probe_due)
      // A circuit that cannot be swept does not keep the circuits after it from being swept.
      yield* Effect.forEach(due, (circuit) => orNextTime(transmit(circuit)), discard)
    })
    const sweepDeliveries = Effect.flatMap(deliveries.dueEndpoints(pageSize), Effect.forEach(notify.deliver, discard))
    // What waits for an endpoint is counted about every 10 s: a count for each delivery would cost more than the delivery.
    const limitDeliveries = Effect.gen(function* () {
      const filled = yield* limit.mark(waitingMax)
      if (filled.length > 0) {
        yield* Effect.logWarning("So many deliveries wait for an endpoint that later ones are not attempted").pipe(
          Effect.annotateLogs({ webhook_endpoint_ids: filled })
        )
      }
      yield* Effect.sleep(limitInterval)
    })
    const sweepEmails = Effect.flatMap(emails.dueDocuments(pageSize), Effect.forEach(notify.mail, discard))

    // The sweeps run concurrently, so that a backlog of documents does not delay deliveries.
    yield* Effect.forEach(
      [workers.freeDead, sweepInvoices, sweepContingency, limitDeliveries, sweepDeliveries, sweepEmails],
      (sweep) => Effect.repeat(orNextTime(sweep), Schedule.spaced(interval)),
      { concurrency: "unbounded", discard: true }
    )
  })
)
