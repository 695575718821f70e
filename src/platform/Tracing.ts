import { Effect, Layer, Option, Redacted, References, Tracer } from "effect"
import { FetchHttpClient, HttpBody, HttpMiddleware, UrlParams } from "effect/http"
import { OtlpSerialization, OtlpTracer } from "effect/observability"
import { Redactor } from "./Redaction.ts"
import { Settings } from "./Settings.ts"
import type { TraceTarget } from "./TraceTarget.ts"

type Sampling = NonNullable<TraceTarget["sampling"]>
type SpanOptions = Parameters<Tracer.Tracer["span"]>[0]

/**
 * Whether a span without a parent begins a trace: a request, a message to an actor, an attempt that was due (`consumer`), or a batch of
 * what others asked for. A statement that nobody asked for is a look for work, a heartbeat or a lease: one of many that say nothing.
 */
const beginsTrace = ({ kind, links, name }: SpanOptions) =>
  kind === "server" || kind === "consumer" || links.length > 0 || name.includes(".client.")

/** Whether a trace belongs to the share that is exported: all processes decide the same of a trace, by the last 56 bits of its id. */
const isWithin = (share: number, traceId: string) =>
  share >= 1 || Number.parseInt(traceId.slice(-14), 16) < share * 2 ** 56

const isSampled = ({ followsParent, share }: Sampling, options: SpanOptions, span: Tracer.Span): boolean => {
  if (Option.isNone(options.parent)) return options.sampled && beginsTrace(options) && isWithin(share, span.traceId)
  if (options.parent.value._tag === "Span" || followsParent) return options.sampled
  return isWithin(share, span.traceId)
}

const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])

/** `/v1/invoices/{id}` of the router's `/v1/invoices/:id`. */
const template = (route: string) => route.replaceAll(/:(\w+)/g, "{$1}")

/** Names the span of a request by its route, which is known only when the request has been answered. */
const nameByRoute = (span: Tracer.Span) => {
  const method = span.attributes.get("http.request.method")
  if (typeof method !== "string") return
  const route = span.attributes.get("http.route")
  const verb = methods.has(method) ? method : "HTTP"
  if (typeof route === "string") span.attribute("http.route", template(route))
  Object.assign(span, { name: typeof route === "string" ? `${verb} ${template(route)}` : verb })
}

/**
 * A tracer whose traces are sampled, whose requests are named by their routes, and in which the service's looks for work begin no
 * trace. The spans of `inner` must be objects with writable names.
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

/** Exports spans to an OpenTelemetry collector when one is configured; otherwise no spans are made. */
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
        // All query parameters are redacted: the service's own say nothing about a request, and those of others may hold a secret.
        Layer.merge(Layer.succeed(UrlParams.CurrentRedactedNames, [/^/])),
        Layer.merge(Layer.succeed(HttpMiddleware.TracerDisabledWhen, ({ url: asked }) => isOfMonitor(asked)))
      )
    })
  )
