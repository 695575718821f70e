import { Effect } from "effect"
import * as Net from "node:net"

const informational =
  "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"

/**
 * A proxy before the server at `url`, which sends the responses 100, 102 and 103 before the server's first response.
 */
export const informingProxy = Effect.fnUntraced(function* (url: string) {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Net.Socket>()
  const server = Net.createServer((socket) => {
    const upstream = Net.connect(Number(port), hostname)
    for (const [one, other] of [
      [socket, upstream],
      [upstream, socket]
    ] as const) {
      sockets.add(one)
      one.on("error", () => {}).once("close", () => other.destroy())
    }
    socket.once("data", () => socket.write(informational))
    socket.pipe(upstream)
    upstream.pipe(socket)
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.void))
    }),
    () =>
      Effect.sync(() => {
        server.close()
        sockets.forEach((socket) => socket.destroy())
      })
  )
  return url.replace(`:${port}`, `:${(server.address() as Net.AddressInfo).port}`)
})
