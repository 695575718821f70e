import { Array, Effect, Formatter, Layer, Logger, Metric, Redacted, References } from "effect"
import { FetchHttpClient, HttpBody, UrlParams } from "effect/http"
import { OtlpSerialization, OtlpTracer } from "effect/observability"
import { monitorEventLoopDelay } from "node:perf_hooks"
import * as Metrics from "../protocol/Metrics.ts"
import { Redactor } from "./Redactor.ts"
import { LogSettings, TraceSettings } from "./TelemetrySettings.ts"

const delayResolutionMs = 20

const parts = (message: unknown) =>
  Array.ensure(message)
    .map((part) => (typeof part === "string" ? part : Formatter.formatJson(part)))
    .join(" ")

/** Formats a log entry as one line of JSON. Annotations are fields beside `time`, `level`, `message`, and never replace these. */
const json = Logger.map(Logger.formatStructured, ({ annotations, cause, level, message, timestamp }) => {
  const head = { time: timestamp, level: level.toLowerCase(), message: parts(message) }
  const error = cause === undefined ? {} : { error: cause }
  return Formatter.formatJson({ ...head, ...annotations, ...head, ...error })
})

/** Formats a log entry as text for a person at a terminal. */
const pretty = Logger.map(Logger.formatStructured, ({ annotations, cause, level, message, timestamp }) => {
  const facts = Object.entries(annotations).map(
    ([name, value]) => ` ${name}=${typeof value === "string" ? value : Formatter.formatJson(value)}`
  )
  const line = `${timestamp.slice(11, 23)} ${level.padEnd(5)} ${parts(message)}${facts.join("")}`
  return cause === undefined ? line : `${line}\n${cause}`
})

const logs = Layer.unwrap(
  Effect.gen(function* () {
    const { format, level } = yield* LogSettings
    const redact = yield* Redactor
    const write = Logger.withConsoleLog(Logger.map(format === "json" ? json : pretty, redact))
    // When spans are exported, a log entry that is written within a span is also recorded in the span.
    const loggers = (yield* TraceSettings) === undefined ? [write] : [write, Logger.tracerLogger]
    return Layer.merge(Logger.layer(loggers), Layer.succeed(References.MinimumLogLevel, level))
  })
)

/** Exports spans to an OpenTelemetry collector when one is configured; otherwise no spans are made. */
const traces = (version: string) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const target = yield* TraceSettings
      if (target === undefined) return Layer.succeed(References.TracerEnabled, false)
      const redact = yield* Redactor
      const body = (data: unknown) => HttpBody.text(redact(JSON.stringify(data)), "application/json")
      return OtlpTracer.layer({
        url: target.url,
        headers: Redacted.value(target.headers),
        resource: { serviceName: "folio", serviceVersion: version }
      }).pipe(
        Layer.provide(Layer.succeed(OtlpSerialization.OtlpSerialization, { traces: body, metrics: body, logs: body })),
        Layer.provide(FetchHttpClient.layer),
        // All query parameters are redacted: the service's own say nothing about a request, and those of others may hold a secret.
        Layer.merge(Layer.succeed(UrlParams.CurrentRedactedNames, [/^/]))
      )
    })
  )

/** Registers metrics of the operating system and Node about this process. Each value is read when the metric is read. */
const processMetrics = Layer.effectDiscard(
  Effect.gen(function* () {
    const context = yield* Effect.context<never>()
    const delay = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const histogram = monitorEventLoopDelay({ resolution: delayResolutionMs })
        histogram.enable()
        return histogram
      }),
      (histogram) => Effect.sync(() => histogram.disable())
    )
    const register = <State>(metric: Metric.Metric<number, State>, get: () => State) =>
      Effect.acquireRelease(
        Effect.sync(() => Metric.registerUnsafe(metric, context, { get, update: () => {}, modify: () => {} })),
        (registration) => Effect.sync(() => registration.remove())
      )
    yield* register(Metrics.cpuSeconds(), () => {
      const { system, user } = process.cpuUsage()
      return { count: (system + user) / 1e6, incremental: true }
    })
    yield* register(Metrics.residentBytes(), () => ({ value: process.memoryUsage.rss() }))
    yield* register(Metrics.heapBytes(), () => ({ value: process.memoryUsage().heapUsed }))
    yield* register(Metrics.eventLoopDelay(), () => {
      // The histogram measures the time from tick to tick of its own timer; only the time beyond the timer's interval is delay.
      const value = Math.max(0, delay.percentile(99) / 1e9 - delayResolutionMs / 1000)
      delay.reset()
      return { value }
    })
  })
)

/**
 * The log lines, spans and process metrics of the service, without secrets; `version` is that of the service. Requires
 * `LogSettings`, `TraceSettings` and `Redactor`.
 *
 * @example
 * ```ts
 * import { LogSettings, Redactor, Telemetry, TraceSettings } from "@folio-einvoicing/service/platform"
 * import { Layer } from "effect"
 *
 * export const telemetry = Telemetry.layer("1.0.0").pipe(
 *   Layer.provide([LogSettings.layer({ format: "json" }), TraceSettings.layer(), Redactor.layer()])
 * )
 * ```
 */
export const layer = (version: string) => Layer.mergeAll(logs, traces(version), processMetrics)
