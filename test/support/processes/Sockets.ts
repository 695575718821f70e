import { Effect } from "effect"
import { HttpServer } from "effect/http"
import { connect, type Socket } from "node:net"
import { keys } from "../apps/Accounts.ts"
import { patiently } from "../apps/Until.ts"

/** A connection to the service, and its received bytes. */
export interface Line {
  readonly socket: Socket
  readonly received: () => string
}

/**
 * Connects from an address of this machine. A client that does not read leaves the responses in the system's buffers.
 */
export const open = Effect.fnUntraced(function* (
  from = "127.0.0.1",
  options: { readonly reads: boolean } = { reads: true }
) {
  const { address } = yield* HttpServer.HttpServer
  const { hostname, port } = new URL(HttpServer.formatAddress(address))
  const make = Effect.callback<Line>((resume) => {
    const socket = connect({ host: hostname, port: Number(port), localAddress: from })
    let received = ""
    socket.setEncoding("latin1")
    // The service may close while there are still bytes to write.
    socket.on("error", () => {})
    socket.on("connect", () => {
      if (options.reads) socket.on("data", (chunk: string) => (received += chunk))
      else socket.pause()
      resume(Effect.succeed({ socket, received: () => received }))
    })
  })
  return yield* Effect.acquireRelease(make, ({ socket }) => Effect.sync(() => socket.destroy()))
})

export const requestOf = (path: string, key: string | null = keys.test) =>
  [`GET ${path} HTTP/1.1`, "Host: folio.test", ...(key === null ? [] : [`Authorization: Bearer ${key}`]), "", ""].join(
    "\r\n"
  )

/** Waits for effects of the sockets, which no test's clock moves. */
export const eventually = (holds: () => boolean) =>
  patiently(
    Effect.callback<void>((resume) => {
      const look = setInterval(() => {
        if (!holds()) return
        clearInterval(look)
        resume(Effect.void)
      }, 5)
      return Effect.sync(() => clearInterval(look))
    })
  )

export const statusesOf = (line: Line) =>
  (line.received().match(/HTTP\/1\.1 \d{3} /g) ?? []).map((text) => Number(text.slice(9, 12)))

/** Sends a request on a connection, and waits for this many responses in total. */
export const ask = Effect.fnUntraced(function* (line: Line, path: string, key?: string | null) {
  const before = statusesOf(line).length
  line.socket.write(requestOf(path, key))
  yield* eventually(() => statusesOf(line).length > before || line.socket.closed)
  return statusesOf(line)[before]
})

/** The same on a connection of its own, from this address; returns the whole response. */
export const askFrom = Effect.fnUntraced(function* (from: string, path: string, key?: string | null) {
  const line = yield* open(from)
  const status = yield* ask(line, path, key)
  yield* eventually(() => line.received().includes("\r\n\r\n"))
  return { status, text: line.received() }
})
