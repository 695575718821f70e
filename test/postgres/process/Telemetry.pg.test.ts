import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { makeApiKey } from "../../../src/domain/accounts/ApiKeyFormat.ts"
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

it.live("tells what it does in log lines, metrics and spans, and no secret in any of them", function* () {
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
      OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl,
      OTEL_EXPORTER_OTLP_HEADERS: `x-token=${collectorToken}`
    }
  })
  yield* service.start()
  const client = service.client()
  const metrics = Effect.map(client.get("/metrics"), ({ text }) => text)

  // Canaries in everything that comes in.
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
  yield* until(
    Effect.sync(() => hooks.received.length),
    (count) => count > 0
  )
  // The database refuses: its errors hold what was to be stored.
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

  // The welcome at the first start shows the test key on purpose: once, and three commands that use it.
  const lines = (yield* service.log).trimEnd().split("\n")
  const welcome = lines.filter((line) => line.includes(client.apiKey))
  assert.deepStrictEqual(
    welcome.map((line) => line.trim().split(" ")[0]),
    [client.apiKey, "export", "curl", "curl"]
  )
  const log = lines.filter((line) => !welcome.includes(line))
  const told = {
    log: log.join("\n"),
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

  // Every line but those of the welcome is JSON; those of a request name it.
  const prose = log.filter((line) => !line.startsWith("{") && line !== "").map((line) => line.split(" ")[0])
  assert.deepStrictEqual(prose, ["Folio", "A", "Look", "", "Your", "", "", "Or"])
  const entries = log.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line))
  assert.isTrue(entries.every(({ level, message, time }) => level !== "" && message !== "" && Date.parse(time) > 0))
  const request_id = refused.headers.get("request-id")
  const failure = entries.find((entry) => entry.level === "error" && entry.request_id === request_id)
  assert.match(failure?.account_id, /^ten_/)
  assert.match(failure?.error, /violates check constraint/)
  const access = entries.find(({ route, status }) => route === "/v1/invoices" && status === 202)
  assert.deepInclude(access, { level: "debug", method: "POST", request_id: invoice.headers.get("request-id") })
  assert.isDefined(entries.find(({ delivery_id, webhook_endpoint_id }) => delivery_id && webhook_endpoint_id))

  isTraced(spans, String(invoice.headers.get("request-id")))
  hasProcessMetrics(text)
})

/** The trace of a request goes from its answer down to the statement that stored it. */
const isTraced = (spans: ReadonlyArray<Span>, requestId: string) => {
  const root = spans.find((span) => span.kind === 2 && attributeOf(span, "request_id") === requestId)
  if (root === undefined) return assert.fail("no span of the request")
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
  assert.isDefined(spans.find(({ name, parentSpanId }) => name.startsWith("Invoice.") && parentSpanId !== undefined))
  assert.isDefined(spans.find((other) => attributeOf(other, "invoice_id")?.startsWith("inv_")))
  assert.isDefined(spans.find((other) => attributeOf(other, "delivery_id")?.startsWith("whd_")))
}

const hasProcessMetrics = (text: string) => {
  const value = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1])
  assert.isAbove(value("process_cpu_seconds_total"), 0.1)
  assert.isAbove(value("process_resident_memory_bytes"), 2 ** 25)
  assert.isAbove(value("nodejs_heap_size_used_bytes"), 2 ** 22)
  assert.isAtLeast(value("nodejs_eventloop_lag_p99_seconds"), 0)
}
