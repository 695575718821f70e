import * as Http from "node:http"
import * as Net from "node:net"
import type { Input } from "./HostileInputs.ts"

/** Response to a request; status 0: no response. */
export interface Heard {
  readonly status: number
  readonly bytes: number
}

// Another machine, as far as the service can see. Only Linux has all of 127.0.0.0/8 on its loopback.
export const localAddress = process.platform === "linux" ? "127.0.0.9" : "127.0.0.1"

const patienceMs = 30_000

/** Connections that stay open until `signal` aborts, which closes all of them. */
export const hostileWire = (signal: AbortSignal) => {
  const agent = new Http.Agent({ keepAlive: true, localAddress, maxSockets: 512 })
  const sockets = new Set<Net.Socket>()
  let connected = 0
  signal.addEventListener("abort", () => {
    agent.destroy()
    for (const socket of sockets) socket.destroy()
  })

  const ask = (url: string, { body, method, path, apiKey }: Input, own: string) =>
    new Promise<Heard>((resolve) => {
      const none = { status: 0, bytes: 0 }
      const request = Http.request(url + path, {
        agent,
        method,
        signal,
        timeout: patienceMs,
        headers: {
          Authorization: `Bearer ${apiKey ?? own}`,
          ...(body === undefined ? {} : { "Content-Type": "application/json", "Idempotency-Key": `h${Math.random()}` })
        }
      })
      request.on("timeout", () => request.destroy())
      request.on("error", () => resolve(none))
      request.on("response", (response) => {
        let bytes = 0
        response.on("data", (chunk: Buffer) => (bytes += chunk.length))
        response.on("error", () => resolve(none))
        response.on("close", () => resolve({ status: response.statusCode ?? 0, bytes }))
      })
      request.end(body)
    })

  let most = 0
  /** Opens a connection and sends `say`; `ended` resolves when either side closes it. */
  const open = (url: string, { reads, say }: { readonly say: string; readonly reads: boolean }) => {
    const { hostname, port } = new URL(url)
    const socket = Net.connect({ host: hostname, port: Number(port), localAddress })
    sockets.add(socket)
    if (reads) socket.resume()
    else socket.pause()
    socket.on("error", () => {})
    socket.on("connect", () => {
      connected += 1
      most = Math.max(most, connected)
      if (say !== "") socket.write(say)
      socket.once("close", () => (connected -= 1))
    })
    return {
      write: (text: string) => void socket.write(text),
      isOpen: () => !socket.destroyed,
      close: () => void socket.destroy(),
      ended: new Promise<void>((resolve) => {
        socket.once("close", () => {
          sockets.delete(socket)
          resolve()
        })
      })
    }
  }
  return { ask, open, most: () => most }
}
