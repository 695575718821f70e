import { Array, Context, type Duration, Effect, Equal, Layer, Result, Schema } from "effect"
import { Dns, Host, NetAddress } from "effect/net"
import { isPublicAddress } from "./PublicAddress.ts"

/** Whether a URL may receive webhooks. `message` tells its owner what to do. */
export type UrlVerdict =
  | {
      readonly _tag: "Allowed"
      /** The URL to store and to send to, normalized. */
      readonly href: string
      readonly secure: boolean
      /** Host name without trailing dot, or IP literal without brackets. */
      readonly host: string
      readonly port: number
      /** Scheme, host and port; then path and query: together the `href`. */
      readonly origin: string
      readonly path: string
    }
  | {
      readonly _tag: "Refused"
      readonly code: "url_invalid" | "url_not_https" | "url_not_allowed"
      readonly message: string
    }

/** The host is, or resolves to, something that may not receive webhooks. The message names no address. */
export class EgressRefused extends Schema.TaggedError<EgressRefused>()("EgressRefused", { message: Schema.String }) {}

/** The host name has no address, or none in time. */
export class DnsFailed extends Schema.TaggedError<DnsFailed>()("DnsFailed", { message: Schema.String }) {}

export interface EgressGuardOptions {
  /** Pairs of address and port that may be reached though they are not public, by http as well: for development. */
  readonly allow?: ReadonlyArray<NetAddress.InetAddress>
  /** Public names of this service itself, which must not call itself. */
  readonly ownHosts?: ReadonlyArray<string>
  /** Ports an endpoint may use; default 443 and 8443. */
  readonly ports?: ReadonlyArray<number>
  /** Limit of one name resolution; default 2 s. */
  readonly dnsTimeout?: Duration.Input
}

/** Addresses of one answer that are tried; all of them are checked, however many there are. */
const maxAddresses = 16
const maxUrlLength = 2048

/** Names that never belong to a public receiver: special-use TLDs (RFC 6761, 8375, 9476) and customary private ones. */
const privateSuffixes = new Set(
  "alt arpa corp example home internal intranet invalid lan local localdomain localhost onion private test".split(" ")
)

/** A name may be written with the dot of the root; certificates and Host headers do not have it. */
const withoutDot = (host: string) => (host.endsWith(".") ? host.slice(0, -1) : host)

type Destination =
  | { readonly _tag: "Name"; readonly name: string }
  | {
      readonly _tag: "Addresses"
      readonly addresses: Array.NonEmptyReadonlyArray<NetAddress.InetAddress>
      readonly listed: boolean
    }
  | { readonly _tag: "Refused"; readonly message: string }

const refused = (code: Extract<UrlVerdict, { _tag: "Refused" }>["code"], message: string): UrlVerdict => ({
  _tag: "Refused",
  code,
  message
})

const notPublic = "The URL leads to an address that is not on the public internet; use a public host name."
const notResolved = "The host name of the URL has no address; check its A and AAAA records."
const tooLong = `The URL is too long; use at most ${maxUrlLength} characters.`
const notAUrl = "The URL is not valid; send an absolute URL such as https://example.com/webhooks."

/**
 * Reads `WEBHOOK_ALLOW`: comma-separated `ip:port` pairs such as `127.0.0.1:9099,[::1]:9099`; empty text is no pairs.
 * Fails with a message for the operator.
 */
export const parseAllow = (text: string): Result.Result<ReadonlyArray<NetAddress.InetAddress>, string> =>
  Result.all(
    text
      .split(",")
      .map((pair) => pair.trim())
      .filter((pair) => pair !== "")
      .map((pair) =>
        NetAddress.inetAddressFromString(pair).pipe(
          Result.filterOrFail(
            (address) => address.port > 0 && !(NetAddress.isInetAddressV6(address) && address.scopeId !== 0),
            () => "no port or a zone"
          ),
          Result.mapError(
            () =>
              `"${pair}" is not an address and a port: write pairs as 127.0.0.1:9099,[::1]:9099 (no names, no ranges)`
          )
        )
      )
  )

const make = (options: EgressGuardOptions, dns: Dns.Dns["Service"]): EgressGuard["Service"] => {
  const allow = options.allow ?? []
  const ownHosts = new Set(options.ownHosts?.map((name) => name.toLowerCase()))
  const ports = new Set(options.ports ?? [443, 8443])
  const portMessage = `The port of the URL is not allowed; use ${[...ports].join(" or ")}.`
  const dnsTimeout = options.dnsTimeout ?? "2 seconds"

  // The only two ways to the allow-list are an IP literal and `localhost`, which is never looked up: a name that its
  // owner points at a listed address gets nothing from the list.
  const inspect = (host: string, port: number): Destination => {
    const parsed = Host.hostFromString(withoutDot(host))
    if (Result.isFailure(parsed) || NetAddress.isScopedIpv6Literal(parsed.success) || host.endsWith("..")) {
      return { _tag: "Refused", message: "The host of the URL is not a valid host name." }
    }
    if (NetAddress.isIpAddress(parsed.success)) {
      const address = NetAddress.inetAddressUnsafe(parsed.success, port)
      if (allow.some((pair) => Equal.equals(pair, address))) {
        return { _tag: "Addresses", addresses: [address], listed: true }
      }
      if (!isPublicAddress(parsed.success)) return { _tag: "Refused", message: notPublic }
      return ports.has(port)
        ? { _tag: "Addresses", addresses: [address], listed: false }
        : { _tag: "Refused", message: portMessage }
    }
    const name: string = parsed.success
    if (name === "localhost") {
      const addresses = allow.filter((pair) => pair.port === port && NetAddress.isLoopback(pair.address))
      return Array.isReadonlyArrayNonEmpty(addresses)
        ? { _tag: "Addresses", addresses, listed: true }
        : { _tag: "Refused", message: notPublic }
    }
    const lastDot = name.lastIndexOf(".")
    if (lastDot === -1 || privateSuffixes.has(name.slice(lastDot + 1)) || ownHosts.has(name)) {
      return { _tag: "Refused", message: notPublic }
    }
    return ports.has(port) ? { _tag: "Name", name } : { _tag: "Refused", message: portMessage }
  }

  const checkUrl = (text: string): UrlVerdict => {
    if (text.length > maxUrlLength) {
      return refused("url_invalid", tooLong)
    }
    // `new URL` would silently drop or turn around these characters.
    if (!/^[a-z][a-z0-9+.-]*:\/\/[^/]/i.test(text) || /[^\u0021-\uffff]|[\u007f-\u00a0\\]/.test(text)) {
      return refused("url_invalid", notAUrl)
    }
    const url = URL.parse(text)
    if (url === null || url.hostname === "") {
      return refused("url_invalid", notAUrl)
    }
    if (url.protocol !== "https:" && url.protocol !== "http:") {
      return refused("url_not_https", "The URL must begin with https://.")
    }
    if (/^[^/]*\/\/[^/?#]*@/.test(text)) {
      return refused("url_invalid", "The URL holds a user name or password; remove it: deliveries are signed instead.")
    }
    if (text.includes("#")) return refused("url_invalid", "The URL holds a fragment; remove the # and what follows it.")

    const secure = url.protocol === "https:"
    const host = url.hostname.replace(/^\[|\]$/g, "")
    const port = url.port === "" ? (secure ? 443 : 80) : Number(url.port)
    const destination = inspect(host, port)
    const listed = destination._tag === "Addresses" && destination.listed
    if (!secure && !listed) {
      return refused("url_not_https", "The URL must begin with https://; webhooks are not sent unencrypted.")
    }
    if (destination._tag === "Refused") return refused("url_not_allowed", destination.message)
    if (host.endsWith(".")) url.hostname = withoutDot(host)
    const { href, origin, pathname, search } = url
    return href.length > maxUrlLength
      ? refused("url_invalid", tooLong)
      : { _tag: "Allowed", href, secure, host: withoutDot(host), port, origin, path: pathname + search }
  }

  // A failed or late query counts as no answer: it hides nothing, for only what was answered and checked is connected
  // to, and a server that fails on AAAA does not take its A records away.
  const query = (name: string, type: "A" | "AAAA") =>
    dns.resolve(name, type).pipe(
      Effect.map((records) => records.map((record): NetAddress.IpAddress => record.address)),
      Effect.timeout(dnsTimeout),
      Effect.orElseSucceed((): Array<NetAddress.IpAddress> => [])
    )

  const resolve = Effect.fn("EgressGuard.resolve")(function* (host: string, port: number) {
    const destination = inspect(host, port)
    if (destination._tag === "Refused") return yield* new EgressRefused({ message: destination.message })
    if (destination._tag === "Addresses") return destination.addresses

    const answers = yield* Effect.all([query(destination.name, "A"), query(destination.name, "AAAA")], {
      concurrency: 2
    })
    const addresses = answers.flat()
    if (!addresses.every(isPublicAddress)) return yield* new EgressRefused({ message: notPublic })
    const pinned = addresses.slice(0, maxAddresses).map((address) => NetAddress.inetAddressUnsafe(address, port))
    return Array.isReadonlyArrayNonEmpty(pinned) ? pinned : yield* new DnsFailed({ message: notResolved })
  })

  return EgressGuard.of({ checkUrl, resolve })
}

/**
 * Decides where webhooks may go: only to the public internet, but for an operator's allow-list. One verdict serves
 * registration and delivery.
 */
export class EgressGuard extends Context.Service<
  EgressGuard,
  {
    /** The check of a URL by itself, at registration and again before each delivery. Pure: no name is looked up. */
    readonly checkUrl: (url: string) => UrlVerdict
    /**
     * The addresses a delivery may connect to now: 1 to 16, IPv4 first. Looks the name up each time, within 2 s; one
     * address in the answer that is not public refuses them all. IP literals are checked likewise, without a look-up.
     */
    readonly resolve: (
      host: string,
      port: number
    ) => Effect.Effect<Array.NonEmptyReadonlyArray<NetAddress.InetAddress>, EgressRefused | DnsFailed>
  }
>()("folio/outbound/EgressGuard") {
  static layer(options: EgressGuardOptions): Layer.Layer<EgressGuard, never, Dns.Dns> {
    return Layer.effect(
      EgressGuard,
      Effect.gen(function* () {
        if (options.allow !== undefined && options.allow.length > 0) {
          yield* Effect.logWarning(
            `Webhooks may reach ${options.allow.map(NetAddress.formatInet).join(", ")}, which need not be public: only for development`
          )
        }
        return make(options, yield* Dns.Dns)
      })
    )
  }
}
