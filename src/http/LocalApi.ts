import { Context, Effect, type Option } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { type PortalSession, PortalCaller } from "../api/Authorization.ts"

/** A request of a session of the portal to the API of this process. */
export interface LocalRequest {
  readonly session: PortalSession
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** The path below the service, with its query: `/v1/invoices?limit=20`. */
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array<ArrayBuffer> | string
  /** The address of the person's browser, for the audit log and the request log. */
  readonly address: Option.Option<string>
}

/** The answer of the API, with its whole body. */
export interface LocalAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: Uint8Array<ArrayBuffer>
}

type Handler = Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest.HttpServerRequest>
/** The handler of a server, of which `Http.serve` knows only in general what the routes require. */
type Served = Effect.Effect<HttpServerResponse.HttpServerResponse, unknown, unknown>

const origin = "http://folio.invalid"

/**
 * Makes a `LocalApi` that answers once the routes, to which it is given, are connected. A call runs in the fiber of the server's request,
 * which has all that routes require.
 */
export const make = () => {
  let connected: Handler | undefined
  const api = LocalApi.of({
    call: Effect.fnUntraced(function* ({ address, body = null, headers = {}, method, session, url }) {
      if (connected === undefined) return yield* Effect.die(new Error("The routes of the service are not built yet."))
      const request = HttpServerRequest.fromWeb(
        new Request(origin + url, { method, headers: { host: "folio.invalid", ...headers }, body })
      ).modify({ remoteAddress: address })
      const answer = HttpServerResponse.toWeb(
        yield* connected.pipe(
          Effect.provideService(HttpServerRequest.HttpServerRequest, request),
          Effect.provideService(PortalCaller, session)
        )
      )
      const bytes = new Uint8Array(yield* Effect.promise(() => answer.arrayBuffer()))
      return { status: answer.status, headers: answer.headers, body: bytes }
    })
  })
  return { api, connect: (handler: Served) => void (connected = Effect.orDie(Effect.scoped(handler)) as Handler) }
}

/**
 * The API, as a page of the portal calls it inside this process: a request passes the same checks, limits, logs and actors as one
 * from outside, with the rights of a session in place of an API key.
 */
export class LocalApi extends Context.Service<
  LocalApi,
  { readonly call: (request: LocalRequest) => Effect.Effect<LocalAnswer> }
>()("folio/http/LocalApi") {}
