import { Effect, Latch, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import * as KnownRoutes from "./KnownRoutes.ts"
import * as LocalApi from "./LocalApi.ts"
import * as Envelope from "./request/Envelope.ts"
import { noteRoute } from "./request/Exchange.ts"
import { Stopping } from "./service/Health.ts"

/**
 * Serves routes, the service's (`Routes.layer`) and others beside them, each inside the envelope that every request passes through:
 * its request id, the error envelope, metrics, and the answers to unknown paths and methods. A handler may fail with `ApiError`.
 * Routes call each other inside the process by `LocalApi`. When the layer is released, routes learn of it by `Stopping`, and the server
 * then answers the requests that have arrived. Requires an `HttpServer`.
 */
export const serve = <A, E, R>(routes: Layer.Layer<A, E, R>) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const known = KnownRoutes.make()
      const local = LocalApi.make()
      const envelope = yield* Envelope.make(known.methodsOf)
      const stopping = { asked: false, told: yield* Latch.make() }
      const stop = Effect.andThen(
        Effect.sync(() => (stopping.asked = true)),
        stopping.told.open
      )
      const handler = yield* routes.pipe(
        Layer.provide([
          noteRoute,
          known.layer,
          Layer.succeed(LocalApi.LocalApi, local.api),
          Layer.succeed(Stopping, stopping)
        ]),
        HttpRouter.toHttpEffect,
        Effect.provideService(HttpRouter.RouterConfig, KnownRoutes.routerConfig)
      )
      const answered = envelope(handler)
      local.connect(answered)
      // A layer on top of the server is finalized first: `stopping` is set before the server waits for requests that have arrived.
      return Layer.effectDiscard(Effect.addFinalizer(() => stop)).pipe(Layer.provideMerge(HttpServer.serve(answered)))
    })
  )
