import { NodeHttpServer } from "@effect/platform-node"
import { ByteSize, type Context, Effect, Layer, Schema } from "effect"
import { HttpIncomingMessage } from "effect/http"
import { createServer, type Server } from "node:http"
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

const reasons: Readonly<Record<number, string>> = {
  400: "Bad Request",
  408: "Request Timeout",
  431: "Request Header Fields Too Large"
}

/** What is not even a request is answered before any route sees it; it has no id, and its connection ends. */
const refuse = (baseUrl: string) => (error: NodeJS.ErrnoException, socket: Socket) => {
  if (!socket.writable || error.code === "ECONNRESET") return socket.destroy()
  const code = refusals[error.code ?? ""] ?? "malformed_json"
  const { help, status, type } = errorCodes[code]
  const message = code === "malformed_json" ? "This is not an HTTP/1.1 request." : help
  const body = JSON.stringify({
    error: { type, code, message, doc_url: `${baseUrl}/docs/errors/${code}`, request_id: "" }
  })
  return socket.end(
    `HTTP/1.1 ${status} ${reasons[status] ?? "Bad Request"}\r\nContent-Type: application/json\r\nConnection: close\r\n` +
      `Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nSvc-Version: ${currentVersion}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  )
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
