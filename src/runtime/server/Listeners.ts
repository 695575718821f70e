import { Context, Effect } from "effect"
import { type AddressInfo, createServer, type Server } from "node:net"

/**
 * In each round of its event loop, Node accepts one connection per listening socket (libuv's `uv__server_io`). A busy
 * process makes few rounds: at 50 ms per round, a client that opens thirty connections a second excludes all other
 * clients. Linux lets several sockets listen on one port, each with its own queue, so that each round accepts one
 * connection per socket.
 */

/** Whether the system gives each connection to one of the sockets that share a port (SO_REUSEPORT). */
export const canShare = process.platform === "linux"

/** Number of sockets that listen on the service's port, if the system lets sockets share a port. */
export class SocketsOfPort extends Context.Reference<number>("folio/runtime/server/Listeners/SocketsOfPort", {
  defaultValue: () => 16
}) {}

/**
 * Makes a server that listens with `reusePort` accept connections from `sockets` sockets. Closing the server closes all
 * of them.
 */
export const shareListening = <A extends Server>(
  server: A,
  sockets: number,
  on: {
    /** Called when all sockets, and all connections that they accepted, have closed. */
    readonly ended: () => void
    /** Called when one of the additional sockets cannot listen; the other sockets continue. */
    readonly failed: (error: Error) => void
  }
): A => {
  const othersOfPort = canShare ? sockets - 1 : 0
  const others: Array<Server> = []
  server.on("listening", () => {
    const { address, port } = server.address() as AddressInfo
    for (let count = 0; count < othersOfPort; count++) {
      const other = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit("connection", socket))
      other.on("error", on.failed)
      others.push(other.listen({ host: address, port, reusePort: true }))
    }
  })
  const close = server.close.bind(server)
  server.close = (callback) => {
    let failure: Error | undefined
    let left = others.length + 1
    const done = (error?: Error) => {
      failure ??= error
      left -= 1
      if (left > 0) return
      on.ended()
      callback?.(failure)
    }
    for (const other of others) other.close(() => done())
    close(done)
    return server
  }
  return server
}

/**
 * Listens on a port for a moment and returns the port; with 0, a free port. Without this check, the port could be
 * shared with another service. Two services that start at the same moment do not detect each other.
 */
export const freePort = (host: string, port: number): Effect.Effect<number, Error> =>
  Effect.callback((resume) => {
    const server = createServer()
    server.once("error", (error) => resume(Effect.fail(error)))
    server.listen({ host, port }, () => {
      const { port: free } = server.address() as AddressInfo
      server.close(() => resume(Effect.succeed(free)))
    })
  })
