import { Effect } from "effect"
import { type AddressInfo, createServer, type Server } from "node:net"

/*
 * In each round of its event loop Node takes one connection of a listening socket (libuv's `uv__server_io`). A process with much
 * to do makes few rounds: at 50 ms a round whoever opens thirty connections a second keeps everybody else out. Linux lets several
 * sockets listen on one port, each with a queue of its own: so many connections are taken in each round.
 */

/** Whether the system gives each connection to one of the sockets that share a port (SO_REUSEPORT). */
export const canShare = process.platform === "linux"

const socketsOfPort = 16
const othersOfPort = canShare ? socketsOfPort - 1 : 0

/** Lets a server that listens with `reusePort` take connections from as many sockets; `ended` once all of them have closed. */
export const shareListening = <A extends Server>(server: A, ended: () => void): A => {
  const others: Array<Server> = []
  server.on("listening", () => {
    const { address, port } = server.address() as AddressInfo
    for (let count = 0; count < othersOfPort; count++) {
      const other = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit("connection", socket))
      // Without this one there are the others.
      other.on("error", () => {})
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
      ended()
      callback?.(failure)
    }
    for (const other of others) other.close(() => done())
    close(done)
    return server
  }
  return server
}

/** Whether the port is somebody else's: a port that is shared would be shared with him as well. */
export const portTaken = (host: string, port: number): Effect.Effect<Error | undefined> =>
  Effect.callback((resume) => {
    const server = createServer()
    server.once("error", (error) => resume(Effect.succeed(error)))
    server.listen({ host, port }, () => server.close(() => resume(Effect.undefined)))
  })
