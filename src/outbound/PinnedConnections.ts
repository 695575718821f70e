import { type Duration, Effect, Equal, Result, Schema } from "effect"
import { NetAddress } from "effect/net"
import * as net from "node:net"
import * as tls from "node:tls"
import { Client } from "undici"

/** Why there was no complete answer. The messages are for the endpoint's owner: no error numbers, no addresses. */
export class ExchangeFailed extends Schema.TaggedError<ExchangeFailed>()("ExchangeFailed", {
  code: Schema.Literals(["blocked", "connect", "tls", "too_large", "protocol"]),
  message: Schema.String,
  /** The connection was dropped before a byte of the answer came, as a kept one may be at any time. */
  dropped: Schema.Boolean
}) {}

/** Where a connection leads: it is never used for another origin or address. */
export interface Destination {
  /** `https://name:port` or `http://…`, without path. */
  readonly origin: string
  readonly secure: boolean
  /** The host of the origin, without brackets: what the certificate must name. */
  readonly host: string
  readonly address: NetAddress.InetAddress
}

export interface PostRequest {
  /** Path and query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | string
}

/** Takes the answer as it arrives, so that what came before a time-out is not lost. */
export interface AnswerSink {
  readonly onHeaders: (status: number, headers: Readonly<Record<string, string | Array<string> | undefined>>) => void
  /** Returns whether to read on; if not, the exchange ends well and the connection is destroyed. */
  readonly onBody: (chunk: Uint8Array) => boolean
}

/**
 * One connection, for one exchange at a time. Its user hands it back: by `keep` after an exchange that ended well, by
 * `destroy` in any other case; an interrupted exchange goes on until then.
 */
export interface PinnedConnection {
  readonly address: NetAddress.InetAddress
  readonly exchange: (request: PostRequest, answer: AnswerSink) => Effect.Effect<void, ExchangeFailed>
  /** Puts it aside for another exchange, if it still lives. */
  readonly keep: () => void
  readonly destroy: () => void
}

export interface PinnedConnections {
  /** A connection put aside that leads to this origin at one of these addresses, if there is one. */
  readonly take: (origin: string, addresses: ReadonlyArray<NetAddress.InetAddress>) => PinnedConnection | undefined
  /** Opens a connection within the limit and gives it to `owner` at once: an interruption after that is the owner's. */
  readonly open: (
    destination: Destination,
    limit: Duration.Input,
    owner: (connection: PinnedConnection) => void
  ) => Effect.Effect<PinnedConnection, ExchangeFailed>
  readonly destroyAll: () => void
}

export interface PinnedConnectionsOptions {
  /** Milliseconds an unused connection is kept; a shorter time asked for by the receiver wins. */
  readonly idleMillis: number
  /** Unused connections kept in all; the one longest unused goes first. */
  readonly maxIdle: number
  /** PEM certificates to trust instead of the system's. */
  readonly ca: string | undefined
  /** Begins a TCP connection to exactly this address. */
  readonly dial: (address: NetAddress.InetAddress) => net.Socket
}

/** Begins a plain TCP connection; the host is an IP literal, so that nothing is looked up. */
export const dialTcp = (address: NetAddress.InetAddress): net.Socket =>
  net.connect({ host: NetAddress.formatIp(address.address), port: address.port, noDelay: true })

/** Larger header blocks are refused; undici counts names and values. */
const maxHeaderBytes = 16 * 1024

/** The stages of opening, each with the failure it ends in when it breaks or takes too long. */
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

const noop = () => {}

const failure = (code: ExchangeFailed["code"], message: string, dropped = false) =>
  new ExchangeFailed({ code, message, dropped })

class StaleSocket extends Error {
  readonly code = "STALE_SOCKET"
}

/** Headers that follow from the URL, the body and the connection. */
const ownHeaders = new Set(["host", "connection", "content-length"])

const dropCodes = new Set(["STALE_SOCKET", "UND_ERR_SOCKET", "ECONNRESET", "EPIPE"])

const notWritten = () => failure("protocol", "The delivery could not be written as HTTP/1.1.")

const exchangeFailure = (error: Error, answered: boolean): ExchangeFailed => {
  const code = "code" in error ? String(error.code) : ""
  if (code === "UND_ERR_HEADERS_OVERFLOW") {
    return failure("too_large", `The endpoint answered with more than ${maxHeaderBytes} bytes of headers.`)
  }
  if (code === "UND_ERR_INVALID_ARG" || code === "UND_ERR_NOT_SUPPORTED") return notWritten()
  return dropCodes.has(code)
    ? failure("protocol", "The endpoint closed the connection before its answer was complete.", !answered)
    : failure("protocol", "The endpoint's answer was not valid HTTP/1.1.")
}

type Exchange = PinnedConnection["exchange"]

/** Speaks HTTP over a connected socket through undici, whose `Client` holds one connection and one exchange at a time. */
const makeExchange = (origin: string, socket: net.Socket, idleMillis: number): Exchange => {
  let handedOver = false
  const client = new Client(origin, {
    allowH2: false,
    // undici would open another socket when the one it has is gone. It gets this one or none: whether to connect again,
    // and where to, is not its decision.
    connect: (_options, callback) => {
      const first = !handedOver
      handedOver = true
      // Not at once: undici does not see a connection that is made while it asks for one.
      queueMicrotask(() => (first ? callback(null, socket) : callback(new StaleSocket(), null)))
    },
    pipelining: 1,
    keepAliveTimeout: idleMillis,
    keepAliveMaxTimeout: idleMillis,
    maxHeaderSize: maxHeaderBytes,
    // The caller's deadline covers the whole exchange.
    headersTimeout: 0,
    bodyTimeout: 0
  })

  return (request, answer) =>
    Effect.callback((resume) => {
      if (Object.keys(request.headers).some((name) => ownHeaders.has(name.toLowerCase()))) return resume(notWritten())
      let answered = false
      client.dispatch(
        { method: "POST", path: request.path, headers: request.headers, body: request.body },
        {
          onRequestStart: noop,
          onResponseStarted: () => {
            answered = true
          },
          onResponseStart: (_controller, status, headers) => {
            if (status >= 200) answer.onHeaders(status, headers)
          },
          onResponseData: (_controller, chunk) => {
            if (answer.onBody(chunk)) return
            socket.destroy()
            resume(Effect.void)
          },
          onResponseEnd: () => resume(Effect.void),
          onResponseError: (_controller, error) => resume(exchangeFailure(error, answered))
        }
      )
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

/** A pool of keep-alive HTTP/1.1 connections, each to one address that its user has just checked. */
export const makePinnedConnections = (options: PinnedConnectionsOptions): PinnedConnections => {
  const secureContext = tls.createSecureContext({ minVersion: "TLSv1.2", ca: options.ca })
  const all = new Set<Entry>()
  // `idle` is in order of return, for the limit; `byKey` finds the one used last, which is the most likely to live.
  const idle = new Set<Entry>()
  const byKey = new Map<string, Array<Entry>>()

  const remove = (entry: Entry) => {
    if (!idle.delete(entry)) return
    const same = byKey.get(entry.key)!
    same.splice(same.lastIndexOf(entry), 1)
    if (same.length === 0) byKey.delete(entry.key)
  }

  const keep = (entry: Entry) => {
    if (entry.socket.destroyed) return
    idle.add(entry)
    const same = byKey.get(entry.key)
    if (same === undefined) byKey.set(entry.key, [entry])
    else same.push(entry)
    if (idle.size <= options.maxIdle) return
    for (const oldest of idle) return oldest.destroy()
  }

  const enter = (destination: Destination, socket: net.Socket): PinnedConnection => {
    const entry: Entry = {
      key: keyOf(destination.origin, destination.address),
      socket,
      address: destination.address,
      exchange: makeExchange(destination.origin, socket, options.idleMillis),
      keep: () => keep(entry),
      destroy: () => {
        remove(entry)
        socket.destroy()
      }
    }
    all.add(entry)
    socket.once("close", () => {
      all.delete(entry)
      remove(entry)
    })
    return entry
  }

  const take: PinnedConnections["take"] = (origin, addresses) => {
    for (const address of addresses) {
      const key = keyOf(origin, address)
      for (let entry = byKey.get(key)?.at(-1); entry !== undefined; entry = byKey.get(key)?.at(-1)) {
        remove(entry)
        if (!entry.socket.destroyed) return entry
      }
    }
    return undefined
  }

  const open: PinnedConnections["open"] = (destination, limit, owner) =>
    Effect.suspend(() => {
      let stage: typeof connecting | typeof securing | typeof strayed = connecting
      const broken = () => failure(stage.code, stage.message)
      const opening = Effect.callback<PinnedConnection, ExchangeFailed>((resume) => {
        const raw = options.dial(destination.address)
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
            // The certificate is checked against the server name, or against an IP literal, which may not be one.
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
