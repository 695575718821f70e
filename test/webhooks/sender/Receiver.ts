import { Effect } from "effect"
import * as http from "node:http"
import * as https from "node:https"
import * as net from "node:net"

export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: http.IncomingHttpHeaders
  readonly body: string
  /** Number of the connection made to this receiver, from 1. */
  readonly connection: number
}

export interface Receiver {
  readonly port: number
  readonly received: ReadonlyArray<Received>
  readonly connections: () => number
  /** Completes when the given connection has closed. */
  readonly closed: (connection: number) => Effect.Effect<void>
}

const listen = <S extends net.Server>(server: S) =>
  Effect.acquireRelease(
    Effect.callback<S>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
      })
  )

const portOf = (server: net.Server) => {
  const address = server.address()
  return address !== null && typeof address === "object" ? address.port : 0
}

const track = (server: net.Server) => {
  const sockets: Array<{ readonly socket: net.Socket; readonly closed: Promise<void> }> = []
  server.on("connection", (socket: net.Socket) => {
    socket.on("error", () => {})
    sockets.push({ socket, closed: new Promise((resolve) => socket.once("close", () => resolve())) })
  })
  return sockets
}

const scoped = Effect.fnUntraced(function* (server: net.Server, received: ReadonlyArray<Received>) {
  const sockets = track(server)
  yield* listen(server)
  yield* Effect.addFinalizer(() => Effect.sync(() => sockets.forEach(({ socket }) => socket.destroy())))
  const receiver: Receiver = {
    port: portOf(server),
    received,
    connections: () => sockets.length,
    closed: (connection) => Effect.promise(() => sockets[connection - 1]!.closed)
  }
  return receiver
})

type Handler = (request: Received, response: http.ServerResponse) => void

const collect = (received: Array<Received>, handler: Handler): http.RequestListener => {
  const connections = new Map<net.Socket, number>()
  return (request, response) => {
    if (!connections.has(request.socket)) connections.set(request.socket, connections.size + 1)
    const connection = connections.get(request.socket)!
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const one: Received = {
        method: request.method ?? "",
        path: request.url ?? "",
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
        connection
      }
      received.push(one)
      handler(one, response)
    })
  }
}

const accept: Handler = (_request, response) => response.end("ok")

/** A real HTTP server on 127.0.0.1 that responds 200 with the body `ok` by default. */
export const httpReceiver = (handler: Handler = accept, options: http.ServerOptions = {}) =>
  Effect.suspend(() => {
    const received: Array<Received> = []
    return scoped(http.createServer(options, collect(received, handler)), received)
  })

/** The same server over TLS. */
export const httpsReceiver = (options: https.ServerOptions, handler: Handler = accept) =>
  Effect.suspend(() => {
    const received: Array<Received> = []
    return scoped(https.createServer(options, collect(received, handler)), received)
  })

/** A server that gets the bare socket, for responses that no HTTP server sends. */
export const rawReceiver = (handler: (socket: net.Socket, connection: number) => void) =>
  Effect.suspend(() => {
    let connection = 0
    return scoped(
      net.createServer((socket) => handler(socket, ++connection)),
      []
    )
  })
