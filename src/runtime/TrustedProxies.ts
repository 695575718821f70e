import { Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"
import { networksIn } from "./Networks.ts"

/** Address in a text: alone, in brackets, or with a port. Returns IPv4 for IPv4 mapped to IPv6. */
const addressIn = (text: string): NetAddress.IpAddress | undefined => {
  const bare = NetAddress.ipFromString(text.startsWith("[") && text.endsWith("]") ? text.slice(1, -1) : text)
  if (Result.isSuccess(bare)) return NetAddress.toCanonical(bare.success)
  const withPort = NetAddress.inetAddressFromString(text)
  return Result.isSuccess(withPort) ? NetAddress.toCanonical(withPort.success.address) : undefined
}

/** Whether the address in a text is in one of the networks. */
export const isWithin = (networks: ReadonlyArray<IpNetwork.IpNetwork>, text: string): boolean => {
  const address = addressIn(text)
  return address !== undefined && networks.some((network) => IpNetwork.contains(network, address))
}

// Ignores the rest of an element whose quotes don't match, so that no part of a quoted value counts as a parameter.
const parameter = /\s*([\w!#$%&'*+.^`|~-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s",;\\]+))\s*(?:;|$)/y

/**
 * The `for` of one element of `Forwarded` (RFC 7239); undefined if the element is malformed or doesn't have exactly one
 * `for`.
 */
const forOf = (element: string): string | undefined => {
  let found: string | undefined
  parameter.lastIndex = 0
  while (parameter.lastIndex < element.length) {
    const [whole, name = "", quoted, token] = parameter.exec(element) ?? []
    if (whole === undefined) return undefined
    if (name.toLowerCase() !== "for") continue
    if (found !== undefined) return undefined
    found = quoted ?? token
  }
  return found
}

// Larger than any chain of proxies, because a client may send a header with thousands of addresses.
const proxiesMax = 16

type Headers = Readonly<Record<string, string | undefined>>

/**
 * Address of the client whose request the proxies have forwarded: the last address in the header that isn't trusted, or
 * the first if all are trusted. `peer` is the address of the connection.
 *
 * An untrusted peer is the client, whatever its headers contain. A trusted peer is the client if the header is missing,
 * or is malformed before an untrusted address. `X-Forwarded-For` has priority over `Forwarded`, which most proxies
 * forward unchanged from the client.
 *
 * @internal
 */
export const clientOf = (
  isTrusted: (address: NetAddress.IpAddress) => boolean,
  peer: string,
  { forwarded, "x-forwarded-for": forwardedFor }: Headers
): string => {
  const header = forwardedFor ?? forwarded
  if (header === undefined) return peer
  const from = addressIn(peer)
  if (from === undefined || !isTrusted(from)) return peer
  let end = header.length
  for (let proxies = 0; proxies < proxiesMax; proxies++) {
    const comma = end === 0 ? -1 : header.lastIndexOf(",", end - 1)
    const element = header.slice(comma + 1, end).trim()
    const address = addressIn(forwardedFor === undefined ? (forOf(element) ?? "") : element)
    if (address === undefined) return peer
    if (comma === -1 || !isTrusted(address)) return NetAddress.formatIp(address)
    end = comma
  }
  return peer
}

export interface Proxies {
  /** Whether the address of a connection belongs to a trusted proxy. */
  readonly has: (address: string) => boolean
  /** The client's address for the address of a connection and the headers of a request (names in lower case). */
  readonly clientOf: (peer: string, headers: Headers) => string
}

/**
 * The proxies in a text (`Limits.trustedProxies`). If a trusted proxy forwards a request, the client's address comes
 * from the headers. The audit log, the request log and the limits by address use that address.
 *
 * Folio doesn't limit the connections of a trusted proxy by address. Throws if the text is malformed.
 */
export const proxiesIn = (text: string): Proxies => {
  const networks = Result.getOrThrowWith(networksIn(text), (why) => new Error(why))
  if (networks.length === 0) return { has: () => false, clientOf: (peer) => peer }
  const isTrusted = (address: NetAddress.IpAddress) => networks.some((network) => IpNetwork.contains(network, address))
  return {
    has: (one) => isWithin(networks, one),
    clientOf: (peer, headers) => clientOf(isTrusted, peer, headers)
  }
}
