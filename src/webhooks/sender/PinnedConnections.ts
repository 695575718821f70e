import { Duration, Effect, Equal, Result, Schema } from "effect"
import { NetAddress } from "effect/net"
import * as http from "node:http"
import * as net from "node:net"
import type { Duplex } from "node:stream"
import * as tls from "node:tls"

/**
 * Failure of an exchange without a complete response. The endpoint's owner reads the message, so it has no error
 * numbers and no addresses.
 */
export class ExchangeFailed extends Schema.TaggedError<ExchangeFailed>()("ExchangeFailed", {
  code: Schema.Literals(["blocked", "connect", "tls", "too_large", "protocol"]),
  message: Schema.String,
  /**
   * Whether the receiver closed the connection before the first byte of the response, as it may do with a kept
   * connection.
   */
  dropped: Schema.Boolean
}) {}

/** Origin and address of a connection. A connection serves no other origin or address. */
export interface Destination {
  /** `https://name:port` or `http://…`, without path. */
  readonly origin: string
  readonly secure: boolean
  /** The host of the origin, without brackets. The certificate must name this host. */
  readonly host: string
  readonly address: NetAddress.InetAddress
}

export interface PostRequest {
  /** Path and query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | string
}

/** Receives a response as it arrives, so that a time-out does not lose the first part. */
export interface AnswerSink {
  readonly onHeaders: (status: number, headers: Readonly<Record<string, string | Array<string> | undefined>>) => void
  /** Returns whether to continue reading. False ends the exchange successfully and destroys the connection. */
  readonly onBody: (chunk: Uint8Array) => boolean
}

/**
 * A connection, for one exchange at a time. The caller must release it: with `keep` after a successful exchange,
 * otherwise with `destroy`. An interrupted exchange continues until the connection is destroyed.
 */
export interface PinnedConnection {
  readonly address: NetAddress.InetAddress
  readonly exchange: (request: PostRequest, answer: AnswerSink) => Effect.Effect<void, ExchangeFailed>
  /** Returns the connection to the pool for another exchange, unless its socket is destroyed. */
  readonly keep: () => void
  readonly destroy: () => void
}

export interface PinnedConnectionsOptions {
  /** Idle time-out of a connection; default 4 s. A shorter time from the receiver has priority. */
  readonly idleTimeout?: Duration.Input
  /**
   * Maximum of idle connections to all endpoints together; default 256. Above it, the longest idle one is destroyed.
   */
  readonly maxIdle?: number
  /** PEM certificates to trust instead of the system's. */
  readonly ca?: string
  /** Opens a TCP connection to exactly this address; the default uses `node:net`. */
  readonly dial?: (address: NetAddress.InetAddress) => net.Socket
}

/** Opens a plain TCP connection. The host is an IP literal, so there is no DNS look-up. */
export const dialTcp = (address: NetAddress.InetAddress): net.Socket =>
  net.connect({ host: NetAddress.formatIp(address.address), port: address.port, noDelay: true })

/** Limit of a response's header block in bytes. */
const maxHeaderBytes = 16 * 1024

/** The stages of opening a connection, each with the failure for a break or a time-out in it. */
const connecting = {
  code: "connect",
  message: "The endpoint did not accept a connection; check that it runs and is reachable."
} as const
const securing = {
  code: "tls",
  message:
    "No secure connection: the endpoint needs TLS 1.2 or later and a certificate that is valid, complete and names its host."
} as const
const strayed = { code: "blocked", message: "The connection did not lead to the address that was checked." } as const

const failure = (code: ExchangeFailed["code"], message: string, dropped = false) =>
  new ExchangeFailed({ code, message, dropped })

class StaleSocket extends Error {
  readonly code = "STALE_SOCKET"
}

/** Headers that a request must not set, because the URL, the body and the connection determine their values. */
const ownHeaders = new Set(["host", "connection", "content-length", "transfer-encoding", "expect", "upgrade"])

const dropCodes = new Set(["STALE_SOCKET", "ECONNRESET", "EPIPE"])

const notWritten = () => failure("protocol", "The delivery could not be written as HTTP/1.1.")

const exchangeFailure = (error: Error, answered: boolean): ExchangeFailed => {
  const code = "code" in error ? String(error.code) : ""
  if (code === "HPE_HEADER_OVERFLOW") {
    return failure("too_large", `The endpoint returned more than ${maxHeaderBytes} bytes of headers.`)
  }
  return dropCodes.has(code)
    ? failure("protocol", "The endpoint closed the connection before its response was complete.", !answered)
    : failure("protocol", "The endpoint's response was not valid HTTP/1.1.")
}

type Exchange = PinnedConnection["exchange"]

/** Uses one checked socket and opens no other: the caller decides whether and where to connect again. */
class OneSocket extends http.Agent {
  private socket: net.Socket | undefined

  constructor(socket: net.Socket, idleMillis: number) {
    super({ keepAlive: true, maxSockets: 1, timeout: idleMillis })
    this.socket = socket
  }

  override createConnection(_options: unknown, callback?: (error: Error | null, socket: Duplex) => void) {
    const { socket } = this
    this.socket = undefined
    if (socket === undefined) callback?.(new StaleSocket(), new net.Socket())
    return socket
  }
}

/**
 * Makes HTTP exchanges over a connected socket, one at a time. `node:http` skips informational responses, including an
 * unsolicited `100 Continue`. There is no time-out: the caller's deadline covers the whole exchange.
 */
const makeExchange = (origin: string, socket: net.Socket, idleMillis: number): Exchange => {
  const { host } = new URL(origin)
  const agent = new OneSocket(socket, idleMillis)

  return ({ body, headers, path }, answer) =>
    Effect.callback((resume) => {
      if (Object.keys(headers).some((name) => ownHeaders.has(name.toLowerCase()))) return resume(notWritten())
      let answered = false
      const onAnswer = () => {
        answered = true
      }
      const finish = (result: Effect.Effect<void, ExchangeFailed>) => {
        socket.off("data", onAnswer)
        resume(result)
      }
      const onError = (error: Error) => finish(exchangeFailure(error, answered))
      const onResponse = (response: http.IncomingMessage) => {
        answer.onHeaders(response.statusCode ?? 0, response.headers)
        response.on("data", (chunk: Buffer) => {
          if (answer.onBody(chunk)) return
          socket.destroy()
          finish(Effect.void)
        })
        response.once("end", () => finish(Effect.void))
        response.on("error", onError)
      }
      const own = { Host: host, "Content-Length": Buffer.byteLength(body) }
      try {
        const request = http.request({
          agent,
          method: "POST",
          path,
          headers: { ...own, ...headers },
          maxHeaderSize: maxHeaderBytes
        })
        request.once("response", onResponse)
        request.on("error", onError)
        request.once("upgrade", () => {
          socket.destroy()
          onError(new Error("101"))
        })
        socket.once("data", onAnswer)
        request.end(body)
      } catch {
        finish(notWritten())
      }
    })
}

const isConnectedTo = (socket: net.Socket, address: NetAddress.InetAddress): boolean => {
  const remote = NetAddress.ipFromString(socket.remoteAddress ?? "")
  return Result.isSuccess(remote) && Equal.equals(remote.success, address.address)
}

const keyOf = (origin: string, address: NetAddress.InetAddress) => `${origin} ${NetAddress.formatIp(address.address)}`

interface Entry extends PinnedConnection {
  readonly key: string
  readonly socket: net.Socket
}

/** Makes a pool of keep-alive HTTP/1.1 connections, each to one address that the caller has just checked. */
export const makePinnedConnections = (options: PinnedConnectionsOptions) => {
  const { dial = dialTcp, idleTimeout = "4 seconds", maxIdle = 256 } = options
  const idleMillis = Duration.toMillis(Duration.fromInputUnsafe(idleTimeout))
  const secureContext = tls.createSecureContext({ minVersion: "TLSv1.2", ca: options.ca })
  const all = new Set<Entry>()
  // Ordered by time of return.
  const idle = new Set<Entry>()

  const keep = (entry: Entry) => {
    if (entry.socket.destroyed) return
    idle.add(entry)
    entry.socket.on("data", entry.destroy)
    if (idle.size <= maxIdle) return
    for (const oldest of idle) return oldest.destroy()
  }

  const enter = (destination: Destination, socket: net.Socket): PinnedConnection => {
    const entry: Entry = {
      key: keyOf(destination.origin, destination.address),
      socket,
      address: destination.address,
      exchange: makeExchange(destination.origin, socket, idleMillis),
      keep: () => keep(entry),
      destroy: () => {
        idle.delete(entry)
        socket.destroy()
      }
    }
    all.add(entry)
    socket.once("close", () => {
      all.delete(entry)
      idle.delete(entry)
    })
    return entry
  }

  /** Takes a kept connection to this origin at one of these addresses out of the pool; undefined if there is none. */
  const take = (origin: string, addresses: ReadonlyArray<NetAddress.InetAddress>): PinnedConnection | undefined => {
    // The connection used last is the most likely to be alive.
    const latestFirst = [...idle].toReversed()
    for (const address of addresses) {
      const key = keyOf(origin, address)
      const entry = latestFirst.find((one) => one.key === key && !one.socket.destroyed)
      if (entry === undefined) continue
      idle.delete(entry)
      entry.socket.off("data", entry.destroy)
      return entry
    }
    return undefined
  }

  /**
   * Opens a connection within the limit. `owner` receives it immediately, and must release it even after an
   * interruption.
   */
  const open = (destination: Destination, limit: Duration.Input, owner: (connection: PinnedConnection) => void) =>
    Effect.suspend(() => {
      let stage: typeof connecting | typeof securing | typeof strayed = connecting
      const broken = () => failure(stage.code, stage.message)
      const opening = Effect.callback<PinnedConnection, ExchangeFailed>((resume) => {
        const raw = dial(destination.address)
        const onBroken = () => {
          raw.destroy()
          resume(broken())
        }
        const onReady = (socket: net.Socket) => {
          const connection = enter(destination, socket)
          owner(connection)
          resume(Effect.succeed(connection))
        }

        raw.on("error", onBroken)
        raw.once("close", onBroken)
        raw.once("connect", () => {
          if (!isConnectedTo(raw, destination.address)) {
            stage = strayed
            return onBroken()
          }
          if (!destination.secure) return onReady(raw)
          stage = securing
          const secured = tls.connect({
            socket: raw,
            secureContext,
            // TLS allows no IP literal as a server name, so a certificate is checked against `servername` or `host`.
            ...(net.isIP(destination.host) === 0 ? { servername: destination.host } : { host: destination.host }),
            ALPNProtocols: ["http/1.1"],
            rejectUnauthorized: true
          })
          secured.on("error", onBroken)
          secured.once("secureConnect", () => onReady(secured))
        })
        return Effect.sync(() => raw.destroy())
      })
      return opening.pipe(Effect.timeoutOrElse({ duration: limit, orElse: broken }))
    })

  return {
    take,
    open,
    destroyAll: () => {
      for (const entry of all) entry.destroy()
    }
  }
}
