import { type Context, Effect, type Exit, Metric } from "effect"
import descriptions from "./Metrics.json" with { type: "json" }

/*
 * The metrics of Folio, each described in `Metrics.json`. Label values come from closed sets: never an id, an account,
 * a URL or external text, so the number of series is bounded. Times are in seconds.
 */

/** Records the duration of an effect, in seconds, in the series that `seriesOf` returns for the effect's exit. */
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

/** Registers a metric whose value is read on demand, until the scope closes. */
export const observe = <State>(metric: Metric.Metric<number, State>, get: () => State) =>
  Effect.contextWith((context: Context.Context<never>) =>
    Effect.acquireRelease(
      Effect.sync(() => Metric.registerUnsafe(metric, context, { get, update: () => {}, modify: () => {} })),
      (registration) => Effect.sync(() => registration.remove())
    )
  )

type Name = keyof typeof descriptions

/** The type and the label names of each metric of this service. */
export const families = new Map<string, { readonly type: string; readonly labels: ReadonlyArray<string> }>()

/** A metric with a series for each combination of its label values. A series is made on its first use. */
const family = <const Labels extends ReadonlyArray<string>, M>(
  type: "counter" | "gauge" | "histogram",
  name: Name,
  labels: Labels,
  make: (options: { readonly description: string; readonly attributes: Record<string, string> }) => M
) => {
  families.set(name, { type, labels })
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
  family("counter", name, labels, (options) => Metric.counter(name, { ...options, incremental: true }))

const gauge = <const Labels extends ReadonlyArray<string>>(name: Name, labels: Labels) =>
  family("gauge", name, labels, (options) => Metric.gauge(name, options))

const histogram = <const Labels extends ReadonlyArray<string>>(
  name: Name,
  labels: Labels,
  boundaries: ReadonlyArray<number>
) => family("histogram", name, labels, (options) => Metric.histogram(name, { ...options, boundaries }))

const answering = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const calling = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60]
const deciding = [0.25, 0.5, 1, 2, 5, 10, 30, 60, 300, 1_800, 7_200, 43_200, 172_800]
const sizes = [1, 2, 5, 10, 20, 50, 100, 200, 500]

export const httpRequests = histogram("folio_http_request_duration_seconds", ["method", "route", "status"], answering)

export const connections = gauge("folio_connections", ["state"])
export const connectionsRefused = counter("folio_connections_refused_total", ["reason"])
export const connectionsCut = counter("folio_connections_cut_total", ["reason"])

export const batchSizes = histogram("folio_batch_size", ["batch"], sizes)
export const batchDurations = histogram("folio_batch_duration_seconds", ["batch"], answering)
export const batchesRepeated = counter("folio_batches_repeated_total", ["batch"])

export const outcomes = counter("folio_invoice_outcomes_total", ["status"])
export const outcomeDurations = histogram("folio_invoice_outcome_duration_seconds", ["status"], deciding)
export const authorityCalls = histogram("folio_authority_call_duration_seconds", ["call", "result"], calling)
export const authorityUnanswered = counter("folio_authority_unanswered_total", ["trouble"])
export const poison = counter("folio_poison_total", ["kind"])

export const attempts = histogram("folio_delivery_attempt_duration_seconds", ["result"], calling)
export const deliveries = counter("folio_deliveries_total", ["result"])

export const emails = counter("folio_emails_total", ["result"])

export const alerts = counter("folio_alerts_total", ["channel", "result"])
export const incidentsOpen = gauge("folio_incidents_open", ["kind"])

export const oldestInvoice = gauge("folio_oldest_unfinished_invoice_age_seconds", [])
export const oldestDelivery = gauge("folio_oldest_due_delivery_age_seconds", [])
export const oldestUnsettledEvent = gauge("folio_oldest_unsettled_event_age_seconds", [])
export const invoicesWaiting = gauge("folio_invoices_waiting", ["stage"])
export const circuits = gauge("folio_authority_circuits", ["environment", "state"])
export const circuitsInTrouble = gauge("folio_authority_troubled_circuits", ["environment", "trouble"])
export const inContingency = gauge("folio_documents_in_contingency", [])
export const contingencyOverdue = gauge("folio_documents_in_contingency_overdue", [])
export const oldestContingency = gauge("folio_oldest_contingency_age_seconds", [])
export const rangesHeld = gauge("folio_numbering_ranges_held", [])
export const deliveriesWaiting = gauge("folio_deliveries_waiting", ["state"])

export const runnersRefused = counter("folio_runner_connections_refused_total", ["reason"])

export const requestsNotLogged = counter("folio_requests_not_logged_total", ["reason"])

export const purged = counter("folio_purged_rows_total", ["table"])

export const databaseAvailable = gauge("folio_database_available", ["for"])
export const databaseConnections = gauge("folio_database_connections", [])
export const databaseConnectionsMax = gauge("folio_database_connections_max", [])
export const databaseWait = gauge("folio_database_connection_wait_seconds", [])

export const buildInfo = gauge("folio_build_info", ["version", "node"])

/* Metrics of the process and of Node.js, under the names that other programs use. */
export const startTime = gauge("process_start_time_seconds", [])
export const cpuSeconds = counter("process_cpu_seconds_total", [])
export const residentBytes = gauge("process_resident_memory_bytes", [])
export const openFiles = gauge("process_open_fds", [])
export const openFilesMax = gauge("process_max_fds", [])
export const heapBytes = gauge("nodejs_heap_size_used_bytes", [])
export const eventLoopDelay = gauge("nodejs_eventloop_lag_p99_seconds", [])

/** Counters that are shown from the start: Prometheus sees a series grow only if it has seen the series at 0. */
const shownFromTheStart: ReadonlyArray<Metric.Counter<number>> = [
  ...["invoice", "numbering", "email", "delivery"].map((kind) => poison(kind)),
  ...["succeeded", "retry", "failed"].map((result) => deliveries(result)),
  ...["delivered", "bounced", "complained", "retry", "failed"].map((result) => emails(result)),
  ...["accepted_by_authority", "accepted_contingency", "rejected_by_authority", "failed"].map((status) =>
    outcomes(status)
  ),
  ...["full", "address"].map((reason) => connectionsRefused(reason)),
  ...["busy", "database", "flood"].map((reason) => requestsNotLogged(reason))
]

/** Sets these counters to 0 before the first count. */
export const begin = Effect.forEach(shownFromTheStart, (metric) => Metric.update(metric, 0), { discard: true })

/** Adds a HELP line to the Prometheus text for each metric of Effect's cluster, which has no descriptions. */
export const described = (text: string) =>
  text.replaceAll(/^# TYPE (effect_\w+) /gm, (line, name: string) =>
    name in descriptions ? `# HELP ${name} ${descriptions[name as Name]}\n${line}` : line
  )
