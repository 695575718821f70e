import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { ByteSize, Context, Effect, Layer, Metric, Schema } from "effect"
import { HttpIncomingMessage } from "effect/http"
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { errorCodes, type ErrorCode } from "../../../schemas/ErrorCode.ts"
import type { RequestId } from "../../../schemas/Id.ts"
import { currentVersion } from "../../../schemas/Version.ts"
import { bodyBytesMax } from "../../api/Conventions.ts"
import { ServiceInfo } from "../../api/ServiceInfo.ts"
import * as Metrics from "../../protocol/Metrics.ts"
import { Ids } from "../../store/sql/Ids.ts"
import { type ClientLimits, ConnectionLimits, type Cut, makeConnections, type Refusal } from "./Connections.ts"
import { canShare, freePort, shareListening, SocketsOfPort } from "./Listeners.ts"
import { ListenAddress } from "./ListenAddress.ts"

/**
 * The server cannot listen on its address. The message is one line that says what to do.
 *
 * @example
 * ```ts
 * import { Server } from "@folio-einvoicing/service/platform"
 * import { Effect, Layer } from "effect"
 *
 * // Tells the team's monitoring why the process ends.
 * export const server = Layer.tapError(Server.layer, (error) =>
 *   error instanceof Server.ListenError ? Effect.logFatal(error.message) : Effect.void
 * )
 * ```
 */
export class ListenError extends Schema.TaggedError<ListenError>()("ListenError", { message: Schema.String }) {}

const requestsPerConnectionMax = 100_000

/**
 * How long the server waits for clients, in milliseconds: for the headers of a request (`headersMs`), for a whole request
 * (`requestMs`), between two looks at the connections (`checkMs`) and on an idle connection (`keepAliveMs`); and how much the
 * server holds for clients that keep it waiting.
 *
 * @example
 * ```ts
 * import { Server } from "@folio-einvoicing/service/platform"
 *
 * // Longer than the 60 s after which the balancer of the team closes an idle connection.
 * export const limits = Server.ServerLimits.layer({ keepAliveMs: 75_000 })
 * ```
 */
export class ServerLimits extends Context.Service<
  ServerLimits,
  ClientLimits & {
    readonly headersMs: number
    readonly requestMs: number
    readonly checkMs: number
    readonly keepAliveMs: number
  }
>()("folio/platform/Server/ServerLimits") {
  /** The values of `npm start`. */
  static readonly defaults: ServerLimits["Service"] = {
    headersMs: 10_000,
    requestMs: 30_000,
    checkMs: 1_000,
    keepAliveMs: 65_000,
    answerMs: 30_000,
    stalledMs: 1_000,
    reserveMs: 5_000,
    reserveMax: 64,
    unreadMax: 64 * 1024 * 1024,
    pipelinedMax: 32
  }

  /** The defaults, but for what is given. */
  static layer(change: Partial<ServerLimits["Service"]> = {}) {
    return Layer.succeed(ServerLimits, { ...ServerLimits.defaults, ...change })
  }
}

// In bytes, above the limits that are answered with an error envelope, so that a request beyond those limits can still be answered.
const rawHeadersMax = 32 * 1024

type ParseError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer }

const refusalOf = ({ code, rawPacket }: ParseError): ErrorCode | undefined => {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return "request_timeout"
  if (code !== "HPE_HEADER_OVERFLOW") return undefined
  // The parser counts the URL among the headers. A packet that begins a request line and does not end it holds only the URL.
  return /^[A-Z]+ [^\r\n]*$/.test(rawPacket?.toString("latin1") ?? "") ? "uri_too_long" : "headers_too_large"
}

interface Self {
  readonly baseUrl: string
  readonly newRequestId: () => RequestId
  readonly limits: typeof ConnectionLimits.Service
  readonly sockets: number
  /** Reports that one of the sockets cannot listen. */
  readonly noteSocket: (error: Error) => void
  readonly noteCut: (why: Cut) => void
  readonly noteRefusal: (why: Refusal) => void
}

type Headers = Readonly<Record<string, string>>

/** An error answer of the server itself, outside of any route. The connection closes after the answer. */
const envelope = (self: Self, code: ErrorCode, message: string = errorCodes[code].help, more: Headers = {}) => {
  const { status, type } = errorCodes[code]
  const request_id = self.newRequestId()
  const body = JSON.stringify({
    error: { type, code, message, doc_url: `${self.baseUrl}/docs/errors/${code}`, request_id }
  })
  const headers = {
    "Content-Type": "application/json",
    "Content-Length": String(Buffer.byteLength(body)),
    "Cache-Control": "no-store",
    Connection: "close",
    "Request-Id": request_id,
    "Svc-Version": currentVersion,
    "X-Content-Type-Options": "nosniff",
    ...more
  }
  return { status, headers, body }
}

const soon = { "Retry-After": "1", "Svc-Should-Retry": "true" }

/** Answers an error of the HTTP parser: input that is no HTTP request, or a request that is too large or too late. */
const refuse = (self: Self) => (error: ParseError, socket: Socket) => {
  if (!socket.writable || error.code === "ECONNRESET") return socket.destroy()
  const code = refusalOf(error)
  if (code === undefined) return end(socket, envelope(self, "malformed_json", "This is not an HTTP/1.1 request."))
  // The client may have sent the request in time: a process that stood still for long reads the request only after the timeout.
  return end(socket, envelope(self, code, undefined, code === "request_timeout" ? soon : {}))
}

const end = (socket: Duplex, { body, headers, status }: ReturnType<typeof envelope>) => {
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join("")}\r\n${body}`)
}

/** Answers a CONNECT request of a client that takes the service for a proxy; Node would close the connection without an answer. */
const refuseTunnel = (self: Self) => (_request: unknown, socket: Duplex) => {
  const allow = { Allow: "DELETE, GET, HEAD, PATCH, POST, PUT" }
  end(socket, envelope(self, "method_not_allowed", "This is no proxy: CONNECT is not known here.", allow))
}

const answer = (response: ServerResponse, { body, headers, status }: ReturnType<typeof envelope>) =>
  response.writeHead(status, headers).end(body)

/** The answer to a connection above the limits; counts the refusal. */
const tooMany = (self: Self, why: Refusal) => {
  self.noteRefusal(why)
  const { max, perAddress } = self.limits
  const message =
    why === "full"
      ? `All of the ${max} connections that this process keeps are at work. Try again in a second.`
      : `All of the ${perAddress} connections that one address may have are at work. Use fewer, or try again in a second.`
  return envelope(self, "service_unavailable", message, soon)
}

/** While the server stops, closes each connection after the answer in progress: a client that kept it would delay the stop. */
const letGo = (server: Server, response: ServerResponse) => {
  if (!server.listening) response.setHeader("Connection", "close")
  response.once("close", () => {
    if (!server.listening) server.closeIdleConnections()
  })
}

/**
 * The default limits of the server: `ServerLimits` for its clients and `ConnectionLimits` for its connections.
 *
 * @example
 * ```ts
 * import { ConnectionLimits, Server } from "@folio-einvoicing/service/platform"
 * import { Layer } from "effect"
 *
 * // All clients come through one balancer, which may have all connections.
 * export const limits = Layer.merge(Server.limitsLayer, ConnectionLimits.layer({ max: 5_000, perAddress: 5_000 }))
 * ```
 */
export const limitsLayer = Layer.merge(ConnectionLimits.layer(), ServerLimits.layer())

type Services = Context.Context<Layer.Success<ReturnType<typeof NodeHttpServer.layer>>>

const make = (self: Self, clientLimits: typeof ServerLimits.Service): Server => {
  const options = {
    maxHeaderSize: rawHeadersMax,
    headersTimeout: clientLimits.headersMs,
    requestTimeout: clientLimits.requestMs,
    keepAliveTimeout: clientLimits.keepAliveMs,
    connectionsCheckingInterval: clientLimits.checkMs,
    noDelay: true,
    // A missing Host header is refused with the error envelope, not by two lines of Node's own.
    requireHostHeader: false,
    // The service upgrades no connection to another protocol: a request for an upgrade is answered like any other request.
    shouldUpgradeCallback: () => false
  }
  const connections = makeConnections(self.limits, clientLimits, self.noteCut)
  const server = createServer(options)
  server.maxRequestsPerSocket = requestsPerConnectionMax
  for (const event of ["request", "checkContinue"] as const) {
    server.on(event, (request: IncomingMessage, response: ServerResponse) => {
      connections.begin(request, response)
      letGo(server, response)
      // Before the routes are added or after they are removed, a request would otherwise wait forever.
      if (server.listenerCount(event) === 1) answer(response, envelope(self, "service_unavailable", undefined, soon))
    })
  }
  // An unknown expectation is no reason to refuse a request that can be executed (RFC 9110 leaves the decision to the server).
  server.on("checkExpectation", (request, response) => server.emit("request", request, response))

  // Speaks HTTP with the connections for which there is no room: each connection gets one answer.
  const reserve = createServer(options)
  reserve.on("request", (request, response) => {
    response.setHeader("Connection", "close")
    if (request.url?.startsWith("/health/") === true) server.emit("request", request, response)
    else answer(response, tooMany(self, connections.refusalOf(request.socket)))
  })
  for (const each of [server, reserve]) {
    each.on("clientError", refuse(self))
    each.on("connect", refuseTunnel(self))
  }

  const [serve] = server.listeners("connection")
  server.removeAllListeners("connection")
  server.on("connection", (socket: Socket) => {
    const isTaken = connections.admit(socket, (displaced, why) => {
      end(displaced, tooMany(self, why))
      displaced.destroySoon()
    })
    if (isTaken) serve?.call(server, socket)
    else reserve.emit("connection", socket)
  })
  const sweeping = setInterval(() => connections.sweep(!server.listening), clientLimits.checkMs).unref()
  return shareListening(server, self.sockets, { ended: () => clearInterval(sweeping), failed: self.noteSocket })
}

/**
 * The HTTP server, and what routes need of the platform (files, paths, tags). A body beyond its limit is refused unread.
 * Requires `ListenAddress`, `ServiceInfo` and the limits of `limitsLayer`. Fails with `ListenError` when the address cannot be
 * used.
 *
 * @example
 * ```ts
 * import * as App from "@folio-einvoicing/service"
 * import { ListenAddress, Server } from "@folio-einvoicing/service/platform"
 * import { Layer } from "effect"
 *
 * const server = Server.layer.pipe(
 *   Layer.provide(Server.limitsLayer),
 *   Layer.provide(ListenAddress.layer({ host: "0.0.0.0", port: 8080 }))
 * )
 *
 * export const service = Layer.provideMerge(App.layer, server)
 * ```
 */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const { host, port } = yield* ListenAddress
    const { baseUrl } = yield* ServiceInfo
    const ids = yield* Ids
    const runSync = Effect.runSyncWith(yield* Effect.context())
    const self: Self = {
      baseUrl,
      newRequestId: () => runSync(ids.request),
      limits: yield* ConnectionLimits,
      sockets: yield* SocketsOfPort,
      noteSocket: (error) => runSync(Effect.logWarning(`One socket fewer listens on the port: ${error.message}`)),
      noteCut: (why) => runSync(Metric.update(Metrics.connectionsCut(why), 1)),
      noteRefusal: (why) => runSync(Metric.update(Metrics.connectionsRefused(why), 1))
    }
    const clientLimits = yield* ServerLimits
    const failure = (why: string) => {
      const message = `Folio cannot listen on ${host}:${port} (${why}). If the port is in use, stop what uses it, or choose another: PORT=3001.`
      return Layer.effectContext(Effect.fail(new ListenError({ message })) as Effect.Effect<Services, ListenError>)
    }
    const free = yield* Effect.result(freePort(host, port))
    if (free._tag === "Failure") return failure(free.failure.message)
    return NodeHttpServer.layer(() => make(self, clientLimits), {
      host,
      port,
      reusePort: canShare,
      gracefulShutdownTimeout: "15 seconds"
    }).pipe(
      Layer.catchTag("ServeError", ({ cause }) => failure(cause instanceof Error ? cause.message : String(cause)))
    )
  })
).pipe(
  Layer.provide(Ids.layer),
  Layer.provideMerge(Layer.succeed(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(bodyBytesMax)))
)
