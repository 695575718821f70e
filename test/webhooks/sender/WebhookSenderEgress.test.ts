import { assert, describe } from "@effect/vitest"
import { Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { parseAllow } from "../../../src/webhooks/sender/WebhookAllow.ts"
import { WebhookSender, type WebhookSenderOptions } from "../../../src/webhooks/sender/WebhookSender.ts"
import { issue } from "./Certificates.ts"
import { FakeInternet } from "./FakeInternet.ts"
import { hostileNames, hostileUrls } from "./hostileUrls.ts"
import { httpReceiver, httpsReceiver } from "./Receiver.ts"
import { itOn, it } from "../../support/Tests.ts"

const authority = issue({ name: "Test authority", isCa: true })
const hooks = issue({ name: "hooks.example.com" }, authority)

const post = (url: string) => Effect.flatMap(WebhookSender, (sender) => sender.send({ url, headers: {}, body: "{}" }))

const on = (internet: FakeInternet, options: WebhookSenderOptions = {}) =>
  Effect.provide(internet.sender({ ca: authority.cert, ...options }))

describe("the egress check of a sender", () => {
  const internet = new FakeInternet()
  for (const [name, answer] of hostileNames) internet.name(name, answer)

  const sending = itOn(internet.sender({ ownHosts: ["api.folio.dev"] }))
  const urls = [...hostileUrls, ...hostileNames.map(([name]) => `https://${name}/`)].map((url) => ({ url }))

  sending.effect.each(urls)("blocks $url", function* ({ url }) {
    const response = yield* post(url)
    assert.deepStrictEqual([response.error?.code, response.remoteIp, response.status], ["blocked", null, null])
    assert.deepStrictEqual(internet.dialed, [])
  })
})

describe("deliveries", () => {
  it.effect("stop when a name resolves to a private address after the check", function* () {
    const receiver = yield* httpsReceiver(hooks)
    const internet = new FakeInternet()
    internet.name("hooks.example.com", ["93.184.215.14"], ["127.0.0.1"], ["93.184.215.14"])
    internet.route("93.184.215.14", receiver.port)
    const codes = yield* Effect.forEach([1, 2, 3], () => post("https://hooks.example.com/")).pipe(on(internet))
    assert.deepStrictEqual(
      codes.map(({ error, remoteIp }) => [error?.code, remoteIp]),
      [
        [undefined, "93.184.215.14"],
        ["blocked", null],
        [undefined, "93.184.215.14"]
      ]
    )
    assert.isTrue(internet.dialed.every((address) => address === "93.184.215.14:443"))
    assert.strictEqual(receiver.received.length, 2)
  })

  it.effect("stop when the socket leads to an address other than the checked one", function* () {
    const receiver = yield* httpsReceiver(hooks)
    const internet = new FakeInternet()
    internet.name("hooks.example.com", ["93.184.215.14"])
    internet.route("93.184.215.14", receiver.port, "127.0.0.1")
    const response = yield* post("https://hooks.example.com/").pipe(on(internet))
    assert.strictEqual(response.error?.code, "blocked")
    assert.strictEqual(receiver.received.length, 0)
  })

  it.effect("do not follow a redirect to this machine", function* () {
    const inside = yield* httpReceiver()
    const receiver = yield* httpsReceiver(hooks, (_request, response) =>
      response.writeHead(307, { Location: `http://127.0.0.1:${inside.port}/` }).end()
    )
    const internet = new FakeInternet()
    internet.lead("hooks.example.com", receiver)
    const response = yield* post("https://hooks.example.com/").pipe(on(internet))
    assert.deepStrictEqual([response.status, response.error?.code], [307, "redirect"])
    assert.strictEqual(inside.connections(), 0)
    assert.deepStrictEqual(internet.dialed, ["93.184.215.14:443"])
  })

  it.effect("reach a listed pair by http, but not another port", function* () {
    const listed = yield* httpReceiver()
    const other = yield* httpReceiver()
    const internet = new FakeInternet()
    const allow = Result.getOrThrow(parseAllow(`127.0.0.1:${listed.port}`))
    yield* Effect.gen(function* () {
      assert.isNull((yield* post(`http://127.0.0.1:${listed.port}/`)).error)
      assert.isNull((yield* post(`http://localhost:${listed.port}/`)).error)
      assert.strictEqual((yield* post(`http://127.0.0.1:${other.port}/`)).error?.code, "blocked")
      assert.strictEqual((yield* post(`http://localhost:${other.port}/`)).error?.code, "blocked")
    }).pipe(Effect.provide(internet.sender({ allow })))
    assert.strictEqual(other.connections(), 0)
    assert.strictEqual(listed.received.length, 2)
  })

  it.effect("ignore proxy settings", function* () {
    const proxy = yield* httpReceiver()
    const receiver = yield* httpReceiver()
    const names = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "ALL_PROXY", "NODE_USE_ENV_PROXY"]
    yield* Effect.acquireRelease(
      Effect.sync(() => names.forEach((name) => (process.env[name] = `http://127.0.0.1:${proxy.port}`))),
      () => Effect.sync(() => names.forEach((name) => delete process.env[name]))
    )
    const internet = new FakeInternet()
    const allow = Result.getOrThrow(parseAllow(`127.0.0.1:${receiver.port}`))
    const response = yield* post(`http://127.0.0.1:${receiver.port}/`).pipe(Effect.provide(internet.sender({ allow })))
    assert.isNull(response.error)
    assert.strictEqual(proxy.connections(), 0)
  })

  it.effect("try the next address when one takes no connection, and fail when none does", function* () {
    const receiver = yield* httpsReceiver(hooks)
    const internet = new FakeInternet()
    internet.name("hooks.example.com", ["93.184.215.14", "93.184.215.15", "2606:4700:4700::1111"])
    internet.name("dead.example.com", ["93.184.215.16", "93.184.215.17"])
    internet.route("93.184.215.15", receiver.port)
    yield* Effect.gen(function* () {
      const response = yield* post("https://hooks.example.com/")
      assert.deepStrictEqual([response.error, response.remoteIp], [null, "93.184.215.15"])
      const dead = yield* post("https://dead.example.com/")
      assert.deepStrictEqual([dead.error?.code, dead.remoteIp], ["connect", "93.184.215.17"])
    }).pipe(on(internet))
    assert.deepStrictEqual(internet.dialed, [
      "93.184.215.14:443",
      "93.184.215.15:443",
      "93.184.215.16:443",
      "93.184.215.17:443"
    ])
  })

  it.effect("fail without an address, and after 2 s without an answer", function* () {
    const internet = new FakeInternet()
    internet.name("silent.example.com", Effect.never)
    yield* Effect.gen(function* () {
      assert.strictEqual((yield* post("https://unknown.example.com/")).error?.code, "dns")
      const sending = yield* Effect.forkChild(post("https://silent.example.com/"))
      yield* TestClock.adjust("2 seconds")
      const response = yield* Fiber.join(sending)
      assert.deepStrictEqual([response.error?.code, response.durationMs], ["dns", 2000])
    }).pipe(on(internet))
  })

  it.effect("fail when connecting takes 5 s, shared by all addresses", function* () {
    const internet = new FakeInternet()
    internet.name("black.example.com", ["93.184.215.14", "93.184.215.15"])
    // Sockets that never connect.
    const { Socket } = yield* Effect.promise(() => import("node:net"))
    const dialed: Array<number> = []
    const dial = () => {
      dialed.push(dialed.length)
      return new Socket()
    }
    yield* Effect.gen(function* () {
      const sending = yield* Effect.forkChild(post("https://black.example.com/"))
      yield* TestClock.adjust("2499 millis")
      assert.strictEqual(dialed.length, 1)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(dialed.length, 2)
      yield* TestClock.adjust("2500 millis")
      const response = yield* Fiber.join(sending)
      assert.deepStrictEqual([response.error?.code, response.durationMs], ["connect", 5000])
    }).pipe(on(internet, { dial }))
  })
})
