import { assert, describe } from "@effect/vitest"
import { Deferred, Effect, Fiber, Result } from "effect"
import type * as net from "node:net"
import { parseAllow } from "../../../src/webhooks/sender/WebhookAllow.ts"
import { WebhookSender, type WebhookSenderOptions } from "../../../src/webhooks/sender/WebhookSender.ts"
import { issue } from "./Certificates.ts"
import { FakeInternet } from "./FakeInternet.ts"
import { httpReceiver, httpsReceiver, rawReceiver, type Receiver } from "./Receiver.ts"
import { it } from "../../support/Tests.ts"

const authority = issue({ name: "Test authority", isCa: true })
const hooks = issue({ name: "hooks.example.com", names: ["hooks.example.com", "other.example.com"] }, authority)

const post = (url: string, body = "{}") =>
  Effect.flatMap(WebhookSender, (sender) => sender.send({ url, headers: {}, body }))

const toHooks = post("https://hooks.example.com/")

/** A sender for the fake internet, and for these receivers by their local address. */
const on = (internet: FakeInternet, options: WebhookSenderOptions = {}, ...receivers: ReadonlyArray<Receiver>) =>
  Effect.provide(
    internet.sender({
      ca: authority.cert,
      allow: Result.getOrThrow(parseAllow(receivers.map(({ port }) => `127.0.0.1:${port}`).join())),
      ...options
    })
  )

const local = (receiver: Receiver) => `http://127.0.0.1:${receiver.port}/`

/**
 * A bare HTTP server. `answer` gets each whole request and its number on the connection; all tests send small requests.
 */
const httpByHand = (answer: (socket: net.Socket, requestOfConnection: number, connection: number) => void) => {
  const bodies: Array<string> = []
  return Effect.map(
    rawReceiver((socket, connection) => {
      let requests = 0
      socket.on("data", (data) => {
        bodies.push(data.toString().split("\r\n\r\n")[1] ?? "")
        answer(socket, ++requests, connection)
      })
    }),
    (receiver) => ({ receiver, bodies })
  )
}

const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

describe("keep-alive", () => {
  it.effect("uses one connection for many deliveries, and looks up the name for each delivery", function* () {
    const receiver = yield* httpsReceiver(hooks)
    const internet = new FakeInternet()
    internet.lead("hooks.example.com", receiver)
    const responses = yield* Effect.forEach(Array.from({ length: 20 }), () => toHooks).pipe(on(internet))
    assert.isTrue(responses.every(({ error, remoteIp }) => error === null && remoteIp === "93.184.215.14"))
    assert.deepStrictEqual([receiver.received.length, receiver.connections()], [20, 1])
    assert.deepStrictEqual(internet.dialed, ["93.184.215.14:443"])
    assert.strictEqual(internet.lookups.length, 40)
  })

  it.effect("opens another connection for each concurrent delivery, and reuses the connections", function* () {
    const waiting: Array<() => void> = []
    const receiver = yield* httpReceiver((_request, response) => {
      // all responses together, so that all requests were in flight concurrently
      if (waiting.push(() => response.end("ok")) === 8) waiting.splice(0).forEach((answer) => answer())
    })
    yield* Effect.gen(function* () {
      for (let round = 1; round <= 3; round++) {
        const responses = yield* Effect.all(
          Array.from({ length: 8 }, () => post(local(receiver))),
          { concurrency: 8 }
        )
        assert.isTrue(responses.every(({ error }) => error === null))
        assert.strictEqual(receiver.connections(), 8)
      }
    }).pipe(on(new FakeInternet(), {}, receiver))
  })

  it.effect("uses the new address when the name's answer changes, even if the old connection is open", function* () {
    const before = yield* httpsReceiver(hooks)
    const after = yield* httpsReceiver(hooks)
    const internet = new FakeInternet()
    internet.name("hooks.example.com", ["93.184.215.14"], ["93.184.215.15"])
    internet.route("93.184.215.14", before.port)
    internet.route("93.184.215.15", after.port)
    const responses = yield* Effect.all([toHooks, toHooks, toHooks]).pipe(on(internet))
    assert.deepStrictEqual(
      responses.map(({ remoteIp }) => remoteIp),
      ["93.184.215.14", "93.184.215.15", "93.184.215.15"]
    )
    assert.deepStrictEqual([before.received.length, after.received.length], [1, 2])
  })

  it.effect("keeps an address that is still among the answers", function* () {
    const receiver = yield* httpsReceiver(hooks)
    const internet = new FakeInternet()
    internet.name("hooks.example.com", ["93.184.215.14"], ["93.184.215.15", "93.184.215.14"])
    internet.route("93.184.215.14", receiver.port)
    yield* Effect.all([toHooks, toHooks]).pipe(on(internet))
    assert.deepStrictEqual(internet.dialed, ["93.184.215.14:443"])
  })

  it.effect(
    "blocks a delivery whose name now resolves to a private address, even if a checked connection is open",
    function* () {
      const receiver = yield* httpsReceiver(hooks)
      const internet = new FakeInternet()
      internet.name("hooks.example.com", ["93.184.215.14"], ["93.184.215.14", "10.0.0.1"])
      internet.route("93.184.215.14", receiver.port)
      const responses = yield* Effect.all([toHooks, toHooks]).pipe(on(internet))
      assert.deepStrictEqual(
        responses.map(({ error }) => error?.code),
        [undefined, "blocked"]
      )
      assert.strictEqual(receiver.received.length, 1)
    }
  )

  it.effect("shares no connection between two names with one address", function* () {
    const receiver = yield* httpsReceiver(hooks)
    const internet = new FakeInternet()
    for (const name of ["hooks.example.com", "other.example.com"]) internet.name(name, ["93.184.215.14"])
    internet.route("93.184.215.14", receiver.port)
    yield* Effect.all([toHooks, post("https://other.example.com/")]).pipe(on(internet))
    assert.deepStrictEqual(
      receiver.received.map(({ connection, headers }) => [connection, headers.host]),
      [
        [1, "hooks.example.com"],
        [2, "other.example.com"]
      ]
    )
  })

  it.effect.each([
    ["asks to close", (socket: net.Socket) => socket.end("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nok")],
    ["closes after the response", (socket: net.Socket) => socket.end(ok)],
    ["resets after the response", (socket: net.Socket) => socket.write(ok, () => socket.resetAndDestroy())],
    ["speaks HTTP/1.0", (socket: net.Socket) => socket.end("HTTP/1.0 200 OK\r\n\r\nok")]
  ] as const)("never fails a delivery when the receiver %s", function* ([, answer]) {
    const { bodies, receiver } = yield* httpByHand((socket) => answer(socket))
    const numbers = Array.from({ length: 300 }, (_, i) => String(i))
    const internet = new FakeInternet()
    const responses = yield* Effect.forEach(numbers, (body) => post(local(receiver), body), { concurrency: 3 }).pipe(
      on(internet, {}, receiver)
    )
    assert.deepStrictEqual(
      responses.filter(({ error }) => error !== null),
      []
    )
    assert.deepStrictEqual([...new Set(bodies)].toSorted(), numbers.toSorted())
    assert.strictEqual(receiver.connections(), internet.dialed.length, "only the sender opened connections")
  })

  it.effect(
    "sends the same bytes once more when a kept connection is dropped before a byte of the response",
    function* () {
      const { bodies, receiver } = yield* httpByHand((socket, request) =>
        request === 1 ? socket.write(ok) : socket.destroy()
      )
      const responses = yield* Effect.forEach(["a", "b", "c"], (body) => post(local(receiver), body)).pipe(
        on(new FakeInternet(), {}, receiver)
      )
      assert.isTrue(responses.every(({ error }) => error === null))
      assert.deepStrictEqual(bodies, ["a", "b", "b", "c", "c"])
      assert.strictEqual(receiver.connections(), 3)
    }
  )

  it.effect("does not retry after a byte of the response has arrived", function* () {
    const { bodies, receiver } = yield* httpByHand((socket, request) =>
      request === 1 ? socket.write(ok) : socket.end("HTTP/1.1 2")
    )
    const responses = yield* Effect.forEach(["a", "b"], (body) => post(local(receiver), body)).pipe(
      on(new FakeInternet(), {}, receiver)
    )
    assert.deepStrictEqual(
      responses.map(({ error }) => error?.code),
      [undefined, "protocol"]
    )
    assert.deepStrictEqual(bodies, ["a", "b"])
  })

  it.effect("sends no third request when the new connection is dropped too", function* () {
    const { bodies, receiver } = yield* httpByHand((socket, request, connection) =>
      request === 1 && connection === 1 ? socket.write(ok) : socket.destroy()
    )
    const responses = yield* Effect.forEach(["a", "b"], (body) => post(local(receiver), body)).pipe(
      on(new FakeInternet(), {}, receiver)
    )
    assert.strictEqual(responses[1]?.error?.code, "protocol")
    assert.deepStrictEqual(bodies, ["a", "b", "b"])
  })

  it.effect("discards a connection that sent an unrequested response", function* () {
    const { receiver } = yield* httpByHand((socket, request) => socket.write(request === 1 ? ok + ok : ok))
    const responses = yield* Effect.all([post(local(receiver)), post(local(receiver))]).pipe(
      on(new FakeInternet(), {}, receiver)
    )
    assert.isTrue(responses.every(({ error }) => error === null))
    assert.strictEqual(receiver.connections(), 2)
  })

  it.effect("discards a connection whose delivery was interrupted", function* () {
    const asked = yield* Deferred.make<void>()
    const receiver = yield* httpReceiver((request, response) => {
      if (request.body === "wait") Deferred.doneUnsafe(asked, Effect.void)
      else response.end("ok")
    })
    yield* Effect.gen(function* () {
      yield* post(local(receiver))
      const sending = yield* Effect.forkChild(post(local(receiver), "wait"))
      yield* Deferred.await(asked)
      yield* Fiber.interrupt(sending)
      assert.isNull((yield* post(local(receiver))).error)
    }).pipe(on(new FakeInternet(), {}, receiver))
    assert.deepStrictEqual(
      receiver.received.map(({ connection }) => connection),
      [1, 1, 2]
    )
  })

  it.effect("keeps no more idle connections than allowed, and drops the one idle for longest", function* () {
    const receivers = yield* Effect.all([httpReceiver(), httpReceiver(), httpReceiver()])
    const [first, second, third] = receivers
    yield* Effect.gen(function* () {
      for (const receiver of receivers) yield* post(local(receiver))
      yield* first.closed(1)
      for (const receiver of [third, second]) yield* post(local(receiver))
      assert.deepStrictEqual([second.connections(), third.connections()], [1, 1])
      yield* post(local(first))
      assert.strictEqual(first.connections(), 2)
    }).pipe(on(new FakeInternet(), { maxIdle: 2 }, ...receivers))
  })

  it.effect("closes a connection after its idle time", function* () {
    const plain = yield* httpReceiver(undefined, { keepAliveTimeout: 60_000 })
    const secure = yield* httpsReceiver({ ...hooks, keepAliveTimeout: 60_000 })
    const internet = new FakeInternet()
    internet.lead("hooks.example.com", secure)
    yield* Effect.gen(function* () {
      yield* Effect.all([post(local(plain)), toHooks])
      // inside the scope of the sender, because the end of the scope closes them too
      yield* Effect.all([plain.closed(1), secure.closed(1)])
    }).pipe(on(internet, { idleTimeout: "20 millis" }, plain))
    assert.isTrue(internet.sockets.every(({ destroyed }) => destroyed))
  })

  it.effect("closes its connections at the end of its scope", function* () {
    const receiver = yield* httpReceiver(undefined, { keepAliveTimeout: 60_000 })
    yield* post(local(receiver)).pipe(on(new FakeInternet(), { idleTimeout: "1 hour" }, receiver))
    yield* receiver.closed(1)
  })
})
