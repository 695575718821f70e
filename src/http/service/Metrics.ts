import { Effect, Fiber, Metric } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import { AuthorityTrouble } from "../../../schemas/AuthorityTrouble.ts"
import * as Metrics from "../../protocol/Metrics.ts"
import { Backlog, type Waiting } from "../../store/sql/Backlog.ts"

// The shortest time between two counts in the database, however many clients ask for metrics.
const sampleInterval = "5 seconds"
// The shortest time between two renderings of the metrics: rendering every series takes the event loop milliseconds.
const textInterval = "1 second"
const timeout = "2 seconds"

const stages = ["queued", "numbered", "signed", "submitted"]
const deliveryStates = ["due", "scheduled", "resting"]

const unknown = (names: ReadonlyArray<string>) => Object.fromEntries(names.map((name) => [name, Number.NaN]))

// NaN is what Prometheus writes for an unknown value.
const nothing: Waiting = {
  oldest_invoice: Number.NaN,
  oldest_delivery: Number.NaN,
  invoices: unknown(stages),
  deliveries: unknown(deliveryStates),
  in_contingency: Number.NaN,
  contingency_overdue: Number.NaN,
  oldest_contingency: Number.NaN,
  circuits: { live_failing: Number.NaN, live_open: Number.NaN, test_failing: Number.NaN, test_open: Number.NaN },
  troubles: { live: unknown(AuthorityTrouble.literals), test: unknown(AuthorityTrouble.literals) }
}

const show = Effect.fnUntraced(function* (waiting: Waiting) {
  yield* Metric.update(Metrics.oldestInvoice(), waiting.oldest_invoice)
  yield* Metric.update(Metrics.oldestDelivery(), waiting.oldest_delivery)
  yield* Metric.update(Metrics.inContingency(), waiting.in_contingency)
  yield* Metric.update(Metrics.contingencyOverdue(), waiting.contingency_overdue)
  yield* Metric.update(Metrics.oldestContingency(), waiting.oldest_contingency)
  for (const environment of ["live", "test"] as const) {
    for (const state of ["failing", "open"] as const) {
      yield* Metric.update(Metrics.circuits(environment, state), waiting.circuits[`${environment}_${state}`])
    }
    for (const trouble of AuthorityTrouble.literals) {
      yield* Metric.update(Metrics.circuitsInTrouble(environment, trouble), waiting.troubles[environment][trouble] ?? 0)
    }
  }
  for (const stage of stages) yield* Metric.update(Metrics.invoicesWaiting(stage), waiting.invoices[stage] ?? 0)
  for (const state of deliveryStates) {
    yield* Metric.update(Metrics.deliveriesWaiting(state), waiting.deliveries[state] ?? 0)
  }
})

/** Serves `GET /metrics` for Prometheus, without an API key: this process's metrics, and the work that waits in the database. */
export const layer = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const backlog = yield* Backlog
    // The timeout is on the join and not on the query, because interrupting a query on a dead connection takes seconds.
    const sample = Effect.forkDetach(backlog.waiting).pipe(
      Effect.flatMap(Fiber.join),
      Effect.timeout(timeout),
      Effect.catchCause((cause) => Effect.as(Effect.logWarning("What waits could not be counted", cause), nothing)),
      Effect.flatMap(show)
    )
    const refresh = yield* Effect.cachedWithTTL(sample, sampleInterval)
    const written = Effect.map(Effect.andThen(refresh, PrometheusMetrics.format()), (text) =>
      HttpServerResponse.uint8Array(Buffer.from(text), { contentType: "text/plain; version=0.0.4; charset=utf-8" })
    )
    yield* router.add("GET", "/metrics", yield* Effect.cachedWithTTL(written, textInterval))
  })
)
