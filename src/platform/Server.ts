import { NodeHttpServer } from "@effect/platform-node"
import { ByteSize, type Context, Effect, Layer, Schema } from "effect"
import { HttpIncomingMessage } from "effect/http"
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import { errorCodes, type ErrorCode } from "../../schemas/ApiError.ts"
import { currentVersion } from "../../schemas/Version.ts"
import { bodyBytesMax } from "../api/Conventions.ts"
import { Settings } from "./Settings.ts"

/** The address cannot be listened on. The message is one line that says what to do. */
export class ListenError extends Schema.TaggedError<ListenError>()("ListenError", { message: Schema.String }) {}

const connectionsMax = 2_000
const requestsPerConnectionMax = 100_000
const headersTimeoutMs = 10_000
const requestTimeoutMs = 30_000
const keepAliveTimeoutMs = 65_000
const timeoutCheckMs = 1_000

// Above the limits that are answered with an envelope, so that those have room to be told.
const rawHeadersMax = 64 * 1024

const refusals: Readonly<Record<string, ErrorCode>> = {
  ERR_HTTP_REQUEST_TIMEOUT: "request_timeout",
  HPE_HEADER_OVERFLOW: "headers_too_large"
}

/** An error of the server itself, before or beside any route: it has no id, and its connection ends. */
const envelope = (baseUrl: string, code: ErrorCode, message: string = errorCodes[code].help) => {
  const { status, type } = errorCodes[code]
  const body = JSON.stringify({
    error: { type, code, message, doc_url: `${baseUrl}/docs/errors/${code}`, request_id: "" }
  })
  const headers = {
    "Content-Type": "application/json",
    "Content-Length": String(Buffer.byteLength(body)),
    "Cache-Control": "no-store",
    Connection: "close",
    "Svc-Version": currentVersion,
    "X-Content-Type-Options": "nosniff"
  }
  return { status, headers, body }
}

/** Answers what is not even a request. */
const refuse = (baseUrl: string) => (error: NodeJS.ErrnoException, socket: Socket) => {
  if (!socket.writable || error.code === "ECONNRESET") return socket.destroy()
  const code = refusals[error.code ?? ""]
  const { body, headers, status } =
    code === undefined
      ? envelope(baseUrl, "malformed_json", "This is not an HTTP/1.1 request.")
      : envelope(baseUrl, code)
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join("")}\r\n${body}`)
}

/** Answers while there are no routes yet, or none any more; without this such a request would wait for ever. */
const unready = (baseUrl: string, server: Server) => (_request: IncomingMessage, response: ServerResponse) => {
  if (server.listenerCount("request") > 1) return
  const { body, headers, status } = envelope(baseUrl, "service_unavailable")
  response.writeHead(status, { ...headers, "Retry-After": "1" }).end(body)
}

type Services = Context.Context<Layer.Success<ReturnType<typeof NodeHttpServer.layer>>>

const make = (baseUrl: string): Server => {
  const server = createServer({
    maxHeaderSize: rawHeadersMax,
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    connectionsCheckingInterval: timeoutCheckMs,
    noDelay: true
  })
  server.maxConnections = connectionsMax
  server.maxRequestsPerSocket = requestsPerConnectionMax
  server.on("clientError", refuse(baseUrl))
  server.on("request", unready(baseUrl, server))
  return server
}

/** The HTTP server. A body beyond its limit is refused before it is read. */
export const layer = Layer.unwrap(
  Effect.map(Settings, ({ baseUrl, host, port }) =>
    NodeHttpServer.layer(() => make(baseUrl), { host, port, gracefulShutdownTimeout: "15 seconds" }).pipe(
      Layer.catchTag("ServeError", (error) => {
        const why = error.cause instanceof Error ? error.cause.message : String(error.cause)
        const message = `Folio cannot listen on ${host}:${port} (${why}). If the port is in use, stop what uses it, or choose another: PORT=3001.`
        return Layer.effectContext(Effect.fail(new ListenError({ message })) as Effect.Effect<Services, ListenError>)
      })
    )
  )
).pipe(Layer.provideMerge(Layer.succeed(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(bodyBytesMax))))
