import { Effect } from "effect"
import { HttpServer } from "effect/http"
import { type IncomingHttpHeaders, request as httpRequest } from "node:http"
import { keys } from "./Accounts.ts"

export interface Sent {
  readonly method?: string
  readonly path?: string
  /**
   * Override the default headers: the test key, JSON, and a new Idempotency-Key for a POST. Undefined omits a header,
   * and a list sends it several times.
   */
  readonly headers?: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  /** Sent unchanged if it is text or bytes, else as JSON. */
  readonly body?: unknown
  /** In chunks, without a Content-Length. */
  readonly chunked?: boolean
}

/** The same response, as its bytes. */
export interface ByteReply extends Pick<Reply, "status" | "headers"> {
  readonly bytes: Buffer
}

export interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads what it expects, and fails on anything else
  readonly json: any
}

/** The headers of a client with a key. */
export const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

let keysMade = 0

const bytesOf = (body: unknown): Buffer =>
  body === undefined
    ? Buffer.alloc(0)
    : body instanceof Uint8Array
      ? Buffer.from(body)
      : Buffer.from(typeof body === "string" ? body : JSON.stringify(body))

/** JSON, except for a PNG. */
const typeOf = (body: unknown) => (body instanceof Uint8Array && body[0] === 0x89 ? "image/png" : "application/json")

/**
 * Sends a request to the service byte for byte, which an HTTP library might change. Each request has its own
 * connection, so that none waits for another.
 */
export const fetchBytes = Effect.fnUntraced(function* (sent: Sent) {
  const { address } = yield* HttpServer.HttpServer
  const { body, chunked = false, headers = {}, method = "GET", path = "/" } = sent
  const bytes = bytesOf(body)
  const all = {
    ...bearer(keys.test),
    ...(body === undefined ? {} : { "content-type": typeOf(body) }),
    ...(method === "POST" ? { "idempotency-key": `request ${keysMade++}` } : {}),
    ...(body === undefined || chunked ? {} : { "content-length": String(bytes.length) }),
    ...headers
  }
  const { hostname, port } = new URL(HttpServer.formatAddress(address))
  return yield* Effect.callback<ByteReply>((resume) => {
    const request = httpRequest({
      agent: false,
      hostname,
      port,
      method,
      path,
      headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
    })
    request.on("error", (error) => resume(Effect.die(error)))
    request.on("response", (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("error", (error) => resume(Effect.die(error)))
      response.on("end", () => {
        const { headers: received, statusCode = 0 } = response
        resume(Effect.succeed({ status: statusCode, headers: received, bytes: Buffer.concat(chunks) }))
      })
    })
    request.end(bytes)
  })
})

export const send = (sent: Sent) =>
  Effect.map(fetchBytes(sent), ({ bytes, headers, status }): Reply => {
    const text = bytes.toString()
    const isJson = /json/.test(headers["content-type"] ?? "") && text !== ""
    return { status, headers, text, json: isJson ? JSON.parse(text) : undefined }
  })

export const get = (path: string, headers: Sent["headers"] = {}) => send({ path, headers })

export const post = (path: string, body?: unknown, headers: Sent["headers"] = {}) =>
  send({ method: "POST", path, body, headers })

export const patch = (path: string, body: unknown, headers: Sent["headers"] = {}) =>
  send({ method: "PATCH", path, body, headers })
