import { assert, describe, it } from "@effect/vitest"
import { NetAddress } from "effect/net"
import * as net from "node:net"
import { isPublicAddress } from "../../../src/webhooks/sender/PublicAddress.ts"

const isPublic = (text: string) => isPublicAddress(NetAddress.ipFromStringUnsafe(text))

// The oracle is Node's own BlockList: other code, with the ranges copied a second time from the IANA registries.
const special = new net.BlockList()
for (const [network, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.31.196.0", 24],
  ["192.52.193.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["192.175.48.0", 24],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
  ["168.63.129.16", 32]
] as const) {
  special.addSubnet(network, bits, "ipv4")
}
const special6 = new net.BlockList()
for (const [network, bits] of [
  ["::", 3],
  ["4000::", 2],
  ["8000::", 1],
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["2620:4f:8000::", 48],
  ["3fff::", 20]
] as const) {
  special6.addSubnet(network, bits, "ipv6")
}

/** A repeatable stream of 32-bit numbers (xorshift). */
const numbers = (seed: number) => () => {
  seed ^= seed << 13
  seed ^= seed >>> 17
  seed ^= seed << 5
  return seed >>> 0
}

const dotted = (value: number) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff).join(".")

describe("isPublicAddress", () => {
  it("agrees with an independent list on 40,000 IPv4 addresses, from the whole space and from near the special ranges", () => {
    const next = numbers(20_260_701)
    const heads = [0, 10, 100, 127, 168, 169, 172, 192, 198, 203, 223, 224]
    for (let i = 0; i < 40_000; i++) {
      const random = next()
      const value = i % 2 === 0 ? random : ((heads[random % heads.length]! << 24) | (next() & 0xffffff)) >>> 0
      assert.strictEqual(isPublic(dotted(value)), !special.check(dotted(value)), dotted(value))
    }
  })

  it("decides correctly at the edge of each IPv4 range", () => {
    for (const [inside, outside] of [
      ["0.255.255.255", "1.0.0.0"],
      ["10.0.0.0", "9.255.255.255"],
      ["10.255.255.255", "11.0.0.0"],
      ["100.64.0.0", "100.63.255.255"],
      ["100.127.255.255", "100.128.0.0"],
      ["127.0.0.0", "126.255.255.255"],
      ["127.255.255.255", "128.0.0.0"],
      ["168.63.129.16", "168.63.129.15"],
      ["168.63.129.16", "168.63.129.17"],
      ["169.254.0.0", "169.253.255.255"],
      ["169.254.255.255", "169.255.0.0"],
      ["172.16.0.0", "172.15.255.255"],
      ["172.31.255.255", "172.32.0.0"],
      ["192.0.0.255", "192.0.1.0"],
      ["192.168.0.0", "192.167.255.255"],
      ["192.168.255.255", "192.169.0.0"],
      ["198.18.0.0", "198.17.255.255"],
      ["198.19.255.255", "198.20.0.0"],
      ["224.0.0.0", "223.255.255.255"]
    ] as const) {
      assert.isFalse(isPublic(inside), inside)
      assert.isTrue(isPublic(outside), outside)
    }
    assert.isFalse(isPublic("255.255.255.255"))
  })

  it("agrees with an independent list on 20,000 IPv6 addresses", () => {
    const next = numbers(4_242)
    const heads = ["2001", "2002", "2620:4f", "3fff", "2001:db8", "2001:1ff", "2001:200", "64:ff9b", "fe80", "fd00"]
    for (let i = 0; i < 20_000; i++) {
      const tail = `${(next() & 0xffff).toString(16)}::${(next() & 0xffff).toString(16)}`
      const head = i % 2 === 0 ? ((next() & 0x1fff) | 0x2000).toString(16) : heads[next() % heads.length]!
      const text = `${head}:${tail}`
      assert.strictEqual(isPublic(text), !special6.check(text, "ipv6"), text)
    }
  })

  it("treats no IPv6 form of an IPv4 address as public", () => {
    for (const v4 of ["127.0.0.1", "10.0.0.1", "169.254.169.254", "8.8.8.8"]) {
      const [a, b, c, d] = v4.split(".").map(Number) as [number, number, number, number]
      const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
      for (const text of [
        `::ffff:${v4}`, // mapped
        `::${hex}`, // compatible
        `::ffff:0:${hex}`, // translated
        `64:ff9b::${hex}`, // NAT64
        `64:ff9b:1::${hex}`, // NAT64, local
        `2002:${hex}::1`, // 6to4
        `2001:0:${hex}::1` // Teredo
      ]) {
        assert.isFalse(isPublic(text), text)
      }
    }
  })
})
