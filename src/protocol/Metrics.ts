import { Effect, type Exit, Metric } from "effect"
import descriptions from "./Metrics.json" with { type: "json" }

/*
 * Every metric of the service; `Metrics.json` describes each. Labels are words of closed sets: never an id, an account, a URL or a
 * text that came from outside, so the number of series is bounded. Times are in seconds.
 */

/** Records the duration of an effect, in seconds, in the series that `seriesOf` gives for the effect's exit. */
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

type Name = keyof typeof descriptions

/** A metric with a series for each combination of its labels' values. A series is made when it is first asked for. */
const family = <const Labels extends ReadonlyArray<string>, M>(
  name: Name,
  labels: Labels,
  make: (options: { readonly description: string; readonly attributes: Record<string, string> }) => M
) => {
  const series = new Map<string, M>()
  return (...values: { readonly [Index in keyof Labels]: string }): M => {
    const key = values.join("|")
    const known = series.get(key)
    if (known !== undefined) return known
    const attributes = Object.fromEntries(labels.map((label, index) => [label, values[index] ?? ""]))
    const made = make({ description: descriptions[name], attributes })
    series.set(key, made)
    return made
  }
}

const counter = <const Labels extends ReadonlyArray<string>>(name: Name, labels: Labels) =>
  family(name, labels, (options) => Metric.counter(name, { ...options, incremental: true }))

const gauge = <const Labels extends ReadonlyArray<string>>(name: Name, labels: Labels) =>
  family(name, labels, (options) => Metric.gauge(name, options))

const histogram = <const Labels extends ReadonlyArray<string>>(
  name: Name,
  labels: Labels,
  boundaries: ReadonlyArray<number>
) => family(name, labels, (options) => Metric.histogram(name, { ...options, boundaries }))

const answering = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const calling = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60]
const sizes = [1, 2, 5, 10, 20, 50, 100, 200, 500]

export const httpRequests = histogram("folio_http_request_duration_seconds", ["method", "route", "status"], answering)

export const connectionsRefused = counter("folio_connections_refused_total", ["reason"])
export const connectionsCut = counter("folio_connections_cut_total", ["reason"])

export const batchSizes = histogram("folio_batch_size", ["batch"], sizes)
export const batchDurations = histogram("folio_batch_duration_seconds", ["batch"], answering)
export const batchesRepeated = counter("folio_batches_repeated_total", ["batch"])

export const outcomes = counter("folio_invoice_outcomes_total", ["status"])
export const authorityCalls = histogram("folio_authority_call_duration_seconds", ["call", "result"], calling)
export const authorityUnanswered = counter("folio_authority_unanswered_total", ["trouble"])
export const poison = counter("folio_poison_total", ["kind"])

export const attempts = histogram("folio_delivery_attempt_duration_seconds", ["result"], calling)
export const deliveries = counter("folio_deliveries_total", ["result"])

export const emails = counter("folio_emails_total", ["result"])

export const oldestInvoice = gauge("folio_oldest_unfinished_invoice_age_seconds", [])
export const oldestDelivery = gauge("folio_oldest_due_delivery_age_seconds", [])
export const invoicesWaiting = gauge("folio_invoices_waiting", ["stage"])
export const circuits = gauge("folio_authority_circuits", ["environment", "state"])
export const circuitsInTrouble = gauge("folio_authority_troubled_circuits", ["environment", "trouble"])
export const inContingency = gauge("folio_documents_in_contingency", [])
export const contingencyOverdue = gauge("folio_documents_in_contingency_overdue", [])
export const oldestContingency = gauge("folio_oldest_contingency_age_seconds", [])
export const deliveriesWaiting = gauge("folio_deliveries_waiting", ["state"])

export const runnersRefused = counter("folio_runner_connections_refused_total", ["reason"])

export const requestsNotLogged = counter("folio_requests_not_logged_total", ["reason"])

export const purged = counter("folio_purged_rows_total", ["table"])

/* Metrics of the process and of Node.js, under the names that other programs use for them. */
export const cpuSeconds = counter("process_cpu_seconds_total", [])
export const residentBytes = gauge("process_resident_memory_bytes", [])
export const heapBytes = gauge("nodejs_heap_size_used_bytes", [])
export const eventLoopDelay = gauge("nodejs_eventloop_lag_p99_seconds", [])
