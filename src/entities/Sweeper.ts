import { Array, Duration, Effect, Schedule } from "effect"
import { Singleton } from "effect/cluster"
import type { AccountId } from "../../schemas/Id.ts"
import { accountAddress } from "../protocol/Address.ts"
import { AuthorityCircuits, type Waiting } from "../store/AuthorityCircuits.ts"
import { Deliveries } from "../store/Deliveries.ts"
import { DeliveryLimit, waitingMax } from "../store/DeliveryLimit.ts"
import { Emails } from "../store/Emails.ts"
import { type InvoiceKey, Invoices } from "../store/Invoices.ts"
import { Workers } from "../store/Workers.ts"
import { Telling } from "./Telling.ts"
import { Workload } from "./Workload.ts"

const interval = Duration.seconds(1)
const limitInterval = Duration.seconds(9)
const pageSize = 1_000

// A page is told within the lease of its rows, however busy the process is.
const invoicesMax = 256
const portion = 8

// What one circuit transmits in a second, once the authority is back: it has others' backlogs to take as well.
const transmissions = 50

/** The accounts that have a quarter of a page or more. */
const crowding = (due: ReadonlyArray<InvoiceKey>): ReadonlyArray<AccountId> =>
  [...Map.groupBy(due, ({ account_id }) => account_id)]
    .filter(([, own]) => own.length >= invoicesMax / 4)
    .map(([account_id]) => account_id)

const orNextTime = Effect.catchCause((cause) => Effect.logWarning("A sweep failed; the next one is in a second", cause))

/**
 * Looks once a second for work whose time has come, by the database's clock, and tells the actor it belongs to: lost tells,
 * retries, deliveries, and all that a process had under way when it died. It decides nothing: the actors read their rows.
 */
export const layer = Singleton.make(
  "Sweeper",
  Effect.gen(function* () {
    const circuits = yield* AuthorityCircuits
    const deliveries = yield* Deliveries
    const emails = yield* Emails
    const invoices = yield* Invoices
    const limit = yield* DeliveryLimit
    const telling = yield* Telling
    const workers = yield* Workers
    const workload = yield* Workload

    const tellAll = Effect.fnUntraced(function* (due: Effect.Success<ReturnType<typeof invoices.takeDue>>) {
      const accounts = new Map(due.filter((item) => item.queued).map((item) => [accountAddress(item), item]))
      yield* Effect.forEach(accounts.values(), telling.numberDrafts, { discard: true })
      // In portions, or what comes in now would queue up behind a backlog that has come due at once.
      for (const some of Array.chunksOf(
        due.filter((item) => !item.queued),
        portion
      )) {
        yield* workload.calm
        yield* Effect.forEach(some, telling.proceed, { discard: true })
      }
    })
    // An account that fills much of a page is left out until all other accounts' documents have been told: only it waits for its backlog.
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
    // While the authority is away, the oldest finds out whether it is back; then they are transmitted, oldest first.
    const transmit = Effect.fnUntraced(function* (circuit: Waiting) {
      yield* workload.calm
      const oldest = yield* circuits.take(circuit, circuit.is_failing ? 1 : transmissions)
      yield* Effect.forEach(oldest, telling.proceed, { discard: true })
    })
    const sweepContingency = Effect.gen(function* () {
      const due = (yield* circuits.waiting).filter((circuit) => !circuit.is_failing || circuit.is_probe_due)
      // A circuit that cannot be swept does not keep those after it from being swept.
      yield* Effect.forEach(due, (circuit) => orNextTime(transmit(circuit)), { discard: true })
    })
    const sweepDeliveries = Effect.gen(function* () {
      yield* Effect.forEach(yield* deliveries.dueEndpoints(pageSize), telling.deliver, { discard: true })
    })
    // What waits for an endpoint is counted now and then: to count it for each delivery would cost more than the delivery.
    const limitDeliveries = Effect.gen(function* () {
      const filled = yield* limit.mark(waitingMax)
      if (filled.length > 0) {
        yield* Effect.logWarning("So many deliveries wait for an endpoint that later ones are not attempted").pipe(
          Effect.annotateLogs({ webhook_endpoint_ids: filled })
        )
      }
      yield* Effect.sleep(limitInterval)
    })
    const sweepEmails = Effect.gen(function* () {
      yield* Effect.forEach(yield* emails.dueDocuments(pageSize), telling.mail, { discard: true })
    })

    // Side by side: a backlog of documents does not keep a delivery waiting.
    yield* Effect.forEach(
      [workers.freeDead, sweepInvoices, sweepContingency, limitDeliveries, sweepDeliveries, sweepEmails],
      (sweep) => Effect.repeat(orNextTime(sweep), Schedule.spaced(interval)),
      { concurrency: "unbounded", discard: true }
    )
  })
)
