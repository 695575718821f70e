import { Effect } from "effect"
import * as http from "node:http"
import type * as net from "node:net"

/**
 * An HTTP server on a free port of 127.0.0.1 while the scope is open; returns the port. It closes without waiting for
 * open connections.
 */
export const listening = Effect.fnUntraced(function* (handle: http.RequestListener) {
  const server = http.createServer(handle)
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.void))
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )
  return (server.address() as net.AddressInfo).port
})
