import { Effect, type Exit, Metric } from "effect"

/*
 * Every metric of the service. Labels are words of closed sets: never an id, an account, a URL or a text that came from outside,
 * so the number of series is bounded. Times are in seconds.
 */

type Attributes = Record<string, string>

/** Adds how long an effect takes to the series that its exit names. */
export const measure = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  seriesOf: (exit: Exit.Exit<A, E>) => Metric.Histogram<number>
): Effect.Effect<A, E, R> =>
  Effect.clockWith((clock) => {
    const begin = clock.monotonicTimeNanosUnsafe()
    return Effect.onExit(effect, (exit) =>
      Metric.update(seriesOf(exit), Number(clock.monotonicTimeNanosUnsafe() - begin) / 1e9)
    )
  })

/** A metric with a series for each combination of its labels' values. A series is made when it is first asked for. */
const family = <const Labels extends ReadonlyArray<string>, M>(labels: Labels, make: (attributes: Attributes) => M) => {
  const series = new Map<string, M>()
  return (...values: { readonly [Index in keyof Labels]: string }): M => {
    const key = values.join("|")
    const known = series.get(key)
    if (known !== undefined) return known
    const made = make(Object.fromEntries(labels.map((label, index) => [label, values[index] ?? ""])))
    series.set(key, made)
    return made
  }
}

const counter = <const Labels extends ReadonlyArray<string>>(name: string, labels: Labels, description: string) =>
  family(labels, (attributes) => Metric.counter(name, { description, attributes, incremental: true }))

const gauge = <const Labels extends ReadonlyArray<string>>(name: string, labels: Labels, description: string) =>
  family(labels, (attributes) => Metric.gauge(name, { description, attributes }))

const histogram = <const Labels extends ReadonlyArray<string>>(
  name: string,
  labels: Labels,
  description: string,
  boundaries: ReadonlyArray<number>
) => family(labels, (attributes) => Metric.histogram(name, { description, attributes, boundaries }))

const answering = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const calling = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60]
const sizes = [1, 2, 5, 10, 20, 50, 100, 200, 500]

export const httpRequests = histogram(
  "folio_http_request_duration_seconds",
  ["method", "route", "status"],
  "Requests answered, by the pattern of their route and the class of their status; aborted: the client had gone.",
  answering
)

export const connectionsRefused = counter(
  "folio_connections_refused_total",
  ["reason"],
  "Connections that were told that there are too many: full (of all), or address (of theirs)."
)
export const connectionsCut = counter(
  "folio_connections_cut_total",
  ["reason"],
  "Connections that were closed: idle or stalled (to make room for others), unread (they did not read their answers) or pipelined (too many requests at once)."
)

export const batchSizes = histogram(
  "folio_batch_size",
  ["batch"],
  "Single writes or look-ups that shared one statement.",
  sizes
)
export const batchDurations = histogram(
  "folio_batch_duration_seconds",
  ["batch"],
  "How long such a statement took.",
  answering
)
export const batchesRepeated = counter(
  "folio_batches_repeated_total",
  ["batch"],
  "Batches that failed and were repeated item by item."
)

export const outcomes = counter(
  "folio_invoice_outcomes_total",
  ["status"],
  "Invoices that came to an outcome, by their public status."
)
export const authorityCalls = histogram(
  "folio_authority_call_duration_seconds",
  ["call", "result"],
  "Calls of the authority: submit or verdict; accepted, rejected, unknown (it has no such document), unavailable or broken.",
  calling
)
export const poison = counter(
  "folio_poison_total",
  ["kind"],
  "Times that an invoice, an account's numbering, an e-mail or a delivery broke what handles it. Anything but 0 wants a look at the log."
)

export const attempts = histogram(
  "folio_delivery_attempt_duration_seconds",
  ["result"],
  "Attempts to deliver a webhook: delivered, or what came between.",
  calling
)
export const deliveries = counter(
  "folio_deliveries_total",
  ["result"],
  "What became of deliveries: succeeded, retry (one more attempt will be made) or failed."
)

export const emails = counter(
  "folio_emails_total",
  ["result"],
  "What became of e-mails: delivered, bounced, complained, retry (one more attempt will be made) or failed."
)

export const oldestInvoice = gauge(
  "folio_oldest_unfinished_invoice_age_seconds",
  [],
  "Since when the oldest invoice without an outcome has been there; 0 when there is none. Of the whole database."
)
export const oldestDelivery = gauge(
  "folio_oldest_due_delivery_age_seconds",
  [],
  "For how long the oldest delivery that is due has been so; 0 when there is none. Of the whole database."
)
export const invoicesWaiting = gauge(
  "folio_invoices_waiting",
  ["stage"],
  "Invoices without an outcome, by stage. Of the whole database; counted up to a limit."
)
export const circuits = gauge(
  "folio_authority_circuits",
  ["environment", "state"],
  "Circuits of the authority that are failing (no call succeeds) or open (documents are issued without it). Live there is one, in tests one for each account. Of the whole database."
)
export const inContingency = gauge(
  "folio_documents_in_contingency",
  [],
  "Documents that wait to be transmitted. Of the whole database; counted up to a limit."
)
export const contingencyOverdue = gauge(
  "folio_documents_in_contingency_overdue",
  [],
  "Those of them whose 48 hours are over. Anything but 0 wants a look at the log."
)
export const oldestContingency = gauge(
  "folio_oldest_contingency_age_seconds",
  [],
  "For how long the first of them has been issued; 0 when there is none."
)
export const deliveriesWaiting = gauge(
  "folio_deliveries_waiting",
  ["state"],
  "Pending deliveries: due, scheduled for later, or resting with their endpoint. Of the whole database; counted up to a limit."
)

export const runnersRefused = counter(
  "folio_runner_connections_refused_total",
  ["reason"],
  "Connections to RUNNER_PORT that were cut before they had proved that they come from a process of the service: another_key, no_proof, too_slow or too_many at once."
)

export const purged = counter("folio_purged_rows_total", ["table"], "Rows removed because they were past their time.")

/* Under the names that other programs use for these. */
export const cpuSeconds = counter("process_cpu_seconds_total", [], "User and system CPU time of this process.")
export const residentBytes = gauge("process_resident_memory_bytes", [], "Resident memory of this process.")
export const heapBytes = gauge("nodejs_heap_size_used_bytes", [], "JavaScript heap in use.")
export const eventLoopDelay = gauge(
  "nodejs_eventloop_lag_p99_seconds",
  [],
  "99th percentile of the event loop's delay since it was last looked at."
)
