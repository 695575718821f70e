import { Effect } from "effect"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"

// Monitors are few. Their connections are not those of the clients, so a process whose clients have them all still says how it is.
const connectionsMax = 64

const isForMonitors = (url: string) => /^\/(metrics|health\/(live|ready))(\?|$)/.test(url)

/**
 * Listens on a port of its own for `/metrics` and `/health/…`, which `server` then answers; `refuse` answers any other path. `isAsked`
 * tells a request that came to this port from one that a client sent. Closes with its scope.
 */
export const listen = (
  server: Server,
  address: { readonly host: string; readonly port: number },
  refuse: (response: ServerResponse) => void
) =>
  Effect.gen(function* () {
    const asked = new WeakSet<object>()
    const monitors = createServer({ keepAlive: true, noDelay: true }, (request: IncomingMessage, response) => {
      if (!isForMonitors(request.url ?? "")) return refuse(response)
      asked.add(request)
      server.emit("request", request, response)
    })
    monitors.maxConnections = connectionsMax
    yield* Effect.acquireRelease(
      Effect.callback<void, Error>((resume) => {
        monitors.once("error", (error) => resume(Effect.fail(error)))
        monitors.listen(address, () => resume(Effect.void))
      }),
      () =>
        Effect.callback<void>((resume) => {
          monitors.close(() => resume(Effect.void))
          monitors.closeAllConnections()
        })
    )
    return { isAsked: (request: object) => asked.has(request) }
  })
