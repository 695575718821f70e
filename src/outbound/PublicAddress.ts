import { Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"

const networks = (...texts: ReadonlyArray<string>) => texts.map((text) => Result.getOrThrow(IpNetwork.fromString(text)))

/** IANA special-purpose ranges, and the cloud metadata addresses that live in ordinary address space. */
const notPublicV4 = networks(
  "0.0.0.0/8", // this network
  "10.0.0.0/8",
  "100.64.0.0/10", // carrier NAT; holds Alibaba's metadata 100.100.100.200
  "127.0.0.0/8",
  "168.63.129.16/32", // Azure's host agent
  "169.254.0.0/16", // link-local; holds the metadata addresses of most clouds
  "172.16.0.0/12",
  "192.0.0.0/24", // protocol assignments; holds Oracle's metadata 192.0.0.192
  "192.0.2.0/24", // documentation
  "192.31.196.0/24", // AS112
  "192.52.193.0/24", // AMT
  "192.88.99.0/24", // 6to4 relays
  "192.168.0.0/16",
  "192.175.48.0/24", // AS112
  "198.18.0.0/15", // benchmarks
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4" // reserved, broadcast
)

/**
 * The only global unicast space. Everything that wraps an IPv4 address outside it (mapped, compatible, NAT64) and all
 * local space is refused by not being in it.
 */
const globalV6 = networks("2000::/3")

const notPublicV6 = networks(
  "2001::/23", // protocol assignments: Teredo, ORCHID, benchmarks
  "2001:db8::/32", // documentation
  "2002::/16", // 6to4: wraps an IPv4 address
  "2620:4f:8000::/48", // AS112
  "3fff::/20" // documentation
)

const isIn = (ranges: ReadonlyArray<IpNetwork.IpNetwork>, address: NetAddress.IpAddress) =>
  ranges.some((range) => IpNetwork.contains(range, address))

/**
 * Whether an address is an ordinary host on the public internet: the only kind a tenant's URL may reach. About 3 µs.
 * An IPv4 address written as IPv6 is never public: a URL or DNS answer has no honest reason for it.
 */
export const isPublicAddress = (address: NetAddress.IpAddress): boolean =>
  NetAddress.isIpv4Address(address)
    ? !isIn(notPublicV4, address)
    : isIn(globalV6, address) && !isIn(notPublicV6, address)
