import { Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"
import notPublic from "./notPublic.json" with { type: "json" }

const networks = (texts: ReadonlyArray<string>) => texts.map((text) => Result.getOrThrow(IpNetwork.fromString(text)))

// IANA special-purpose ranges, and the cloud metadata addresses in ordinary address space.
const notPublicV4 = networks(Object.keys(notPublic.ipv4))
const notPublicV6 = networks(Object.keys(notPublic.ipv6))

/**
 * The only global unicast space of IPv6. All other addresses are rejected, including all local addresses and wrapped
 * IPv4 addresses (mapped, compatible, NAT64).
 */
const globalV6 = networks(["2000::/3"])

const isIn = (ranges: ReadonlyArray<IpNetwork.IpNetwork>, address: NetAddress.IpAddress) =>
  ranges.some((range) => IpNetwork.contains(range, address))

/**
 * Whether an address is an ordinary host on the public internet, the only kind that an account's URL may reach. Takes
 * about 3 µs. An IPv4 address written as IPv6 is never public, because no legitimate URL or DNS response needs that
 * form.
 */
export const isPublicAddress = (address: NetAddress.IpAddress): boolean =>
  NetAddress.isIpv4Address(address)
    ? !isIn(notPublicV4, address)
    : isIn(globalV6, address) && !isIn(notPublicV6, address)
