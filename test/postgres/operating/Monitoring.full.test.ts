import { assert } from "@effect/vitest"
import { Effect } from "effect"
import descriptions from "../../../src/runtime/Metrics.json" with { type: "json" }
import { version } from "../../../src/runtime/Version.ts"
import { collector } from "../../support/apps/Collector.ts"
import { makeClient } from "../../support/apps/Client.ts"
import { until } from "../../support/apps/Until.ts"
import { freePort, serviceProcess } from "../../support/processes/ServiceProcess.ts"
import { it } from "../../support/Tests.ts"

const traces = { continued: "4bf92f3577b34da6a3ce929d0e0e4736", notSampled: "a3ce929d0e0e47364bf92f3577b34da6" }
const parent = "00f067aa0ba902b7"

const ask = (url: string, headers: Record<string, string> = {}) =>
  Effect.promise(() => fetch(url, { headers })).pipe(Effect.map(({ status }) => status))

it.live("The service exposes its metrics at a separate port, and traces no searches for work", function* () {
  const { spans, url: collectorUrl } = yield* collector
  const metricsPort = yield* freePort
  const service = yield* serviceProcess({
    webhookAllow: "",
    env: {
      METRICS_PORT: String(metricsPort),
      LOG_LEVEL: "Debug",
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collectorUrl}/own/path`,
      OTEL_SERVICE_NAME: "invoicing",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=test%20one,service.instance.id=eu-1"
    }
  })
  yield* service.start()
  const client = service.client()
  const monitors = makeClient(`http://127.0.0.1:${metricsPort}`, "")

  // Only the monitoring port serves metrics, and only the API port serves clients. Both report readiness.
  assert.strictEqual((yield* client.get("/metrics")).status, 404)
  assert.strictEqual((yield* monitors.get("/v1/account")).status, 404)
  assert.strictEqual((yield* monitors.get("/health/ready")).status, 200)
  assert.strictEqual((yield* client.get("/health/ready")).status, 200)
  const { text } = yield* monitors.get("/metrics")
  for (const [line, name] of text.matchAll(/^# TYPE (\S+) /gm)) {
    assert.include(text, `# HELP ${name} `, line)
    assert.property(descriptions, name ?? "")
  }
  const [, build] = /^folio_build_info\{version="([^"]+)",node="v\d+\.\d+\.\d+"\} 1$/m.exec(text) ?? []
  assert.strictEqual(build, version)
  assert.strictEqual((yield* client.get("/v1/versions")).json.service_version, version)
  assert.match(text, /^folio_deliveries_total\{result="failed"\} 0$/m)

  // Four seconds of sweeps, heartbeats and scrapes.
  yield* until(monitors.get("/metrics"), (seen) => {
    const start = Number(/^process_start_time_seconds (\S+)$/m.exec(seen.text)?.[1])
    return Date.now() / 1000 - start > 4
  })
  yield* ask(`${service.url}/v1/invoices/inv_1`, {
    authorization: `Bearer ${client.apiKey}`,
    traceparent: `00-${traces.continued}-${parent}-01`
  })
  yield* ask(`${service.url}/v1/account`, { traceparent: `00-${traces.notSampled}-${parent}-00` })
  yield* ask(`${service.url}/nothing/here`)
  yield* service.signal("SIGTERM")
  assert.deepStrictEqual(yield* service.ended, { code: 0, signal: null })

  const roots = spans.filter(({ parentSpanId, traceId }) => parentSpanId === undefined || traceId === traces.continued)
  const begun = roots.filter((span) => span.parentSpanId === undefined || span.parentSpanId === parent)
  assert.deepStrictEqual(
    begun.map(({ name, traceId }) => [name, traceId === traces.continued]),
    [
      ["GET /v1/versions", false],
      ["GET /v1/invoices/{id}", true],
      ["GET", false]
    ]
  )
  assert.isUndefined(spans.find(({ traceId }) => traceId === traces.notSampled))

  const entries = (yield* service.log)
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))
  const access = entries.find(({ route }) => route === "/v1/invoices/:id")
  assert.deepInclude(access, { trace_id: traces.continued, "service.instance.id": "eu-1", status: 404 })
})
