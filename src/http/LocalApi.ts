import { Context, Effect, Option, Redacted } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { AccountMode } from "../../schemas/Account.ts"
import type { PortalSession } from "../accounts/store/PortalSessions.ts"
import { PortalCaller } from "./request/Caller.ts"
import { localApiKey } from "../accounts/rules/ApiKeyFormat.ts"
import { ApiKeys } from "../accounts/store/ApiKeys.ts"
import { SecretKey } from "../database/Secrets.ts"

/** A request to the API of this process. */
export interface LocalRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** The path with its query: `/v1/invoices?limit=20`. */
  readonly url: string
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array<ArrayBuffer> | string
  /** The address of the person's browser, for the audit log and the request log. */
  readonly address?: Option.Option<string>
}

/** The response of the API, with its whole body. */
export interface LocalAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: Uint8Array<ArrayBuffer>
}

/**
 * A request in the name of a portal session, whose rights replace those of an API key.
 *
 * @internal
 */
export interface SessionRequest extends LocalRequest {
  readonly session: PortalSession
}

type Handler = Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest.HttpServerRequest>
/** Handler of a server. Its requirements are `unknown`, because `Http.serve` accepts any routes. */
type Served = Effect.Effect<HttpServerResponse.HttpServerResponse, unknown, unknown>

const origin = "http://folio.invalid"

/**
 * Makes a `LocalApi` for the routes, which works after `connect`. A call runs in the fiber of the server's request,
 * which has all requirements of the routes.
 *
 * @internal
 */
export const make = () => {
  let connected: Handler | undefined
  const api = LocalApi.of({
    call: Effect.fnUntraced(function* (sent) {
      const { address = Option.none(), body = null, headers = {}, method, url } = sent
      if (connected === undefined) return yield* Effect.die(new Error("The routes of the service are not built yet."))
      const request = HttpServerRequest.fromWeb(
        new Request(origin + url, { method, headers: { host: "folio.invalid", ...headers }, body })
      ).modify({ remoteAddress: address })
      const answer = HttpServerResponse.toWeb(
        yield* connected.pipe(
          Effect.provideService(HttpServerRequest.HttpServerRequest, request),
          Effect.provideService(PortalCaller, "session" in sent ? sent.session : null)
        )
      )
      const bytes = new Uint8Array(yield* Effect.promise(() => answer.arrayBuffer()))
      return { status: answer.status, headers: answer.headers, body: bytes }
    })
  })
  return { api, connect: (handler: Served) => void (connected = Effect.orDie(Effect.scoped(handler)) as Handler) }
}

/**
 * Calls the API inside this process. A local request passes the same checks, limits, logs and actors as an external
 * request, and needs an API key as well. `callAs` calls the API in the name of an account.
 */
export class LocalApi extends Context.Service<
  LocalApi,
  { readonly call: (request: LocalRequest | SessionRequest) => Effect.Effect<LocalAnswer> }
>()("@folio-einvoicing/service/LocalApi") {}

/**
 * Calls the API inside this process in the name of an account and mode, with all rights. The first call creates an API
 * key of the account that only this service has.
 *
 * The key's name in the account's list is "LocalApi". The audit log and the request log show its id. If the account
 * revokes the key, calls get 401.
 *
 * Fails with `resource_missing` if the account doesn't exist, and with `account_not_live` if live keys are not allowed.
 * A string body is JSON unless `headers` has another `content-type`.
 */
export const callAs = Effect.fn("callAs")(function* (account: AccountMode, request: LocalRequest) {
  const api = yield* LocalApi
  const keys = yield* ApiKeys
  const { id, key } = localApiKey(Redacted.value(yield* SecretKey), account)
  const { account_id, livemode } = account
  yield* keys.ensure({ id, account_id, mode: livemode ? "live" : "test", key, name: "LocalApi" })
  return yield* api.call({
    ...request,
    headers: {
      ...(typeof request.body === "string" && { "content-type": "application/json" }),
      ...request.headers,
      authorization: `Bearer ${key}`
    }
  })
})
