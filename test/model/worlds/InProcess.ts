import { Effect, Layer, type Scope } from "effect"
import { HttpClientRequest, type HttpRouter, HttpServer, HttpServerRequest, type HttpServerResponse } from "effect/http"
import crypto from "node:crypto"
import { syncBuiltinESMExports } from "node:module"
import * as Http from "../../../src/http/Http.ts"
import * as Layers from "../../../src/service/Layers.ts"
import { Limits } from "../../../src/runtime/Limits.ts"
import { RateLimit } from "../../../src/http/limits/RateLimit.ts"
import { withoutRest } from "../../support/apps/TestSettings.ts"
import type { Reply, Sent } from "./World.ts"

type Routes = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  unknown,
  HttpServerRequest.HttpServerRequest | Scope.Scope
>

// A sequence's use of a limit would remain for the next one, which must run as if it were the first.
const unlimited = { perSecond: 1e12, burst: 1_000 }
// The clock advances only at a sequence's steps, so a pause would never end.
const limits = Limits.layerChanged({ rate: unlimited, requests: withoutRest })

/**
 * The service's routes with their envelope, and a team's own routes, without a socket: returns a function that answers
 * one request.
 */
export const routes = Effect.fnUntraced(function* <R>(own: Layer.Layer<never, never, R | HttpRouter.HttpRouter>) {
  let served: Routes = Effect.never
  const server = HttpServer.make({
    address: { _tag: "TcpAddress", hostname: "folio.test", port: 80 } as never,
    serve: (effect) =>
      Effect.sync(() => {
        served = effect
      })
  })
  const http = Layer.mergeAll(Layer.succeed(HttpServer.HttpServer, server), HttpServer.layerServices)
  yield* Layer.build(
    Http.serve(Layer.mergeAll(Layers.routes, own)).pipe(
      Layer.provide([RateLimit.layer, Layers.layerDocuments]),
      Layer.provide([http, limits])
    )
  )
  return (sent: Sent): Effect.Effect<Reply, unknown> =>
    served.pipe(
      Effect.provideService(HttpServerRequest.HttpServerRequest, requestOf(sent)),
      Effect.scoped,
      Effect.map(({ body, headers, status }) => ({
        status,
        headers,
        text: body._tag === "Uint8Array" ? Buffer.from(body.body).toString() : ""
      }))
    )
})

const requestOf = ({ apiKey, body, key, method, path }: Sent) => {
  const request = HttpClientRequest.make(method as "GET")(`http://folio.test${path}`, {
    headers: { authorization: `Bearer ${apiKey}`, ...(key === null ? {} : { "idempotency-key": key }) }
  })
  return HttpServerRequest.fromClientRequest(
    body === null ? request : HttpClientRequest.bodyText(request, body, "application/json")
  )
}

/** Signs in this thread: a result from a worker thread would arrive at another moment each time. */
export const signHere = Effect.acquireRelease(
  Effect.sync(() => {
    const { sign } = crypto
    const replace = (signer: typeof sign) => {
      Object.assign(crypto, { sign: signer })
      syncBuiltinESMExports()
    }
    const signNow = (...[algorithm, data, key, callback]: Parameters<typeof sign>) => {
      const signature = sign(algorithm, data, key)
      callback?.(null, signature)
      return signature
    }
    replace(signNow as typeof sign)
    return () => replace(sign)
  }),
  (restore) => Effect.sync(restore)
)
