import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { ByteSize, Context, Effect, Layer, Schema } from "effect"
import { HttpIncomingMessage } from "effect/http"
import { createServer, type Server, type ServerResponse, STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { errorCodes, type ErrorCode } from "../../schemas/ApiError.ts"
import type { RequestId } from "../../schemas/Id.ts"
import { currentVersion } from "../../schemas/Version.ts"
import { bodyBytesMax } from "../api/Conventions.ts"
import { Ids } from "../store/Ids.ts"
import { Settings } from "./Settings.ts"

/** The address cannot be listened on. The message is one line that says what to do. */
export class ListenError extends Schema.TaggedError<ListenError>()("ListenError", { message: Schema.String }) {}

const requestsPerConnectionMax = 100_000

/**
 * How long a request may take to arrive and how often that is looked at, how long a connection may idle, and how many there
 * may be: one more is closed at once. A test has less patience.
 */
export class Patience extends Context.Reference<{
  readonly headersMs: number
  readonly requestMs: number
  readonly checkMs: number
  readonly keepAliveMs: number
  readonly connectionsMax: number
}>("folio/platform/Server/Patience", {
  defaultValue: () => ({
    headersMs: 10_000,
    requestMs: 30_000,
    checkMs: 1_000,
    keepAliveMs: 65_000,
    connectionsMax: 2_000
  })
}) {}

// Above the limits that are answered with an envelope, so that those have room to be told.
const rawHeadersMax = 32 * 1024

type ParseError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer }

const refusalOf = ({ code, rawPacket }: ParseError): ErrorCode | undefined => {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return "request_timeout"
  if (code !== "HPE_HEADER_OVERFLOW") return undefined
  // The parser counts the URL among the headers. A packet that begins with a request line and never ends it is all URL.
  return /^[A-Z]+ [^\r\n]*$/.test(rawPacket?.toString("latin1") ?? "") ? "uri_too_long" : "headers_too_large"
}

interface Self {
  readonly baseUrl: string
  readonly newRequestId: () => RequestId
}

type Headers = Readonly<Record<string, string>>

/** An error of the server itself, before or beside any route: its connection ends. */
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

/** Answers what is not even a request. */
const refuse = (self: Self) => (error: ParseError, socket: Socket) => {
  if (!socket.writable || error.code === "ECONNRESET") return socket.destroy()
  const code = refusalOf(error)
  return code === undefined
    ? end(socket, envelope(self, "malformed_json", "This is not an HTTP/1.1 request."))
    : end(socket, envelope(self, code))
}

const end = (socket: Duplex, { body, headers, status }: ReturnType<typeof envelope>) => {
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join("")}\r\n${body}`)
}

/** Answers who takes this for a proxy; without this his connection would be cut without a word. */
const refuseTunnel = (self: Self) => (_request: unknown, socket: Duplex) =>
  end(
    socket,
    envelope(self, "method_not_allowed", "This is no proxy: CONNECT is not known here.", {
      Allow: "DELETE, GET, HEAD, PATCH, POST"
    })
  )

/** Answers while there are no routes yet, or none any more; without this such a request would wait for ever. */
const unready = (self: Self, response: ServerResponse) => {
  const more = { "Retry-After": "1", "Svc-Should-Retry": "true" }
  const { body, headers, status } = envelope(self, "service_unavailable", undefined, more)
  response.writeHead(status, headers).end(body)
}

/** Once the server is to stop, connections end with the answer under way: clients that keep theirs would hold up the end. */
const letGo = (server: Server, response: ServerResponse) => {
  if (!server.listening) response.setHeader("Connection", "close")
  response.once("close", () => {
    if (!server.listening) server.closeIdleConnections()
  })
}

type Services = Context.Context<Layer.Success<ReturnType<typeof NodeHttpServer.layer>>>

const make = (self: Self, patience: typeof Patience.Service): Server => {
  const server = createServer({
    maxHeaderSize: rawHeadersMax,
    headersTimeout: patience.headersMs,
    requestTimeout: patience.requestMs,
    keepAliveTimeout: patience.keepAliveMs,
    connectionsCheckingInterval: patience.checkMs,
    noDelay: true,
    // Refused with the envelope, not by two lines of the server's own.
    requireHostHeader: false,
    // Nothing here becomes another protocol: who asks for that is answered like anybody else.
    shouldUpgradeCallback: () => false
  })
  server.maxConnections = patience.connectionsMax
  server.maxRequestsPerSocket = requestsPerConnectionMax
  server.on("clientError", refuse(self))
  server.on("connect", refuseTunnel(self))
  server.on("request", (_request, response) => {
    letGo(server, response)
    if (server.listenerCount("request") === 1) unready(self, response)
  })
  // An expectation that nobody knows is no reason to refuse what can be done (RFC 9110 leaves it to the server).
  server.on("checkExpectation", (request, response) => server.emit("request", request, response))
  return server
}

/** The HTTP server. A body beyond its limit is refused before it is read. */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const { baseUrl, host, port } = yield* Settings
    const ids = yield* Ids
    const runSync = Effect.runSyncWith(yield* Effect.context())
    const self: Self = { baseUrl, newRequestId: () => runSync(ids.request) }
    const patience = yield* Patience
    return NodeHttpServer.layer(() => make(self, patience), {
      host,
      port,
      gracefulShutdownTimeout: "15 seconds"
    }).pipe(
      Layer.catchTag("ServeError", (error) => {
        const why = error.cause instanceof Error ? error.cause.message : String(error.cause)
        const message = `Folio cannot listen on ${host}:${port} (${why}). If the port is in use, stop what uses it, or choose another: PORT=3001.`
        return Layer.effectContext(Effect.fail(new ListenError({ message })) as Effect.Effect<Services, ListenError>)
      })
    )
  })
).pipe(
  Layer.provide(Ids.layer),
  Layer.provideMerge(Layer.succeed(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(bodyBytesMax)))
)
