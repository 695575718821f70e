import { Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"
import { networksIn } from "../../settings/Networks.ts"

/** The address in a text: alone, in brackets, or with a port. IPv4 in IPv6 is IPv4. */
const addressIn = (text: string): NetAddress.IpAddress | undefined => {
  const bare = NetAddress.ipFromString(text.startsWith("[") && text.endsWith("]") ? text.slice(1, -1) : text)
  if (Result.isSuccess(bare)) return NetAddress.toCanonical(bare.success)
  const withPort = NetAddress.inetAddressFromString(text)
  return Result.isSuccess(withPort) ? NetAddress.toCanonical(withPort.success.address) : undefined
}

// The rest of an element whose quotes do not match is no parameter, so that no part of a quoted value is taken for one.
const parameter = /\s*([\w!#$%&'*+.^`|~-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s",;\\]+))\s*(?:;|$)/y

/**
 * The `for` of one element of `Forwarded` (RFC 7239); undefined if the element is malformed, or has not exactly one.
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

// More proxies than any chain has. A client may send a header of thousands of them.
const proxiesMax = 16

type Headers = Readonly<Record<string, string | undefined>>

/**
 * The address of the client for which proxies have forwarded a request: the last one in the header that is not itself
 * trusted, or the first where all are. `peer` is who connected. An untrusted peer is the client whatever its headers
 * say, and so is a trusted one without a header, or with one that is malformed before such an address is found.
 * `X-Forwarded-For` goes before `Forwarded`, which most proxies pass on as the client sent it.
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
  /** Whether an address of a connection is that of a trusted proxy. */
  readonly has: (address: string) => boolean
  /** The client's address, given the address of the connection and the headers of the request (in lower case). */
  readonly clientOf: (peer: string, headers: Headers) => string
}

/**
 * The proxies in a text (`Limits.trustedProxies`). They are believed when they say for whom they forward a request. The
 * address of that client is then the one in the audit log, in the request log and in the limits by address; and the
 * connections of a trusted proxy are not limited as those of one address. Throws when the text is malformed.
 */
export const proxiesIn = (text: string): Proxies => {
  const networks = Result.getOrThrowWith(networksIn(text), (why) => new Error(why))
  if (networks.length === 0) return { has: () => false, clientOf: (peer) => peer }
  const isTrusted = (address: NetAddress.IpAddress) => networks.some((network) => IpNetwork.contains(network, address))
  return {
    has: (one) => {
      const address = addressIn(one)
      return address !== undefined && isTrusted(address)
    },
    clientOf: (peer, headers) => clientOf(isTrusted, peer, headers)
  }
}
