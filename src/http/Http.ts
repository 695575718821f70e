import { Effect, Latch, Layer } from "effect"
import { HttpServer } from "effect/http"
import * as Envelope from "./request/Envelope.ts"
import * as Routes from "./Routes.ts"
import { Stopping } from "./service/Health.ts"

/** The HTTP server's routes inside the envelope that every request passes through. Requires an `HttpServer`. */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const envelope = yield* Envelope.make
    const stopping = { asked: false, told: yield* Latch.make() }
    const stop = Effect.andThen(
      Effect.sync(() => (stopping.asked = true)),
      stopping.told.open
    )
    const handler = yield* Effect.provideService(Routes.handler, Stopping, stopping)
    // A layer on top of the server is finalized first: `stopping` is set before the server waits for requests that have arrived.
    return Layer.effectDiscard(Effect.addFinalizer(() => stop)).pipe(
      Layer.provideMerge(HttpServer.serve(envelope(handler)))
    )
  })
)
