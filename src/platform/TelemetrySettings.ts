import { Config, Context, Effect, Layer, Redacted, Result } from "effect"
import type { LogLevel } from "effect"
import { isHttp, read, refuse } from "../settings/Setting.ts"

const logConfig = Config.all({
  level: Config.LogLevel("LOG_LEVEL").pipe(Config.withDefault("Info" as const)),
  format: Config.Literals(["json", "pretty"], "LOG_FORMAT").pipe(
    Config.withDefault(process.stdout.isTTY ? ("pretty" as const) : ("json" as const))
  )
})

/**
 * Which log entries are written, and how. `level`: the lowest level that is written. `format`: one line of JSON for each entry,
 * or text for a person at a terminal.
 *
 * @example
 * ```ts
 * import { LogSettings } from "@folio-einvoicing/service/platform"
 *
 * export const logs = LogSettings.layer({ level: "Debug", format: "pretty" })
 * ```
 */
export class LogSettings extends Context.Service<
  LogSettings,
  { readonly level: LogLevel.LogLevel; readonly format: "json" | "pretty" }
>()("folio/platform/LogSettings") {
  /** These values; left out, `Info` as JSON. */
  static layer(values: Partial<LogSettings["Service"]> = {}) {
    return Layer.succeed(LogSettings, { level: "Info", format: "json", ...values })
  }

  /** `LOG_LEVEL` and `LOG_FORMAT`. Fails with `SettingsError`. */
  static readonly layerConfig = Layer.effect(LogSettings, read(logConfig))
}

const traceConfig = Config.all({
  endpoint: Config.String("OTEL_EXPORTER_OTLP_ENDPOINT").pipe(Config.withDefault("")),
  headers: Config.Redacted("OTEL_EXPORTER_OTLP_HEADERS").pipe(Config.withDefault(Redacted.make("")))
})

const decode = (text: string) =>
  Result.getOrElse(
    Result.try(() => decodeURIComponent(text)),
    () => text
  )

/** Parses `name=value,name=value`, the format in which OpenTelemetry writes headers. */
const headersOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    Array.from(text.matchAll(/([^,=]*)=([^,]*)/g), ([, name = "", value = ""]) => [name.trim(), decode(value.trim())])
  )

interface TraceTarget {
  readonly url: string
  readonly headers: Redacted.Redacted<Record<string, string>>
}

const traceTarget = Effect.gen(function* () {
  const { endpoint, headers } = yield* read(traceConfig)
  if (endpoint === "") return undefined
  if (!isHttp(endpoint))
    return yield* refuse(
      "OTEL_EXPORTER_OTLP_ENDPOINT must be the http or https URL of a collector, such as http://127.0.0.1:4318"
    )
  const target: TraceTarget = {
    url: `${endpoint.replace(/\/+$/, "")}/v1/traces`,
    headers: Redacted.make(headersOf(Redacted.value(headers)))
  }
  return target
})

/**
 * The OpenTelemetry collector that spans are sent to, and the headers of the requests; undefined: no spans are made.
 *
 * @example
 * ```ts
 * import { TraceSettings } from "@folio-einvoicing/service/platform"
 * import { Redacted } from "effect"
 *
 * export const traces = TraceSettings.layer({
 *   url: "http://127.0.0.1:4318/v1/traces",
 *   headers: Redacted.make({ "x-team": "invoicing" })
 * })
 * ```
 */
export class TraceSettings extends Context.Service<TraceSettings, TraceTarget | undefined>()(
  "folio/platform/TraceSettings"
) {
  /** This collector; without one, no spans are made. */
  static layer(target?: TraceTarget) {
    return Layer.succeed(TraceSettings, target)
  }

  /** `OTEL_EXPORTER_OTLP_ENDPOINT` and `OTEL_EXPORTER_OTLP_HEADERS`. Fails with `SettingsError`. */
  static readonly layerConfig = Layer.effect(TraceSettings, traceTarget)
}
