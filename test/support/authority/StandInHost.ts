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
 * What the host does with connections. `taken`: HTTP is spoken. `refused`: nobody listens on the port. `reset`: each is broken when its
 * first byte arrives, before anything is read: with TLS, in the midst of the handshake. `silent`: each is taken, and nothing is ever said.
 */
export type Connections = "taken" | "refused" | "reset" | "silent"

type Handler = (request: http.IncomingMessage, response: http.ServerResponse) => void

/** A host on 127.0.0.1 whose connections can fail in each way that connections do, until the scope closes. */
export const standInHost = Effect.fnUntraced(function* (tls: TlsIdentity | undefined, handle: Handler) {
  let connections: Connections = "taken"
  const open = new Set<net.Socket>()
  const server = tls === undefined ? http.createServer(handle) : https.createServer(tls, handle)
  // Before the server's own listener: what is reset or silent must not be read by HTTP or TLS.
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
    /** From now on, connections are treated so; those that are open are closed. */
    connections: Effect.fnUntraced(function* (next: Connections) {
      connections = next
      hangUp()
      if (next === "refused" && server.listening) yield* close
      if (next !== "refused" && !server.listening) yield* listen(port)
    }),
    /** From now on, the host shows this certificate. */
    identify: (identity: TlsIdentity) =>
      Effect.sync(() => {
        if (server instanceof https.Server) server.setSecureContext(identity)
        hangUp()
      })
  }
})
