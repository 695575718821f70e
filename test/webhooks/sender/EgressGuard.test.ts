import { assert, describe, test } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Result } from "effect"
import { Dns, NetAddress } from "effect/net"
import { TestClock } from "effect/testing"
import { EgressGuard, type EgressGuardOptions } from "../../../src/webhooks/sender/EgressGuard.ts"
import { parseAllow } from "../../../src/webhooks/sender/WebhookAllow.ts"
import { FakeInternet } from "./FakeInternet.ts"
import { hostileNames, hostileUrls } from "./hostileUrls.ts"
import { itOn, it } from "../../support/Tests.ts"

const allow = Result.getOrThrow(parseAllow("127.0.0.1:9099, [::1]:9099"))

const texts = (addresses: ReadonlyArray<NetAddress.InetAddress>) => addresses.map(NetAddress.formatInet)

const guardOf = (internet = new FakeInternet(), options: EgressGuardOptions = {}) =>
  Effect.map(Layer.build(internet.guard(options)), (context) => Context.get(context, EgressGuard))

describe("checkUrl", () => {
  const guarded = itOn(new FakeInternet().guard({ ownHosts: ["api.folio.dev"] }))

  guarded.effect.each(hostileUrls.map((url) => ({ url })))("rejects $url", function* ({ url }) {
    const verdict = (yield* EgressGuard).checkUrl(url)
    assert.strictEqual(verdict._tag, "Refused")
  })

  guarded.effect.each([
    ["https://example.com", "https://example.com/"],
    ["https://EXAMPLE.com/Hook?a=1&b=%20", "https://example.com/Hook?a=1&b=%20"],
    ["https://example.com:443/hook", "https://example.com/hook"],
    ["https://example.com:8443/hook", "https://example.com:8443/hook"],
    ["https://example.com./hook", "https://example.com/hook"],
    ["https://exämple.com/ü", "https://xn--exmple-cua.com/%C3%BC"],
    ["https://ⓔxample.com/", "https://example.com/"],
    ["https://a.b.c.d.example.co/x/../y", "https://a.b.c.d.example.co/y"],
    ["https://hook_s.example.com/", "https://hook_s.example.com/"],
    ["https://localhost.example.com/", "https://localhost.example.com/"],
    ["https://127.0.0.1.nip.io/", "https://127.0.0.1.nip.io/"],
    ["https://8.8.8.8/", "https://8.8.8.8/"],
    ["https://[2606:4700:4700::1111]/", "https://[2606:4700:4700::1111]/"]
  ])("accepts %s as %s", function* ([url, href]) {
    const guard = yield* EgressGuard
    const verdict = guard.checkUrl(url!)
    assert.strictEqual(verdict._tag, "Allowed")
    assert.strictEqual(verdict._tag === "Allowed" && verdict.href, href)
    assert.deepStrictEqual(guard.checkUrl(href!), verdict, "the stored URL is allowed unchanged")
  })

  guarded.effect.each([
    ["url_invalid", "nonsense"],
    ["url_invalid", "https://user@example.com/"],
    ["url_invalid", "https://example.com/#x"],
    ["url_not_https", "http://example.com/"],
    ["url_not_https", "http://127.0.0.1/"],
    ["url_not_https", "http://localhost:9099/hook"],
    ["url_not_https", "ftp://example.com/"],
    ["url_not_allowed", "https://10.0.0.1/"],
    ["url_not_allowed", "https://localhost/"],
    ["url_not_allowed", "https://intranet/"],
    ["url_not_allowed", "https://example.com:22/"]
  ] as const)("returns %s for %s", function* ([code, url]) {
    const verdict = (yield* EgressGuard).checkUrl(url)
    assert.strictEqual(verdict._tag === "Refused" && verdict.code, code)
  })

  it.effect.each([
    "http://localhost:9099/hook",
    "http://127.0.0.1/hook",
    "http://127.1.2.3:9099/hook",
    "http://[::1]:9099/hook",
    "http://localhost.:9099/hook"
  ])("names for %s the command that forwards to the receiver, and the setting that allows it", function* (url) {
    const verdict = (yield* guardOf()).checkUrl(url)
    const { message } = verdict._tag === "Refused" ? verdict : assert.fail("the URL is allowed")
    const [, port, setting = ""] =
      /folio listen --forward-to :(\d+),.* WEBHOOK_ALLOW=(\S+)\.$/.exec(message) ?? assert.fail(message)
    assert.strictEqual(port, new URL(url).port || "80")
    const allowing = yield* guardOf(new FakeInternet(), { allow: Result.getOrThrow(parseAllow(setting)) })
    assert.strictEqual(allowing.checkUrl(url)._tag, "Allowed")
  })

  test("has a corpus of at least 150 URLs without duplicates", () => {
    assert.isAtLeast(hostileUrls.length, 150)
    assert.strictEqual(new Set(hostileUrls).size, hostileUrls.length)
  })

  it.effect.each([
    ["http://127.0.0.1:9099/hook", true],
    ["https://127.0.0.1:9099/hook", true],
    ["http://127.1:9099/hook", true],
    ["http://[::1]:9099/hook", true],
    ["http://localhost:9099/hook", true],
    ["http://127.0.0.1:9098/hook", false],
    ["http://127.0.0.1/hook", false],
    ["http://127.0.0.2:9099/hook", false],
    ["http://[::ffff:127.0.0.1]:9099/hook", false],
    ["http://localhost:9098/hook", false],
    ["http://foo.localhost:9099/hook", false],
    ["http://example.com:9099/hook", false],
    ["https://example.com:9099/hook", false],
    ["http://user@127.0.0.1:9099/hook", false]
  ] as const)(
    "applies the listed pairs 127.0.0.1:9099 and [::1]:9099 to %s, which gives allowed: %s",
    function* ([url, allowed]) {
      const guard = yield* guardOf(new FakeInternet(), { allow })
      assert.strictEqual(guard.checkUrl(url)._tag === "Allowed", allowed)
    }
  )
})

describe("resolve", () => {
  it.effect.each(hostileNames.map(([name, answer]) => ({ name, answer })))(
    "rejects $name, whose answer is not public",
    function* ({ name, answer }) {
      const internet = new FakeInternet()
      internet.name(name, answer)
      const guard = yield* guardOf(internet)
      assert.strictEqual(guard.checkUrl(`https://${name}/`)._tag, "Allowed")
      const refusal = yield* Effect.flip(guard.resolve(name, 443))
      assert.strictEqual(refusal._tag, "EgressRefused")
      for (const ip of answer) assert.notInclude(refusal.message, ip)
    }
  )

  it.effect("returns public answers of both families, IPv4 first, and looks up each time", function* () {
    const internet = new FakeInternet()
    internet.name("example.com", ["2606:4700:4700::1111", "93.184.215.14"], ["93.184.215.15"])
    const guard = yield* guardOf(internet)
    assert.deepStrictEqual(texts(yield* guard.resolve("example.com", 443)), [
      "93.184.215.14:443",
      "[2606:4700:4700::1111]:443"
    ])
    assert.deepStrictEqual(texts(yield* guard.resolve("example.com", 443)), ["93.184.215.15:443"])
    assert.strictEqual(internet.lookups.length, 4)
  })

  it.effect("returns at most 16 addresses", function* () {
    const internet = new FakeInternet()
    internet.name(
      "example.com",
      Array.from({ length: 40 }, (_, i) => `93.184.215.${i + 1}`)
    )
    const guard = yield* guardOf(internet)
    assert.strictEqual((yield* guard.resolve("example.com", 443)).length, 16)
  })

  it.effect("checks literals and private names without a look-up", function* () {
    const internet = new FakeInternet()
    const guard = yield* guardOf(internet)
    assert.deepStrictEqual(texts(yield* guard.resolve("8.8.8.8", 443)), ["8.8.8.8:443"])
    for (const host of ["127.0.0.1", "::1", "localhost", "metadata.google.internal", "intranet", "", "a b"]) {
      assert.strictEqual((yield* Effect.flip(guard.resolve(host, 443)))._tag, "EgressRefused", host)
    }
    assert.strictEqual((yield* Effect.flip(guard.resolve("example.com", 22)))._tag, "EgressRefused")
    assert.deepStrictEqual(internet.lookups, [])
  })

  it.effect("returns the listed loopback addresses for localhost, and no listed address for other names", function* () {
    const internet = new FakeInternet()
    internet.name("rebound.example.com", ["127.0.0.1"])
    const guard = yield* guardOf(internet, { allow, ports: [443, 9099] })
    assert.deepStrictEqual(texts(yield* guard.resolve("localhost", 9099)), ["127.0.0.1:9099", "[::1]:9099"])
    assert.deepStrictEqual(texts(yield* guard.resolve("::1", 9099)), ["[::1]:9099"])
    assert.strictEqual((yield* Effect.flip(guard.resolve("localhost", 9098)))._tag, "EgressRefused")
    assert.strictEqual((yield* Effect.flip(guard.resolve("rebound.example.com", 9099)))._tag, "EgressRefused")
  })

  it.effect("fails without an address, and after 2 s without an answer", function* () {
    const internet = new FakeInternet()
    internet.name("silent.example.com", Effect.never)
    const broken = new Dns.DnsError({ reason: "ServerFailure", method: "resolve", hostname: "broken.example.com" })
    internet.name("broken.example.com", Effect.fail(broken))
    const guard = yield* guardOf(internet)
    for (const name of ["unknown.example.com", "broken.example.com"]) {
      assert.strictEqual((yield* Effect.flip(guard.resolve(name, 443)))._tag, "DnsFailed", name)
    }
    const waiting = yield* Effect.forkChild(Effect.flip(guard.resolve("silent.example.com", 443)))
    yield* TestClock.adjust("1999 millis")
    assert.isUndefined(waiting.pollUnsafe())
    yield* TestClock.adjust("1 millis")
    assert.strictEqual((yield* Fiber.join(waiting))._tag, "DnsFailed")
  })

  it.effect("allows all 50 well-known public addresses", function* () {
    const guard = yield* guardOf()
    for (const ip of wellKnown) assert.strictEqual((yield* guard.resolve(ip, 443)).length, 1, ip)
    assert.isAtLeast(wellKnown.length, 50)
  })
})

describe("parseAllow", () => {
  test("reads address and port pairs", () => {
    assert.deepStrictEqual(texts(allow), ["127.0.0.1:9099", "[::1]:9099"])
    assert.deepStrictEqual(Result.getOrThrow(parseAllow(" ")), [])
    assert.deepStrictEqual(texts(Result.getOrThrow(parseAllow("10.0.0.5:8080,"))), ["10.0.0.5:8080"])
  })

  test.each([
    "localhost:9099",
    "127.0.0.1",
    "127.0.0.1:0",
    "127.0.0.1:99999",
    "::1:9099",
    "127.0.0.0/8:80",
    "[fe80::1%1]:80"
  ])("rejects %s and shows the correct form", (pair) => {
    const result = parseAllow(`127.0.0.1:1,${pair}`)
    assert.isTrue(Result.isFailure(result))
    if (Result.isFailure(result)) assert.include(result.failure, `"${pair}" is not an address and a port`)
  })
})

const wellKnown = [
  ..."1.1.1.1 1.0.0.1 8.8.8.8 8.8.4.4 9.9.9.9 149.112.112.112 208.67.222.222 208.67.220.220 4.2.2.2 64.6.64.6".split(
    " "
  ),
  ..."93.184.215.14 140.82.121.4 151.101.1.69 104.16.132.229 172.217.16.142 142.250.74.110 13.107.42.14".split(" "),
  ..."52.94.236.248 54.239.28.85 3.5.140.2 18.66.0.1 34.117.59.81 35.190.247.1 20.112.52.29 40.112.72.205".split(" "),
  ..."185.199.108.153 199.232.64.1 192.30.255.113 198.41.0.4 199.9.14.201 192.33.4.12 199.7.91.13".split(" "),
  ..."192.203.230.10 192.5.5.241 192.112.36.4 198.97.190.53 192.36.148.17 192.58.128.30 193.0.14.129".split(" "),
  ..."199.7.83.42 202.12.27.33 200.3.14.10 190.60.0.1 223.255.255.1 100.128.0.1 172.32.0.1 169.255.0.1".split(" "),
  ..."2606:4700:4700::1111 2001:4860:4860::8888 2620:fe::fe 2a00:1450:4001:80b::200e 2400:cb00::1".split(" "),
  ..."2803:f800::1 2a03:2880:f12f:83:face:b00c:0:25de 2001:500:9f::42 2001:7fd::1 2c0f:fb50::1".split(" ")
]
