import { Context, Effect } from "effect"
import { type AddressInfo, createServer, type Server } from "node:net"

/*
 * In each round of its event loop Node takes one connection of a listening socket (libuv's `uv__server_io`). A process with much
 * to do makes few rounds: at 50 ms a round whoever opens thirty connections a second keeps everybody else out. Linux lets several
 * sockets listen on one port, each with a queue of its own: so many connections are taken in each round.
 */

/** Whether the system gives each connection to one of the sockets that share a port (SO_REUSEPORT). */
export const canShare = process.platform === "linux"

/** How many sockets listen on the port of the service, where the system lets them. */
export class SocketsOfPort extends Context.Reference<number>("folio/platform/SocketsOfPort", {
  defaultValue: () => 16
}) {}

/** Lets a server that listens with `reusePort` take connections from so many sockets. */
export const shareListening = <A extends Server>(
  server: A,
  sockets: number,
  on: {
    /** All sockets, and all connections that they took, have closed. */
    readonly ended: () => void
    /** One of them cannot listen; there are the others. */
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
 * What keeps a service from having the port for itself: a port that is shared would be shared with another service as well. Two that
 * start in the same moment are not told apart.
 */
export const portTaken = (host: string, port: number): Effect.Effect<Error | undefined> =>
  Effect.callback((resume) => {
    const server = createServer()
    server.once("error", (error) => resume(Effect.succeed(error)))
    server.listen({ host, port }, () => server.close(() => resume(Effect.undefined)))
  })
