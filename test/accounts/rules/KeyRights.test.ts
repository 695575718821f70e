import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { IpNetwork, NetAddress } from "effect/net"
import { includes, KeyCapability } from "../../../schemas/ApiKey.ts"
import { networksOf } from "../../../schemas/Network.ts"
import { allRights, granted, inherited, type KeyRights } from "../../../src/accounts/rules/KeyRights.ts"

const now = new Date("2026-11-21T15:00:00.000Z")

// Few addresses and long prefixes, so that networks often contain each other.
const Octet = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 }))
const Bits = Schema.Int.check(Schema.isBetween({ minimum: 29, maximum: 32 }))
const Ips = Schema.Array(Schema.Tuple([Octet, Bits])).check(Schema.isMinLength(1), Schema.isMaxLength(4))
const Rights = Schema.Struct({
  capabilities: Schema.NullOr(Schema.Array(KeyCapability).check(Schema.isMinLength(1))),
  ips: Schema.NullOr(Ips),
  seconds: Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5 })))
})

const rightsOf = ({ capabilities, ips, seconds }: typeof Rights.Type): KeyRights => ({
  capabilities,
  allowed_ips:
    ips &&
    ips.map(([octet, bits]) =>
      IpNetwork.format(IpNetwork.fromAddressUnsafe(NetAddress.ipFromStringUnsafe(`10.0.0.${octet}`), bits))
    ),
  expires_at: seconds === null ? null : new Date(now.getTime() + seconds * 1000)
})

const addresses = Array.from({ length: 8 }, (_, octet) => NetAddress.ipFromStringUnsafe(`10.0.0.${octet}`))

/** Everything that a key may do: its capabilities, addresses and seconds, each one by one. */
const reach = ({ allowed_ips, capabilities, expires_at }: KeyRights): ReadonlyArray<string> => [
  ...KeyCapability.literals.filter((one) => capabilities === null || capabilities.some((held) => includes(held, one))),
  ...addresses
    .filter(
      (one) => allowed_ips === null || networksOf(allowed_ips).some((network) => IpNetwork.contains(network, one))
    )
    .map(NetAddress.formatIp),
  ...Array.from({ length: 6 }, (_, seconds) => seconds)
    .filter((seconds) => expires_at === null || now.getTime() + seconds * 1000 <= expires_at.getTime())
    .map((seconds) => `${seconds} s`)
]

const isWithin = (inner: KeyRights, outer: KeyRights) => {
  const held = new Set(reach(outer))
  return reach(inner).every((one) => held.has(one))
}

/** Whether the maker has the asked right at this path. */
const hasRight = (maker: KeyRights, asked: KeyRights, param: string): boolean => {
  const index = Number(/\[(\d+)\]$/u.exec(param)?.[1])
  if (param === "expires_at") return isWithin({ ...maker, expires_at: asked.expires_at }, maker)
  if (param.startsWith("capabilities"))
    return isWithin({ ...maker, capabilities: asked.capabilities?.slice(index, index + 1) ?? null }, maker)
  const [network] = networksOf(asked.allowed_ips?.slice(index, index + 1) ?? [])
  return networksOf(maker.allowed_ips ?? []).some((held) => IpNetwork.containsNetwork(held, network!))
}

describe("the rights of a new key", () => {
  it.prop(
    "equal the asked ones if the maker has them, or the request is rejected",
    [Rights, Rights],
    ([one, other]) => {
      const [maker, asked] = [rightsOf(one), rightsOf(other)]
      const made = granted(maker, asked, now)
      if (Result.isFailure(made)) return assert.isFalse(hasRight(maker, asked, made.failure.param ?? ""))
      assert.isTrue(isWithin(made.success, maker))
      assert.deepStrictEqual(made.success, {
        capabilities: asked.capabilities ?? maker.capabilities,
        allowed_ips: asked.allowed_ips ?? maker.allowed_ips,
        expires_at: asked.expires_at ?? maker.expires_at
      })
    }
  )

  it.prop("equal the asked ones for a maker that has the same, or all", [Rights], ([one]) => {
    const rights = rightsOf(one)
    for (const maker of [rights, allRights]) assert.deepStrictEqual(granted(maker, rights, now), Result.succeed(rights))
  })
})

describe("the rights of a successor", () => {
  it.prop("stay within those of the rolled key and of its maker", [Rights, Rights], ([one, other]) => {
    const [old, maker] = [rightsOf(one), rightsOf(other)]
    const next = inherited(old, maker)
    if (Result.isFailure(next)) return assert.include(["capability_missing", "ip_not_allowed"], next.failure.code)
    assert.isTrue(isWithin(next.success, old))
    assert.isTrue(isWithin(next.success, maker))
    const shared = reach({ ...old, allowed_ips: null, expires_at: null }).filter((right) =>
      reach({ ...maker, allowed_ips: null, expires_at: null }).includes(right)
    )
    assert.deepStrictEqual(reach({ ...next.success, allowed_ips: null, expires_at: null }), shared)
  })

  it.prop("equal those of the rolled key if the maker has all", [Rights], ([one]) => {
    const rights = rightsOf(one)
    assert.deepStrictEqual(inherited(rights, allRights), Result.succeed(rights))
  })
})
