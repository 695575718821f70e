import { assert, describe } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpServer, HttpServerResponse } from "effect/http"
import { connect } from "node:net"
import { type ErrorCode, errorCodes } from "../../../schemas/ErrorCode.ts"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { ServiceInfo } from "../../../src/runtime/ServiceInfo.ts"
import { Limits } from "../../../src/runtime/Limits.ts"
import { Settings } from "../../../src/runtime/process/Settings.ts"
import { baseUrl, settingsOf } from "../../support/apps/TestSettings.ts"
import { freePort } from "../../../src/runtime/server/Listeners.ts"
import * as Server from "../../../src/runtime/server/Server.ts"
import { customerBody } from "../../support/apps/Invoices.ts"
import { keys } from "../../support/apps/Accounts.ts"
import { layer as app, serviceWith } from "../../support/apps/MemoryApp.ts"
import { MemoryTables } from "../../support/memory/MemoryTables.ts"
import { get } from "../../support/apps/Requests.ts"
import { patiently } from "../../support/apps/Until.ts"
import { it as alone, itOn } from "../../support/Tests.ts"

const it = itOn(app)

/** All bytes that the server sends on one connection until it closes it. */
const talk = Effect.fnUntraced(function* (
  text: string,
  options: { readonly hangUp?: boolean; readonly goOn?: string; readonly drip?: string } = {}
) {
  const { address } = yield* HttpServer.HttpServer
  const { hostname, port } = new URL(HttpServer.formatAddress(address))
  return yield* Effect.callback<string>((resume) => {
    const socket = connect(Number(port), hostname)
    let received = ""
    socket.setEncoding("utf8")
    socket.on("data", (chunk: string) => (received += chunk))
    // The server may close the connection while the client still has bytes to write.
    socket.on("error", () => {})
    const { drip, goOn } = options
    const dripping = setInterval(() => drip !== undefined && socket.writable && socket.write(drip), 20)
    socket.on("close", () => {
      clearInterval(dripping)
      resume(Effect.succeed(received))
    })
    const more = () => {
      // A request with a response is not sent to its end.
      if (goOn !== undefined && received === "" && socket.writable) socket.write(goOn, more)
      else if (goOn !== undefined) socket.end()
    }
    socket.write(text, () => {
      if (options.hangUp === true) socket.destroy()
      more()
    })
  })
})

/** The parts of the only response in the received bytes. */
const answerIn = (received: string) => {
  assert.lengthOf(received.match(/HTTP\/1\.1 \d{3} /g) ?? [], 1, received)
  const [head = "", body = ""] = received.split("\r\n\r\n")
  const [statusLine = "", ...lines] = head.split("\r\n")
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 2)])
  )
  return { status: Number(statusLine.split(" ")[1]), headers, body }
}

const isRefused = (received: string, code: ErrorCode, message: RegExp) => {
  const { body, headers, status } = answerIn(received)
  const { error } = JSON.parse(body)
  assert.strictEqual(status, errorCodes[code].status)
  assert.match(body, /\}\n$/)
  assert.strictEqual(error.code, code)
  assert.strictEqual(error.type, errorCodes[code].type)
  assert.match(error.message, message)
  assert.strictEqual(error.doc_url, `${baseUrl}/docs/errors/${code}`)
  assert.match(error.request_id, /^req_[0-9a-hjkmnp-tv-z]{26}$/)
  assert.deepInclude(headers, {
    "request-id": error.request_id,
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    "cache-control": "no-store",
    "svc-version": "2026-01-01",
    "x-content-type-options": "nosniff",
    connection: "close"
  })
}

const request = (line: string, headers: ReadonlyArray<string> = [], body = "") =>
  [line, "Host: folio.test", `Authorization: Bearer ${keys.test}`, ...headers, "", body].join("\r\n")

const createCustomer = (headers: ReadonlyArray<string>, body: string) =>
  request("POST /v1/customers HTTP/1.1", ["Content-Type: application/json", "Idempotency-Key: k", ...headers], body)

const survives = Effect.gen(function* () {
  const { tables } = yield* MemoryTables
  // If a request arrives too late for a strict limit, repeat it.
  yield* patiently(Effect.repeat(get("/v1/account"), { until: ({ status }) => status === 200 }))
  assert.strictEqual(tables.customers.size, 0)
  assert.strictEqual(tables.idempotencyKeys.size, 0)
})

const notHttp = [
  { what: "a word", text: "HELLO\r\n\r\n" },
  { what: "a TLS greeting", text: "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003" },
  { what: "an unknown method", text: request("FOO /v1/account HTTP/1.1") },
  { what: "an unknown protocol", text: request("GET /v1/account HTTP/3.9") },
  { what: "a header without a colon", text: request("GET /v1/account HTTP/1.1", ["nonsense"]) },
  { what: "a body of two lengths", text: createCustomer(["Content-Length: 2", "Content-Length: 3"], "{}") },
  {
    what: "a body of a length and in chunks",
    text: createCustomer(["Content-Length: 2", "Transfer-Encoding: chunked"], "{}")
  },
  { what: "a body of a length that is no number", text: createCustomer(["Content-Length: two"], "{}") }
]

describe("the server under the routes", () => {
  it.effect.each(notHttp)("rejects $what", function* ({ text }) {
    isRefused(yield* talk(text), "malformed_json", /not an HTTP\/1.1 request/)
    yield* survives
  })

  it.effect("rejects headers that are too large before any route reads them", function* () {
    const text = request("GET /v1/account HTTP/1.1", [`X-Much: ${"y".repeat(70_000)}`])
    isRefused(yield* talk(text), "headers_too_large", /16 KiB/)
    yield* survives
  })

  it.effect("rejects a URL that is too long before any route reads it", function* () {
    isRefused(yield* talk(request(`GET /v1/account?${"y".repeat(70_000)} HTTP/1.1`)), "uri_too_long", /8 KiB/)
    yield* survives
  })

  it.effect("rejects CONNECT: it is no proxy", function* () {
    const received = yield* talk("CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n")
    isRefused(received, "method_not_allowed", /no proxy/)
    assert.strictEqual(answerIn(received).headers["allow"], "DELETE, GET, HEAD, PATCH, POST, PUT")
    yield* survives
  })

  const megabyte = "x".repeat(1_048_576)

  it.effect.each([
    {
      what: "is declared to have a terabyte",
      text: createCustomer([`Content-Length: ${2 ** 40}`], ""),
      goOn: undefined
    },
    {
      what: "has no end",
      text: createCustomer(["Transfer-Encoding: chunked"], ""),
      goOn: `100000\r\n${megabyte}\r\n`
    }
  ])("rejects a body that $what before it reads the body", function* ({ goOn, text }) {
    const { body, headers, status } = answerIn(yield* talk(text, goOn === undefined ? {} : { goOn }))
    assert.strictEqual(status, 413)
    assert.strictEqual(JSON.parse(body).error.code, "request_too_large")
    assert.strictEqual(headers["request-id"], JSON.parse(body).error.request_id)
    yield* survives
  })

  it.effect("rejects a request without a host, except over HTTP/1.0, which some monitors use", function* () {
    const { body, headers, status } = answerIn(yield* talk("GET /health/live HTTP/1.1\r\nConnection: close\r\n\r\n"))
    assert.strictEqual(status, 400, body)
    const { error } = JSON.parse(body)
    assert.deepStrictEqual([error.code, error.request_id], ["malformed_json", headers["request-id"]])
    assert.match(error.message, /needs the header Host/)
    assert.strictEqual(answerIn(yield* talk("GET /health/live HTTP/1.0\r\n\r\n")).status, 200)
  })

  it.effect("rejects a request with two hosts", function* () {
    const text = request("GET /v1/account HTTP/1.1", ["Host: localhost", "Connection: close"])
    const { body, status } = answerIn(yield* talk(text))
    const { error } = JSON.parse(body)
    assert.deepStrictEqual([status, error?.code, error?.param], [400, "malformed_json", "Host"], body)
    assert.match(error.message, /the header Host 2 times; send it once/)
  })

  it.effect.each(["websocket", "h2c"])("does not switch to another protocol: %s", function* (protocol) {
    const text = createCustomer(
      [`Upgrade: ${protocol}`, "Connection: Upgrade, close", "Transfer-Encoding: chunked"],
      "2\r\n{}\r\n0\r\n\r\n"
    )
    const { headers, status } = answerIn(yield* talk(text))
    assert.strictEqual(status, 400)
    assert.match(headers["request-id"] ?? "", /^req_/)
  })

  it.effect("accepts a request with an unknown expectation", function* () {
    const text = request("GET /v1/account HTTP/1.1", ["Expect: nonsense", "Connection: close"])
    assert.strictEqual(answerIn(yield* talk(text)).status, 200)
  })

  it.effect("responds to pipelined requests in their order", function* () {
    const paths = ["/v1/account", "/v1/nothing", "/v1/catalogs/tributos"]
    const texts = paths.map((path, index) =>
      request(`GET ${path} HTTP/1.1`, index === paths.length - 1 ? ["Connection: close"] : [])
    )
    const statuses = (yield* talk(texts.join(""))).match(/(?<=HTTP\/1\.1 )\d+/g)
    assert.deepStrictEqual(statuses, ["200", "404", "200"])
  })

  it.effect("survives clients that disconnect in the middle of a request", function* () {
    const body = JSON.stringify(customerBody())
    for (const text of [
      "GET /v1/acc",
      createCustomer([`Content-Length: ${body.length}`], body.slice(0, 20)),
      createCustomer(["Transfer-Encoding: chunked"], "5\r\n{")
    ]) {
      yield* talk(text, { hangUp: true })
      yield* survives
    }
  })
})

const impatient = serviceWith(
  Limits.layerChanged({ clients: { headersMs: 500, requestMs: 1_000, checkMs: 50, keepAliveMs: 100 } })
)

describe("a connection", () => {
  alone.effect("may idle for 65 s", () =>
    Effect.sync(() => {
      assert.strictEqual(Limits.defaults.clients.keepAliveMs, 65_000)
    })
  )

  itOn(impatient).effect("closes after its idle time", function* () {
    const received = yield* talk(request("GET /v1/account HTTP/1.1"))
    const { headers, status } = answerIn(received)
    assert.deepStrictEqual([status, headers["connection"]], [200, "keep-alive"])
  })
})

const monitored = Layer.unwrap(Effect.map(freePort("127.0.0.1", 0), (metricsPort) => settingsOf({ metricsPort })))

const withoutRoutes = Server.layer.pipe(
  Layer.provideMerge(
    Layer.mergeAll(Limits.layer(), monitored, ServiceInfo.layer({ version: "0.1.0", baseUrl }), NodeCrypto.layer)
  )
)

itOn(withoutRoutes).effect("A process that has no routes yet reports that it is starting", function* () {
  const received = yield* talk(request("GET /health/ready HTTP/1.1", ["Connection: close"]))
  isRefused(received, "service_unavailable", /^This process is starting/)
  assert.strictEqual(answerIn(received).headers["retry-after"], "1")
})

itOn(withoutRoutes).effect("A process without its routes reports to monitors that it is stopping", function* () {
  const { metricsPort } = (yield* Settings).listen
  const server = yield* HttpServer.HttpServer
  yield* Effect.scoped(server.serve(Effect.succeed(HttpServerResponse.empty())))
  const response = yield* Effect.promise(() => fetch(`http://127.0.0.1:${metricsPort}/health/ready`))
  assert.deepStrictEqual([response.status, response.headers.get("retry-after")], [503, "1"])
  assert.match(yield* Effect.promise(() => response.text()), /"message":"This process is stopping\./)
})

describe("a request that does not arrive whole", () => {
  itOn(impatient).effect.each([
    { what: "headers", text: "GET /v1/account HTTP/1.1\r\nHost: folio.test\r\n", drop: "X-Slow: 1\r\n" },
    { what: "body", text: createCustomer(["Transfer-Encoding: chunked"], ""), drop: "1\r\n \r\n" }
  ])("ends with an error although its $what keep dripping", function* ({ drop, text }) {
    const received = yield* talk(text, { drip: drop })
    isRefused(received, "request_timeout", /did not arrive within 30 seconds/)
    yield* survives
  })

  alone.effect("has 10 s for its headers and 30 s in total", () =>
    Effect.sync(() => {
      assert.deepInclude(Limits.defaults.clients, { headersMs: 10_000, requestMs: 30_000 })
    })
  )

  itOn(impatient).effect.each([
    { what: "in its headers", text: "GET /v1/account HTTP/1.1\r\nHost: folio.test\r\n" },
    { what: "in its body", text: createCustomer(["Content-Length: 1000"], "{") },
    { what: "in its chunks", text: createCustomer(["Transfer-Encoding: chunked"], "1\r\n{\r\n") }
  ])("ends with an error if it stops $what", function* ({ text }) {
    const received = yield* talk(text)
    isRefused(received, "request_timeout", /did not arrive within 30 seconds/)
    assert.strictEqual(answerIn(received).headers["svc-should-retry"], "true")
    yield* survives
  })
})
