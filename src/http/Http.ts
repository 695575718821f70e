import { Effect, Latch, Layer } from "effect"
import { HttpRouter, HttpServer, HttpServerResponse } from "effect/http"
import * as KnownRoutes from "./KnownRoutes.ts"
import * as LocalApi from "./LocalApi.ts"
import * as Envelope from "./request/Envelope.ts"
import { SpentKeys } from "./limits/SpentKeys.ts"
import { noteRoute } from "./request/Exchange.ts"
import { Limits } from "../settings/Limits.ts"
import { drainFor } from "./service/Drain.ts"
import { Stopping } from "./service/Health.ts"

/**
 * Serves routes, the service's (`Routes.layer`) and others beside them, each inside the envelope that every request passes through:
 * its request id, the error envelope, metrics, and the answers to unknown paths and methods. A handler may fail with `ApiError`.
 * Routes call each other inside the process by `LocalApi`. When the layer is released, the service is no longer ready and serves for
 * `drainSeconds` more; then waiting requests end by `Stopping`, and the server answers the requests that have arrived. Requires an
 * `HttpServer`.
 */
export const serve = <A, E, R>(routes: Layer.Layer<A, E, R>) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const known = KnownRoutes.make()
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
        Effect.provideService(HttpRouter.RouterConfig, KnownRoutes.routerConfig)
      )
      const answered = envelope(handler)
      local.connect(answered)
      // A client with a kept-alive connection opens its next one by way of the balancer. The connection itself is not closed: a request
      // may be on its way.
      const letGo = (answer: HttpServerResponse.HttpServerResponse) =>
        stopping.asked ? HttpServerResponse.setHeader(answer, "Connection", "close") : answer
      // A layer on top of the server is finalized first: the server drains before it waits for requests that have arrived.
      return Layer.effectDiscard(Effect.addFinalizer(() => drain)).pipe(
        Layer.provideMerge(HttpServer.serve(Effect.map(answered, letGo)))
      )
    })
  )
