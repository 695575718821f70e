import { assert, describe } from "@effect/vitest"
import { ConfigProvider, Effect, Exit, Fiber, Function, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { IncomingMessage, ServerResponse } from "node:http"
import { Socket } from "node:net"
import { makeConnections } from "../../../src/runtime/server/Connections.ts"
import { keys } from "../../support/apps/Accounts.ts"
import { serviceWith } from "../../support/apps/MemoryApp.ts"
import { MemoryTables } from "../../support/memory/MemoryTables.ts"
import { invoiceBody } from "../../support/apps/Invoices.ts"
import { ask, askFrom, eventually, type Line, open, requestOf, statusesOf } from "../../support/processes/Sockets.ts"
import { patiently } from "../../support/apps/Until.ts"
import { it as alone, itOn } from "../../support/Tests.ts"
import { Limits, type LimitsChange } from "../../../src/runtime/Limits.ts"

const [one, two, three] = ["127.0.0.1", "127.0.0.2", "127.0.0.3"] as const
const megabyte = 1_048_576

/** The service with few connections, and with other limits for its clients. */
const narrow = (clients: LimitsChange["clients"] = {}, connections = { max: 8, perAddress: 6 }) =>
  serviceWith(Limits.layerChanged({ clients: { checkMs: 20, ...clients }, connections }))

const it = itOn(narrow())

/** Connections with a request under way for as long as the test needs. */
const atWork = Effect.fnUntraced(function* (from: string, count: number) {
  const { count: calls, until } = yield* MemoryTables
  return yield* Effect.forEach(
    Array.from({ length: count }),
    Effect.fnUntraced(function* () {
      const line = yield* open(from)
      const before = calls("Events.after")
      line.socket.write(requestOf("/v1/events?wait=20"))
      yield* until(() => calls("Events.after") > before)
      return line
    })
  )
})

const metric = Effect.fnUntraced(function* (name: string, from: string = three) {
  // The metrics may be a second old.
  yield* TestClock.adjust("1 second")
  const { text } = yield* askFrom(from, "/metrics", null)
  return Number(
    text
      .split("\n")
      .find((line) => line.startsWith(`folio_connections_${name} `))
      ?.split(" ")[1] ?? 0
  )
})

const isTold = (text: string, message: RegExp) => {
  assert.match(text, /^HTTP\/1\.1 503 Service Unavailable\r\n/)
  assert.match(text, /\r\nretry-after: 1\r\n/i)
  assert.match(text, /\r\nconnection: close\r\n/i)
  assert.match(text, /"type":"api_error","code":"service_unavailable"/)
  assert.match(text, message)
}

const settings = (env: Record<string, string>) =>
  Effect.map(Limits, ({ connections }) => connections).pipe(
    Effect.provide(
      Layer.provide(Layer.fresh(Limits.layerConfig), ConfigProvider.layer(ConfigProvider.fromEnv({ env })))
    )
  )

/** Repeats a request until the service responds with 200. */
const served = (from: string) =>
  patiently(Effect.repeat(askFrom(from, "/v1/account"), { until: ({ status }) => status === 200 }))

const isOpen = (line: Line) => !line.socket.closed

// This test comes first: connections that keep a service from ending would keep the later tests from ending as well.
alone.effect(
  "Connections do not delay the end of the service, whether they idle or never end their request",
  function* () {
    const scope = yield* Scope.make()
    const service = yield* Layer.buildWithScope(narrow(), scope)
    const [silent, slow] = yield* Effect.gen(function* () {
      const lines = [yield* open(one), yield* open(one)]
      lines[1]!.socket.write(requestOf("/v1/account").slice(0, -2))
      assert.strictEqual((yield* askFrom(two, "/v1/account")).status, 200)
      return lines
    }).pipe(Effect.provide(service))
    const end = yield* Effect.forkDetach(Scope.close(scope, Exit.void))
    yield* eventually(() => !isOpen(silent!) && !isOpen(slow!))
    yield* Fiber.join(end)
  }
)

describe("connections over the limit", () => {
  it.effect("replace the connections that have idled longest", function* () {
    const before = yield* metric('cut_total{reason="idle"}')
    const idle = yield* Effect.forEach([one, one, one, one, two, two, two], (from) => open(from))
    // A connection with a request is not idle, and counts as the youngest afterwards.
    for (const line of idle.toReversed()) assert.strictEqual(yield* ask(line, "/health/live", null), 200)
    const young = yield* Effect.forEach([three, three, three], (from) => open(from))
    for (const line of young) assert.strictEqual(yield* ask(line, "/v1/account"), 200)
    yield* eventually(() => idle.filter(isOpen).length === 5)
    assert.deepStrictEqual(idle.map(isOpen), [true, true, true, true, true, false, false])
    assert.strictEqual((yield* askFrom(three, "/v1/account")).status, 200)
    assert.isAtLeast(yield* metric('cut_total{reason="idle"}'), before + 3)
  })

  it.effect("replace idle connections of the same address", function* () {
    const [other] = yield* Effect.forEach([two], (from) => open(from))
    const idle = yield* Effect.forEach([one, one, one, one, one, one], (from) => open(from))
    assert.strictEqual(yield* ask(yield* open(one), "/v1/account"), 200)
    yield* eventually(() => idle.filter(isOpen).length === 5)
    assert.isTrue(isOpen(other!))
  })

  it.effect("get an error if all connections of their address are busy, and other addresses are served", function* () {
    const before = yield* metric('refused_total{reason="address"}')
    yield* atWork(one, 6)
    isTold((yield* askFrom(one, "/v1/account")).text, /All of the 6 connections that one address may have/)
    assert.strictEqual((yield* askFrom(one, "/health/live", null)).status, 200)
    assert.strictEqual((yield* askFrom(two, "/v1/account")).status, 200)
    assert.strictEqual(yield* metric('refused_total{reason="address"}'), before + 1)
  })

  it.effect("get an error if all connections are busy, and can still request the service's health", function* () {
    const working = [...(yield* atWork(one, 6)), ...(yield* atWork(two, 2))]
    isTold((yield* askFrom(three, "/v1/account")).text, /All of the 8 connections that this process keeps/)
    isTold((yield* askFrom(three, "/healthy")).text, /All of the 8/)
    for (const path of ["/health/live", "/health/ready"]) {
      const { status, text } = yield* askFrom(three, path, null)
      assert.strictEqual(status, 200)
      assert.match(text, /\r\nconnection: close\r\n/i)
    }
    assert.isTrue(working.every(isOpen))
    working[0]?.socket.destroy()
    // The service notices the disconnection a moment later.
    yield* served(three)
    assert.isAtLeast(yield* metric('refused_total{reason="full"}'), 2)
  })

  itOn(narrow({ reserveMax: 2, reserveMs: 1_000 }, { max: 4, perAddress: 4 })).effect(
    "without a request get an error when there are too many, and close in time",
    function* () {
      yield* atWork(one, 4)
      const [first, second, third] = yield* Effect.forEach([two, two, two], (from) => open(from))
      yield* eventually(() => !isOpen(first!))
      isTold(first!.received(), /All of the 4/)
      assert.strictEqual((yield* askFrom(three, "/health/ready", null)).status, 200)
      yield* eventually(() => !isOpen(second!) && !isOpen(third!))
    }
  )

  itOn(narrow({ stalledMs: 100 }, { max: 4, perAddress: 4 })).effect(
    "replace connections that do not send the rest of their request",
    function* () {
      const before = yield* metric('cut_total{reason="stalled"}')
      const head = requestOf("/v1/customers").replace("GET", "POST").replace(/\r\n$/, "Content-Length: 9\r\n\r\n{")
      const { count, until } = yield* MemoryTables
      const calls = count("ApiKeys.authenticate")
      const slow = yield* Effect.forEach([one, one, two, two], (from) => open(from))
      for (const { socket } of slow) socket.write(head)
      yield* until(() => count("ApiKeys.authenticate") === calls + 4)
      // If no connection makes room, these would delay the end of this service, whose clock does not advance.
      const leave = Effect.sync(() => slow.forEach(({ socket }) => socket.destroy()))
      yield* Effect.onError(served(three), () => leave)
      yield* eventually(() => !slow.every(isOpen))
      assert.isAbove(yield* metric('cut_total{reason="stalled"}'), before)
    }
  )

  alone.effect(
    "begin after 2,000, or 500 from one address; on a loopback address, one address may have all",
    function* () {
      assert.deepStrictEqual(Limits.defaults.connections, { max: 2_000, perAddress: 500 })
      assert.deepStrictEqual(yield* settings({}), { max: 2_000, perAddress: 2_000 })
      assert.deepStrictEqual(yield* settings({ HOST: "0.0.0.0" }), { max: 2_000, perAddress: 500 })
      assert.deepStrictEqual(yield* settings({ HOST: "::", CONNECTIONS: "10" }), { max: 10, perAddress: 3 })
      assert.deepStrictEqual(yield* settings({ CONNECTIONS_PER_ADDRESS: "7" }), { max: 2_000, perAddress: 7 })
      assert.match((yield* Effect.flip(settings({ CONNECTIONS: "0" }))).message, /CONNECTIONS .*at least 1/)
    }
  )
})

// More than the system's buffers hold, less than an address's share of unread bytes, and no more requests than a
// connection may pipeline.
const document = requestOf("/v1/openapi.json", null)
const askedAtOnce = 20

const deaf = (from: string) =>
  Effect.tap(open(from, { reads: false }), ({ socket }) =>
    Effect.sync(() => socket.write(document.repeat(askedAtOnce)))
  )

/** The number of characters that a client gets if it begins to read late. */
const answersIn = Effect.fnUntraced(function* (line: Line) {
  let received = 0
  line.socket.on("data", (chunk: string) => (received += chunk.length)).resume()
  yield* eventually(() => line.socket.closed)
  return received
})

describe("a connection with repeated 429 responses", () => {
  const limitedMax = 2
  const paused = (pauseMs: number, proxies = "") =>
    serviceWith(
      Limits.layerChanged({
        clients: { limitedMax, pauseMs },
        rate: { perSecond: 1, burst: 2 },
        trustedProxies: proxies
      })
    )
  // Longer than a test may wait for the end of a pause.
  const farMs = 3_600_000
  const inRow = Effect.fnUntraced(function* (line: Line, statuses: ReadonlyArray<number>) {
    for (const status of statuses) {
      assert.strictEqual(yield* ask(line, "/v1/account"), status)
    }
  })

  itOn(paused(400)).effect("resumes after a pause", function* () {
    const line = yield* open(one)
    yield* inRow(line, [200, 200, 429, 429, 429])
    const asked = performance.now()
    assert.strictEqual(yield* ask(line, "/v1/account", keys.otherAccount), 200)
    assert.isAtLeast(performance.now() - asked, 350)
  })

  const others = Effect.fnUntraced(function* (line: Line, count: number) {
    for (let index = 0; index < count; index++) assert.strictEqual(yield* ask(line, "/health/live", null), 200)
  })

  itOn(paused(farMs)).effect("continues while one response in five is 429, and pauses at one in four", function* () {
    const [line, other] = [yield* open(one), yield* open(one)]
    yield* inRow(line, [200, 200, 429, 429])
    for (let count = 0; count < 3; count++) {
      yield* others(line, 4)
      yield* inRow(line, [429])
    }
    yield* others(line, 3)
    yield* inRow(line, [429])
    line.socket.write(requestOf("/v1/account", keys.live))
    assert.strictEqual(yield* ask(other, "/v1/account", keys.live), 200)
    assert.lengthOf(statusesOf(line), 23)
  })

  itOn(paused(farMs)).effect("pauses also if the response comes before the body was read", function* () {
    const [line, other] = [yield* open(one), yield* open(one)]
    const body = JSON.stringify(invoiceBody("cust_1"))
    const head = requestOf("/v1/invoices").replace("GET", "POST").trimEnd()
    yield* inRow(line, [200, 200, 429])
    for (const answers of [4, 5]) {
      line.socket.write(`${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
      yield* eventually(() => statusesOf(line).length >= answers)
    }
    line.socket.write(requestOf("/v1/account", keys.live))
    assert.strictEqual(yield* ask(other, "/v1/account", keys.live), 200)
    assert.deepStrictEqual(statusesOf(line), [200, 200, 429, 429, 429])
  })

  itOn(paused(farMs, "loopback")).effect(
    "never pauses if it is a trusted proxy's, which serves many clients",
    function* () {
      yield* inRow(yield* open(one), [200, 200, ...Array.from({ length: 6 }, () => 429)])
    }
  )

  alone.effect("resumes some milliseconds after the connection before it, if many pauses end together", () =>
    Effect.callback<void>((resume) => {
      const count = 10
      const clientLimits = { ...Limits.defaults.clients, limitedMax: 0, pauseMs: 0 }
      const connections = makeConnections(Limits.defaults.connections, clientLimits, () => false, Function.constVoid)
      const resumed: Array<number> = []
      for (let index = 0; index < count; index++) {
        const socket = Object.assign(new Socket(), {
          pause: Function.constVoid,
          resume: () => {
            resumed.push(performance.now())
            if (resumed.length === count) resume(Effect.sync(() => assert.isAtLeast(resumed.at(-1)! - resumed[0]!, 30)))
          }
        })
        connections.admit(socket, Function.constVoid)
        const request = Object.assign(new IncomingMessage(socket), { complete: true })
        const response = new ServerResponse(request)
        response.statusCode = 429
        connections.begin(request, response)
        response.emit("close")
      }
    })
  )

  alone.effect("gets four such responses in a row before a pause of one second", () =>
    Effect.sync(() => {
      const { limitedMax: free, pauseMs: pause } = Limits.defaults.clients
      assert.deepStrictEqual([free, pause], [4, 1_000])
    })
  )
})

describe("a client that does not read", () => {
  itOn(narrow({ answerMs: 500 })).effect(
    "loses its connection in time, and other clients are served meanwhile",
    function* () {
      const before = yield* metric('cut_total{reason="unread"}')
      const lines = yield* Effect.forEach([one, one, two, two], deaf)
      const cuts = Effect.gen(function* () {
        assert.strictEqual((yield* askFrom(three, "/health/ready", null)).status, 200)
        assert.strictEqual((yield* askFrom(three, "/v1/account")).status, 200)
        return (yield* metric('cut_total{reason="unread"}')) - before
      })
      yield* patiently(Effect.repeat(cuts, { until: (count) => count === lines.length }))
      for (const line of lines) assert.isBelow(yield* answersIn(line), askedAtOnce * 400_000)
    }
  )

  itOn(narrow({ answerMs: 3_600_000, stalledMs: 3_600_000, unreadMax: megabyte })).effect(
    "loses its connection immediately if slow clients hold too much",
    function* () {
      const before = yield* metric('cut_total{reason="unread"}')
      yield* Effect.forEach([one, one, one, one, two, two, two], deaf)
      // Each holds more than the limit for all: of seven, one may remain.
      yield* patiently(Effect.repeat(metric('cut_total{reason="unread"}'), { until: (cuts) => cuts >= before + 6 }))
      assert.strictEqual((yield* askFrom(three, "/v1/account")).status, 200)
    }
  )

  for (const [name, limits, count] of [
    [
      "holds no more than its address's share, if an address may have only some connections",
      { max: 16, perAddress: 12 },
      3
    ],
    ["costs no other client its response, if one address may have all connections", { max: 16, perAddress: 16 }, 12]
  ] as const) {
    itOn(narrow({ answerMs: 3_600_000, stalledMs: 3_600_000 }, limits)).effect(name, function* () {
      const { text } = yield* askFrom(two, "/v1/openapi.json", null)
      const before = yield* metric('cut_total{reason="unread"}')
      const slow = yield* deaf(two)
      const lines = yield* Effect.forEach(
        Array.from({ length: count }, () => one),
        deaf
      )
      yield* patiently(Effect.repeat(metric('cut_total{reason="unread"}'), { until: (cuts) => cuts > before }))
      let received = 0
      slow.socket.on("data", (chunk: string) => (received += chunk.length)).resume()
      yield* eventually(() => received >= askedAtOnce * (text.length - 100) || slow.socket.closed)
      assert.isTrue(isOpen(slow))
      for (const { socket } of lines) socket.resume()
      yield* eventually(() => !lines.every(isOpen))
    })
  }

  itOn(narrow({ answerMs: 3_600_000, stalledMs: 100 }, { max: 4, perAddress: 4 })).effect(
    "makes room for a client that reads",
    function* () {
      yield* Effect.forEach([one, one, two, two], deaf)
      yield* served(three)
    }
  )

  alone.effect("has 30 s to read a response, and all such clients together may hold 64 MB", () =>
    Effect.sync(() => {
      const { answerMs, pipelinedMax, stalledMs, unreadMax } = Limits.defaults.clients
      assert.deepStrictEqual([answerMs, unreadMax, stalledMs, pipelinedMax], [30_000, 64 * megabyte, 1_000, 32])
    })
  )

  itOn(narrow({ pipelinedMax: 4 })).effect(
    "loses its connection if it sends more pipelined requests than the limit",
    function* () {
      const lines = [yield* open(), yield* open()]
      for (const [index, { socket }] of lines.entries()) socket.write(requestOf("/v1/account").repeat(4 + index))
      yield* eventually(() => statusesOf(lines[0]!).length === 4 && !isOpen(lines[1]!))
      assert.isTrue(isOpen(lines[0]!))
    }
  )
})
