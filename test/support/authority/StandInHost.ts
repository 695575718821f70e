import { Effect } from "effect"
import * as http from "node:http"
import * as https from "node:https"
import type * as net from "node:net"

/** A TLS identity in PEM. */
export interface TlsIdentity {
  readonly key: string
  readonly cert: string
}

/**
 * How the host treats connections. `taken`: it serves HTTP. `refused`: it does not listen on the port. `reset`: it
 * resets each connection at the first byte, before it reads anything; with TLS, during the handshake. `silent`: it
 * accepts each connection and sends nothing.
 */
export type Connections = "taken" | "refused" | "reset" | "silent"

type Handler = (request: http.IncomingMessage, response: http.ServerResponse) => void

/** A host on 127.0.0.1 whose connections can fail in every way, until the scope closes. */
export const standInHost = Effect.fnUntraced(function* (tls: TlsIdentity | undefined, handle: Handler) {
  let connections: Connections = "taken"
  const open = new Set<net.Socket>()
  const server = tls === undefined ? http.createServer(handle) : https.createServer(tls, handle)
  // Runs before the server's own listener: HTTP and TLS must not read a reset or silent connection.
  const own = server.listeners("connection")
  server.removeAllListeners("connection")
  server.on("connection", (socket: net.Socket) => {
    open.add(socket)
    socket.once("close", () => open.delete(socket)).on("error", () => {})
    if (connections === "taken") for (const listener of own) Reflect.apply(listener, server, [socket])
    if (connections === "reset") socket.once("data", () => void socket.resetAndDestroy())
  })
  const listen = (port: number) =>
    Effect.callback<void>((resume) => void server.listen(port, "127.0.0.1", () => resume(Effect.void)))
  const hangUp = () => open.forEach((socket) => socket.destroy())
  const close = Effect.callback<void>((resume) => {
    server.close(() => resume(Effect.void))
    hangUp()
  })
  yield* Effect.acquireRelease(listen(0), () => close)
  const { port } = server.address() as net.AddressInfo

  return {
    port,
    /** Treats new connections in this way from now on, and closes the open ones. */
    connections: Effect.fnUntraced(function* (next: Connections) {
      connections = next
      hangUp()
      if (next === "refused" && server.listening) yield* close
      if (next !== "refused" && !server.listening) yield* listen(port)
    }),
    /** Sets the certificate that the host presents from now on. */
    identify: (identity: TlsIdentity) =>
      Effect.sync(() => {
        if (server instanceof https.Server) server.setSecureContext(identity)
        hangUp()
      })
  }
})
