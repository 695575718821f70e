import { type Cause, Duration, Effect, Fiber, Metric } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import { ApiError } from "../../../schemas/ApiError.ts"
import { AuthorityTrouble } from "../../../schemas/AuthorityTrouble.ts"
import { IncidentKind } from "../../../schemas/Incident.ts"
import * as Metrics from "../../runtime/Metrics.ts"
import { AskedByMonitor } from "../../runtime/MetricsPort.ts"
import { Backlog, type Waiting } from "../../operations/store/Backlog.ts"
import { Database } from "../../database/Database.ts"
import { makeProbeLimit } from "../limits/RateLimit.ts"

// Shortest time between two counts in the database, however many clients request metrics.
const sampleInterval = "5 seconds"
// Shortest time between two renderings of the metrics, because rendering every series takes the event loop
// milliseconds.
const textInterval = "1 second"
const timeoutSeconds = 2

const stages = ["queued", "numbered", "signed", "submitted"]
const deliveryStates = ["due", "scheduled", "resting"]

const unknown = (names: ReadonlyArray<string>) => Object.fromEntries(names.map((name) => [name, Number.NaN]))

// Prometheus writes NaN for an unknown value.
const nothing: Waiting = {
  oldest_invoice: Number.NaN,
  oldest_delivery: Number.NaN,
  oldest_unsettled_event: Number.NaN,
  invoices: unknown(stages),
  deliveries: unknown(deliveryStates),
  in_contingency: Number.NaN,
  contingency_overdue: Number.NaN,
  oldest_contingency: Number.NaN,
  ranges_held: Number.NaN,
  circuits: { live_failing: Number.NaN, live_open: Number.NaN, test_failing: Number.NaN, test_open: Number.NaN },
  troubles: { live: unknown(AuthorityTrouble.literals), test: unknown(AuthorityTrouble.literals) },
  incidents: unknown(IncidentKind.literals)
}

const show = Effect.fnUntraced(function* (waiting: Waiting) {
  yield* Metric.update(Metrics.oldestInvoice(), waiting.oldest_invoice)
  yield* Metric.update(Metrics.oldestDelivery(), waiting.oldest_delivery)
  yield* Metric.update(Metrics.oldestUnsettledEvent(), waiting.oldest_unsettled_event)
  yield* Metric.update(Metrics.inContingency(), waiting.in_contingency)
  yield* Metric.update(Metrics.contingencyOverdue(), waiting.contingency_overdue)
  yield* Metric.update(Metrics.oldestContingency(), waiting.oldest_contingency)
  yield* Metric.update(Metrics.rangesHeld(), waiting.ranges_held)
  for (const environment of ["live", "test"] as const) {
    for (const state of ["failing", "open"] as const) {
      yield* Metric.update(Metrics.circuits(environment, state), waiting.circuits[`${environment}_${state}`])
    }
    for (const trouble of AuthorityTrouble.literals) {
      yield* Metric.update(Metrics.circuitsInTrouble(environment, trouble), waiting.troubles[environment][trouble] ?? 0)
    }
  }
  for (const kind of IncidentKind.literals) {
    yield* Metric.update(Metrics.incidentsOpen(kind), waiting.incidents[kind] ?? 0)
  }
  for (const stage of stages) yield* Metric.update(Metrics.invoicesWaiting(stage), waiting.invoices[stage] ?? 0)
  for (const state of deliveryStates) {
    yield* Metric.update(Metrics.deliveriesWaiting(state), waiting.deliveries[state] ?? 0)
  }
})

const elsewhere = new ApiError({
  code: "route_not_found",
  message: "There is nothing at /metrics here: this service has its metrics at METRICS_PORT."
})

/**
 * Serves `GET /metrics` for Prometheus, without an API key: the metrics of this process, and the waiting work in the
 * database.
 */
export const layer = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const backlog = yield* Backlog
    const database = yield* Database
    yield* Metrics.begin
    // The time-out applies to the join and not to the query, because an interruption of a query on a dead connection
    // takes seconds.
    const noteTurn = Effect.flatMap(backlog.turn, (turn) =>
      Metric.update(Metrics.databaseWait(), Duration.toMillis(turn) / 1_000)
    )
    const uncounted = (cause: Cause.Cause<unknown>) =>
      Effect.logWarning("The count of waiting work failed", cause).pipe(
        Effect.andThen(Metric.update(Metrics.databaseWait(), timeoutSeconds)),
        Effect.as(nothing)
      )
    const sample = Effect.forkDetach(Effect.andThen(noteTurn, backlog.waiting)).pipe(
      Effect.flatMap(Fiber.join),
      Effect.timeout(Duration.seconds(timeoutSeconds)),
      Effect.catchCause(uncounted),
      Effect.flatMap(show)
    )
    const noteDatabase = Effect.gen(function* () {
      const answers = yield* database.answers
      yield* Metric.update(Metrics.databaseAvailable("reads"), answers ? 1 : 0)
      yield* Metric.update(Metrics.databaseAvailable("changes"), answers && (yield* database.takesChanges) ? 1 : 0)
    })
    const looked = Effect.all([noteDatabase, sample], { concurrency: "unbounded", discard: true })
    const refresh = yield* Effect.cachedWithTTL(looked, sampleInterval)
    const written = Effect.map(Effect.andThen(refresh, PrometheusMetrics.format()), (text) =>
      HttpServerResponse.uint8Array(Buffer.from(Metrics.described(text)), {
        contentType: "text/plain; version=0.0.4; charset=utf-8"
      })
    )
    const answer = yield* Effect.cachedWithTTL(written, textInterval)
    const isAsked = yield* AskedByMonitor
    const asked = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ source }) =>
      isAsked === undefined || isAsked(source) ? answer : Effect.fail(elsewhere)
    )
    const guarded = Effect.andThen(makeProbeLimit(), asked)
    yield* router.add("GET", "/metrics", guarded)
  })
)
