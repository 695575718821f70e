import { Clock, Context, Duration, Effect, Exit, Layer, Result } from "effect"
import { NetAddress } from "effect/net"
import { EgressGuard, EgressRefused } from "./EgressGuard.ts"
import {
  type Destination,
  makePinnedConnections,
  type PinnedConnectionsOptions,
  type PostRequest,
  type AnswerSink,
  type PinnedConnection
} from "./PinnedConnections.ts"

/**
 * The request of a delivery: URL, headers (with the signature) and body. `headers` must not contain `Host`,
 * `Connection` or `Content-Length`, which the sender sets.
 */
export interface WebhookRequest extends Omit<PostRequest, "path"> {
  readonly url: string
}

/**
 * The reasons of a failed delivery.
 *
 * - `internal`: the service itself could not make or send the delivery
 * - `blocked`: the URL or an address behind it may not receive webhooks
 * - `dns`, `connect`, `tls`: no address, no connection, no secure connection, or none within the limit of the step
 * - `timeout`: no complete response within the total time-out
 * - `too_large`: more than 16 KiB of headers
 * - `protocol`: the response was not HTTP, or was cut off
 * - `redirect`, `status`: the endpoint responded with 3xx, or with another status that is not 2xx
 */
export const errorCodes = [
  "internal",
  "blocked",
  "dns",
  "connect",
  "tls",
  "timeout",
  "too_large",
  "protocol",
  "redirect",
  "status"
] as const
/** The reason of a failed delivery, one of `errorCodes`. */
export type WebhookErrorCode = (typeof errorCodes)[number]

/**
 * The outcome of a delivery, as the attempt records it. Texts must not contain NUL, which PostgreSQL does not accept.
 */
export interface WebhookResponse {
  /** The IP address of the connection, or the last address tried. */
  readonly remoteIp: string | null
  /** The HTTP status received, even if the delivery failed afterwards. `error`, not `status`, decides success. */
  readonly status: number | null
  /** The first headers of the response, up to 4 KiB: names in lower case, repeated headers joined by commas. */
  readonly headers: Readonly<Record<string, string>>
  /** The first 4 KiB of the response's body, decoded as UTF-8. */
  readonly body: string
  readonly durationMs: number
  /**
   * `null` if and only if the endpoint responded with 2xx in time. The message is for the endpoint's owner; at most 500
   * characters.
   */
  readonly error: { readonly code: WebhookErrorCode; readonly message: string } | null
}

/** The time-outs of the default sender, its kept connections, and the certificates that it trusts. */
export interface WebhookSenderOptions extends PinnedConnectionsOptions {
  /** Time-out of a delivery, from the DNS look-up to the last byte of the response; default 15 s. */
  readonly totalTimeout?: Duration.Input
  /** Time-out of connecting, including TLS, over all addresses tried; default 5 s. */
  readonly connectTimeout?: Duration.Input
}

const maxMessageLength = 500

/** Minimum share of the connect time-out for an address in milliseconds, if several addresses share it. */
const minConnectMillis = 1000

const millisOf = (clock: Clock.Clock) => Number(clock.monotonicTimeNanosUnsafe()) / 1e6

const verdictOf = (status: number | null): WebhookResponse["error"] => {
  if (status === null) return { code: "protocol", message: "The endpoint did not respond." }
  if (status >= 200 && status < 300) return null
  return status >= 300 && status < 400
    ? {
        code: "redirect",
        message: `The endpoint returned ${status}; redirects are not followed: register the URL it leads to.`
      }
    : { code: "status", message: `The endpoint returned ${status}; a delivery succeeds with a 2xx response.` }
}

const make = Effect.fnUntraced(function* (options: WebhookSenderOptions) {
  const guard = yield* EgressGuard
  const totalTimeout = Duration.fromInputUnsafe(options.totalTimeout ?? "15 seconds")
  const connectMillis = Duration.toMillis(options.connectTimeout ?? "5 seconds")
  const connections = makePinnedConnections(options)
  yield* Effect.addFinalizer(() => Effect.sync(connections.destroyAll))
  const timedOut: WebhookResponse["error"] = {
    code: "timeout",
    message: `No complete response within ${Duration.toSeconds(totalTimeout)} s; respond with 2xx first and do the work afterwards.`
  }

  /** Tries the addresses in turn. Skips an address that accepts no TCP connection; any other failure is final. */
  const connect = Effect.fnUntraced(function* (
    origin: Omit<Destination, "address">,
    addresses: ReadonlyArray<NetAddress.InetAddress>,
    attempt: Attempt
  ) {
    const clock = yield* Clock.Clock
    const deadline = millisOf(clock) + connectMillis
    for (const [index, address] of addresses.entries()) {
      attempt.remoteIp = NetAddress.formatIp(address.address)
      const left = deadline - millisOf(clock)
      const share = Math.min(left, Math.max(minConnectMillis, left / (addresses.length - index)))
      const opened = yield* Effect.result(
        connections.open({ ...origin, address }, share, (connection) => attempt.own(connection))
      )
      if (Result.isSuccess(opened)) return opened.success
      const isLast = index === addresses.length - 1 || millisOf(clock) >= deadline
      if (isLast || opened.failure.code !== "connect") return yield* opened.failure
    }
    return yield* Effect.die("no address to connect to")
  })

  const deliver = Effect.fnUntraced(function* (request: WebhookRequest, attempt: Attempt) {
    const url = guard.checkUrl(request.url)
    if (url._tag === "Refused") return yield* new EgressRefused({ message: url.message })
    const addresses = yield* guard.resolve(url.host, url.port)
    const post = { path: url.path, headers: request.headers, body: request.body }

    const kept = connections.take(url.origin, addresses)
    if (kept !== undefined) {
      attempt.own(kept)
      const result = yield* Effect.result(kept.exchange(post, attempt))
      if (Result.isSuccess(result)) return
      if (!result.failure.dropped) return yield* result.failure
      attempt.release(false)
    }
    const fresh = yield* connect(url, addresses, attempt)
    yield* fresh.exchange(post, attempt)
  })

  const send = Effect.fn("WebhookSender.send")(function* (request: WebhookRequest) {
    const clock = yield* Clock.Clock
    const start = millisOf(clock)
    const attempt = new Attempt()
    const error = yield* deliver(request, attempt).pipe(
      Effect.onExit((exit) => Effect.sync(() => attempt.release(Exit.isSuccess(exit)))),
      Effect.map(() => verdictOf(attempt.status)),
      Effect.catchTags({
        EgressRefused: ({ message }) => Effect.succeed({ code: "blocked" as const, message }),
        DnsFailed: ({ message }) => Effect.succeed({ code: "dns" as const, message }),
        ExchangeFailed: ({ code, message }) => Effect.succeed({ code, message })
      }),
      Effect.timeoutOrElse({ duration: totalTimeout, orElse: () => Effect.succeed(timedOut) })
    )
    return {
      remoteIp: attempt.remoteIp,
      status: attempt.status,
      headers: attempt.headers,
      body: attempt.body(),
      durationMs: Math.round(millisOf(clock) - start),
      error: error === null ? null : { ...error, message: error.message.slice(0, maxMessageLength) }
    }
  })

  return WebhookSender.of({ send })
})

/**
 * Posts webhooks. Before every delivery, the default sender has `EgressGuard` check the URL and look up the host. It
 * connects only to an address from the guard, also over a kept connection. It uses HTTP/1.1 and TLS 1.2 or later with
 * the usual verification. It follows no redirects, uses no cookies or proxies, and decompresses no responses.
 */
export class WebhookSender extends Context.Service<
  WebhookSender,
  {
    /**
     * Delivers the request. Never fails: the outcome is in the returned value. The bytes may arrive twice: if the
     * receiver closed a kept connection before the first byte of the response, the sender repeats the request over a
     * new one.
     */
    readonly send: (request: WebhookRequest) => Effect.Effect<WebhookResponse>
  }
>()("@folio-einvoicing/service/WebhookSender") {
  /** The default sender with these options. Requires `EgressGuard`. */
  static layerWith(options: WebhookSenderOptions): Layer.Layer<WebhookSender, never, EgressGuard> {
    return Layer.effect(WebhookSender, make(options))
  }

  /** The default sender. Requires `EgressGuard`. */
  static readonly layer = WebhookSender.layerWith({})
}

// Bytes of a response's body; the rest of a longer body is not read.
const maxReadBytes = 64 * 1024
const maxRecordedBytes = 4 * 1024

const withoutNul = (text: string) => text.replaceAll("\u0000", "")

/**
 * The headers that an attempt records: the first headers, each complete, up to the same number of bytes as for a body.
 */
const recordedHeaders = (headers: Readonly<Record<string, string | Array<string> | undefined>>) => {
  let bytes = 0
  return Object.fromEntries(
    Object.entries(headers)
      .map(([name, value]) => [name, withoutNul([value ?? ""].flat().join(", "))] as const)
      .filter(([name, value]) => (bytes += Buffer.byteLength(name) + Buffer.byteLength(value)) <= maxRecordedBytes)
  )
}

/** Collects the data that an attempt records, and owns the connection during the exchange. */
class Attempt implements AnswerSink {
  remoteIp: string | null = null
  status: number | null = null
  headers: Record<string, string> = {}
  private connection: PinnedConnection | undefined
  private readonly chunks: Array<Uint8Array> = []
  private recorded = 0
  private read = 0

  own(connection: PinnedConnection) {
    this.connection = connection
    this.remoteIp = NetAddress.formatIp(connection.address.address)
  }

  onHeaders(status: number, headers: Readonly<Record<string, string | Array<string> | undefined>>) {
    this.status = status
    this.headers = recordedHeaders(headers)
  }

  onBody(chunk: Uint8Array) {
    if (this.recorded < maxRecordedBytes) {
      // A copy, because the chunk is a view that would keep a much larger buffer in memory.
      const part = new Uint8Array(chunk.subarray(0, maxRecordedBytes - this.recorded))
      this.chunks.push(part)
      this.recorded += part.length
    }
    this.read += chunk.length
    return this.read <= maxReadBytes
  }

  body(): string {
    if (this.recorded === 0) return ""
    // `stream` omits a character that the limit cuts in two, instead of replacing it with U+FFFD.
    const text = new TextDecoder().decode(Buffer.concat(this.chunks), { stream: this.read > this.recorded })
    return withoutNul(text)
  }

  /**
   * Keeps the connection after a complete response. Otherwise destroys it, because the rest of the response may still
   * arrive.
   */
  release(completed: boolean) {
    if (completed) this.connection?.keep()
    else this.connection?.destroy()
    this.connection = undefined
  }
}
