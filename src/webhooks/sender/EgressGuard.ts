import { Array, Context, Effect, Equal, Layer, Result, Schema } from "effect"
import { Dns, Host, NetAddress } from "effect/net"
import { ServiceInfo } from "../../runtime/ServiceInfo.ts"
import { isPublicAddress } from "./PublicAddress.ts"
import { allowance } from "./WebhookAllow.ts"

/** Whether a URL may receive webhooks. `message` has the fix for the URL's owner. */
export type UrlVerdict =
  | {
      readonly _tag: "Allowed"
      /** The URL to store and to send to, normalized. */
      readonly href: string
      readonly secure: boolean
      /** Host name without trailing dot, or IP literal without brackets. */
      readonly host: string
      readonly port: number
      /** Scheme, host and port. `path` holds path and query: `origin` and `path` together are the `href`. */
      readonly origin: string
      readonly path: string
    }
  | {
      readonly _tag: "Refused"
      readonly code: "url_invalid" | "url_not_https" | "url_not_allowed"
      readonly message: string
    }

/**
 * Rejection of a host that may not receive webhooks, or whose name resolves to such an address. The message contains no
 * address, because the endpoint's owner reads it.
 */
export class EgressRefused extends Schema.TaggedError<EgressRefused>()("EgressRefused", { message: Schema.String }) {}

/**
 * Failure of a host name without an address, or of a DNS look-up without a response in time. Folio retries the delivery
 * later.
 */
export class DnsFailed extends Schema.TaggedError<DnsFailed>()("DnsFailed", { message: Schema.String }) {}

/** The exceptions of the default rules. */
export interface EgressGuardOptions {
  /**
   * Pairs of address and port that webhooks may reach, also over http and if the address is not public. For
   * development.
   */
  readonly allow?: ReadonlyArray<NetAddress.InetAddress>
  /** Public host names of this service, which must not send webhooks to itself. */
  readonly ownHosts?: ReadonlyArray<string>
  /** Ports an endpoint may use; default 443 and 8443. */
  readonly ports?: ReadonlyArray<number>
}

/** The maximum of addresses that a delivery tries. All addresses of the DNS response are checked. */
const maxAddresses = 16
const maxUrlLength = 2048

/** Names that never belong to a public receiver: special-use TLDs (RFC 6761, 8375, 9476) and customary private ones. */
const privateSuffixes = new Set(
  "alt arpa corp example home internal intranet invalid lan local localdomain localhost onion private test".split(" ")
)

/** Removes the DNS root's trailing dot from a name: certificates and Host headers do not have it. */
const withoutDot = (host: string) => (host.endsWith(".") ? host.slice(0, -1) : host)

type Addresses = Array.NonEmptyReadonlyArray<NetAddress.InetAddress>

/** A name to look up, or addresses and whether they are in the allow-list. */
type Destination = { readonly name: string } | { readonly addresses: Addresses; readonly listed: boolean }

const refused = (code: Extract<UrlVerdict, { _tag: "Refused" }>["code"], message: string): UrlVerdict => ({
  _tag: "Refused",
  code,
  message
})

const notPublic = "The URL leads to an address that is not on the public internet; use a public host name."
const notResolved = "The host name of the URL has no address; check its A and AAAA records."
const tooLong = `The URL is too long; use at most ${maxUrlLength} characters.`
const ofThisMachine = (host: string, port: number) => {
  const address = `${host.startsWith("127.") ? host : host.includes(":") ? `[${host}]` : "127.0.0.1"}:${port}`
  return `The URL must begin with https://, except for an address that the operator allows. To receive webhooks on your machine, run folio listen --forward-to :${port}, or start Folio with WEBHOOK_ALLOW=${address}.`
}
const notAUrl = "The URL is not valid; send an absolute URL such as https://example.com/webhooks."

const make = Effect.fnUntraced(function* (options: EgressGuardOptions) {
  const dns = yield* Dns.Dns
  const allow = options.allow ?? []
  if (allow.length > 0) {
    const listed = allow.map(NetAddress.formatInet).join(", ")
    yield* Effect.logWarning(`Webhooks may reach ${listed}, which need not be public: only for development`)
  }
  const ownHosts = new Set(options.ownHosts?.map((name) => name.toLowerCase()))
  const ports = new Set(options.ports ?? [443, 8443])
  const portMessage = `The port of the URL is not allowed; use ${[...ports].join(" or ")}.`

  // Only IP literals and `localhost`, which need no look-up, can match the allow-list. The list has no effect on names.
  const inspect = (host: string, port: number): Result.Result<Destination, string> => {
    const parsed = Host.hostFromString(withoutDot(host))
    if (Result.isFailure(parsed) || NetAddress.isScopedIpv6Literal(parsed.success) || host.endsWith("..")) {
      return Result.fail("The host of the URL is not a valid host name.")
    }
    if (NetAddress.isIpAddress(parsed.success)) {
      const address = NetAddress.inetAddressUnsafe(parsed.success, port)
      if (allow.some((pair) => Equal.equals(pair, address)))
        return Result.succeed({ addresses: [address], listed: true })
      if (!isPublicAddress(parsed.success)) return Result.fail(notPublic)
      return ports.has(port) ? Result.succeed({ addresses: [address], listed: false }) : Result.fail(portMessage)
    }
    const name: string = parsed.success
    if (name === "localhost") {
      const addresses = allow.filter((pair) => pair.port === port && NetAddress.isLoopback(pair.address))
      return Array.isReadonlyArrayNonEmpty(addresses)
        ? Result.succeed({ addresses, listed: true })
        : Result.fail(notPublic)
    }
    const lastDot = name.lastIndexOf(".")
    if (lastDot === -1 || privateSuffixes.has(name.slice(lastDot + 1)) || ownHosts.has(name)) {
      return Result.fail(notPublic)
    }
    return ports.has(port) ? Result.succeed({ name }) : Result.fail(portMessage)
  }

  const checkUrl = (text: string): UrlVerdict => {
    if (text.length > maxUrlLength) return refused("url_invalid", tooLong)
    // `URL.parse` would silently remove or rewrite white space, control characters and backslashes.
    if (!/^[a-z][a-z0-9+.-]*:\/\/[^/]/i.test(text) || /[^\u0021-\uffff]|[\u007f-\u00a0\\]/.test(text)) {
      return refused("url_invalid", notAUrl)
    }
    const url = URL.parse(text)
    if (url === null || url.hostname === "") return refused("url_invalid", notAUrl)
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
    const listed = Result.isSuccess(destination) && "listed" in destination.success && destination.success.listed
    if (!secure && !listed) {
      const isHere = /^(?:localhost|127\.\d+\.\d+\.\d+|::1)\.?$/i.test(host)
      return refused(
        "url_not_https",
        isHere
          ? ofThisMachine(withoutDot(host), port)
          : "The URL must begin with https://; webhooks are not sent unencrypted."
      )
    }
    if (Result.isFailure(destination)) return refused("url_not_allowed", destination.failure)
    if (host.endsWith(".")) url.hostname = withoutDot(host)
    const { href, origin, pathname, search } = url
    return href.length > maxUrlLength
      ? refused("url_invalid", tooLong)
      : { _tag: "Allowed", href, secure, host: withoutDot(host), port, origin, path: pathname + search }
  }

  // A failed or late query counts as an empty response, so that a DNS server that fails on AAAA does not disable the A
  // records. This is safe: connections go only to addresses in a response that were checked.
  const query = (name: string, type: "A" | "AAAA") =>
    dns.resolve(name, type).pipe(
      Effect.map((records) => records.map((record): NetAddress.IpAddress => record.address)),
      Effect.timeout("2 seconds"),
      Effect.orElseSucceed((): Array<NetAddress.IpAddress> => [])
    )

  const resolve = Effect.fn("EgressGuard.resolve")(function* (host: string, port: number) {
    const inspected = inspect(host, port)
    if (Result.isFailure(inspected)) return yield* new EgressRefused({ message: inspected.failure })
    const destination = inspected.success
    if ("addresses" in destination) return destination.addresses

    const { name } = destination
    const addresses = (yield* Effect.all([query(name, "A"), query(name, "AAAA")], { concurrency: 2 })).flat()
    if (!addresses.every(isPublicAddress)) return yield* new EgressRefused({ message: notPublic })
    const pinned = addresses.slice(0, maxAddresses).map((address) => NetAddress.inetAddressUnsafe(address, port))
    return Array.isReadonlyArrayNonEmpty(pinned) ? pinned : yield* new DnsFailed({ message: notResolved })
  })

  return EgressGuard.of({ checkUrl, resolve })
})

/**
 * Decides which destinations may receive webhooks, at an endpoint's registration and before each delivery. By default:
 * public hosts, and the addresses of the allow-list.
 */
export class EgressGuard extends Context.Service<
  EgressGuard,
  {
    /** Checks the text of a URL, at registration and again before each delivery. Pure: looks up no names. */
    readonly checkUrl: (url: string) => UrlVerdict
    /**
     * The addresses that a delivery may connect to: 1 to 16, IPv4 first. Each call looks the name up, within 2 s by
     * default. If one address in the DNS response is not public, the call fails. IP literals are checked too, without a
     * look-up.
     */
    readonly resolve: (host: string, port: number) => Effect.Effect<Addresses, EgressRefused | DnsFailed>
  }
>()("@folio-einvoicing/service/EgressGuard") {
  /** The default rules with these options. Requires the platform's `Dns`. */
  static layer(options: EgressGuardOptions): Layer.Layer<EgressGuard, never, Dns.Dns> {
    return Layer.effect(EgressGuard, make(options))
  }

  /**
   * The allow-list is `WEBHOOK_ALLOW`, and the service's own host comes from `ServiceInfo`. Fails with `SettingsError`.
   */
  static readonly layerConfig = Layer.effect(
    EgressGuard,
    Effect.gen(function* () {
      const { baseUrl } = yield* ServiceInfo
      return yield* make({ allow: yield* allowance, ownHosts: [new URL(baseUrl).hostname] })
    })
  )
}
