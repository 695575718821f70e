import { assert, describe } from "@effect/vitest"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Context, Effect, Fiber, Layer } from "effect"
import { HttpServer } from "effect/http"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { canShare, freePort, shareListening } from "../../../src/runtime/server/Listeners.ts"
import * as Server from "../../../src/runtime/server/Server.ts"
import { ServiceInfo } from "../../../src/runtime/ServiceInfo.ts"
import { Limits } from "../../../src/runtime/Limits.ts"
import { settingsOf } from "../../support/apps/TestSettings.ts"
import { until } from "../../support/apps/Until.ts"
import { it } from "../../support/Tests.ts"

const many = 100

const round = Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))

/** A server, and the connections that it has accepted. */
const listening = Effect.gen(function* () {
  const taken: Array<Socket> = []
  const ended = { count: 0 }
  const server = shareListening(
    createServer({ allowHalfOpen: true }, (socket) => {
      taken.push(socket.resume().on("end", () => socket.end()))
    }),
    16,
    { ended: () => (ended.count += 1), failed: () => {} }
  )
  yield* Effect.callback<void>((resume) => {
    server.listen({ host: "127.0.0.1", port: 0, reusePort: canShare }, () => resume(Effect.void))
  })
  const { port } = server.address() as AddressInfo
  return { server, taken, ended, port }
})

/** The service's own server. */
const serviceOn = (port: number) =>
  Layer.build(
    Layer.fresh(Server.layer).pipe(
      Layer.provide([
        NodeCrypto.layer,
        Limits.layer(),
        ServiceInfo.layer({ version: "0.1.0", baseUrl: "http://folio.test" }),
        settingsOf({ port })
      ])
    )
  )

const call = (port: number) => connect(port, "127.0.0.1").on("error", () => {})

describe.skipIf(!canShare)("a shared port", () => {
  it.live("accepts many connections in each round of the event loop", function* () {
    const { port, server, taken } = yield* listening
    // The other sockets start to listen a moment later.
    for (let count = 0; count < 5; count++) yield* round
    const clients = Array.from({ length: many }, () => call(port))
    // Counts only rounds that accepted a connection: a busy system may take a while to connect them.
    let rounds = 0
    for (const end = performance.now() + 30_000; taken.length < many && performance.now() < end;) {
      const before = taken.length
      yield* round
      if (taken.length > before) rounds += 1
    }
    assert.strictEqual(taken.length, many, "all of them were accepted")
    assert.isBelow(rounds, many / 3)
    for (const socket of [...clients, ...taken]) socket.destroy()
    server.close()
  })

  it.live("closes when its last connection has ended, and is then free", function* () {
    const { ended, port, server, taken } = yield* listening
    const clients = Array.from({ length: 40 }, () => call(port))
    yield* until(
      Effect.sync(() => taken.length),
      (count) => count === clients.length
    )
    assert.match((yield* Effect.flip(freePort("127.0.0.1", port))).message, /EADDRINUSE/)
    let isClosed = false
    const closed = Effect.callback<void>((resume) => {
      server.close(() => {
        isClosed = true
        resume(Effect.void)
      })
    })
    const waiting = yield* Effect.forkChild(closed, { startImmediately: true })
    // The port accepts no more connections, on any of its sockets.
    const late = Array.from({ length: 40 }, () => call(port))
    yield* until(
      Effect.sync(() => late.filter((socket) => !socket.closed).length),
      (open) => open === 0 || taken.length > clients.length
    )
    assert.lengthOf(taken, clients.length)
    const [last, ...others] = clients
    for (const socket of others) socket.end()
    yield* until(
      Effect.sync(() => taken.filter((socket) => socket.closed).length),
      (count) => count >= others.length
    )
    for (let count = 0; count < 5; count++) yield* round
    assert.deepStrictEqual([isClosed, ended.count], [false, 0], "one connection is still open")
    last?.end()
    yield* Fiber.join(waiting)
    assert.strictEqual(ended.count, 1)
    assert.strictEqual(yield* freePort("127.0.0.1", port), port)
  })

  it.live("rejects a second service, although the system would share the port with it", function* () {
    const { address } = Context.get(yield* serviceOn(0), HttpServer.HttpServer)
    const port = Number(new URL(HttpServer.formatAddress(address)).port)
    const refused = yield* Effect.result(serviceOn(port))
    assert.match(
      refused._tag === "Failure" ? refused.failure.message : "it listens",
      /^Folio cannot listen on 127\.0\.0\.1:\d+ \(.*EADDRINUSE.*stop the program that uses it.* PORT=3001/
    )
  })
})
