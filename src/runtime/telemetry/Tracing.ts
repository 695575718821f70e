import { Effect, Layer, Option, Redacted, References, Tracer } from "effect"
import { FetchHttpClient, HttpBody, HttpMiddleware, UrlParams } from "effect/http"
import { OtlpSerialization, OtlpTracer } from "effect/observability"
import { Redactor } from "./Redaction.ts"
import { Settings } from "../process/Settings.ts"
import type { TraceTarget } from "./TraceTarget.ts"

type Sampling = NonNullable<TraceTarget["sampling"]>
type SpanOptions = Parameters<Tracer.Tracer["span"]>[0]

/**
 * Whether a span without a parent begins a trace: a request, a message to an actor, a due attempt (`consumer`), or a
 * batch of requested work. Other statements are polls for work, heartbeats or leases, and are not worth a trace.
 */
const beginsTrace = ({ kind, links, name }: SpanOptions) =>
  kind === "server" || kind === "consumer" || links.length > 0 || name.includes(".client.")

/** Whether a trace is in the exported share. All processes decide the same, by the last 56 bits of its id. */
const isWithin = (share: number, traceId: string) =>
  share >= 1 || Number.parseInt(traceId.slice(-14), 16) < share * 2 ** 56

const isSampled = ({ followsParent, share }: Sampling, options: SpanOptions, span: Tracer.Span): boolean => {
  if (Option.isNone(options.parent)) return options.sampled && beginsTrace(options) && isWithin(share, span.traceId)
  if (options.parent.value._tag === "Span" || followsParent) return options.sampled
  return isWithin(share, span.traceId)
}

const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])

/** Turns the router's `/v1/invoices/:id` into `/v1/invoices/{id}`. */
const template = (route: string) => route.replaceAll(/:(\w+)/g, "{$1}")

/** Names a request's span after its route, which is known only at the end of the request. */
const nameByRoute = (span: Tracer.Span) => {
  const method = span.attributes.get("http.request.method")
  if (typeof method !== "string") return
  const route = span.attributes.get("http.route")
  const verb = methods.has(method) ? method : "HTTP"
  if (typeof route === "string") span.attribute("http.route", template(route))
  Object.assign(span, { name: typeof route === "string" ? `${verb} ${template(route)}` : verb })
}

/**
 * A tracer that samples traces, names requests after their routes, and begins no trace for the service's polls. The
 * spans of `inner` must be objects with writable names.
 */
export const refined = (inner: Tracer.Tracer, sampling: Sampling): Tracer.Tracer =>
  Tracer.make({
    ...inner,
    span: (options) => {
      const span = inner.span(options)
      Object.assign(span, { sampled: isSampled(sampling, options, span) })
      if (options.kind === "server") {
        const end = span.end.bind(span)
        span.end = (time, exit) => {
          nameByRoute(span)
          end(time, exit)
        }
      }
      return span
    }
  })

const isOfMonitor = (url: string) => /^\/(health|metrics)(\/|\?|$)/.test(url)

/** Exports spans to an OpenTelemetry collector if one is configured; otherwise makes no spans. */
export const layer = (version: string) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { instance, traces: target } = yield* Settings
      if (target === undefined) return Layer.succeed(References.TracerEnabled, false)
      const redact = yield* Redactor
      const { headers, sampling = { share: 1, followsParent: true }, serviceName = "folio", url } = target
      const body = (data: unknown) => HttpBody.text(redact(JSON.stringify(data)), "application/json")
      const exporter = OtlpTracer.layer({
        url,
        headers: Redacted.value(headers),
        resource: { serviceName, serviceVersion: version, attributes: { "service.instance.id": instance } }
      }).pipe(
        Layer.provide(Layer.succeed(OtlpSerialization.OtlpSerialization, { traces: body, metrics: body, logs: body })),
        Layer.provide(FetchHttpClient.layer)
      )
      return Layer.effect(
        Tracer.Tracer,
        Effect.map(Effect.tracer, (tracer) => refined(tracer, sampling))
      ).pipe(
        Layer.provide(exporter),
        // Redact all query parameters: the service's own are not useful, and others may contain a secret.
        Layer.merge(Layer.succeed(UrlParams.CurrentRedactedNames, [/^/])),
        Layer.merge(Layer.succeed(HttpMiddleware.TracerDisabledWhen, ({ url: asked }) => isOfMonitor(asked)))
      )
    })
  )
