import { Equal, Result, Schema } from "effect"
import { IpNetwork, NetAddress } from "effect/net"

/**
 * The network of an address or of a range in CIDR notation. IPv4 that is mapped to IPv6 becomes IPv4. Clears the bits
 * after the prefix. Undefined for any other text.
 */
export const networkIn = (text: string): IpNetwork.IpNetwork | undefined => {
  const [, host = "", bits] = /^([^/]+)(?:\/(0|[1-9]\d{0,2}))?$/.exec(text) ?? []
  const network = Result.flatMap(NetAddress.ipFromString(host), (written) => {
    const address = NetAddress.toCanonical(written)
    const outside = NetAddress.width(written) - NetAddress.width(address)
    return IpNetwork.fromAddress(address, (bits === undefined ? NetAddress.width(written) : Number(bits)) - outside)
  })
  return Result.getOrUndefined(network)
}

/** Whether a text is an address or a range, with only zeros after its prefix: `10.1.2.3/8` may be a typing error. */
const isNetwork = (text: string): boolean => {
  const network = networkIn(text)
  const written = Result.getOrUndefined(NetAddress.ipFromString(text.split("/", 1)[0] ?? ""))
  return (
    network !== undefined && written !== undefined && Equal.equals(network.address, NetAddress.toCanonical(written))
  )
}

/** An address or a network from a client, as text. */
export const Network = Schema.String.check(
  Schema.makeFilter(isNetwork, {
    message:
      "must be an IPv4 or IPv6 address, or a network in CIDR notation with only zeros after its prefix, such as 203.0.113.7, 10.1.0.0/16 or 2001:db8::/32"
  })
)

// For rules, which are pure and use no other module of Effect than the data types.
/** Whether one network contains another, or is the same. */
export const containsNetwork = (outer: IpNetwork.IpNetwork, inner: IpNetwork.IpNetwork): boolean =>
  IpNetwork.containsNetwork(outer, inner)

/** The networks of a list that `Network` has checked. */
export const networksOf = (texts: ReadonlyArray<string>): ReadonlyArray<IpNetwork.IpNetwork> =>
  texts.flatMap((text) => networkIn(text) ?? [])
