import { Array, Duration, Effect, FiberMap, FiberSet, Schedule, Struct } from "effect"
import { Singleton } from "effect/cluster"
import { accountAddress } from "../runtime/Address.ts"
import { inFairPages } from "../runtime/turns/FairPages.ts"
import { AuthorityCircuits, type Waiting } from "../invoices/store/AuthorityCircuits.ts"
import { Deliveries, waitingMax } from "../webhooks/store/Deliveries.ts"
import { Emails } from "../invoices/store/Emails.ts"
import { Invoices } from "../invoices/store/Invoices.ts"
import { AuditChains } from "./store/AuditChains.ts"
import { Backlog, type KindOfWork } from "./store/Backlog.ts"
import { Workers } from "../database/Workers.ts"
import { Notify } from "../accounts/Notify.ts"
import * as BuyersAnswers from "../invoices/BuyersAnswers.ts"
import { Backpressure } from "../invoices/Backpressure.ts"
import * as TestSetWork from "../invoices/enablement/TestSetWork.ts"
import { Enablements } from "../invoices/store/Enablements.ts"

const interval = Duration.seconds(1)
const limitInterval = Duration.seconds(10)
const pageSize = 1_000

// Small enough to notify the actors of a page of documents within the lease of its rows, even in a busy process.
const invoicesMax = 256
const portion = 8

// Documents that one circuit transmits per second after an outage. The authority also receives other backlogs.
const transmissions = 50
// Documents that one circuit issues in contingency per second. Folio doesn't call the authority for them.
const issues = 256

// Test sets in progress at a time. Each has a few calls to the authority under way.
const testSetsMax = 16

const discard = { discard: true } as const

const orNextTime = Effect.catchCause((cause) => Effect.logWarning("A sweep failed; the next one follows", cause))

/**
 * Finds due work by the database's clock every second and notifies its actor: lost messages, retries, deliveries, and
 * the work of a dead process. The sweeper decides nothing, because the actors read their rows.
 *
 * The sweeper also does the work that has no actor: test sets, the look-ups of buyers' responses, and the seals of the
 * audit log.
 */
export const layer = Singleton.make(
  "Sweeper",
  Effect.gen(function* () {
    const auditChains = yield* AuditChains
    const circuits = yield* AuthorityCircuits
    const deliveries = yield* Deliveries
    const emails = yield* Emails
    const invoices = yield* Invoices
    const notify = yield* Notify
    const workers = yield* Workers
    const backpressure = yield* Backpressure
    const backlog = yield* Backlog
    const enablements = yield* Enablements
    const workOnTestSet = yield* TestSetWork.make
    const testSets = yield* FiberSet.make<void>()
    const askBuyers = yield* BuyersAnswers.make
    const underWay = yield* FiberMap.make<KindOfWork>()

    const notifyAll = Effect.fnUntraced(function* (due: Effect.Success<ReturnType<typeof invoices.takeDue>>) {
      const accounts = new Map(due.filter((item) => item.queued).map((item) => [accountAddress(item), item]))
      yield* Effect.forEach(accounts.values(), notify.numberDrafts, discard)
      const numbered = due.filter((item) => !item.queued)
      // In portions, so that new requests do not queue up behind a backlog that is due at the same time.
      for (const some of Array.chunksOf(numbered, portion)) {
        yield* backpressure.idle
        yield* Effect.forEach(some, notify.proceed, discard)
      }
    })
    const sweepInvoices = inFairPages(invoicesMax, (without) => invoices.takeDue(invoicesMax, without), notifyAll)
    // During an outage of the authority, one document at a time probes the authority. After the outage, Folio submits
    // all documents, oldest first. If a circuit issues in contingency, Folio also issues its documents that were never
    // sent to the authority.
    const wake = Effect.fnUntraced(function* (circuit: Waiting) {
      yield* backpressure.idle
      const shares = [
        circuit.is_failing ? [] : yield* circuits.take(circuit, "all", transmissions),
        circuit.is_open ? yield* circuits.take(circuit, "signed", issues) : [],
        circuit.is_failing && circuit.is_probe_due ? yield* circuits.take(circuit, "probe", 1) : []
      ]
      yield* Effect.forEach(shares.flat(), notify.proceed, discard)
    })
    const sweepResting = Effect.gen(function* () {
      // A circuit that cannot be swept does not block the circuits after it.
      yield* Effect.forEach(yield* circuits.waiting, (circuit) => orNextTime(wake(circuit)), discard)
    })
    const sweepDeliveries = Effect.flatMap(deliveries.dueEndpoints(pageSize), Effect.forEach(notify.deliver, discard))
    // Every 10 s, because a count for each delivery would cost more than the delivery.
    const limitDeliveries = Effect.gen(function* () {
      const filled = yield* deliveries.markFull(waitingMax)
      if (filled.length > 0) {
        yield* Effect.logWarning("The delivery queue of an endpoint is full: later deliveries are not attempted").pipe(
          Effect.annotateLogs({ webhook_endpoint_ids: filled })
        )
      }
    })
    const sweepEmails = Effect.flatMap(emails.dueDocuments(pageSize), Effect.forEach(notify.mail, discard))

    // Starts with the test sets that have waited longest.
    const sweepTestSets = Effect.gen(function* () {
      const free = testSetsMax - (yield* FiberSet.size(testSets))
      if (free <= 0) return
      const due = yield* enablements.take(free, TestSetWork.leaseSeconds)
      yield* Effect.forEach(due, (set) => FiberSet.run(testSets, workOnTestSet(set)), discard)
    })

    const sealAuditLog = Effect.repeat(Effect.andThen(backpressure.idle, auditChains.seal), {
      while: (sealed) => sealed > 0
    })

    // A process that has just started may have other settings for the authority, so it retries failing circuits
    // immediately.
    yield* orNextTime(circuits.tryNow)

    const sweeps: Record<KindOfWork, Effect.Effect<void, unknown>> = {
      deadWorkers: workers.freeDead,
      documents: sweepInvoices,
      resting: sweepResting,
      deliveries: sweepDeliveries,
      emails: sweepEmails,
      testSets: sweepTestSets,
      questions: askBuyers ?? Effect.void,
      auditEntries: sealAuditLog
    }
    // The sweeps run concurrently, so that a backlog of documents does not delay deliveries.
    const sweepDue = Effect.gen(function* () {
      const due = yield* backlog.look
      for (const kind of Struct.keys(sweeps)) {
        if (due[kind]) yield* FiberMap.run(underWay, kind, orNextTime(sweeps[kind]), { onlyIfMissing: true })
      }
    })
    yield* Effect.all(
      [
        Effect.repeat(orNextTime(sweepDue), Schedule.spaced(interval)),
        Effect.repeat(orNextTime(limitDeliveries), Schedule.spaced(limitInterval))
      ],
      { concurrency: "unbounded", discard: true }
    )
  }).pipe(Effect.scoped)
)
