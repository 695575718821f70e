import { Effect } from "effect"
import * as Http from "node:http"
import * as Net from "node:net"

const checkInterval = 250
const checkTimeout = 2_000

/**
 * A balancer of TCP connections. It does not read their content, and knows only whether a server's `/health/ready`
 * answers 200.
 */
export interface Balancer {
  readonly url: string
  /** Number of servers that accept new connections at this moment. */
  readonly up: () => number
  /** Whether the server at this URL gets no new connection, and has none open. */
  readonly isLeft: (url: string) => boolean
}

/** Whether a server is ready; undefined: no response within the time, which proves nothing on a busy machine. */
const answersReady = (target: URL) =>
  new Promise<boolean | undefined>((resolve) => {
    const options = { host: target.hostname, port: target.port, path: "/health/ready", agent: false }
    const request = Http.get(options, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    request.setTimeout(checkTimeout, () => {
      resolve(undefined)
      request.destroy()
    })
    request.on("error", () => resolve(false))
  })

/**
 * Listens on a free port of 127.0.0.1 while the scope is open, and passes each connection on to the next server that is
 * up.
 */
export const balancer = Effect.fnUntraced(function* (urls: ReadonlyArray<string>) {
  const servers = urls.map((url) => ({ url, target: new URL(url), isUp: false, connections: 0 }))
  const open = new Set<Net.Socket>()
  const checking = new Map<string, NodeJS.Timeout>()
  let turn = 0

  // Checks run one after the other: a late response must not replace the response to a later check.
  const check = async (server: (typeof servers)[0]) => {
    server.isUp = (await answersReady(server.target)) ?? server.isUp
    if (listener.listening)
      checking.set(
        server.url,
        setTimeout(() => void check(server), checkInterval)
      )
  }

  /** Connects to a server; skips one that refuses the connection. */
  const connect = (client: Net.Socket, left: ReadonlyArray<(typeof servers)[0]>): void => {
    const [next, ...others] = left
    if (next === undefined) return void client.resetAndDestroy()
    const server = Net.connect({
      host: next.target.hostname,
      port: Number(next.target.port),
      allowHalfOpen: true,
      noDelay: true
    })
    open.add(server)
    next.connections += 1
    let isOpen = false
    server.once("connect", () => {
      isOpen = true
      client.pipe(server)
      server.pipe(client)
    })
    server.on("error", () => (isOpen ? client.resetAndDestroy() : connect(client, others)))
    server.once("close", () => {
      open.delete(server)
      next.connections -= 1
    })
    client.once("close", () => server.destroy())
  }

  const listener = Net.createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    open.add(client)
    client.on("error", () => {})
    client.once("close", () => open.delete(client))
    const candidates = servers.filter(({ isUp }) => isUp)
    const first = turn++ % Math.max(1, candidates.length)
    connect(client, [...candidates.slice(first), ...candidates.slice(0, first)])
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      listener.listen(0, "127.0.0.1", () => resume(Effect.void))
    }),
    () =>
      Effect.callback<void>((resume) => {
        listener.close(() => resume(Effect.void))
        for (const timer of checking.values()) clearTimeout(timer)
        for (const socket of open) socket.destroy()
      })
  )
  yield* Effect.promise(() => Promise.all(servers.map(check)))
  return {
    url: `http://127.0.0.1:${(listener.address() as Net.AddressInfo).port}`,
    up: () => servers.filter(({ isUp }) => isUp).length,
    isLeft: (url) => servers.every((server) => server.url !== url || (!server.isUp && server.connections === 0))
  } satisfies Balancer
})
