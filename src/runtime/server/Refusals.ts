import { type ServerResponse, STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { errorCodes, type ErrorCode } from "../../../schemas/ErrorCode.ts"
import type { RequestId } from "../../../schemas/Id.ts"
import { currentVersion } from "../../../schemas/Version.ts"
import type { LimitValues } from "../Limits.ts"
import type { Refusal } from "./Connections.ts"

/** Responses of the server itself, outside any route. */

type ParseError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer }

const refusalOf = ({ code, rawPacket }: ParseError): ErrorCode | undefined => {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return "request_timeout"
  if (code !== "HPE_HEADER_OVERFLOW") return undefined
  // The parser counts the URL as part of the headers. A packet with an incomplete request line contains only the URL.
  return /^[A-Z]+ [^\r\n]*$/.test(rawPacket?.toString("latin1") ?? "") ? "uri_too_long" : "headers_too_large"
}

/** The facts about its process that a server's responses need. */
export interface Answering {
  readonly baseUrl: string
  readonly newRequestId: () => RequestId
  readonly limits: LimitValues["connections"]
  readonly noteRefusal: (why: Refusal) => void
}

type Headers = Readonly<Record<string, string>>

/** An error response of the server itself, outside any route. The connection closes after it. */
export const envelope = (self: Answering, code: ErrorCode, message: string, more: Headers = {}) => {
  const { status, type } = errorCodes[code]
  const request_id = self.newRequestId()
  const doc_url = `${self.baseUrl}/docs/errors/${code}`
  const body = `${JSON.stringify({ error: { type, code, message, doc_url, request_id } })}\n`
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

export const soon = { "Retry-After": "1", "Svc-Should-Retry": "true" }

/**
 * Responds to an error of the HTTP parser: input that is not an HTTP request, or a request that is too large or too
 * late.
 */
export const refuse = (self: Answering) => (error: ParseError, socket: Socket) => {
  if (!socket.writable || error.code === "ECONNRESET") return socket.destroy()
  const code = refusalOf(error)
  if (code === undefined) return end(socket, envelope(self, "malformed_json", "This is not an HTTP/1.1 request."))
  // The client may have sent the request in time: a process that hung for long reads the request only after the
  // time-out.
  return end(socket, envelope(self, code, errorCodes[code].help, code === "request_timeout" ? soon : {}))
}

export const end = (socket: Duplex, { body, headers, status }: ReturnType<typeof envelope>) => {
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join("")}\r\n${body}`)
}

/**
 * Responds to a CONNECT request of a client that mistakes the service for a proxy. Node would close the connection
 * without a response.
 */
export const refuseTunnel = (self: Answering) => (_request: unknown, socket: Duplex) => {
  const allow = { Allow: "DELETE, GET, HEAD, PATCH, POST, PUT" }
  end(socket, envelope(self, "method_not_allowed", "This is no proxy: CONNECT is not known here.", allow))
}

export const answer = (response: ServerResponse, { body, headers, status }: ReturnType<typeof envelope>) =>
  response.writeHead(status, headers).end(body)

/** The response to a connection above the limits; counts the rejection. */
export const tooMany = (self: Answering, why: Refusal) => {
  self.noteRefusal(why)
  const { max, perAddress } = self.limits
  const message =
    why === "full"
      ? `All of the ${max} connections that this process keeps are at work. Try again in a second.`
      : `All of the ${perAddress} connections that one address may have are at work. Use fewer, or try again in a second.`
  return envelope(self, "service_unavailable", message, soon)
}

/** The response to any other path at the metrics port. */
export const notForMonitors = (self: Answering) =>
  envelope(self, "route_not_found", "There are only /metrics, /health/live and /health/ready at METRICS_PORT.")
