import { Duration } from "effect"
import * as Http from "node:http"
import * as Https from "node:https"

/**
 * Calls over HTTP/1.1 with `node:http`, which skips informational responses (RFC 9110 §15.2). `fetch` and undici close
 * the connection on an unsolicited `100 Continue` from a server or its proxy.
 */

/**
 * A failed call. `isConnecting`: the call failed before the connection (including TLS) was open, so nothing was sent.
 */
export class CallFailed extends Error {
  readonly isConnecting: boolean
  constructor(cause: unknown, isConnecting: boolean) {
    super("The call failed", { cause })
    this.isConnecting = isConnecting
  }
}

export interface CallOptions {
  readonly method: "GET" | "POST"
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
  readonly agent?: Http.Agent
  /** Limit of connecting, TLS included; no limit by default. */
  readonly connectTimeout?: Duration.Input
}

/**
 * Keeps connections for the next call to `url`, with the usual TLS verification. `ca`: certificates to trust instead of
 * the system's.
 */
export const agentFor = (url: URL, ca?: string): Http.Agent => {
  const options = { keepAlive: true, timeout: 4_000 }
  if (url.protocol !== "https:") return new Http.Agent(options)
  return new Https.Agent({ ...options, minVersion: "TLSv1.2", ...(ca === undefined ? {} : { ca }) })
}

/**
 * Sends a request and returns the final response when its headers have arrived. Rejects with `CallFailed`. Does not
 * follow redirects.
 */
export const call = (url: URL, options: CallOptions): Promise<Http.IncomingMessage> => {
  const { agent, body, connectTimeout, headers = {}, method, signal } = options
  const isSecure = url.protocol === "https:"
  let isConnected = false
  const onConnected = () => {
    isConnected = true
  }
  return new Promise((resolve, reject) => {
    const request = (isSecure ? Https : Http).request(url, { method, headers, signal, agent })
    request.once("response", resolve)
    request.on("error", (cause) => reject(new CallFailed(cause, !isConnected)))
    request.once("upgrade", (_, socket) => {
      socket.destroy()
      reject(new CallFailed(new Error("it requests another protocol"), false))
    })
    request.once("socket", (socket) => {
      if (request.reusedSocket) return onConnected()
      socket.once(isSecure ? "secureConnect" : "connect", onConnected)
      if (connectTimeout === undefined) return
      const late = () => {
        if (!isConnected) request.destroy(Object.assign(new Error("no connection in time"), { code: "ETIMEDOUT" }))
      }
      const timer = setTimeout(late, Duration.toMillis(Duration.fromInputUnsafe(connectTimeout)))
      request.once("close", () => clearTimeout(timer))
    })
    request.end(body)
  })
}

/** The body of a response as text. Rejects with `CallFailed` if the body is truncated or exceeds `maxBytes`. */
export const textOf = async (answer: Http.IncomingMessage, maxBytes: number): Promise<string> => {
  const chunks: Array<Buffer> = []
  let bytes = 0
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > maxBytes) throw Object.assign(new Error("the response is too large"), { code: "TOO_LARGE" })
      chunks.push(chunk)
    }
  } catch (cause) {
    throw new CallFailed(cause, false)
  }
  return Buffer.concat(chunks).toString("utf8")
}
