import { Clock, Context, Duration, Effect, Exit, Layer, Result } from "effect"
import { NetAddress } from "effect/net"
import type * as net from "node:net"
import { EgressGuard, EgressRefused } from "./EgressGuard.ts"
import {
  type AnswerSink,
  type Destination,
  dialTcp,
  makePinnedConnections,
  type PinnedConnection
} from "./PinnedConnections.ts"

/** One delivery. `Host`, `Connection` and `Content-Length` are the sender's to set. */
export interface WebhookRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | string
}

/**
 * - `internal`: the service itself could not make or send it
 * - `blocked`: the URL or an address behind it may not receive webhooks
 * - `dns`, `connect`, `tls`: no address, no connection, no secure connection, each also when not within its limit
 * - `timeout`: no complete answer within the total time-out
 * - `too_large`: more than 16 KiB of headers
 * - `protocol`: not HTTP, or the answer broke off
 * - `redirect`, `status`: answered 3xx, or another status that is not 2xx
 */
export type WebhookErrorCode =
  | "internal"
  | "blocked"
  | "dns"
  | "connect"
  | "tls"
  | "timeout"
  | "too_large"
  | "protocol"
  | "redirect"
  | "status"

/** What came of a delivery, as an attempt records it. Texts hold no NUL, so that PostgreSQL takes them. */
export interface WebhookResponse {
  /** The address connected to, or last tried. */
  readonly remoteIp: string | null
  /** The status received, even if the delivery failed afterwards: `error`, not this, tells success. */
  readonly status: number | null
  /** Names in lower case, repeated headers joined by commas: the first of them, up to 4 KiB. */
  readonly headers: Readonly<Record<string, string>>
  /** The first 4 KiB, read as UTF-8. */
  readonly body: string
  readonly durationMs: number
  /** `null` if and only if the endpoint answered 2xx in time. The message is for the endpoint's owner; at most 500 characters. */
  readonly error: { readonly code: WebhookErrorCode; readonly message: string } | null
}

export interface WebhookSenderOptions {
  /** Limit of a delivery from the look-up to the last byte of the answer; default 15 s. */
  readonly totalTimeout?: Duration.Input
  /** Limit of connecting, TLS included, over all addresses tried; default 5 s. */
  readonly connectTimeout?: Duration.Input
  /** How long an unused connection is kept; default 4 s. */
  readonly idleTimeout?: Duration.Input
  /** Unused connections kept in all; default 256. */
  readonly maxIdle?: number
  /** PEM certificates to trust instead of the system's. */
  readonly ca?: string
  /** Begins a TCP connection to exactly this address; the default uses `node:net`. */
  readonly dial?: (address: NetAddress.InetAddress) => net.Socket
}

const maxReadBytes = 64 * 1024
const maxRecordedBytes = 4 * 1024
const maxMessageLength = 500

/** With several addresses each gets a share of the connect time-out, but not less than this. */
const minConnectMillis = 1000

const millisOf = (clock: Clock.Clock) => Number(clock.monotonicTimeNanosUnsafe()) / 1e6

const withoutNul = (text: string) => text.replaceAll("\u0000", "")

/** The headers that an attempt records: those that come first, each whole, as long as they take no more than a body may. */
const recordedHeaders = (headers: Readonly<Record<string, string | Array<string> | undefined>>) => {
  let bytes = 0
  return Object.fromEntries(
    Object.entries(headers)
      .map(([name, value]) => [name, withoutNul([value ?? ""].flat().join(", "))] as const)
      .filter(([name, value]) => (bytes += Buffer.byteLength(name) + Buffer.byteLength(value)) <= maxRecordedBytes)
  )
}

/** Gathers what an attempt records, and owns the connection while it is in use. */
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
      // A copy: the chunk is a view of a much larger buffer.
      const part = new Uint8Array(chunk.subarray(0, maxRecordedBytes - this.recorded))
      this.chunks.push(part)
      this.recorded += part.length
    }
    this.read += chunk.length
    return this.read <= maxReadBytes
  }

  body(): string {
    if (this.recorded === 0) return ""
    // `stream` leaves out a character cut in two by the limit, instead of replacing it.
    const text = new TextDecoder().decode(Buffer.concat(this.chunks), { stream: this.read > this.recorded })
    return withoutNul(text)
  }

  /** Puts the connection aside after a whole answer; in any other case it may still carry the rest of this one. */
  release(completed: boolean) {
    if (completed) this.connection?.keep()
    else this.connection?.destroy()
    this.connection = undefined
  }
}

const verdictOf = (status: number | null): WebhookResponse["error"] => {
  if (status === null) return { code: "protocol", message: "The endpoint did not answer." }
  if (status >= 200 && status < 300) return null
  return status >= 300 && status < 400
    ? {
        code: "redirect",
        message: `The endpoint answered ${status}; redirects are not followed: register the URL it leads to.`
      }
    : { code: "status", message: `The endpoint answered ${status}; a delivery counts once it is answered 2xx.` }
}

const make = (options: WebhookSenderOptions, guard: EgressGuard["Service"]) => {
  const totalTimeout = Duration.fromInputUnsafe(options.totalTimeout ?? "15 seconds")
  const connectMillis = Duration.toMillis(options.connectTimeout ?? "5 seconds")
  const connections = makePinnedConnections({
    idleMillis: Duration.toMillis(options.idleTimeout ?? "4 seconds"),
    maxIdle: options.maxIdle ?? 256,
    ca: options.ca,
    dial: options.dial ?? dialTcp
  })
  const timedOut: WebhookResponse["error"] = {
    code: "timeout",
    message: `No complete answer within ${Duration.toSeconds(totalTimeout)} s; answer 2xx first and do the work afterwards.`
  }

  /** Tries the addresses in turn; only one that takes no connection at all is passed over. */
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

  return { service: WebhookSender.of({ send }), close: Effect.sync(connections.destroyAll) }
}

/**
 * Posts webhooks. Before every delivery the guard checks the URL and looks its host up anew; a connection is made only
 * to an address so checked, and a kept one is used again only if it leads to one of them. HTTP/1.1, TLS 1.2 or later
 * with the usual verification; redirects are not followed, cookies and proxies not used, answers not decompressed.
 */
export class WebhookSender extends Context.Service<
  WebhookSender,
  {
    /**
     * One delivery of these bytes. Never fails: the outcome is in the answer. The bytes may arrive twice: they are sent
     * again over a new connection if the receiver had dropped the kept one before a byte of its answer came.
     */
    readonly send: (request: WebhookRequest) => Effect.Effect<WebhookResponse>
  }
>()("folio/outbound/WebhookSender") {
  static layer(options: WebhookSenderOptions = {}): Layer.Layer<WebhookSender, never, EgressGuard> {
    return Layer.effect(
      WebhookSender,
      Effect.gen(function* () {
        const { close, service } = make(options, yield* EgressGuard)
        yield* Effect.addFinalizer(() => close)
        return service
      })
    )
  }
}
