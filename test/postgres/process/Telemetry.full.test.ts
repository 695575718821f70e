import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import * as Path from "node:path"
import { makeApiKey } from "../../../src/accounts/rules/ApiKeyFormat.ts"
import folio from "../../../package.json" with { type: "json" }
import { attributeOf, collector, type Span } from "../../support/apps/Collector.ts"
import { type Client, makeClient } from "../../support/apps/Client.ts"
import { customerBody, endpointBody, invoiceBody } from "../../support/apps/Invoices.ts"
import { query } from "../../support/database/Postgres.ts"
import { canary, secretLogin } from "../../support/database/SecretLogin.ts"
import { receiver } from "../../support/receiver/Receiver.ts"
import { serviceProcess } from "../../support/processes/ServiceProcess.ts"
import { until } from "../../support/apps/Until.ts"
import { it } from "../../support/Tests.ts"

const create = Effect.fnUntraced(function* (client: Client, note: string) {
  const customer = yield* client.post("/v1/customers", { ...customerBody(), legal_name: note }, { key: note })
  const id = String(customer.json.id)
  return yield* client.post("/v1/invoices", invoiceBody(id, { note }), { key: `${note} invoice` })
})

it.live("The service reports its work in log lines, metrics and spans, without any secret", function* () {
  const hooks = yield* receiver
  const { bytes, spans, url: collectorUrl } = yield* collector
  const database = yield* secretLogin
  const sealing = randomBytes(32).toString("base64")
  const collectorToken = canary("token")
  const service = yield* serviceProcess({
    webhookAllow: `127.0.0.1:${hooks.port}`,
    env: {
      DATABASE_URL: database.url,
      FOLIO_KEY: sealing,
      LOG_LEVEL: "All",
      SERVICE_INSTANCE: "eu-1",
      OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl,
      OTEL_EXPORTER_OTLP_HEADERS: `x-token=${collectorToken}`
    }
  })
  yield* service.start()
  const client = service.client()
  const metrics = Effect.map(client.get("/metrics"), ({ text }) => text)

  // Canaries in every kind of input.
  const body = canary("body")
  const strange = canary("query")
  const endpoint = yield* client.post("/v1/webhook-endpoints", endpointBody(hooks.url("/hooks")))
  const rotated = yield* client.post(`/v1/webhook-endpoints/${endpoint.json.id}/rotate-secret`, undefined)
  const secrets = [String(endpoint.json.secret), String(rotated.json.secret)]
  const wrongKey = makeApiKey("live", randomBytes(32))
  hooks.answerWith(() => 500)
  const invoice = yield* create(client, body)
  assert.strictEqual(invoice.status, 202)
  yield* makeClient(service.url, wrongKey).get(`/v1/account?api_key=${wrongKey}&token=${strange}`)
  yield* client.get(`/v1/${wrongKey}`)
  yield* client.post("/v1/customers", `{"legal_name": "${body}", `, { key: "malformed" })
  yield* client.post("/v1/customers", { ...customerBody(), [body]: body }, { key: "unknown field" })
  const userinfo = canary("userinfo")
  yield* client.post("/v1/webhook-endpoints", endpointBody(`https://user:${userinfo}@example.com/`))
  const header = canary("header")
  yield* Effect.promise(() =>
    fetch(`${service.url}/v1/account`, {
      headers: { Authorization: `Basic ${header}`, Cookie: header, "X-Key": header }
    })
  )
  // Waits until the attempt is recorded, because the record would postpone the next attempt.
  yield* until(query(database.admin, "select from deliveries where attempts > 0"), ({ rowCount }) => rowCount > 0)
  // The database rejects the statements, and its errors contain the values to store.
  yield* query(
    database.admin,
    `alter table customers add constraint never check (acquirer->>'legal_name' = '') not valid`
  )
  const refused = yield* client.post("/v1/customers", { ...customerBody(), legal_name: body }, { key: "refused" })
  assert.strictEqual(refused.status, 500)
  yield* query(database.admin, "update webhook_endpoints set secret = 'v1.ruins'")
  yield* query(database.admin, "update deliveries set next_attempt_at = now() where status = 'pending'")
  yield* until(metrics, (text) => /folio_poison_total\{kind="delivery"\} 1/.test(text))
  const text = yield* metrics

  yield* service.signal("SIGTERM")
  assert.deepStrictEqual(yield* service.ended, { code: 0, signal: null })

  const log = yield* service.log
  const told = {
    log,
    metrics: text,
    spans: bytes.join("\n").replaceAll(`"x-token":"${collectorToken}"`, "")
  }
  const hidden = {
    apiKey: client.apiKey,
    wrongKey,
    secrets,
    password: [database.password, encodeURIComponent(database.password), database.password.slice(0, 20)],
    sealing,
    collectorToken,
    body,
    strange,
    userinfo,
    header
  }
  for (const [where, content] of Object.entries(told)) {
    assert.isAbove(content.length, 2_000, where)
    for (const [what, values] of Object.entries(hidden)) {
      for (const value of [values].flat()) assert.notInclude(content, value, `${what} in the ${where}`)
    }
  }

  // Every line from the first start to the end is JSON, and names the file of the new test key.
  const entries = log
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))
  const ready = entries.find(({ message }) => message === "Folio is ready")
  assert.deepInclude(ready, { base_url: service.url, test_key_file: Path.join(service.dataDir, "test-key") })
  assert.isTrue(entries.every(({ level, message, time }) => level !== "" && message !== "" && Date.parse(time) > 0))
  assert.isTrue(
    entries.every(
      (entry) =>
        entry["service.instance.id"] === "eu-1" && String(entry["service.version"]).startsWith(`${folio.version}+`)
    )
  )
  const request_id = refused.headers.get("request-id")
  const failure = entries.find((entry) => entry.level === "error" && entry.request_id === request_id)
  assert.match(failure?.account_id, /^ten_/)
  assert.match(failure?.error, /violates check constraint/)
  const access = entries.find(({ route, status }) => route === "/v1/invoices" && status === 202)
  assert.deepInclude(access, { level: "debug", method: "POST", request_id: invoice.headers.get("request-id") })
  assert.isAbove(access?.duration_ms, 0)
  assert.isDefined(entries.find(({ delivery_id, webhook_endpoint_id }) => delivery_id && webhook_endpoint_id))

  isTraced(spans, String(invoice.headers.get("request-id")), access?.trace_id)
  hasProcessMetrics(text)
})

/** The trace of a request leads from its response to the statement that stored it. */
const isTraced = (spans: ReadonlyArray<Span>, requestId: string, traceId: unknown) => {
  const root = spans.find((span) => span.kind === 2 && attributeOf(span, "request_id") === requestId)
  if (root === undefined) return assert.fail("no span of the request")
  assert.strictEqual(root.name, "POST /v1/invoices")
  assert.strictEqual(root.traceId, traceId)
  assert.strictEqual(attributeOf(root, "http.route"), "/v1/invoices")
  assert.match(attributeOf(root, "account_id") ?? "", /^ten_/)
  const trace = spans.filter((span) => span.traceId === root.traceId)
  const parentOf = (span: Span) => trace.find(({ spanId }) => spanId === span.parentSpanId)
  const names: Array<string> = []
  let span = trace.find(({ name }) => name === "InvoiceCreation.create")
  for (; span !== undefined && span !== root; span = parentOf(span)) names.push(span.name)
  assert.strictEqual(span, root, `${names.join(" < ")} does not lead to the request`)
  assert.include(names, "Command.CreateInvoice")
  const creation = trace.find(({ name }) => name === "InvoiceCreation.create")
  const batch = spans.find(
    ({ links, name, parentSpanId }) =>
      name === "Batcher.InvoiceCreation.create" &&
      (parentSpanId === creation?.spanId || links.some(({ spanId }) => spanId === creation?.spanId))
  )
  assert.isDefined(batch)
  const begun = spans.find(({ name }) => name === "Executor.begin")
  assert.match(attributeOf(begun ?? root, "invoice_ids") ?? "", /^inv_/)
  assert.isDefined(spans.find(({ parentSpanId }) => begun !== undefined && parentSpanId === begun.spanId))
  assert.isDefined(spans.find((other) => attributeOf(other, "delivery_id")?.startsWith("whd_")))
}

const hasProcessMetrics = (text: string) => {
  const value = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1])
  assert.isAbove(value("process_cpu_seconds_total"), 0.1)
  assert.isAbove(value("process_resident_memory_bytes"), 2 ** 25)
  assert.isAbove(value("nodejs_heap_size_used_bytes"), 2 ** 22)
  assert.isAtLeast(value("nodejs_eventloop_lag_p99_seconds"), 0)
}
