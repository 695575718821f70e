import { Effect, Latch, Layer } from "effect"
import { FindMyWay, HttpRouter, HttpServer, HttpServerResponse } from "effect/http"
import * as LocalApi from "./LocalApi.ts"
import * as Envelope from "./request/Envelope.ts"
import { SpentKeys } from "./limits/SpentKeys.ts"
import { noteRoute } from "./request/Exchange.ts"
import { Limits } from "../settings/Limits.ts"
import { Stopping } from "./service/Health.ts"

/**
 * Serves routes, the service's (`Routes.layer`) and others beside them, each inside the envelope that every request
 * passes through: its request id, the error envelope, metrics, and the answers to unknown paths and methods. A handler
 * may fail with `ApiError`. Routes call each other inside the process by `LocalApi`. When the layer is released, the
 * service is no longer ready and serves for `drainSeconds` more; then waiting requests end by `Stopping`, and the
 * server answers the requests that have arrived. Requires an `HttpServer`.
 */
export const serve = <A, E, R>(routes: Layer.Layer<A, E, R>) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const known = makeKnownRoutes()
      const local = LocalApi.make()
      const spentKeys = yield* SpentKeys.make
      const envelope = yield* Envelope.make(known.methodsOf, spentKeys)
      const { drainSeconds: seconds } = yield* Limits
      const stopping = { asked: false, told: yield* Latch.make() }
      const drain = Effect.gen(function* () {
        stopping.asked = true
        yield* Effect.logInfo(
          seconds === 0
            ? "Asked to stop: requests that have arrived are answered, then the process ends"
            : `Asked to stop: requests are served for ${seconds} s more, so that a balancer sends them elsewhere`
        )
        if (seconds > 0) yield* drainFor(seconds)
        yield* stopping.told.open
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
      // A client with a kept-alive connection opens its next one by way of the balancer. The connection itself is not
      // closed: a request may be on its way.
      const letGo = (answer: HttpServerResponse.HttpServerResponse) =>
        stopping.asked ? HttpServerResponse.setHeader(answer, "Connection", "close") : answer
      // A layer on top of the server is finalized first: the server drains before it waits for requests that have
      // arrived.
      return Layer.effectDiscard(Effect.addFinalizer(() => drain)).pipe(
        Layer.provideMerge(HttpServer.serve(Effect.map(answered, letGo)))
      )
    })
  )

/** Paths match exactly: another letter case, a trailing or a double slash makes another path. */
const routerConfig = { caseSensitive: true, ignoreTrailingSlash: false, ignoreDuplicateSlashes: false }

const methods = ["DELETE", "GET", "OPTIONS", "PATCH", "POST", "PUT", "QUERY"]

/**
 * Notes the routes that are added to a router, the service's and a team's alike, because `HttpRouter` does not tell a
 * path that is unknown from one that is known with another method. Routes that `layer` is provided to are noted.
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
     * The methods with which a path is known, in alphabetical order; none if the path is not known. A path in which an
     * id is empty is not known, although the router matches it: `/v1/customers/`.
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

// `npm start` passes on the Ctrl-C that the terminal has already sent to the whole group of processes.
const echo = "1 second"

const pressedAgain = Effect.callback<void>((resume) => {
  const stop = () => resume(Effect.void)
  process.once("SIGINT", stop)
  return Effect.sync(() => process.removeListener("SIGINT", stop))
}).pipe(Effect.delay(echo))

/** Waits for this number of seconds. A second Ctrl-C ends the wait. */
const drainFor = (seconds: number) => Effect.raceFirst(Effect.sleep(`${seconds} seconds`), pressedAgain)
