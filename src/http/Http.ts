import { Effect, Latch, Layer } from "effect"
import { FindMyWay, HttpRouter, HttpServer, HttpServerResponse } from "effect/http"
import * as LocalApi from "./LocalApi.ts"
import * as Envelope from "./request/Envelope.ts"
import { SpentKeys } from "./limits/SpentKeys.ts"
import { noteRoute } from "./request/Exchange.ts"
import { Limits } from "../runtime/Limits.ts"
import { Stopping } from "./service/HealthRoutes.ts"

/**
 * Serves routes, those of the service (`Routes.layer`) and additional ones, inside the envelope (`Envelope`). A handler
 * may fail with `ApiError`. Routes call each other inside the process with `LocalApi`.
 *
 * When the layer is released, the service stops being ready and serves requests for `drainSeconds` more. Then
 * `Stopping` ends waiting requests, and the server completes the requests that have arrived. Requires an `HttpServer`.
 */
export const serve = <A, E, R>(routes: Layer.Layer<A, E, R>) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const known = makeKnownRoutes()
      const local = LocalApi.make()
      const spentKeys = yield* SpentKeys.make
      const envelope = yield* Envelope.make(known.methodsOf, spentKeys)
      const { drainSeconds: seconds } = yield* Limits
      const stopping = { isStopping: false, drained: yield* Latch.make() }
      const drain = Effect.gen(function* () {
        stopping.isStopping = true
        yield* Effect.logInfo(
          seconds === 0
            ? "The process stops: it completes the requests that have arrived"
            : `The process stops: it serves requests for ${seconds} s more, until a balancer uses other processes`
        )
        if (seconds > 0) yield* drainFor(seconds)
        yield* stopping.drained.open
      })
      const handler = yield* routes.pipe(
        Layer.provide([
          noteRoute,
          known.layer,
          Layer.succeed(LocalApi.LocalApi, local.api),
          Layer.succeed(SpentKeys, spentKeys),
          Layer.succeed(Stopping, stopping)
        ]),
        HttpRouter.toHttpEffect,
        Effect.provideService(HttpRouter.RouterConfig, routerConfig)
      )
      const answered = envelope(handler)
      local.connect(answered)
      // A client with a kept-alive connection opens its next connection through the balancer. The process doesn't close
      // the connection, because a request may be in transit.
      const letGo = (answer: HttpServerResponse.HttpServerResponse) =>
        stopping.isStopping ? HttpServerResponse.setHeader(answer, "Connection", "close") : answer
      // The finalizer of the last layer runs first: the server drains before it waits for requests that have arrived.
      return Layer.effectDiscard(Effect.addFinalizer(() => drain)).pipe(
        Layer.provideMerge(HttpServer.serve(Effect.map(answered, letGo)))
      )
    })
  )

/** Exact match of paths: another letter case, a trailing slash or a double slash makes another path. */
const routerConfig = { caseSensitive: true, ignoreTrailingSlash: false, ignoreDuplicateSlashes: false }

const methods = ["DELETE", "GET", "OPTIONS", "PATCH", "POST", "PUT", "QUERY"]

/**
 * Records the routes that are added to a router, because `HttpRouter` returns the same error for an unknown path and
 * for a known path with another method. Records the routes that get `layer`, also the routes of a team.
 */
const makeKnownRoutes = () => {
  const known = FindMyWay.make<true>(routerConfig)
  const note = (method: string, path: string) => {
    const paths = path.endsWith("/*") ? [path, path.slice(0, -2)] : [path]
    for (const each of paths as ReadonlyArray<HttpRouter.PathInput>) {
      if (method === "*") known.all(each, true)
      else known.on(method, each, true)
    }
  }

  const noting = (router: HttpRouter.HttpRouter, prefix: string): HttpRouter.HttpRouter => {
    const full = (path: string) => (prefix === "" ? path : HttpRouter.prefixPath(path, prefix))
    return HttpRouter.HttpRouter.of({
      ...router,
      prefixed: (more) => noting(router.prefixed(more), full(more)),
      add: (method, path, handler, options) => {
        note(method, full(path))
        return router.add(method, path, handler, options)
      },
      addAll: (routes) => {
        for (const { method, path } of routes) note(method, full(path))
        return router.addAll(routes)
      }
    })
  }

  return {
    layer: Layer.effect(
      HttpRouter.HttpRouter,
      Effect.map(HttpRouter.HttpRouter, (router) => noting(router, ""))
    ),
    /**
     * Methods of a path, in alphabetical order; none if the path is unknown. A path with an empty id, such as
     * `/v1/customers/`, counts as unknown, although the router matches it.
     */
    methodsOf: (path: string): ReadonlyArray<string> =>
      methods
        .filter((method) => {
          const found = known.find(method, path)
          return (
            found !== undefined && Object.entries(found.params).every(([name, part]) => name === "*" || part !== "")
          )
        })
        .flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]))
  }
}

// `npm start` forwards the Ctrl-C that the terminal has already sent to the whole process group.
const echo = "1 second"

const pressedAgain = Effect.callback<void>((resume) => {
  const stop = () => resume(Effect.void)
  process.once("SIGINT", stop)
  return Effect.sync(() => process.removeListener("SIGINT", stop))
}).pipe(Effect.delay(echo))

/** Waits for this number of seconds, or until a second Ctrl-C. */
const drainFor = (seconds: number) => Effect.raceFirst(Effect.sleep(`${seconds} seconds`), pressedAgain)
