import { Array, Effect, Formatter, Layer, Logger, Metric, Redacted, References } from "effect"
import { FetchHttpClient, HttpBody, UrlParams } from "effect/http"
import { OtlpSerialization, OtlpTracer } from "effect/observability"
import { monitorEventLoopDelay } from "node:perf_hooks"
import * as Metrics from "../protocol/Metrics.ts"
import { redactor, secretsOf } from "./Redaction.ts"
import { Settings } from "./Settings.ts"

const delayResolutionMs = 20

const parts = (message: unknown) =>
  Array.ensure(message)
    .map((part) => (typeof part === "string" ? part : Formatter.formatJson(part)))
    .join(" ")

/** One line of JSON an entry. What annotations say stands beside `time`, `level` and `message`, and never in their place. */
const json = Logger.map(Logger.formatStructured, ({ annotations, cause, level, message, timestamp }) => {
  const head = { time: timestamp, level: level.toLowerCase(), message: parts(message) }
  const error = cause === undefined ? {} : { error: cause }
  return Formatter.formatJson({ ...head, ...annotations, ...head, ...error })
})

/** For a person at a terminal. */
const pretty = Logger.map(Logger.formatStructured, ({ annotations, cause, level, message, timestamp }) => {
  const facts = Object.entries(annotations).map(
    ([name, value]) => ` ${name}=${typeof value === "string" ? value : Formatter.formatJson(value)}`
  )
  const line = `${timestamp.slice(11, 23)} ${level.padEnd(5)} ${parts(message)}${facts.join("")}`
  return cause === undefined ? line : `${line}\n${cause}`
})

const logs = Layer.unwrap(
  Effect.map(Settings, (settings) => {
    const redact = redactor(secretsOf(settings))
    const format = settings.logFormat === "json" ? json : pretty
    const write = Logger.withConsoleLog(Logger.map(format, redact))
    // With traces, what is logged within a span is told there as well.
    const loggers = settings.otlp === undefined ? [write] : [write, Logger.tracerLogger]
    return Layer.merge(Logger.layer(loggers), Layer.succeed(References.MinimumLogLevel, settings.logLevel))
  })
)

/** Spans go to an OpenTelemetry collector when there is one; else none is made. */
const traces = (version: string) =>
  Layer.unwrap(
    Effect.map(Settings, (settings) => {
      const { otlp } = settings
      if (otlp === undefined) return Layer.succeed(References.TracerEnabled, false)
      const redact = redactor(secretsOf(settings))
      const body = (data: unknown) => HttpBody.text(redact(JSON.stringify(data)), "application/json")
      return OtlpTracer.layer({
        url: otlp.url,
        headers: Redacted.value(otlp.headers),
        resource: { serviceName: "folio", serviceVersion: version }
      }).pipe(
        Layer.provide(Layer.succeed(OtlpSerialization.OtlpSerialization, { traces: body, metrics: body, logs: body })),
        Layer.provide(FetchHttpClient.layer),
        // No query of ours says anything about a request, and somebody else's may hold a secret.
        Layer.merge(Layer.succeed(UrlParams.CurrentRedactedNames, [/^/]))
      )
    })
  )

/** What the operating system and Node know of this process, read when it is asked for. */
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
      // It measures from tick to tick of its own timer: what is beyond that is delay.
      const value = Math.max(0, delay.percentile(99) / 1e9 - delayResolutionMs / 1000)
      delay.reset()
      return { value }
    })
  })
)

/** How the process tells what it does: log lines, spans and its own metrics, as the settings say, and no secret in any. */
export const layer = (version: string) => Layer.mergeAll(logs, traces(version), processMetrics)
