import { Config, Effect, Redacted, Result, Schema } from "effect"
import { isHttp, read, refuse } from "../Setting.ts"

// Names and values are percent-encoded: `deployment.environment=production,team=a%20b`.
export const resourceAttributes = Config.Record(
  Schema.StringFromUriComponent,
  Schema.StringFromUriComponent,
  "OTEL_RESOURCE_ATTRIBUTES",
  { trim: true, keepEmptyValues: true }
).pipe(Config.withDefault<Readonly<Record<string, string>>>({}))

const text = (name: string) => Config.String(name).pipe(Config.withDefault(""))

const samplers = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio"
] as const

const traceConfig = Config.all({
  disabled: text("OTEL_SDK_DISABLED"),
  exporter: text("OTEL_TRACES_EXPORTER"),
  protocol: text("OTEL_EXPORTER_OTLP_PROTOCOL"),
  tracesProtocol: text("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"),
  endpoint: text("OTEL_EXPORTER_OTLP_ENDPOINT"),
  tracesEndpoint: text("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"),
  headers: Config.Redacted("OTEL_EXPORTER_OTLP_HEADERS").pipe(Config.withDefault(Redacted.make(""))),
  tracesHeaders: Config.Redacted("OTEL_EXPORTER_OTLP_TRACES_HEADERS").pipe(Config.withDefault(undefined)),
  serviceName: text("OTEL_SERVICE_NAME"),
  attributes: resourceAttributes,
  sampler: Config.Literals(samplers, "OTEL_TRACES_SAMPLER").pipe(Config.withDefault("parentbased_always_on" as const)),
  share: Config.Finite("OTEL_TRACES_SAMPLER_ARG").pipe(Config.withDefault(1))
})

const decode = (value: string) =>
  Result.getOrElse(
    Result.try(() => decodeURIComponent(value)),
    () => value
  )

/** Parses `name=value,name=value`, OpenTelemetry's format for headers. */
const headersOf = (list: string): Record<string, string> =>
  Object.fromEntries(
    Array.from(list.matchAll(/([^,=]*)=([^,]*)/g), ([, name = "", value = ""]) => [name.trim(), decode(value.trim())])
  )

/** The OpenTelemetry collector for spans, and the headers of the requests to it. */
export interface TraceTarget {
  /** The URL for spans, with its path: `http://127.0.0.1:4318/v1/traces`. */
  readonly url: string
  readonly headers: Redacted.Redacted<Record<string, string>>
  /** `service.name` of the spans; `folio` by default. */
  readonly serviceName?: string
  /** The traces to export; all by default. */
  readonly sampling?: {
    /** Share of the traces to export, from 0 to 1. */
    readonly share: number
    /** Whether to follow the client's decision about its trace (`traceparent`). */
    readonly followsParent: boolean
  }
}

/**
 * The collector in the environment; if undefined, there are no spans. Reads `OTEL_EXPORTER_OTLP_ENDPOINT`,
 * `OTEL_EXPORTER_OTLP_HEADERS`, each also as `OTEL_EXPORTER_OTLP_TRACES_…`, `OTEL_SERVICE_NAME`,
 * `OTEL_RESOURCE_ATTRIBUTES`, `OTEL_TRACES_SAMPLER` with `_ARG`, `OTEL_TRACES_EXPORTER` and `OTEL_SDK_DISABLED`. Fails
 * with `SettingsError`.
 */
export const traceTarget = Effect.gen(function* () {
  const settings = yield* read(traceConfig)
  const { attributes, disabled, endpoint, exporter, sampler, tracesEndpoint } = settings
  const url =
    tracesEndpoint !== "" ? tracesEndpoint : endpoint === "" ? "" : `${endpoint.replace(/\/+$/, "")}/v1/traces`
  if (url === "" || disabled.toLowerCase() === "true" || exporter === "none") return undefined
  if (!isHttp(url)) {
    const name = tracesEndpoint === "" ? "OTEL_EXPORTER_OTLP_ENDPOINT" : "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
    return yield* refuse(`${name} must be the http or https URL of a collector, such as http://127.0.0.1:4318`)
  }
  if (exporter !== "" && exporter !== "otlp")
    return yield* refuse("OTEL_TRACES_EXPORTER must be otlp or none: spans are only sent by OTLP over HTTP.")
  if ([settings.tracesProtocol, settings.protocol].find((protocol) => protocol !== "") === "grpc")
    return yield* refuse(
      "OTEL_EXPORTER_OTLP_PROTOCOL must be http/json: Folio does not send spans by gRPC. Use the collector's HTTP port, usually 4318."
    )
  if (settings.share < 0 || settings.share > 1)
    return yield* refuse(
      "OTEL_TRACES_SAMPLER_ARG must be the share of traces that are exported, from 0 to 1, such as 0.1."
    )
  const headers = settings.tracesHeaders ?? settings.headers
  const share = sampler.endsWith("_off") ? 0 : sampler.endsWith("_on") ? 1 : settings.share
  const target: TraceTarget = {
    url,
    headers: Redacted.make(headersOf(Redacted.value(headers))),
    serviceName: [settings.serviceName, attributes["service.name"]].find(Boolean) ?? "folio",
    sampling: { share, followsParent: sampler.startsWith("parentbased_") }
  }
  return target
})
