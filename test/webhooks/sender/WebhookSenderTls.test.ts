import { assert, describe } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type * as https from "node:https"
import type { TLSSocket } from "node:tls"
import { WebhookSender } from "../../../src/webhooks/sender/WebhookSender.ts"
import { issue } from "./Certificates.ts"
import { FakeInternet } from "./FakeInternet.ts"
import { httpReceiver, httpsReceiver, rawReceiver, type Receiver } from "./Receiver.ts"
import { it } from "../../support/Tests.ts"

const authority = issue({ name: "Test authority", isCa: true })
const hooks = issue({ name: "hooks.example.com" }, authority)

/** Delivers to `https://hooks.example.com/`, a public address that leads to the receiver. */
const deliver = (receiver: Receiver, url = "https://hooks.example.com/") => {
  const internet = new FakeInternet()
  internet.lead("hooks.example.com", receiver)
  return Effect.flatMap(WebhookSender, (sender) => sender.send({ url, headers: {}, body: "{}" })).pipe(
    Effect.provide(internet.sender({ ca: authority.cert }))
  )
}

const refusals: ReadonlyArray<readonly [why: string, server: https.ServerOptions]> = [
  ["another name", issue({ name: "other.example.com" }, authority)],
  ["a wildcard of another depth", issue({ name: "*.hooks.example.com" }, authority)],
  ["an address in place of the name", issue({ name: "127.0.0.1" }, authority)],
  ["its own signature", issue({ name: "hooks.example.com" })],
  ["an unknown authority", issue({ name: "hooks.example.com" }, issue({ name: "Unknown", isCa: true }))],
  ["an issuer that is no authority", issue({ name: "hooks.example.com" }, issue({ name: "Not a CA" }, authority))],
  ["a past date", issue({ name: "hooks.example.com", days: -1 }, authority)],
  ["TLS 1.1", { ...hooks, minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" }]
]

describe("TLS", () => {
  it.effect("connects to the checked address with the host name of the URL", function* () {
    const seen: Array<string | false | null> = []
    const receiver = yield* httpsReceiver({ ...hooks, ALPNProtocols: ["h2", "http/1.1"] }, (_request, response) => {
      const socket = response.req.socket as TLSSocket & { readonly servername: string }
      seen.push(socket.servername, socket.alpnProtocol, socket.getProtocol())
      response.end("ok")
    })
    const response = yield* deliver(receiver)
    assert.deepStrictEqual([response.status, response.body, response.error], [200, "ok", null])
    assert.strictEqual(response.remoteIp, "93.184.215.14")
    assert.strictEqual(receiver.received[0]?.headers.host, "hooks.example.com")
    assert.deepStrictEqual(seen, ["hooks.example.com", "http/1.1", "TLSv1.3"])
  })

  it.effect("accepts TLS 1.2", function* () {
    const receiver = yield* httpsReceiver({ ...hooks, maxVersion: "TLSv1.2" })
    assert.isNull((yield* deliver(receiver)).error)
  })

  it.effect("checks the address in the certificate when the URL has one", function* () {
    const right = yield* httpsReceiver(issue({ name: "an address", names: ["93.184.215.14"] }, authority))
    assert.isNull((yield* deliver(right, "https://93.184.215.14/")).error)
    const wrong = yield* httpsReceiver(hooks)
    assert.strictEqual((yield* deliver(wrong, "https://93.184.215.14/")).error?.code, "tls")
  })

  it.effect.each(refusals)("rejects a certificate with %s", function* ([, server]) {
    const receiver = yield* httpsReceiver(server)
    // The usual way to switch verification off has no effect here.
    yield* Effect.acquireRelease(
      Effect.sync(() => (process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0")),
      () => Effect.sync(() => delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"])
    )
    const response = yield* deliver(receiver)
    assert.deepStrictEqual([response.error?.code, response.status], ["tls", null])
    assert.notMatch(response.error!.message, /ERR_|DEPTH|127\.0|93\.184/)
    assert.strictEqual(receiver.received.length, 0)
  })

  it.effect("trusts only the system's certificate authorities by default", function* () {
    const receiver = yield* httpsReceiver(hooks)
    const internet = new FakeInternet()
    internet.lead("hooks.example.com", receiver)
    const response = yield* Effect.flatMap(WebhookSender, (sender) =>
      sender.send({ url: "https://hooks.example.com/", headers: {}, body: "{}" })
    ).pipe(Effect.provide(internet.sender()))
    assert.strictEqual(response.error?.code, "tls")
  })

  it.effect("fails with plain HTTP behind an https URL", function* () {
    const receiver = yield* httpReceiver()
    assert.strictEqual((yield* deliver(receiver)).error?.code, "tls")
    assert.strictEqual(receiver.received.length, 0)
  })

  it.effect("ends a handshake that takes 5 s", function* () {
    const hello = yield* Deferred.make<void>()
    const receiver = yield* rawReceiver((socket) => {
      socket.once("data", () => Deferred.doneUnsafe(hello, Effect.void))
    })
    const sending = yield* Effect.forkChild(deliver(receiver))
    yield* Deferred.await(hello)
    yield* TestClock.adjust("5 seconds")
    const response = yield* Fiber.join(sending)
    assert.deepStrictEqual([response.error?.code, response.durationMs], ["tls", 5000])
    yield* receiver.closed(1)
  })
})
