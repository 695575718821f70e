import { assert, describe, test } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServer } from "effect/http"
import * as net from "node:net"
import { dialTcp } from "../../../src/webhooks/sender/PinnedConnections.ts"
import { WebhookSender } from "../../../src/webhooks/sender/WebhookSender.ts"
import { keys } from "../../support/apps/Accounts.ts"
import { makeClient } from "../../support/apps/Client.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { issue } from "./Certificates.ts"
import { FakeInternet } from "./FakeInternet.ts"
import { hostileAnswers, hostileNotations, publicUrls } from "./hostileNotations.ts"
import { hostileNames, hostileUrls } from "./hostileUrls.ts"
import { httpsReceiver } from "./Receiver.ts"
import { itOn, it } from "../../support/Tests.ts"

const names = [...hostileNames, ...hostileAnswers]
const hostile = [...new Set([...hostileUrls, ...hostileNotations, ...names.map(([name]) => `https://${name}/`)])]

/**
 * The targets to which any socket of this process connects while the scope is open.
 * Only connections to the ports of `allowed` succeed.
 */
const spied = Effect.fnUntraced(function* (allowed: ReadonlyArray<number> = []) {
  const connections: Array<string> = []
  const { connect } = net.Socket.prototype
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      net.Socket.prototype.connect = function (this: net.Socket, ...args: ReadonlyArray<unknown>) {
        const [to] = args.flat() as ReadonlyArray<{ readonly host?: string; readonly port?: number }>
        connections.push(`${to?.host} ${to?.port}`)
        if (allowed.includes(Number(to?.port))) return Reflect.apply(connect, this, args)
        process.nextTick(() => this.destroy(new Error("no network in this test")))
        return this
      } as typeof connect
    }),
    () => Effect.sync(() => (net.Socket.prototype.connect = connect))
  )
  return connections
})

const hostOf = (url: string) => new URL(url).hostname.replace(/\.$/, "").replaceAll(/[[\]]/g, "")

const authority = issue({ name: "Test authority", isCa: true })
const identity = issue({ name: "example.com", names: publicUrls.map(([url]) => hostOf(url)) }, authority)

const post = (url: string) => Effect.flatMap(WebhookSender, (sender) => sender.send({ url, headers: {}, body: "{}" }))

/** Registers an endpoint and, if that succeeds, deletes it: an account allows only a few endpoints. */
const register = Effect.fnUntraced(function* (url: string) {
  const { address } = yield* HttpServer.HttpServer
  const client = makeClient(HttpServer.formatAddress(address), keys.test)
  const body = { url, subscribed_events: ["invoice.accepted_by_authority"] }
  const answer = yield* client.post("/v1/webhook-endpoints", body)
  if (answer.status === 201) yield* client.request("DELETE", `/v1/webhook-endpoints/${answer.json.id}`)
  return answer
})

describe("the corpus of hostile URLs", () => {
  test("has at least 300 members, and at least 20 public URLs in addition", () => {
    assert.isAtLeast(hostile.length, 300)
    assert.isAtLeast(publicUrls.length, 20)
    assert.strictEqual(new Set(publicUrls.map(([url]) => url)).size, publicUrls.length)
  })

  itOn(app).live("fails at registration, except for names, which are checked at each delivery", function* () {
    const byName = new Set(names.map(([name]) => `https://${name}/`))
    // The service under test has another name than the host that may not call itself.
    const others = hostile.filter((url) => !url.includes("api.folio.dev"))
    const verdict = Effect.fnUntraced(function* (url: string) {
      const { json, status } = yield* register(url)
      if (byName.has(url)) assert.strictEqual(status, 201, url)
      else assert.deepStrictEqual([status, json.error?.param], [400, "url"], JSON.stringify(url))
    })
    yield* Effect.forEach(others, verdict, { concurrency: 8, discard: true })
    for (const [url] of publicUrls) assert.strictEqual((yield* register(url)).status, 201, url)
  })

  it.effect("opens no connection even if a delivery to it starts", function* () {
    const internet = new FakeInternet()
    for (const [name, answer] of names) internet.name(name, answer)
    const connections = yield* spied()
    yield* Effect.gen(function* () {
      for (const url of hostile) {
        const { error, remoteIp, status } = yield* post(url)
        assert.deepStrictEqual([error?.code, remoteIp, status], ["blocked", null, null], JSON.stringify(url))
        assert.deepStrictEqual(connections, [], JSON.stringify(url))
      }
      // Proof that the spy sees opened connections.
      assert.strictEqual((yield* post("https://8.8.8.8/")).error?.code, "connect")
      assert.deepStrictEqual(connections, ["8.8.8.8 443"])
    }).pipe(Effect.provide(internet.sender({ ownHosts: ["api.folio.dev"], dial: dialTcp })))
  })

  it.effect("opens no connection when a public receiver redirects to it", function* () {
    const targets = hostile.filter((url) => /^[\x21-\x7e]+$/.test(url))
    assert.isAtLeast(targets.length, 300)
    const codes = [301, 302, 303, 307, 308]
    const receiver = yield* httpsReceiver(identity, ({ path }, response) => {
      const index = Number(path.slice(1))
      response.writeHead(codes[index % codes.length]!, {
        Location: targets[index],
        Refresh: `0;url=${targets[index]}`
      })
      response.end()
    })
    const internet = new FakeInternet()
    for (const [name, answer] of names) internet.name(name, answer)
    internet.lead("example.com", receiver)
    const connections = yield* spied([receiver.port])
    yield* Effect.gen(function* () {
      for (const index of targets.keys()) {
        const { error, status } = yield* post(`https://example.com/${index}`)
        assert.deepStrictEqual([error?.code, status], ["redirect", codes[index % codes.length]])
      }
    }).pipe(Effect.provide(internet.sender({ ca: authority.cert })))
    assert.strictEqual(receiver.received.length, targets.length)
    assert.deepStrictEqual([...new Set(connections)], [`127.0.0.1 ${receiver.port}`])
    assert.deepStrictEqual([...new Set(internet.dialed)], ["93.184.215.14:443"])
  })

  it.effect("has public URLs in addition, each of which receives deliveries at the resolved address", function* () {
    const receiver = yield* httpsReceiver(identity)
    const internet = new FakeInternet()
    for (const [url, answer, dialed] of publicUrls) {
      if (answer !== null) internet.name(hostOf(url), [answer])
      internet.route(answer ?? dialed.replace(/:\d+$/, "").replaceAll(/[[\]]/g, ""), receiver.port)
    }
    yield* Effect.gen(function* () {
      for (const [url, , dialed] of publicUrls) {
        const { error, status } = yield* post(url)
        assert.deepStrictEqual([error, status, internet.dialed.at(-1)], [null, 200, dialed], url)
      }
    }).pipe(Effect.provide(internet.sender({ ca: authority.cert })))
    assert.strictEqual(receiver.received.length, publicUrls.length)
  })
})
