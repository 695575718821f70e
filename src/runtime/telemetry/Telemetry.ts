import { Array, Cause, Effect, Formatter, Layer, Logger, References } from "effect"
import { refusalOfSession } from "../../database/SqlFailure.ts"
import { Redactor } from "./Redaction.ts"
import * as Tracing from "./Tracing.ts"
import { Settings } from "../process/Settings.ts"
import * as Fs from "node:fs"
import { monitorEventLoopDelay, performance } from "node:perf_hooks"
import * as Metrics from "../Metrics.ts"

const parts = (message: unknown) =>
  Array.ensure(message)
    .map((part) => (typeof part === "string" ? part : Formatter.formatJson(part)))
    .join(" ")

/**
 * Formats a log entry as one line of JSON. Annotations are fields next to `time`, `level` and `message`, and never
 * replace them. Further fields are the ids of the current trace and span, and `who`, which names the process.
 */
const json = (who: Readonly<Record<string, string>>, isTraced: boolean) =>
  Logger.make<unknown, string>((entry) => {
    const { annotations, cause, level, message, timestamp } = Logger.formatStructured.log(entry)
    const head = { time: timestamp, level: level.toLowerCase(), message: parts(message) }
    const error = cause === undefined ? {} : { error: cause }
    const { span } = entry.fiber.cache
    const trace = isTraced && span !== undefined ? { trace_id: span.traceId, span_id: span.spanId } : {}
    return Formatter.formatJson({ ...head, ...annotations, ...head, ...error, ...trace, ...who })
  })

/** Formats a log entry as text for a terminal. */
const pretty = Logger.map(Logger.formatStructured, ({ annotations, cause, level, message, timestamp }) => {
  const facts = Object.entries(annotations).map(
    ([name, value]) => ` ${name}=${typeof value === "string" ? value : Formatter.formatJson(value)}`
  )
  const line = `${timestamp.slice(11, 23)} ${level.padEnd(5)} ${parts(message)}${facts.join("")}`
  return cause === undefined ? line : `${line}\n${cause}`
})

const refusalIntervalMs = 60_000

/**
 * Writes one line per minute for each reason why the database rejects sessions, instead of a line for each failure.
 * Writes every other entry.
 */
const onceAMinute = (write: Logger.Logger<unknown, void>) => {
  const writtenAt = new Map<string, number>()
  return Logger.make<unknown, void>((entry) => {
    const refusal = refusalOfSession(entry.cause)
    if (refusal === undefined) return write.log(entry)
    const now = entry.date.getTime()
    if (now - (writtenAt.get(refusal) ?? Number.NEGATIVE_INFINITY) < refusalIntervalMs) return
    writtenAt.set(refusal, now)
    const message = `The database refuses sessions (${refusal}). Requests fail with 503 until it takes them. Run: folio doctor`
    write.log(Object.assign(Object.create(entry), { message, cause: Cause.empty }))
  })
}

/**
 * The log lines of a process, without secrets. Requires `Settings` and `Redactor`.
 *
 * @internal
 */
export const logs = (version: string) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { instance, log, traces } = yield* Settings
      const redact = yield* Redactor
      const isTraced = traces !== undefined
      const who = { "service.instance.id": instance, "service.version": version }
      const write = Logger.withConsoleLog(Logger.map(log.format === "json" ? json(who, isTraced) : pretty, redact))
      const seldom = onceAMinute(write)
      // When spans are exported, a log entry within a span is also recorded in the span.
      const loggers = isTraced ? [seldom, Logger.tracerLogger] : [seldom]
      return Layer.merge(Logger.layer(loggers), Layer.succeed(References.MinimumLogLevel, log.level))
    })
  )

/**
 * The service's log lines, spans and process metrics, without secrets. `version` is the service's version. Requires
 * `Settings` and `Redactor`.
 */
export const layer = (version: string) =>
  Layer.mergeAll(logs(version), Tracing.layer(version), layerProcessMetrics(version))

// Each sample wakes an idle process. Five per second give 75 samples between two scrapes, with Prometheus's 15 seconds.
const delayResolutionMs = 200

/**
 * The number of open files and sockets of this process, and its limit; undefined if the system does not report them.
 */
const openFiles = () => {
  try {
    return Fs.readdirSync("/proc/self/fd").length
  } catch {
    return undefined
  }
}
const openFilesMax = () => {
  try {
    return Number(/^Max open files\s+(\d+)/m.exec(Fs.readFileSync("/proc/self/limits", "utf8"))?.[1] ?? Number.NaN)
  } catch {
    return Number.NaN
  }
}

/** Registers this process's metrics from the operating system and Node. Each value is read when its metric is read. */
const layerProcessMetrics = (version: string) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const delay = yield* Effect.acquireRelease(
        Effect.sync(() => {
          const histogram = monitorEventLoopDelay({ resolution: delayResolutionMs })
          histogram.enable()
          return histogram
        }),
        (histogram) => Effect.sync(() => histogram.disable())
      )
      yield* Metrics.observe(Metrics.buildInfo(version, process.version), () => ({ value: 1 }))
      yield* Metrics.observe(Metrics.startTime(), () => ({ value: performance.timeOrigin / 1000 }))
      yield* Metrics.observe(Metrics.cpuSeconds(), () => {
        const { system, user } = process.cpuUsage()
        return { count: (system + user) / 1e6, incremental: true }
      })
      yield* Metrics.observe(Metrics.residentBytes(), () => ({ value: process.memoryUsage.rss() }))
      yield* Metrics.observe(Metrics.heapBytes(), () => ({ value: process.memoryUsage().heapUsed }))
      yield* Metrics.observe(Metrics.eventLoopDelay(), () => {
        // The histogram measures the time between ticks of its own timer; only the time beyond the timer's interval is
        // delay.
        const value = Math.max(0, delay.percentile(99) / 1e9 - delayResolutionMs / 1000)
        delay.reset()
        return { value }
      })
      if (openFiles() === undefined) return
      const max = openFilesMax()
      yield* Metrics.observe(Metrics.openFiles(), () => ({ value: openFiles() ?? Number.NaN }))
      yield* Metrics.observe(Metrics.openFilesMax(), () => ({ value: max }))
    })
  )
