import { Config, Context, Effect, Layer, Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"
import { read, refuse } from "../../settings/Setting.ts"

const words: Readonly<Record<string, ReadonlyArray<string>>> = {
  loopback: ["127.0.0.0/8", "::1/128"],
  private: ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"]
}

const networkFrom = (text: string): Result.Result<IpNetwork.IpNetwork, string> => {
  const [, host = "", bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const network = Result.flatMap(NetAddress.ipFromString(host), (written) => {
    const address = NetAddress.toCanonical(written)
    const outside = NetAddress.width(written) - NetAddress.width(address)
    return IpNetwork.fromAddress(address, (bits === undefined ? NetAddress.width(written) : Number(bits)) - outside)
  })
  if (Result.isFailure(network)) {
    return Result.fail(
      `"${text}" is not an address or a range. Write 10.0.0.5, 10.1.0.0/16 or fd00::/8, separated by commas, or the words loopback and private.`
    )
  }
  return network.success.prefixLength === 0
    ? Result.fail(`${text} trusts everybody, who could then name any address. Write the addresses of the proxies.`)
    : Result.succeed(network.success)
}

/** Reads `TRUSTED_PROXIES`. Fails with a message for the operator. */
const parse = (text: string): Result.Result<ReadonlyArray<IpNetwork.IpNetwork>, string> =>
  Result.all(
    text
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== "")
      .flatMap((part) => words[part.toLowerCase()] ?? [part])
      .map(networkFrom)
  )

/** The address in a text: alone, in brackets, or with a port. IPv4 in IPv6 is IPv4. */
const addressIn = (text: string): NetAddress.IpAddress | undefined => {
  const bare = NetAddress.ipFromString(text.startsWith("[") && text.endsWith("]") ? text.slice(1, -1) : text)
  if (Result.isSuccess(bare)) return NetAddress.toCanonical(bare.success)
  const withPort = NetAddress.inetAddressFromString(text)
  return Result.isSuccess(withPort) ? NetAddress.toCanonical(withPort.success.address) : undefined
}

// The rest of an element whose quotes do not match is no parameter, so that no part of a quoted value is taken for one.
const parameter = /\s*([\w!#$%&'*+.^`|~-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s",;\\]+))\s*(?:;|$)/y

/** The `for` of one element of `Forwarded` (RFC 7239); undefined if the element is malformed, or has not exactly one. */
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
 * The address of the client for which proxies have forwarded a request: the last one in the header that is not itself trusted, or the
 * first where all are. `peer` is who connected. An untrusted peer is the client whatever its headers say, and so is a trusted one without
 * a header, or with one that is malformed before such an address is found. `X-Forwarded-For` goes before `Forwarded`, which most proxies
 * pass on as the client sent it.
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

interface Proxies {
  /** Whether an address of a connection is that of a trusted proxy. */
  readonly has: (address: string) => boolean
  /** The client's address, given the address of the connection and the headers of the request (in lower case). */
  readonly clientOf: (peer: string, headers: Headers) => string
}

const proxiesOf = (networks: ReadonlyArray<IpNetwork.IpNetwork>): Proxies => {
  if (networks.length === 0) return { has: () => false, clientOf: (peer) => peer }
  const isTrusted = (address: NetAddress.IpAddress) => networks.some((network) => IpNetwork.contains(network, address))
  return {
    has: (text) => {
      const address = addressIn(text)
      return address !== undefined && isTrusted(address)
    },
    clientOf: (peer, headers) => clientOf(isTrusted, peer, headers)
  }
}

/**
 * The proxies that are believed when they say for whom they forward a request. The address of that client is then the one in the audit
 * log, in the request log and in the limits by address; and the connections of a trusted proxy are not limited as those of one address.
 */
export class TrustedProxies extends Context.Service<TrustedProxies, Proxies>()(
  "@folio-einvoicing/service/TrustedProxies"
) {
  /**
   * Addresses and ranges, separated by commas, and the words `loopback` and `private`; nobody, if left out. Throws when one of them is
   * malformed.
   */
  static layer(proxies = "") {
    const networks = Result.getOrThrowWith(parse(proxies), (why) => new Error(why))
    return Layer.succeed(TrustedProxies, proxiesOf(networks))
  }

  /** `TRUSTED_PROXIES`. Fails with `SettingsError`. */
  static readonly layerConfig = Layer.effect(
    TrustedProxies,
    Effect.gen(function* () {
      const networks = parse(yield* read(Config.String("TRUSTED_PROXIES").pipe(Config.withDefault(""))))
      if (Result.isFailure(networks)) return yield* refuse(`TRUSTED_PROXIES: ${networks.failure}`)
      return proxiesOf(networks.success)
    })
  )
}
