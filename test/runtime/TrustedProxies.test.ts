import { assert, describe, it as plain } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Schema } from "effect"
import { IpNetwork, NetAddress } from "effect/net"
import { clientOf, proxiesIn } from "../../src/runtime/TrustedProxies.ts"
import { Limits } from "../../src/runtime/Limits.ts"
import { it } from "../support/Tests.ts"

const trusted = ["10.0.0.0/8", "fd00::/8"].map(IpNetwork.fromStringUnsafe)
const isTrusted = (address: NetAddress.IpAddress) => trusted.some((network) => IpNetwork.contains(network, address))
const proxy = "10.0.0.1"

const forwardedFor = (list: string) => clientOf(isTrusted, proxy, { "x-forwarded-for": list })
const forwarded = (list: string) => clientOf(isTrusted, proxy, { forwarded: list })

const octet = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))
/** Addresses of clients. None is trusted, and no first octet is special. */
const client = Schema.Tuple([Schema.Int.check(Schema.isBetween({ minimum: 11, maximum: 223 })), octet, octet, octet])
const inside = Schema.Tuple([octet, octet, octet])
const parts = Schema.Array(Schema.String)
/** Trusted proxies, at most as many as Folio follows. */
const chain = Schema.Array(inside).check(Schema.isMaxLength(15))

const shown = (address: ReadonlyArray<number>) => address.join(".")
const proxies = (addresses: ReadonlyArray<ReadonlyArray<number>>) => addresses.map((rest) => `10.${shown(rest)}`)

describe("the client's address", () => {
  plain.prop(
    "resolves to the last untrusted address, for any list that the client sent before it",
    [parts, client, chain],
    ([sent, address, between]) => {
      const list = [...sent, shown(address), ...proxies(between)]
      assert.strictEqual(forwardedFor(list.join(", ")), shown(address))
      const elements = [
        ...sent,
        `for=${shown(address)};proto=https`,
        ...proxies(between).map((each) => `For="${each}:80"`)
      ]
      assert.strictEqual(forwarded(elements.join(",")), shown(address))
    }
  )

  plain.prop("equals the peer's if the peer is untrusted, for any headers", [parts, client], ([sent, address]) => {
    const headers = { "x-forwarded-for": sent.join(","), forwarded: sent.map((each) => `for=${each}`).join(",") }
    assert.strictEqual(clientOf(isTrusted, shown(address), headers), shown(address))
  })

  plain.prop("resolves to a valid address or to the peer's", [Schema.String, Schema.String], ([one, other]) => {
    for (const headers of [
      { "x-forwarded-for": one },
      { forwarded: other },
      { "x-forwarded-for": one, forwarded: other }
    ]) {
      const address = clientOf(isTrusted, proxy, headers)
      assert.isTrue(address === proxy || NetAddress.ipFromString(address)._tag === "Success", address)
    }
  })

  plain.each([
    ["203.0.113.7", "203.0.113.7"],
    ["203.0.113.7:4711", "203.0.113.7"],
    ["::ffff:203.0.113.7", "203.0.113.7"],
    ["[2001:DB8:0::1]", "2001:db8::1"],
    ["[2001:db8::1]:443", "2001:db8::1"],
    ["2001:db8::1, fd00::5", "2001:db8::1"],
    // If all addresses are trusted, the first one: a proxy that makes a request itself.
    ["10.0.0.9, 10.0.0.8", "10.0.0.9"],
    ["6.6.6.6, unknown", proxy],
    ["6.6.6.6,", proxy],
    ["", proxy],
    [",", proxy],
    ["203.0.113.777", proxy],
    ["203.0.113.7 198.51.100.1", proxy],
    ["folio.example.com", proxy],
    ["${jndi:ldap://x}", proxy],
    ["2001:db8::1:99999:1", proxy]
  ])("from X-Forwarded-For: %s becomes %s", (list, address) => assert.strictEqual(forwardedFor(list), address))

  plain.each([
    ["for=203.0.113.7", "203.0.113.7"],
    ['proto=https; FOR="203.0.113.7:4711" ;by=10.0.0.1', "203.0.113.7"],
    ['for="[2001:db8::1]:443";host="a;b"', "2001:db8::1"],
    ["for=6.6.6.6, for=203.0.113.7, for=10.0.0.2", "203.0.113.7"],
    // Text that a proxy copies into a quoted value is not read as parameters.
    ['for=203.0.113.7;host="x, for=6.6.6.6"', proxy],
    ['for=203.0.113.7;host="x, for=6.6.6.6;y=\\"', proxy],
    ['for=", for=203.0.113.7', "203.0.113.7"],
    ["for=unknown", proxy],
    ["for=_hidden", proxy],
    ["proto=https", proxy],
    ["for=6.6.6.6;for=7.7.7.7", proxy],
    ["for=6.6.6.6 for=7.7.7.7", proxy],
    ["203.0.113.7", proxy]
  ])("from Forwarded: %s becomes %s", (list, address) => assert.strictEqual(forwarded(list), address))

  plain("comes from X-Forwarded-For if both headers are present, even if that header is malformed", () => {
    const both = (list: string) => clientOf(isTrusted, proxy, { "x-forwarded-for": list, forwarded: "for=6.6.6.6" })
    assert.deepStrictEqual(["203.0.113.7", "", "unknown"].map(both), ["203.0.113.7", proxy, proxy])
  })

  plain("needs at most sixteen look-ups, for a header of any length", () => {
    let asked = 0
    const counted = () => (asked += 1) > 0
    const long = "10.0.0.2,".repeat(10_000)
    for (const headers of [
      { "x-forwarded-for": long + "10.0.0.3" },
      { forwarded: "for=10.0.0.2,".repeat(10_000) + "for=10.0.0.3" }
    ]) {
      asked = 0
      assert.strictEqual(clientOf(counted, proxy, headers), proxy)
      assert.isAtMost(asked, 17)
    }
    for (const list of [
      ",".repeat(10_000),
      '"'.repeat(10_000),
      'for="' + "\\".repeat(10_000),
      "a=b;".repeat(5_000) + "!"
    ]) {
      assert.deepStrictEqual([forwardedFor(list), forwarded(list)], [proxy, proxy])
    }
  })
})

const setting = (text?: string) =>
  Effect.map(Limits, ({ trustedProxies }) => proxiesIn(trustedProxies)).pipe(
    Effect.provide(
      Layer.provide(
        Layer.fresh(Limits.layerConfig),
        ConfigProvider.layer(ConfigProvider.fromEnv({ env: text === undefined ? {} : { TRUSTED_PROXIES: text } }))
      )
    )
  )

describe("TRUSTED_PROXIES", () => {
  it.effect("accepts addresses, ranges, and two words", function* () {
    const { has } = yield* setting(" 203.0.113.7, 198.51.100.9/24,::ffff:192.0.2.0/120, 2001:db8::/32,Private,")
    for (const address of ["203.0.113.7", "::ffff:203.0.113.7", "198.51.100.255", "192.0.2.9", "2001:db8:9::1"]) {
      assert.isTrue(has(address), address)
    }
    for (const address of ["10.1.2.3", "172.31.0.1", "192.168.9.9", "fd12::1"]) assert.isTrue(has(address), address)
    for (const address of ["203.0.113.8", "127.0.0.1", "::1", "172.32.0.1", "fe80::1", "", "unknown"]) {
      assert.isFalse(has(address), address)
    }
    const onThisMachine = yield* setting("loopback")
    assert.deepStrictEqual(["127.8.0.1", "::1", "::ffff:127.0.0.1", "10.0.0.1"].map(onThisMachine.has), [
      true,
      true,
      true,
      false
    ])
  })

  it.effect("trusts no address by default", function* () {
    for (const none of [yield* setting(), yield* setting(""), yield* setting(" , ")]) {
      assert.isFalse(none.has("127.0.0.1"))
      assert.strictEqual(none.clientOf("127.0.0.1", { "x-forwarded-for": "203.0.113.7" }), "127.0.0.1")
    }
  })

  it.effect.each([
    "nginx",
    "10.0.0.0/33",
    "10.0.0/8",
    "10.0.0.1-9",
    "::/129",
    "0.0.0.0/0",
    "::/0",
    "10.0.0.1/",
    "10.0.0.1:80"
  ])("rejects a wrong entry with one line that states the right form: %s", function* (text) {
    const { message } = yield* Effect.flip(setting(`10.0.0.1,${text}`))
    assert.match(message, /^TRUSTED_PROXIES: [^\n]+ Write [^\n]+$/)
    assert.include(message, text)
  })
})
