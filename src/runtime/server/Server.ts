import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { ByteSize, type Context, Effect, Layer, Metric } from "effect"
import { HttpIncomingMessage } from "effect/http"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { ServiceInfo } from "../ServiceInfo.ts"
import * as Metrics from "../Metrics.ts"
import { AskedByMonitor } from "../MetricsPort.ts"
import { type Proxies, proxiesIn } from "../TrustedProxies.ts"
import { bodyBytesMax, Limits, type LimitValues } from "../Limits.ts"
import { Ids } from "../../database/Ids.ts"
import { Supervised } from "../process/Supervised.ts"
import { type Cut, makeConnections } from "./Connections.ts"
import { canShare, shareListening, SocketsOfPort } from "./Listeners.ts"
import { cannotListen, type ListenError, portToUse } from "./OpenPort.ts"
import {
  answer,
  type Answering,
  end,
  envelope,
  notForMonitors,
  refuse,
  refuseTunnel,
  soon,
  tooMany
} from "./Refusals.ts"
import { Settings } from "../process/Settings.ts"

const requestsPerConnectionMax = 100_000

interface Self extends Answering {
  readonly proxies: Proxies
  readonly sockets: number
  /** Reports that one of the sockets cannot listen. */
  readonly noteSocket: (error: Error) => void
  readonly noteCut: (why: Cut) => void
}

// In bytes, above the limits that have an error response, so that a request beyond those limits still gets one.
const rawHeadersMax = 32 * 1024

/**
 * While the server stops, closes each connection after its current response: a client that kept it would delay the
 * stop.
 */
const letGo = (server: Server, response: ServerResponse) => {
  if (!server.listening) response.setHeader("Connection", "close")
  response.once("close", () => {
    if (!server.listening) server.closeIdleConnections()
  })
}

const starting =
  "This process is starting: it prepares its database and its actors. Retry in a second with the same Idempotency-Key."
const stopping = "This process is stopping. Retry in a second with the same Idempotency-Key."

type Services = Context.Context<Layer.Success<ReturnType<typeof NodeHttpServer.layer>>>

const make = (self: Self, clientLimits: LimitValues["clients"]) => {
  const options = {
    maxHeaderSize: rawHeadersMax,
    headersTimeout: clientLimits.headersMs,
    requestTimeout: clientLimits.requestMs,
    keepAliveTimeout: clientLimits.keepAliveMs,
    connectionsCheckingInterval: clientLimits.checkMs,
    noDelay: true,
    // The error envelope, instead of Node's own two lines, rejects a missing Host header.
    requireHostHeader: false,
    // The service upgrades no connection to another protocol: an upgrade request gets the same response as any other
    // request.
    shouldUpgradeCallback: () => false
  }
  const connections = makeConnections(self.limits, clientLimits, self.proxies.has, self.noteCut)
  const server = createServer(options)
  server.maxRequestsPerSocket = requestsPerConnectionMax
  let hasServed = false
  for (const event of ["request", "checkContinue"] as const) {
    server.on(event, (request: IncomingMessage, response: ServerResponse) => {
      connections.begin(request, response)
      letGo(server, response)
      // Before the routes are added or after they are removed, a request would otherwise wait forever.
      if (server.listenerCount(event) === 1)
        answer(response, envelope(self, "service_unavailable", hasServed ? stopping : starting, soon))
    })
  }
  server.on("newListener", (event) => {
    if (event === "request") hasServed = true
  })
  // An unknown expectation is no reason to reject an executable request (RFC 9110 leaves the decision to the server).
  server.on("checkExpectation", (request, response) => server.emit("request", request, response))

  // Serves HTTP to the connections without room: each gets one response.
  const reserve = createServer(options)
  reserve.on("request", (request, response) => {
    response.setHeader("Connection", "close")
    if (request.url?.startsWith("/health/") === true) server.emit("request", request, response)
    else answer(response, tooMany(self, connections.refusalOf(request.socket)))
  })
  for (const each of [server, reserve]) {
    each.on("clientError", refuse(self))
    each.on("connect", refuseTunnel(self))
  }

  const [serve] = server.listeners("connection")
  server.removeAllListeners("connection")
  server.on("connection", (socket: Socket) => {
    const isTaken = connections.admit(socket, (displaced, why) => {
      end(displaced, tooMany(self, why))
      displaced.destroySoon()
    })
    if (isTaken) serve?.call(server, socket)
    else reserve.emit("connection", socket)
  })
  const sweeping = setInterval(() => connections.sweep(!server.listening), clientLimits.checkMs).unref()
  return {
    server: shareListening(server, self.sockets, { ended: () => clearInterval(sweeping), failed: self.noteSocket }),
    count: connections.count
  }
}

// Monitors are few. Their connections do not count as clients' connections, so that a process with all connections in
// use still reports its health.
const monitorsMax = 64

const isForMonitors = (url: string) => /^\/(metrics|health\/(live|ready))(\?|$)/.test(url)

/**
 * Listens on a separate port for `/metrics` and `/health/…`, which `server` handles; `answerOther` handles any other
 * path. `isAsked` recognizes a request to this port. Closes with its scope.
 */
const listenForMonitors = (
  server: Server,
  address: { readonly host: string; readonly port: number },
  answerOther: (response: ServerResponse) => void
) =>
  Effect.gen(function* () {
    const asked = new WeakSet<object>()
    const monitors = createServer({ keepAlive: true, noDelay: true }, (request: IncomingMessage, response) => {
      if (!isForMonitors(request.url ?? "")) return answerOther(response)
      asked.add(request)
      server.emit("request", request, response)
    })
    monitors.maxConnections = monitorsMax
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

/**
 * The HTTP server, and the platform services of the routes (files, paths, tags). Rejects a body beyond its limit
 * without reading it. Requires `Settings`, `ServiceInfo` and `Limits`. Fails with `ListenError` if the address is
 * unusable.
 */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const { host, metricsPort, port } = (yield* Settings).listen
    const { baseUrl } = yield* ServiceInfo
    const ids = yield* Ids
    const runSync = Effect.runSyncWith(yield* Effect.context())
    const { clients: clientLimits, connections, trustedProxies } = yield* Limits
    const self: Self = {
      baseUrl,
      newRequestId: () => runSync(ids.request),
      limits: connections,
      proxies: proxiesIn(trustedProxies),
      sockets: yield* SocketsOfPort,
      noteSocket: (error) =>
        runSync(Effect.logWarning(`A socket cannot listen on the port; the others continue: ${error.message}`)),
      noteCut: (why) => runSync(Metric.update(Metrics.connectionsCut(why), 1)),
      noteRefusal: (why) => runSync(Metric.update(Metrics.connectionsRefused(why), 1))
    }
    // The supervisor's other processes already listen on the port.
    if ((yield* Supervised) === undefined) yield* portToUse
    const { count, server } = make(self, clientLimits)
    for (const state of ["idle", "busy", "reserve"] as const) {
      yield* Metrics.observe(Metrics.connections(state), () => ({ value: count()[state] }))
    }
    // Below the clients' server, which stops first: until then, monitors see that the process is stopping.
    const monitors =
      metricsPort === undefined
        ? Layer.empty
        : Layer.effect(
            AskedByMonitor,
            listenForMonitors(server, { host, port: metricsPort }, (response) =>
              answer(response, notForMonitors(self))
            ).pipe(
              Effect.map(({ isAsked }) => isAsked),
              Effect.mapError(({ message }) => cannotListen({ host, port: metricsPort }, message, "METRICS_PORT=9464"))
            )
          )
    return NodeHttpServer.layer(() => server, {
      host,
      port,
      reusePort: canShare,
      gracefulShutdownTimeout: "15 seconds"
    }).pipe(
      Layer.catchTag("ServeError", ({ cause }) => {
        const error = cannotListen({ host, port }, cause instanceof Error ? cause.message : String(cause))
        return Layer.effectContext(Effect.fail(error) as Effect.Effect<Services, ListenError>)
      }),
      Layer.provideMerge(monitors)
    )
  })
).pipe(
  Layer.provide(Ids.layer),
  Layer.provideMerge(Layer.succeed(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(bodyBytesMax)))
)
