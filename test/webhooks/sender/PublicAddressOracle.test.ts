import { assert, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { NetAddress } from "effect/net"
import ipaddr from "ipaddr.js"
import { isPublicAddress } from "../../../src/webhooks/sender/PublicAddress.ts"
import { hostileNotations } from "./hostileNotations.ts"
import { hostileUrls } from "./hostileUrls.ts"

const isPublic = (text: string) => isPublicAddress(NetAddress.ipFromStringUnsafe(text))

/** Addresses that ipaddr.js takes for ordinary unicast but Folio rejects, with the reason. */
const stricter: ReadonlyArray<readonly [network: string, why: string]> = [
  ["168.63.129.16/32", "Azure's host agent, in ordinary address space"],
  ["::/3", "outside of global unicast: translated and compatible IPv4, and unassigned"],
  ["4000::/2", "outside of global unicast: unassigned"],
  ["8000::/1", "outside of global unicast: local, site-local, and unassigned"],
  ["2001::/23", "protocol assignments, also unassigned ones"],
  ["3fff::/20", "documentation"]
]

const isExplained = (text: string) => {
  const address = ipaddr.parse(text)
  return stricter.some(([network]) => {
    const [range, bits] = ipaddr.parseCIDR(network)
    return range.kind() === address.kind() && address.match([range, bits] as never)
  })
}

/** Asserts that Folio is never laxer, and that one of the reasons above applies where it is stricter. */
const compare = (text: string) => {
  const ordinary = ipaddr.parse(text).range() === "unicast"
  if (isPublic(text)) assert.isTrue(ordinary, `${text} is ${ipaddr.parse(text).range()}`)
  else if (ordinary) assert.isTrue(isExplained(text), `${text} is ordinary`)
}

const byte = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))
const bytes = (length: number) => Arbitrary.array(Arbitrary.schema(byte), { minLength: length, maxLength: length })

it.prop("agrees with ipaddr.js on any address, or has a reason to differ", [bytes(4), bytes(16)], ([four, sixteen]) => {
  compare(four.join("."))
  compare(ipaddr.fromByteArray(sixteen).toString())
  // Global unicast is an eighth of the space, so more samples come from there.
  compare(ipaddr.fromByteArray([0x20 | (sixteen[0]! & 0x1f), ...sixteen.slice(1)]).toString())
})

it("agrees with ipaddr.js on every address of the hostile URLs", () => {
  const hosts = [...hostileUrls, ...hostileNotations].flatMap((url) => {
    const host = URL.parse(url)?.hostname.replace(/^\[|\]$/g, "") ?? ""
    return ipaddr.isValid(host) && /[.:]/.test(host) ? [host] : []
  })
  assert.isAtLeast(new Set(hosts).size, 60)
  for (const host of new Set(hosts)) compare(host)
})
